// The money of a payout that had succeeded is its merchant's again: because its operator gave it
// back as two people had asked, or because two people agree with an operator that said so first.
// Its status stays SUCCESS. Both book the same sums, once: the payout's row says which came first.

import { callbackParts } from '../../attempts/answer-received.ts'
import type { Attempt } from '../../attempts/attempt.ts'
import { findAttempt } from '../../attempts/attempt-statements.ts'
import type { Returning } from '../../attempts/decision.ts'
import type { ApplyDeps, Decided, Outcome } from '../../attempts/purpose.ts'
import { attemptAsDecided } from '../../attempts/statements.ts'
import { recordEvents } from '../../events/statements.ts'
import type { Gateways } from '../../gateways/gateway.ts'
import type { IncidentLocked } from '../../incidents/statements.ts'
import { type Account, gatewayAccount } from '../../ledger/account.ts'
import { suspense } from '../../ledger/postings.ts'
import { payoutReturned, type ReturnFigures, returnedAmount } from '../../ledger/return-postings.ts'
import { postEntries } from '../../ledger/statements.ts'
import { retryOnDeadlock, type Sql, type Tx } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import { homeOf } from '../../platform/places/places.ts'
import { composed, runWhole, selectIds } from '../../platform/sql.ts'
import { isFeeGivenBack } from '../../pricing/store.ts'
import { returnedEvent } from '../event-data.ts'
import { lockPayment } from '../refund-statements.ts'
import { transactionAsDecided } from '../statements.ts'
import { findTransaction, type TransactionContext } from '../store.ts'
import type { Transaction } from '../transaction.ts'
import { endReversal, findNow, markReturned, type Returned } from './statements.ts'

/** By its operator's word, for which two people had asked: one statement. */
export async function giveBack(
  { db, wake }: ApplyDeps,
  { attempt }: TransactionContext,
  { received }: Decided<Returning>,
): Promise<Outcome> {
  const { merchant_id, transaction_id: id } = attempt
  assert(id !== null, `attempt ${attempt.id} is of no payout`)
  const payout = await findTransaction(db, { merchant_id, id })
  if (payout?.return_state !== 'ASKED') return 'stale'
  const by_operator = received.gateway.reversal?.returns_fee === true
  const back = await backOf(db, payout, { attempt, from: 'ASKED', by_operator })
  const source = gatewayAccount(placeOf(payout), attempt.gateway_id, 'DISBURSE')
  const posting = { ...postingOf(attempt, back, source), cause_kind: 'RETURN' as const }
  const unmoved = transactionAsDecided(db, payout)
  const same = attemptAsDecided(db, { ...attempt, under_lease: undefined }, { when: unmoved })
  const returned = markReturned(db, back, { when: same })
  const gate = { when: returned }
  const parts = [
    unmoved,
    same,
    returned,
    postEntries(db, [{ ...posting, gate_id: id, cause_id: id }], gate),
    endReversal(db, back, gate),
    recordEvents(db, [returnedEvent(payout, back)], gate),
    ...callbackParts(db, received, id, gate),
  ]
  const rows = await retryOnDeadlock(() =>
    composed(homeOf(db, merchant_id), parts, selectIds(db, returned)),
  )
  if (rows.length === 0) return 'stale'
  wake()
  return 'moved'
}

/** In the transaction that resolves its incident, under the incident's lock. */
export async function returnPayout(
  tx: Tx,
  gateways: Pick<Gateways, 'get'>,
  incident: IncidentLocked,
): Promise<void> {
  const { merchant_id, transaction_id: id, attempt_id } = incident
  assert(id !== null && attempt_id !== null, `incident ${incident.id} is of no payout`)
  const payout = await lockPayment(tx, { merchant_id, id })
  const attempt = await findAttempt(tx, { merchant_id, id: attempt_id })
  assert(payout !== undefined && attempt !== undefined, `no payout ${id}`)
  const by_operator = gateways.get(attempt.gateway_code)?.facts.reversal?.returns_fee === true
  const back = await backOf(tx, payout, { attempt, from: 'FOUND', by_operator })
  await runWhole(tx, markReturned(tx, back), 1)
  const source = suspense(placeOf(payout), incident.id)
  const posting = { ...postingOf(attempt, back, source), cause_kind: 'RESOLUTION' as const }
  const entries = { ...posting, gate_id: incident.id, cause_id: incident.id }
  await runWhole(tx, postEntries(tx, [entries]), entries.lines.length)
  await runWhole(tx, recordEvents(tx, [returnedEvent(payout, back)]), 1)
}

type Back = Returned & Readonly<{ figures: ReturnFigures }>

type How = Readonly<{ attempt: Attempt; from: Returned['from']; by_operator: boolean }>

async function backOf(
  sql: Sql,
  { merchant_id, id, version }: Transaction,
  { attempt, from, by_operator }: How,
): Promise<Back> {
  const [returned_at, platform_fee_returns] = [
    await findNow(sql),
    await isFeeGivenBack(sql, attempt),
  ]
  const figures = { ...attempt, gateway_fee_returns: by_operator, platform_fee_returns }
  const amount = returnedAmount(figures)
  return { merchant_id, id, version, from, amount, returned_at, figures }
}

const placeOf = ({ merchant_id, environment, country_code: country, currency }: Transaction) => ({
  ...{ merchant_id, environment, country, currency },
})

const postingOf = (attempt: Attempt, { figures }: Back, source: Account) => ({
  merchant_id: attempt.merchant_id,
  environment: attempt.environment,
  attempt_id: attempt.id,
  lines: payoutReturned(
    {
      ...{ merchant_id: attempt.merchant_id, environment: attempt.environment },
      ...{ country: attempt.country_code, currency: attempt.currency },
    },
    source,
    figures,
  ),
})
