// T1, the statement that makes a payment: its key, prompt, customer, transaction, attempt and event
// together, or none of them. Payments that come while others are being written are batched
// (docs/decisions/0011), but never two with the same key, phone or customer.

import { insertAttempts, type NewAttempt } from '../attempts/statements.ts'
import { type CustomerFacts, customerName, upsertCustomers } from '../customers/statements.ts'
import type { FeedKey, NewEvent } from '../events/event.ts'
import { recordNumbered } from '../events/statements.ts'
import {
  type CountedPrompts,
  countPrompts,
  type PromptLimit,
  withPrompts,
} from '../merchants/prompt-count-statements.ts'
import { batchCalls, perBatchPool } from '../platform/batch-calls.ts'
import { type Db, retryOnDeadlock } from '../platform/db.ts'
import { type Claiming, claimKeys } from '../platform/idempotency/statements.ts'
import { composed, selectReached } from '../platform/sql.ts'
import { insertTransactions, type NewTransaction } from '../transactions/statements.ts'

/** Everything but the key is gated by the transaction's id. */
export type NewPayment = Readonly<{
  claiming: Claiming
  prompt: PromptLimit
  customer: CustomerFacts
  transaction: NewTransaction
  attempt: NewAttempt
  event: NewEvent & FeedKey
}>

export type CreationOutcome = 'made' | 'key_taken' | 'too_many_prompts'

export const makePayment = (db: Db, payment: NewPayment): Promise<CreationOutcome> =>
  batch(db, payment.customer)(payment)

const batch = perBatchPool((db) =>
  batchCalls<NewPayment, CreationOutcome>({
    run: (all) =>
      withPrompts(db, {
        limits: all.map(({ prompt }) => prompt),
        run: (counted) => writePayments(db, all, counted),
        unused: (done) => all.flatMap((one, at) => (done[at] === 'made' ? [] : one.transaction.id)),
      }),
    names: namesOf,
    owner: ({ customer }) => customer.merchant_id,
  }),
)

function namesOf({ claiming: { once }, prompt, customer }: NewPayment): string[] {
  const names = [`prompt ${prompt.target.toString('base64')}`, `customer ${customerName(customer)}`]
  return once.none ? names : [...names, `key ${once.merchant_id} ${once.environment} ${once.key}`]
}

async function writePayments(
  db: Db,
  all: readonly NewPayment[],
  counted: CountedPrompts | undefined,
): Promise<CreationOutcome[]> {
  const each = <K extends keyof NewPayment>(part: K) => all.map((one) => one[part])
  const claimed = claimKeys(db, each('claiming'))
  const prompt = countPrompts(db, each('prompt'), { when: claimed, counted })
  const customer = upsertCustomers(db, each('customer'), { when: prompt })
  const made = insertTransactions(db, each('transaction'), { when: prompt, customer })
  const event = recordNumbered(db, each('event'), { when: made })
  const attempt = insertAttempts(db, each('attempt'), { when: made })
  const parts = [claimed, prompt, customer, made, event, attempt]
  const rows = await retryOnDeadlock(() => composed(db, parts, selectReached(db, claimed, made)))
  const reached = new Map(rows.map((row) => [row['id'], row['reached'] === true]))
  return all.map(({ transaction: { id } }) => {
    const done = reached.get(id)
    if (done === undefined) return 'key_taken'
    return done ? 'made' : 'too_many_prompts'
  })
}
