// A shop that has one of everything, each named as it is told, so that every screen of the
// dashboard has something to show; and the addresses of all those screens.

import type { Json, Shop, SignedInCaller, TestApp } from '../harness.ts'
import { startReceiver } from '../setup/webhook-receiver.ts'
import type { BrowserFixture } from './fixture.ts'

export type FullShop = Readonly<{
  owner: SignedInCaller
  /** Ids by the name of what they are of. */
  ids: Readonly<Record<string, string>>
  /** From now on its webhook's server answers 500. */
  refuse(): void
  close(): Promise<void>
}>

/** The next text for a field that takes this many characters. */
export type Naming = (length_max: number) => string

/** As a shop would name things. */
export const plainly: Naming = (length_max) => 'Deux sacs de riz parfumé'.slice(0, length_max)

type Making = Readonly<{
  app: TestApp
  /** By a key of the environment that it is filled in, as `owner` is. */
  shop: Shop
  owner: SignedInCaller
  name?: Naming
  environment?: 'SANDBOX' | 'LIVE'
}>

export async function fillShop(
  { app, shop }: Pick<BrowserFixture, 'app' | 'shop'>,
  name = plainly,
): Promise<FullShop> {
  const owner = await app.member({ merchant_id: shop.merchant_id })
  await ok(owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' }))
  return fillWith({ app, shop, owner, name })
}

/** One that has 500 000 XOF in Bénin. */
export async function fillWith(making: Making): Promise<FullShop> {
  const { owner } = making
  const receiver = await startReceiver()
  const webhook = await connect(making, receiver.url)
  const ids = {
    ...(await payIn(making)),
    ...(await payOut(making)),
    ...(await sell(making)),
    ...(await keepHouse(making)),
    webhook,
  }
  const delivery = await firstDelivery(owner)
  const refuse = () =>
    receiver.answerWith((response) => {
      response.statusCode = 500
      response.end('no')
    })
  return { owner, ids: { ...ids, delivery }, refuse, close: receiver.close }
}

/** LIVE sends to https alone, which no receiver here speaks: it is told where it is afterwards. */
async function connect({ app, owner, environment }: Making, url: string): Promise<string> {
  if (environment !== 'LIVE') return (await ok(owner.post('/merchant-webhooks/', { url }))).id
  const secure = 'https://shop.example.com/pirogue'
  const { id } = await ok(owner.post('/merchant-webhooks/', { url: secure }))
  await app.owner`update webhooks set url = ${url} where id = ${id}`
  return id
}

/** What the call answered; fails where it was refused. */
export const ok = async (
  calling: Promise<{ status: number; body: Json; data: Json }>,
): Promise<Json> => {
  const { status, body, data } = await calling
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`)
  return data
}

async function payIn({ shop, owner, name = plainly }: Making) {
  const pay = async (magic: string) =>
    (
      await ok(
        shop.pay({
          amount: '12500',
          description: name(255),
          merchant_reference: name(100),
          metadata: { order: name(200) },
          customer: {
            ...{ first_name: name(100), last_name: name(100), email: 'awa@example.com' },
            phone: `+22901970000${magic}`,
          },
        }),
      )
    ).id
  const [paid, failed, waiting] = [await pay('10'), await pay('01'), await pay('04')]
  await shop.becomes(paid, 'SUCCESS')
  await shop.becomes(failed, 'FAILED')
  await ok(owner.post(`/payments/${paid}/refunds/`, { amount: '2000', reason: name(255) }))
  const { customer } = await ok(shop.get(`/transactions/${paid}/`))
  return { paid, failed, waiting, customer }
}

async function payOut({ app, shop, owner, name = plainly }: Making) {
  const payout = await ok(
    owner.post('/payouts/initialize/', {
      ...{ amount: '25000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      ...{ recipient: { msisdn: '+2290197000010' }, description: name(255) },
    }),
  )
  await shop.becomes(payout.id, 'SUCCESS')
  await ok(
    owner.post('/merchant-payout-limits/', {
      ...{ country: 'BJ', per_payout: '500000', per_day: '1000000', approval_above: '100000' },
    }),
  )
  const waits = await ok(
    owner.post('/payouts/initialize/', {
      ...{ amount: '150000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      ...{ recipient: { msisdn: '+2290197000010' }, description: name(255) },
    }),
  )
  await ok(
    owner.post('/merchant-payout-methods/', {
      ...{ country: 'BJ', type: 'MOBILE_MONEY', network: 'mtn_bj', msisdn: '+2290197000010' },
      label: name(100),
    }),
  )
  await app.owner`
    update payout_methods set usable_from = now() - interval '1 minute'
     where merchant_id = ${owner.merchant_id}`
  const method = (await ok(owner.get('/merchant-payout-methods/'))).results[0].id
  const settlement = await ok(
    owner.post('/settlements/', {
      ...{ payout_method: method, requested_amount: '20000', country: 'BJ', currency: 'XOF' },
    }),
  )
  const transfer = await ok(
    owner.post('/wallet-transfers/', {
      ...{ from_country: 'BJ', to_country: 'SN', from_amount: '5000' },
    }),
  )
  return { payout: payout.id, waits: waits.id, settlement: settlement.id, transfer: transfer.id }
}

async function sell({ owner, name = plainly }: Making) {
  const link = await ok(
    owner.post('/payment-links/', {
      ...{ name: name(150), currency: 'XOF', amount: '12500', description: name(255) },
    }),
  )
  const checkout = await ok(
    owner.post('/checkout-sessions/', {
      ...{ amount: '7500', currency: 'XOF', description: name(255), customer_name: name(150) },
      ...{ customer_email: 'awa@example.com', merchant_reference: name(100) },
    }),
  )
  return { link: link.id, checkout: checkout.id }
}

async function keepHouse({ owner, name = plainly, environment = 'SANDBOX' }: Making) {
  const key = await ok(
    owner.post('/merchant-api-keys/', { name: name(100), scope: 'BOTH', environment }),
  )
  await ok(owner.post('/merchant-ip-whitelist/', { ip_address: '203.0.113.7', label: name(100) }))
  await ok(
    owner.call('PATCH', '/merchant/', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        name: name(150),
        branding: { name: name(60), colour: '#0a6ebd' },
        tax: { legal_name: name(150), address: name(300), rccm: name(60) },
      }),
    }),
  )
  await ok(owner.post('/merchant-invitations/', { email: 'new@example.com', role: 'FINANCE' }))
  return { key: key.id }
}

async function firstDelivery(owner: SignedInCaller): Promise<string> {
  for (;;) {
    const { results } = await ok(owner.get('/webhook-logs/?status=SUCCESS'))
    if (results.length > 0) return results[0].id
    await new Promise((done) => setTimeout(done, 100))
  }
}

/** What is read: each has something to show. `{paid}` and so on are ids. */
export const readings: readonly string[] = [
  ...['', '/payments', '/payments/{paid}', '/payments/{failed}', '/payments/{waiting}'],
  '/payments/refunds',
  ...['/payouts', '/payouts/approvals', '/payouts/limits', '/payouts/{payout}', '/payouts/{waits}'],
  ...['/balances', '/balances/BJ', '/balances/BJ/statement', '/settlements'],
  '/settlements/methods',
  ...['/settlements/{settlement}', '/transfers', '/transfers/{transfer}'],
  ...['/links', '/links/{link}', '/checkouts', '/checkouts/{checkout}'],
  ...['/customers', '/customers/{customer}', '/search?q=97', '/reports', '/prices'],
  '/networks',
  '/reports/series',
  ...['/developers/webhooks', '/developers/webhooks/{webhook}', '/developers/deliveries'],
  ...['/developers/deliveries/{delivery}', '/developers/events', '/developers/keys'],
  ...['/developers/keys/{key}', '/developers/addresses', '/developers/sandbox'],
  ...['/team', '/audit'],
]

/** What is filled in. */
export const forms: readonly string[] = [
  ...['/payments/new', '/payments/{paid}/refund', '/payouts/new', '/balances/top-up'],
  ...['/settlements/new', '/settlements/methods/new', '/transfers/new', '/links/new'],
  ...['/checkouts/new', '/customers/new', '/developers/webhooks/new', '/developers/keys/new'],
  ...['/reports/files', '/settings', '/settings/verification'],
]

/** One's own account, which belongs to no merchant. */
export const ownPages: readonly string[] = ['/me', '/me/security']

/** What opens to whoever comes. */
export const entrances: readonly string[] = [
  ...['/register', '/forgot-password', '/reset-password', '/verify-email', '/invitation'],
  ...['/keep-second-factor', '/sign-in-link'],
]

export const fillPath = (path: string, ids: FullShop['ids']): string =>
  path.replace(/\{(\w+)\}/g, (_, name) => {
    const id = ids[name]
    if (id === undefined) throw new Error(`nothing was made that is called ${name}`)
    return id
  })
