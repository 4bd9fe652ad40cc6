// Books for the tests of the ledger: payments, payouts, contradictions, each with every row that
// the laws speak of, written with the ledger's own postings.

import type { Place } from '../../src/ledger/account.ts'
import * as postings from '../../src/ledger/postings.ts'
import { type CauseKind, postEntries } from '../../src/ledger/statements.ts'
import type { Sql } from '../../src/platform/db.ts'
import { newId, newReference } from '../../src/platform/ids.ts'
import { runPart } from '../../src/platform/sql.ts'
import type { OwnerSql } from '../setup/database.ts'

export type Figures = postings.Figures

export const senegal = (merchant_id: string, environment: Place['environment'] = 'SANDBOX') =>
  ({ merchant_id, environment, country: 'SN', currency: 'XOF' }) satisfies Place

/** A payin of 10 000 with a fee of 325 on top, or a payout of 10 000 with 250 in it (money 3). */
export const payinFigures: Figures = {
  requested_amount: 1_000_000n,
  client_fee: 32_500n,
  gateway_fee: 15_000n,
  platform_fee: 17_500n,
  gateway_cost_excess: 0n,
  debited_amount: 1_032_500n,
  net_amount: 1_000_000n,
}
export const payoutFigures: Figures = {
  requested_amount: 1_000_000n,
  client_fee: 25_000n,
  gateway_fee: 10_000n,
  platform_fee: 15_000n,
  gateway_cost_excess: 0n,
  debited_amount: 1_000_000n,
  net_amount: 975_000n,
}

type Cause = Readonly<{
  cause_kind: CauseKind
  cause_id: string
  attempt_id?: string
  lines: readonly postings.Line[]
}>

/** Books lines for a cause, as a verb would. */
export async function book(sql: OwnerSql, place: Place, cause: Cause): Promise<void> {
  const { cause_kind, cause_id, attempt_id = null, lines } = cause
  const { merchant_id, environment } = place
  const why = { cause_kind, cause_id, attempt_id, lines }
  const posting = { merchant_id, environment, gate_id: cause_id, ...why }
  await runPart(sql, postEntries(sql, [posting]))
}

export const fund = (sql: OwnerSql, place: Place, amount: bigint): Promise<void> =>
  book(sql, place, {
    cause_kind: 'SANDBOX',
    cause_id: newId(),
    lines: postings.sandboxFunding(place, amount),
  })

export async function gatewayId(sql: OwnerSql, code: string): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select id from gateways where code = ${code}`
  return row?.id ?? ''
}

export type Paid = Readonly<{ id: string; attempt_id: string; reference: string }>

type Row = Readonly<{
  place: Place
  type: 'PAIEMENT' | 'RECHARGE' | 'RETRAIT'
  status: 'PENDING' | 'SUCCESS' | 'FAILED'
  figures: Figures
  /** The statuses it went through, the first and the last included. */
  path: readonly string[]
}>

/** A transaction, its attempt and its logs; no entries. */
export async function writeTransaction(sql: OwnerSql, row: Row): Promise<Paid> {
  const { place, type, status, figures, path } = row
  const paid = { id: newId(), attempt_id: newId(), reference: newReference('TXN') }
  const gateway_id = await gatewayId(sql, 'simulator_a')
  const direction = type === 'RETRAIT' ? 'DISBURSE' : 'COLLECT'
  const mode = type === 'RETRAIT' ? 'DEDUCTED' : 'ADD_ON'
  const { gateway_cost_excess, ...shown } = figures
  await sql`
    insert into transactions ${sql({
      ...shown,
      merchant_id: place.merchant_id,
      environment: place.environment,
      id: paid.id,
      reference: paid.reference,
      transaction_type: type,
      status,
      version: path.length,
      settled_attempt: status === 'SUCCESS' ? paid.attempt_id : null,
      country_id: newId(),
      country_code: place.country,
      fee_charge_mode: mode,
      currency: place.currency,
      request_id: 'test',
    })}`
  await sql`
    insert into attempts ${sql({
      ...figures,
      merchant_id: place.merchant_id,
      environment: place.environment,
      id: paid.attempt_id,
      transaction_id: paid.id,
      direction,
      priority: 1,
      gateway_id,
      gateway_code: 'simulator_a',
      route_id: newId(),
      network_id: newId(),
      network_code: 'wave_sn',
      country_code: place.country,
      fee_charge_mode: mode,
      currency: place.currency,
      status,
      gateway_ended: status !== 'PENDING',
      our_key: paid.attempt_id,
      send_deadline: new Date(),
      asking_until: new Date(),
      finished_at: status === 'PENDING' ? null : new Date(),
    })}`
  for (const [at, to_status] of path.entries()) {
    if (at > 0) await writeLog(sql, place, paid.id, [path[at - 1] ?? '', to_status])
  }
  return paid
}

export async function writeLog(
  sql: Sql,
  place: Place,
  transaction_id: string,
  [from_status, to_status]: readonly [string, string],
): Promise<void> {
  await sql`
    insert into transaction_status_logs ${sql({
      merchant_id: place.merchant_id,
      environment: place.environment,
      id: newId(),
      transaction_id,
      from_status,
      to_status,
      triggered_by: 'SYSTEM',
      evidence_kind: 'RULE',
    })}`
}

/** A payment that succeeded, after a refusal when `late`. */
export async function payin(sql: OwnerSql, place: Place, figures = payinFigures, late = false) {
  const path = late ? ['PENDING', 'FAILED', 'PENDING', 'FAILED', 'SUCCESS'] : ['PENDING', 'SUCCESS']
  const row = { place, type: 'PAIEMENT', status: 'SUCCESS', figures, path } as const
  const paid = await writeTransaction(sql, row)
  const gateway_id = await gatewayId(sql, 'simulator_a')
  await book(sql, place, {
    cause_kind: 'TRANSACTION',
    cause_id: paid.id,
    attempt_id: paid.attempt_id,
    lines: postings.payinSuccess(place, gateway_id, figures),
  })
  return paid
}

/** A payout with its hold, as it stands in this status. */
export async function payout(sql: OwnerSql, place: Place, status: Row['status']) {
  const figures = payoutFigures
  const path = status === 'PENDING' ? ['PENDING'] : ['PENDING', status]
  const paid = await writeTransaction(sql, { place, type: 'RETRAIT', status, figures, path })
  const { merchant_id, environment, country, currency } = place
  const hold_id = newId()
  const amount = figures.debited_amount
  await sql`
    insert into holds ${sql({
      merchant_id,
      id: hold_id,
      environment,
      country,
      currency,
      amount,
      cause_kind: 'PAYOUT',
      cause_id: paid.id,
    })}`
  const lines = postings.hold(place, amount)
  await book(sql, place, { cause_kind: 'HOLD', cause_id: hold_id, lines })
  if (status === 'PENDING') return { ...paid, hold_id }
  const how = status === 'SUCCESS' ? 'SPEND' : 'RELEASE'
  await sql`insert into hold_ends ${sql({ merchant_id, hold_id, how, environment })}`
  if (status === 'FAILED') {
    const back = postings.release(place, amount)
    await book(sql, place, { cause_kind: 'HOLD_END', cause_id: hold_id, lines: back })
  } else {
    const gateway_id = await gatewayId(sql, 'simulator_a')
    await book(sql, place, {
      cause_kind: 'TRANSACTION',
      cause_id: paid.id,
      attempt_id: paid.attempt_id,
      lines: postings.payoutSuccess(place, gateway_id, figures),
    })
  }
  return { ...paid, hold_id }
}

/** An open contradiction about a paid transaction, its difference in suspense. */
export async function incident(
  sql: OwnerSql,
  place: Place,
  type: 'DUPLICATE_CAPTURE' | 'REVERSED_AFTER_SUCCESS',
): Promise<{ id: string; gateway_id: string }> {
  const paid = await payin(sql, place)
  const id = newId()
  const gateway_id = await gatewayId(sql, 'simulator_b')
  const amount = payinFigures.debited_amount
  const captured = type === 'DUPLICATE_CAPTURE'
  await sql`
    insert into incidents ${sql({
      merchant_id: place.merchant_id,
      environment: place.environment,
      id,
      type,
      attempt_id: paid.attempt_id,
      transaction_id: paid.id,
      gateway_id,
      country: place.country,
      currency: place.currency,
      amount,
      suspense_side: captured ? 'CREDIT' : 'DEBIT',
    })}`
  const about = { place, incident_id: id, gateway_id }
  const lines = captured
    ? postings.capturedToSuspense(about, amount)
    : postings.reversedToSuspense(about, amount)
  await book(sql, place, { cause_kind: 'INCIDENT', cause_id: id, lines })
  return { id, gateway_id }
}

/** Two people resolve a duplicate capture by paying the payer back. */
export async function refund(
  sql: OwnerSql,
  place: Place,
  known: { id: string; gateway_id: string },
) {
  const about = { place, incident_id: known.id, gateway_id: known.gateway_id }
  await book(sql, place, {
    cause_kind: 'RESOLUTION',
    cause_id: known.id,
    lines: postings.refundPayer(about, payinFigures.debited_amount),
  })
  await sql`
    update incidents
       set status = 'RESOLVED', resolution = 'REFUND_PAYER', resolved_at = now(),
           proposed_by = ${newId()}, confirmed_by = ${newId()}
     where id = ${known.id}`
}

/** Everything above at once, for one merchant: the books that every law must find right. */
export async function soundBooks(sql: OwnerSql, place: Place): Promise<void> {
  await fund(sql, place, 5_000_000n)
  await payin(sql, place)
  await payin(sql, place, { ...payinFigures, gateway_cost_excess: 6_000n }, true)
  for (const status of ['PENDING', 'SUCCESS', 'FAILED'] as const) await payout(sql, place, status)
  const failed = { place, type: 'PAIEMENT', figures: payinFigures } as const
  await writeTransaction(sql, { ...failed, status: 'FAILED', path: ['PENDING', 'FAILED'] })
  await writeTransaction(sql, { ...failed, status: 'PENDING', path: ['PENDING'] })
  await incident(sql, place, 'REVERSED_AFTER_SUCCESS')
  await refund(sql, place, await incident(sql, place, 'DUPLICATE_CAPTURE'))
  await incident(sql, place, 'DUPLICATE_CAPTURE')
  const set_aside = postings.freeze(place, 70_000n)
  await book(sql, place, { cause_kind: 'FREEZE', cause_id: newId(), lines: set_aside })
}
