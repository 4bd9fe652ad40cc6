// This adapter against the dialect that imitates its operator's wire, over real HTTP on loopback.

import { randomUUID } from 'node:crypto'
import { type Stripe, startStripe } from '../../../../simulator/src/dialects/stripe/start.ts'
import { nobody_listens } from '../../../test/setup/loopback.ts'
import { openMailbox } from '../../../test/setup/mailbox.ts'
import { stripeAccount, toolsWithoutTokens } from '../../../test/setup/stripe-account.ts'
import { wireBetween } from '../../../test/setup/wire-between.ts'
import { newId } from '../../platform/ids.ts'
import { type Bench, type Books, describeGateway, type Situation } from '../conformance.ts'
import type { Direction, GatewayOrder } from '../gateway.ts'
import { stripeGateway } from './stripe-gateway.ts'

const magic: Readonly<Partial<Record<Situation, string>>> = {
  succeeds: '00',
  waits: '04',
  redirects: '04',
  fails: '01',
  refused_by_payer: '03',
  refused_by_gateway: '06',
  answer_lost: '05',
  answer_garbled: '9912',
  server_error: '9911',
  other_amount: '9910',
  callback_unsigned: '9915',
}

const newOrder = (situation: Situation, direction: Direction): GatewayOrder => ({
  merchant_id: randomUUID(),
  attempt_id: newId(),
  direction,
  our_key: randomUUID(),
  external_reference: '',
  network_code: 'card',
  country_code: 'XX',
  amount: 103_25n,
  currency: 'USD',
  msisdn: '+2290197000010',
  flow: 'redirect',
  otp_kind: 'NONE',
  otp: undefined,
  description: `Panier d’Awa sandbox:${magic[situation] ?? '00'} `.padEnd(255, '🛒'),
  callback_url: 'http://127.0.0.1:1/callbacks/stripe_test/',
  return_url: 'https://shop.example/back?a=1&b=2',
})

function booksOf(stripe: Stripe, { our_key }: GatewayOrder): Books {
  const pages = stripe.books().filter((one) => one.client_reference_id === our_key)
  const paid = pages.filter(({ status }) => status === 'complete')
  const hundredths = paid.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  return { orders: pages.length, debits: paid.length, hundredths }
}

describeGateway('stripe', {
  declares: {
    abilities: ['collect', 'refund'],
    redirects: true,
    callbacks: 'SIGNED',
    create_is_idempotent: true,
    refusals: 'LATER',
    pages_only: true,
    replays_first_answer: true,
    asks_why: true,
  },
  async open({ outbound, clock }): Promise<Bench> {
    // A held answer breaks after 30 s / 2, so that a lost one meets our own time-out first.
    const stripe = await startStripe({ port: 0, speed: 2, misbehaves: true })
    const mailbox = await openMailbox(
      (body) => JSON.parse(body).data.object.client_reference_id ?? '',
    )
    const account = await stripeAccount(stripe.url, mailbox.url)
    const tools = { ...toolsWithoutTokens, outbound, clock }
    const open = (base_url: string, secrets: Readonly<Record<string, string>> = {}) =>
      stripeGateway(
        { ...account, settings: { base_url }, secrets: { ...account.secrets, ...secrets } },
        tools,
      )
    return {
      gateway: open(stripe.url),
      unreachable: open(nobody_listens),
      stranger: open(stripe.url, { webhook_secret: 'whsec_another' }),
      openWire: () => wireBetween(stripe.url),
      at: (url) => open(url),
      order: newOrder,
      books: async (order) => booksOf(stripe, order),
      callback: (order) => mailbox.first(order.our_key),
      otps: { right: '', wrong: '' },
      async close() {
        await stripe.stop()
        await mailbox.close()
      },
    }
  },
})
