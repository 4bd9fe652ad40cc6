// The first person requests an adjustment: it is recorded and nothing is booked. Requested again
// with the same Idempotency-Key it is the same one, in its current state.

import { actorOfPerson } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { findAnyBalance, type MerchantsBalance } from '../ledger/read-balance.ts'
import { formatAmount } from '../money/format.ts'
import { amountFaultText, parseAmount } from '../money/parse-amount.ts'
import { transactInTurn } from '../platform/batch-calls.ts'
import type { Db, Sql, Tx } from '../platform/db.ts'
import { assert, invalid, refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { idempotencyErrors } from '../platform/idempotency/run-once.ts'
import { newId, newReference } from '../platform/ids.ts'
import type { Adjustment, AdjustmentKind } from './adjustment.ts'
import { findAdjustment, findByKey, insertAdjustment, type MerchantsAdjustment } from './store.ts'

export type AdjustmentRequest = Readonly<{
  balance: string
  kind: AdjustmentKind
  /** A decimal, as it was sent. */
  amount: string | number
  reason: string
  key: string | undefined
}>

export type RequestedAdjustment = Readonly<{
  adjustment: MerchantsAdjustment
  is_replayed: boolean
}>

export async function requestAdjustment(
  db: Db,
  person: Person,
  request: AdjustmentRequest,
): Promise<RequestedAdjustment> {
  const { environment } = person
  const balance = await findAnyBalance(db, { id: request.balance, environment })
  if (balance === undefined) throw invalid('balance', noBalance)
  const requested = adjustmentOf(person, balance, request)
  const known = await transactInTurn(db, balance, (tx) => insertOrFind(tx, person, requested))
  const adjustment = await getAdjustment(db, person, (known ?? requested).id)
  return { adjustment, is_replayed: known !== undefined }
}

const noBalance = {
  en: 'No merchant has this balance in this environment.',
  fr: 'Aucun marchand n’a ce solde dans cet environnement.',
}

function adjustmentOf(
  person: Person,
  { merchant_id, environment, country, currency }: MerchantsBalance,
  request: AdjustmentRequest,
): Adjustment {
  const reading = parseAmount(request.amount, currency)
  if (reading.is === 'invalid') throw invalid('amount', amountFaultText[reading.why])
  const now = new Date()
  return {
    merchant_id,
    id: newId(),
    environment,
    reference: newReference('ADJ', now),
    country,
    currency,
    kind: request.kind,
    amount: reading.hundredths,
    reason: request.reason,
    status: 'PENDING',
    asked_by: person.person_id,
    ask_key: request.key ?? null,
    decided_by: null,
    decided_at: null,
    refusal_reason: '',
    request_id: person.request_id,
    ip_address: person.ip,
    created_at: now,
    updated_at: now,
  }
}

/** The one that was requested with this key before, if there is one. */
async function insertOrFind(
  tx: Tx,
  person: Person,
  requested: Adjustment,
): Promise<Adjustment | undefined> {
  if (!(await insertAdjustment(tx, requested))) {
    const known = await findByKey(tx, requested)
    assert(known !== undefined, 'a key that is taken names an adjustment')
    if (!isSame(known, requested)) throw refuse(idempotencyErrors.idempotency_conflict)
    return known
  }
  const { merchant_id, environment, id, reference, kind, amount, currency, reason } = requested
  await recordAct(tx, {
    merchant_id,
    environment,
    actor: actorOfPerson(person),
    action: 'adjustment.asked',
    target_kind: 'adjustment',
    target_id: id,
    after: { reference, kind, amount: formatAmount(amount), currency, reason },
  })
  return undefined
}

const isSame = (known: Adjustment, requested: Adjustment): boolean =>
  known.country === requested.country &&
  known.kind === requested.kind &&
  known.amount === requested.amount &&
  known.reason === requested.reason

// An adjustment of any merchant, in the environment that staff look at; elsewhere it is not found.

export async function getAdjustment(
  sql: Sql,
  { environment }: Pick<Person, 'environment'>,
  id: string,
): Promise<MerchantsAdjustment> {
  const adjustment = await findAdjustment(sql, { id, environment })
  if (adjustment === undefined) throw refuse(transportErrors.not_found)
  return adjustment
}
