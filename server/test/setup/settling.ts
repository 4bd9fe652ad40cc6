// What the stories of settlements have in common: a merchant with money and payout methods, its
// balance, and the operator's own books.

import { simulatorSecrets } from '../../src/app/wire.ts'
import { compareGatewayBooks, verifyLedger } from '../../src/ledger/verify.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { newId } from '../../src/platform/ids.ts'
import { eventually, type Json, newPayer, type Reply, type Shop, type TestApp } from '../harness.ts'
import { eventsAbout } from './events.ts'

export type Method = Readonly<Record<string, unknown>>

/** A payout method of the merchant, written by the owner past every verb. */
export async function plantMethod(
  { owner }: Pick<TestApp, 'owner'>,
  merchant_id: string,
  changes: Method = {},
): Promise<string> {
  const id = newId()
  const bank = {
    country: 'BJ',
    type: 'BANK_ACCOUNT',
    bank_name: 'Banque du Golfe',
    account_number: 'BJ66BJ0610100100144390000769',
    account_name: 'Boutique Awa SARL',
  }
  await owner`insert into payout_methods ${owner({ merchant_id, id, ...bank, ...changes })}`
  return id
}

/** To a number of MTN Bénin with these last two digits. */
export async function plantPhone(
  app: Pick<TestApp, 'owner'>,
  merchant_id: string,
  magic = '10',
  network = 'mtn_bj',
): Promise<string> {
  const [row] = await app.owner`select id from networks where code = ${network}`
  return plantMethod(app, merchant_id, {
    type: 'MOBILE_MONEY',
    network_id: row?.['id'],
    msisdn: newPayer(magic).phone,
    bank_name: null,
    account_number: null,
    account_name: null,
  })
}

export type Settler = Shop &
  Readonly<{
    /** To the merchant's phone with these last two digits, or to its bank. */
    settle(to: string, changes?: Record<string, unknown>, key?: string): Promise<Reply>
    /** Available and pending in Bénin. */
    sums(): Promise<readonly [string, string]>
    settlement(id: string): Promise<Json>
    ends(id: string, status: string, within_ms?: number): Promise<Json>
  }>

/** A merchant with play money in Bénin. */
export async function richSettler(
  app: TestApp,
  amount = '100000',
  options: Parameters<TestApp['shop']>[0] = {},
): Promise<Settler> {
  const shop = await app.shop(options)
  if (amount !== '0') {
    const funded = await shop.post('/sandbox/balances/', { country: 'BJ', amount })
    if (funded.status !== 201) throw new Error(JSON.stringify(funded.body))
  }
  return settlerOf(app, shop)
}

export function settlerOf(app: TestApp, shop: Shop): Settler {
  const settlement = async (id: string) => (await shop.get(`/settlements/${id}/`)).data
  return {
    ...shop,
    async settle(to, changes = {}, key = undefined) {
      const { merchant_id } = shop
      const isBank = to === 'bank'
      const payout_method =
        'payout_method' in changes || to.length === 36
          ? to
          : await (isBank ? plantMethod(app, merchant_id) : plantPhone(app, merchant_id, to))
      const body = { country: 'BJ', requested_amount: '10000', payout_method, ...changes }
      const headers = key === undefined ? {} : { 'idempotency-key': key }
      return shop.post('/settlements/', body, headers)
    },
    async sums() {
      const { available_amount, pending_amount } = await shop.balance('BJ')
      return [available_amount, pending_amount]
    },
    settlement,
    ends: (id, status, within_ms = 15_000) =>
      eventually(async () => {
        const now = await settlement(id)
        if (now?.status !== status) throw new Error(`${id} is ${now?.status}, not ${status}`)
        return now
      }, within_ms),
  }
}

/** Its events, in their order. */
export const eventsOf = ({ owner }: Pick<TestApp, 'owner'>, settlement_id: string) =>
  eventsAbout(owner, settlement_id)

export const attemptsOf = ({ owner }: Pick<TestApp, 'owner'>, settlement_id: string) =>
  owner<{ id: string; status: string; sends: number; gateway_code: string; our_key: string }[]>`
    select id, status, sends, gateway_code, our_key from attempts
     where settlement_id = ${settlement_id} order by created_at, priority`

/** Every law of the books that is broken. */
export const brokenLaws = async ({ owner }: Pick<TestApp, 'owner'>) =>
  (await verifyLedger(owner)).filter(({ ok }) => !ok)

/** The operator's own books against ours; what waits is in neither. */
export async function booksAgree(app: TestApp) {
  const { token } = simulatorSecrets(openKeyring(app.config.secret_key ?? ''))
  const reply = await fetch(`${app.simulator.url}/books/totals`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { a, b }: Json = await reply.json()
  return compareGatewayBooks(app.owner, { simulator_a: a, simulator_b: b })
}
