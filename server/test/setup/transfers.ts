// Transfers between countries, as stories ask for them, decide on them and look at what they left.

import { expect } from 'vitest'
import { allGroups } from '../../src/platform/places/places.ts'
import {
  eventually,
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  type TestApp,
} from '../harness.ts'
import { eventsAbout } from './events.ts'

/** 10 000 XOF from Bénin to Cameroun, which has the same rate to the euro. */
export const transfer = (changes: Record<string, unknown> = {}) => ({
  from_country: 'BJ',
  to_country: 'CM',
  from_amount: '10000',
  ...changes,
})

export async function richShop(app: TestApp, amount = '100000', country = 'BJ') {
  const shop = await app.shop()
  if (amount !== '0') await shop.post('/sandbox/balances/', { country, amount })
  return shop
}

export const ask = (shop: Shop, body: object = transfer(), key?: string) =>
  shop.post('/wallet-transfers/', body, key === undefined ? {} : { 'idempotency-key': key })

export async function transferred(shop: Shop, body: object = transfer()): Promise<Json> {
  const { status, body: answer, data } = await ask(shop, body)
  expect(status, JSON.stringify(answer)).toBe(201)
  return data
}

export const approve = (staff: SignedInCaller, id: string, headers: Record<string, string> = {}) =>
  staff.post(`/admin/wallet-transfers/${id}/approve/`, {}, headers)

export const reject = (staff: SignedInCaller, id: string, reason = 'Asked for by mistake') =>
  staff.post(`/admin/wallet-transfers/${id}/reject/`, { reason })

export const answerOf = ({ status, error }: Reply) => [status, error?.code]

export async function sums(shop: Shop, country = 'BJ') {
  const { available_amount, pending_amount } = await shop.balance(country)
  return [available_amount, pending_amount]
}

export const now = async (shop: Shop, id: string): Promise<Json> =>
  (await shop.get(`/wallet-transfers/${id}/`)).data

export const eventsOf = (app: TestApp, id: string) => eventsAbout(app.owner, id)

export const actsOn = (app: TestApp, id: string) => app.owner<Json[]>`
  select action, actor_kind, actor_id, actor_role, environment, before, after from audit_logs
   where target_kind = 'wallet_transfer' and target_id = ${id} order by id`

export async function deadlocks(app: TestApp): Promise<bigint> {
  await app.owner`select pg_stat_force_next_flush()`
  const [row] = await app.owner<{ deadlocks: bigint }[]>`
    select deadlocks from pg_stat_database where datname = current_database()`
  return row?.deadlocks ?? -1n
}

export const someoneWaits = (app: TestApp) =>
  eventually(async () => {
    const waiting = await allGroups(
      app.owner,
      (at) => at<{ one: number }[]>`
        select 1 as one from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (waiting.length === 0) throw new Error('nobody waits')
  })
