// The statement that begins a session's payment: session and link locked, prompt counted, customer
// found or made, transaction, attempt and event; all of it or nothing. Two who pay at the same
// moment meet at the session's row, and the second finds it changed.

import { insertAttempts, type NewAttempt } from '../../attempts/statements.ts'
import { upsertCustomers } from '../../customers/statements.ts'
import { recordEvents } from '../../events/statements.ts'
import {
  type CountedPrompts,
  countPrompts,
  withPrompts,
} from '../../merchants/prompt-count-statements.ts'
import {
  beginReach,
  beginTarget,
  lockTarget,
  readReach,
  targetOf,
} from '../../orders/statements.ts'
import { refusalOf } from '../../payments/require-payable.ts'
import { promptOf } from '../../planning/prompt-limit.ts'
import { inTurn } from '../../platform/batch-calls.ts'
import { assert } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { homeOf } from '../../platform/places/places.ts'
import { composed } from '../../platform/sql.ts'
import { createdEvent } from '../../transactions/begin-transaction.ts'
import { insertTransactions, type NewTransaction } from '../../transactions/statements.ts'
import type { PublicDeps } from './payer.ts'

export type Beginning = Readonly<{
  row: NewTransaction
  attempt: NewAttempt
  /** The session's version when it was checked. */
  version: number
}>

/** Throws the refusal when it could not be begun. */
export async function beginPayment(
  deps: PublicDeps,
  { row, attempt, version }: Beginning,
): Promise<void> {
  const { db } = deps
  const target = targetOf(row)
  assert(target !== undefined, 'a payment of a session')
  const asked = {
    merchant_id: row.merchant_id,
    environment: row.environment,
    network_code: attempt.plan.network_code,
    phone: row.operation_msisdn,
  }
  const limit = promptOf(deps, asked)
  const customer = {
    gate_id: row.id,
    id: newId(),
    merchant_id: row.merchant_id,
    environment: row.environment,
    phone: row.customer_phone,
    email: row.customer_email.toLowerCase() || null,
    first_name: row.customer_first_name,
    last_name: row.customer_last_name,
  }
  const lock = lockTarget(db, target, { version, to_begin: true })
  const limits = [{ ...limit, gate_id: row.id }]
  const begin = async (counted: CountedPrompts | undefined) => {
    const prompt = countPrompts(db, limits, { when: lock, counted })
    const known = upsertCustomers(db, [customer], { when: prompt })
    const made = insertTransactions(db, [row], { when: prompt, customer: known })
    const sent = insertAttempts(db, [attempt], { when: made })
    const begun = beginTarget(db, target, { when: made })
    const event = recordEvents(db, [createdEvent(row)], { when: made })
    const parts = [lock, prompt, known, made, sent, begun, event]
    const last = beginReach(db, { lock, prompt, attempt: sent })
    const [reach] = await inTurn(db, row, () => composed(homeOf(db, row.merchant_id), parts, last))
    const came = readReach(reach)
    if (came?.attempt !== 1) throw await refusalOf(deps, target, came, asked)
  }
  await withPrompts(homeOf(db, row.merchant_id), { limits, run: begin, unused: () => [] })
  deps.wake()
}
