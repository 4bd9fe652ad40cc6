// Rows of transactions, attempts, status logs and incidents as a test wants them: the defaults are
// an ordinary payment of 10 000 XOF in Sénégal. Written by the owner, past every verb.

import { newId } from '../../src/platform/ids.ts'
import type { OwnerSql } from './database.ts'

export type Row = Readonly<Record<string, unknown>>
export type Key = Readonly<{ merchant_id: string; id: string }>

const figures = {
  requested_amount: 1_000_000n,
  fee_charge_mode: 'ADD_ON',
  client_fee: 32_500n,
  gateway_fee: 15_000n,
  platform_fee: 17_500n,
  debited_amount: 1_032_500n,
  net_amount: 1_000_000n,
  currency: 'XOF',
}

async function plant(sql: OwnerSql, table: string, row: Row & Key): Promise<Key> {
  await sql`insert into ${sql(table)} ${sql(row)}`
  return { merchant_id: row.merchant_id, id: row.id }
}

/** What a payout waits for: a row of its own beside it. */
export async function plantMark(
  sql: OwnerSql,
  table: 'payout_approvals' | 'payout_waits',
  row: Row,
): Promise<void> {
  await sql`insert into ${sql(table)} ${sql(row)}`
}

/** `count` moments, a second apart, the last one first. */
export const momentsBack = (count: number, from = '2026-11-21T08:00:00Z'): Date[] =>
  Array.from({ length: count }, (_, index) => new Date(Date.parse(from) - index * 1000))

export function plantTransaction(
  sql: OwnerSql,
  merchant_id: string,
  changes: Row = {},
): Promise<Key> {
  const id = newId()
  return plant(sql, 'transactions', {
    id,
    merchant_id,
    environment: 'SANDBOX',
    reference: `TXN-${id}`,
    transaction_type: 'PAIEMENT',
    country_id: newId(),
    country_code: 'SN',
    network_id: newId(),
    network_code: 'wave_sn',
    ...figures,
    request_id: 'r-test',
    ...(changes['status'] === 'SUCCESS' ? { settled_attempt: newId() } : {}),
    ...changes,
  })
}

export function plantAttempt(
  sql: OwnerSql,
  transaction: Readonly<{ merchant_id: string; id: string | null }>,
  changes: Row = {},
): Promise<Key> {
  const id = newId()
  const ended = changes['status'] === 'SUCCESS' || changes['status'] === 'FAILED'
  return plant(sql, 'attempts', {
    id,
    merchant_id: transaction.merchant_id,
    transaction_id: transaction.id,
    environment: 'SANDBOX',
    direction: 'COLLECT',
    priority: 1,
    gateway_id: newId(),
    gateway_code: 'first_gateway',
    route_id: newId(),
    network_id: newId(),
    network_code: 'wave_sn',
    country_code: 'SN',
    operation_msisdn: '+221770000000',
    ...figures,
    our_key: `our-key-${id}`,
    gateway_detail: `gateway-detail-${id}`,
    send_deadline: new Date('2026-11-21T08:02:00Z'),
    asking_until: new Date('2026-11-22T08:00:00Z'),
    ...(ended ? { gateway_ended: true, finished_at: new Date('2026-11-21T08:00:04Z') } : {}),
    ...changes,
  })
}

export function plantStatusLog(sql: OwnerSql, transaction: Key, changes: Row = {}): Promise<Key> {
  return plant(sql, 'transaction_status_logs', {
    id: newId(),
    merchant_id: transaction.merchant_id,
    transaction_id: transaction.id,
    environment: 'SANDBOX',
    from_status: 'PENDING',
    to_status: 'SUCCESS',
    reason: 'gateway confirmed',
    triggered_by: 'CALLBACK',
    evidence_kind: 'CALLBACK',
    evidence_said: 'confirmed',
    ...changes,
  })
}

export function plantIncident(
  sql: OwnerSql,
  transaction: Key,
  attempt: Key,
  changes: Row = {},
): Promise<Key> {
  return plant(sql, 'incidents', {
    id: newId(),
    merchant_id: transaction.merchant_id,
    environment: 'SANDBOX',
    type: 'DUPLICATE_CAPTURE',
    transaction_id: transaction.id,
    attempt_id: attempt.id,
    gateway_id: newId(),
    ...changes,
  })
}

export const plantCustomer = (sql: OwnerSql, merchant_id: string): Promise<Key> =>
  plant(sql, 'customers', { id: newId(), merchant_id, environment: 'SANDBOX' })

/** An attempt that pays out a settlement, with the merchant, method and settlement it needs. */
export async function plantSettlementAttempt(sql: OwnerSql): Promise<Key> {
  const merchant_id = newId()
  await sql`insert into merchants ${sql({ id: merchant_id, name: 'Settled' })}`
  const method = await plant(sql, 'payout_methods', {
    id: newId(),
    merchant_id,
    country: 'SN',
    type: 'BANK_ACCOUNT',
    bank_name: 'A bank',
    account_number: '1',
  })
  const settlement = await plant(sql, 'settlements', {
    id: newId(),
    merchant_id,
    environment: 'SANDBOX',
    reference: 'STL-1',
    payout_method: method.id,
    country: 'SN',
    ...figures,
    request_id: 'r-test',
  })
  const row = { settlement_id: settlement.id, direction: 'DISBURSE' }
  return plantAttempt(sql, { merchant_id, id: null }, row)
}

type FeedRow = Readonly<{ merchant_id: string; environment: string }>

/** An event about a transaction, numbered as the next of its feed, or still without a number. */
export async function plantEvent(
  sql: OwnerSql,
  { merchant_id, id }: Key,
  how: 'numbered' | 'unnumbered',
  type = 'transaction.success',
): Promise<void> {
  const feed = { merchant_id, environment: 'SANDBOX' }
  const seq = how === 'numbered' ? await nextInFeed(sql, feed) : null
  const row = { ...feed, seq, type, transaction_id: id, plain: {} }
  await plant(sql, 'events', { id: newId(), ...row })
}

async function nextInFeed(sql: OwnerSql, feed: FeedRow): Promise<bigint> {
  await sql`insert into ${sql('event_feeds')} ${sql(feed)} on conflict do nothing`
  const [row] = await sql<{ last_seq: bigint }[]>`
    update ${sql('event_feeds')} set last_seq = last_seq + 1
     where merchant_id = ${feed.merchant_id} and environment = ${feed.environment}
    returning last_seq`
  return row?.last_seq ?? 0n
}

/** Numbers what `plantEvent` left without a number. */
export async function numberPlanted(sql: OwnerSql, merchant_id: string): Promise<void> {
  const waiting = await sql<{ id: string }[]>`
    select id from events where merchant_id = ${merchant_id} and seq is null order by id`
  for (const { id } of waiting) {
    const seq = await nextInFeed(sql, { merchant_id, environment: 'SANDBOX' })
    await sql`update ${sql('events')} set seq = ${seq} where id = ${id}`
  }
}

export const plantSession = (sql: OwnerSql, merchant_id: string, slug: string): Promise<Key> =>
  plant(sql, 'checkout_sessions', {
    merchant_id,
    id: newId(),
    environment: 'SANDBOX',
    slug,
    amount: 100n,
    currency: 'XOF',
  })

export const plantLink = (sql: OwnerSql, merchant_id: string, slug: string): Promise<Key> =>
  plant(sql, 'payment_links', {
    merchant_id,
    id: newId(),
    environment: 'SANDBOX',
    name: 'Link',
    currency: 'XOF',
    slug,
  })
