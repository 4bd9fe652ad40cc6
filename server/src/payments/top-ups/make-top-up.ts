// T1 of a top-up: its key, prompt, transaction, attempt and event together, or none of them. A
// top-up has no customer, because the merchant pays in to its own balance.

import { insertAttempts, type NewAttempt } from '../../attempts/statements.ts'
import { noCustomers } from '../../customers/statements.ts'
import type { FeedKey, NewEvent } from '../../events/event.ts'
import { recordEvents } from '../../events/statements.ts'
import { countPrompts, type PromptLimit } from '../../merchants/statements.ts'
import type { Db } from '../../platform/db.ts'
import { type Claiming, claimKeys } from '../../platform/idempotency/statements.ts'
import { inTurn } from '../../platform/in-turn.ts'
import { composed, selectReached } from '../../platform/sql.ts'
import { insertTransactions, type NewTransaction } from '../../transactions/statements.ts'
import type { CreationOutcome } from '../make-payment.ts'

/** Everything but the key is gated by the transaction's id. */
export type NewTopUp = Readonly<{
  claiming: Claiming
  prompt: PromptLimit
  transaction: NewTransaction
  attempt: NewAttempt
  event: NewEvent & FeedKey
}>

export async function makeTopUp(db: Db, top_up: NewTopUp): Promise<CreationOutcome> {
  const claimed = claimKeys(db, [top_up.claiming])
  const prompt = countPrompts(db, [top_up.prompt], { when: claimed })
  const customer = noCustomers(db, { when: prompt })
  const made = insertTransactions(db, [top_up.transaction], { when: prompt, customer })
  const attempt = insertAttempts(db, [top_up.attempt], { when: made })
  const event = recordEvents(db, [top_up.event], { when: made })
  const parts = [claimed, prompt, customer, made, attempt, event]
  const last = selectReached(db, claimed, made)
  const [row] = await inTurn(db, top_up.transaction, () => composed(db, parts, last))
  if (row === undefined) return 'key_taken'
  return row['reached'] === true ? 'made' : 'too_many_prompts'
}
