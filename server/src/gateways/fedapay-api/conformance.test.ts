// This adapter against the dialect that imitates its operator's wire, over real HTTP on loopback.

import { randomUUID } from 'node:crypto'
import { type Fedapay, startFedapay } from '../../../../simulator/src/dialects/fedapay/start.ts'
import { fedapayAccount } from '../../../test/setup/fedapay-account.ts'
import { nobody_listens } from '../../../test/setup/loopback.ts'
import { openMailbox } from '../../../test/setup/mailbox.ts'
import { toolsWithoutTokens } from '../../../test/setup/stripe-account.ts'
import { wireBetween } from '../../../test/setup/wire-between.ts'
import { newId } from '../../platform/ids.ts'
import { type Bench, type Books, describeGateway, type Situation } from '../conformance.ts'
import type { Direction, GatewayOrder } from '../gateway.ts'
import { shortReference } from '../reference-codec.ts'
import { fedapayGateway } from './fedapay-gateway.ts'

const digits: Readonly<Partial<Record<Situation, string>>> = {
  succeeds: '0055',
  waits: '0004',
  fails: '0001',
  refused_by_payer: '0003',
  refused_by_gateway: '0006',
  answer_lost: '0005',
  answer_garbled: '9912',
  server_error: '9911',
  other_amount: '9910',
  callback_unsigned: '9915',
}

let orders_made = 0

function newOrder(situation: Situation, direction: Direction): GatewayOrder {
  orders_made += 1
  return {
    merchant_id: randomUUID(),
    attempt_id: newId(),
    direction,
    our_key: randomUUID(),
    external_reference: '',
    network_code: 'mtn_bj',
    country_code: 'BJ',
    amount: 10_325_00n,
    currency: 'XOF',
    msisdn: `+22997${String(orders_made).padStart(4, '0')}${digits[situation] ?? '0055'}`,
    flow: 'push',
    otp_kind: 'NONE',
    otp: undefined,
    description: 'Panier d’Awa '.padEnd(255, '🛒'),
    callback_url: 'http://127.0.0.1:1/callbacks/fedapay_test/',
    return_url: '',
  }
}

/** Of those whose money was asked for: what was only prepared took nothing. */
function booksOf(fedapay: Fedapay, { our_key }: GatewayOrder): Books {
  const ours = fedapay
    .books()
    .filter((one) => one.merchant_reference === shortReference(our_key) && one.is_asked)
  const paid = ours.filter(({ status }) => status === 'approved' || status === 'sent')
  const hundredths = paid.reduce((sum, { amount }) => sum + BigInt(amount) * 100n, 0n)
  return { orders: ours.length, debits: paid.length, hundredths }
}

describeGateway('fedapay', {
  declares: {
    abilities: ['collect', 'pay'],
    redirects: false,
    callbacks: 'SIGNED',
    create_is_idempotent: false,
    refusals: 'LATER',
    payout_fails_with: 'UNKNOWN',
    prepares: true,
  },
  async open({ outbound, clock }): Promise<Bench> {
    // A held answer breaks after 30 s / 2, so that a lost one meets our own time-out first.
    const fedapay = await startFedapay({ port: 0, speed: 2, misbehaves: true })
    const mailbox = await openMailbox((body) => JSON.parse(body).entity.merchant_reference ?? '')
    const account = fedapayAccount(fedapay, mailbox.url)
    const tools = { ...toolsWithoutTokens, outbound, clock }
    const open = (base_url: string, secrets: Readonly<Record<string, string>> = {}) =>
      fedapayGateway(
        { ...account, settings: { base_url }, secrets: { ...account.secrets, ...secrets } },
        tools,
      )
    return {
      gateway: open(fedapay.url),
      unreachable: open(nobody_listens),
      stranger: open(fedapay.url, { webhook_secret: 'wh_another_one' }),
      openWire: () => wireBetween(fedapay.url),
      at: (url) => open(url),
      order: newOrder,
      books: async (order) => booksOf(fedapay, order),
      callback: (order) => mailbox.first(shortReference(order.our_key)),
      otps: { right: '', wrong: '' },
      async close() {
        await fedapay.stop()
        await mailbox.close()
      },
    }
  },
})
