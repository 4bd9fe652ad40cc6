// What stories of payouts call: a shop that may pay out from this machine, with money and with two
// members, a payout of its, and a limit.

import { newPayer, type Shop, type TestApp } from '../harness.ts'

export const payout = (amount: string, magic = '10') => ({
  amount,
  currency: 'XOF',
  country: 'BJ',
  method: 'mtn_bj',
  recipient: { msisdn: newPayer(magic).phone },
  customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
})

/** With a million. */
export async function openPayingShop(app: TestApp) {
  const shop = await app.shop()
  const { merchant_id } = shop
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${merchant_id}, gen_random_uuid(), '127.0.0.1')`
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '1000000' })
  const owner = await app.member({ merchant_id })
  const finance = await app.member({ merchant_id, role: 'FINANCE' })
  return { shop, owner, finance }
}

export const payOut = (shop: Shop, amount: string, magic?: string) =>
  shop.post('/payouts/initialize/', payout(amount, magic))

export const limit = (owner: Shop, figures: object) =>
  owner.post('/merchant-payout-limits/', { country: 'BJ', ...figures })

/** Available and pending. */
export async function sums(shop: Shop) {
  const { available_amount, pending_amount } = await shop.balance('BJ')
  return [available_amount, pending_amount]
}
