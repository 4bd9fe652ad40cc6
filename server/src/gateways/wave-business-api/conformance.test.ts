// This adapter against the dialect that imitates its operator's wire, over real HTTP on loopback.

import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { startWave, type Wave } from '../../../../simulator/src/dialects/wave/start.ts'
import { nobody_listens, serveHttp } from '../../../test/setup/loopback.ts'
import { webhookSecret, withWave } from '../../../test/setup/wave-account.ts'
import { wireBetween } from '../../../test/setup/wire-between.ts'
import {
  type Bench,
  type Books,
  type Callback,
  describeGateway,
  type Situation,
} from '../conformance.ts'
import type { Direction, GatewayOrder } from '../gateway.ts'
import { waveGateway } from './wave-gateway.ts'

const digits: Readonly<Record<Direction, Readonly<Partial<Record<Situation, string>>>>> = {
  COLLECT: {
    ...{ waits: '0004', redirects: '0004', fails: '0001', refused_by_payer: '0003' },
    ...{ refused_by_gateway: '0006', answer_lost: '0005', answer_garbled: '9912' },
    ...{ server_error: '9911', other_amount: '9910', callback_unsigned: '9915' },
  },
  DISBURSE: {
    ...{ waits: '0004', fails: '0002', refused_by_payer: '0003', refused_by_gateway: '0006' },
    ...{ answer_lost: '0005', answer_garbled: '9912', server_error: '9911', other_amount: '9910' },
  },
}

let orders_made = 0

function newOrder(situation: Situation, direction: Direction): GatewayOrder {
  orders_made += 1
  const last = digits[direction][situation] ?? '0055'
  return {
    ...{ merchant_id: randomUUID(), attempt_id: randomUUID(), direction, our_key: randomUUID() },
    ...{ external_reference: '', network_code: 'wave_sn', country_code: 'SN' },
    ...{ amount: 10_325_00n, currency: 'XOF' },
    msisdn: `+22177${String(orders_made).padStart(3, '0')}${last}`,
    ...{ flow: direction === 'COLLECT' ? 'redirect' : 'push', otp_kind: 'NONE', otp: undefined },
    description: 'Panier d’Awa : l\'été & "nº 7" '.padEnd(255, '🛒'),
    ...{ callback_url: 'https://pay.example/callbacks/wave', return_url: '' },
  }
}

/** By number: a second order under another reference would count too. */
function booksOf(wave: Wave, { msisdn, direction }: GatewayOrder): Books {
  const kind = direction === 'COLLECT' ? 'checkout' : 'payout'
  const lines = wave.books().filter((one) => one.kind === kind && one.mobile === msisdn)
  const moved = lines.filter(({ status }) => status === 'complete' || status === 'succeeded')
  const hundredths = moved.reduce((sum, { amount }) => sum + BigInt(amount) * 100n, 0n)
  return { orders: lines.length, debits: moved.length, hundredths }
}

async function openMailbox() {
  const delivered = new Map<string, Callback>()
  const receiver = await serveHttp(async (request, response) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const body = await text(request)
    const key: string = JSON.parse(body).data.client_reference
    if (!delivered.has(key)) delivered.set(key, { body, headers })
    response.end()
  })
  return {
    url: `http://127.0.0.1:${receiver.port}`,
    close: receiver.close,
    async first(key: string): Promise<Callback> {
      const give_up = Date.now() + 10_000
      for (;;) {
        const callback = delivered.get(key)
        if (callback !== undefined) return callback
        if (Date.now() > give_up) throw new Error(`no callback came for ${key}`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
  }
}

describeGateway('wave', {
  declares: {
    abilities: ['collect', 'pay', 'cancel', 'refund'],
    redirects: 'ALWAYS',
    callbacks: 'SIGNED',
    failed_callbacks: 'NOT_FINAL',
    create_is_idempotent: false,
    payout_is_idempotent: true,
    refusals: 'LATER',
    payouts: 'AT_ONCE',
    payout_fails_with: 'LIMIT_REACHED',
  },
  async open({ outbound, clock }): Promise<Bench> {
    const mailbox = await openMailbox()
    // A held answer breaks after 30 s / 2, so that number 05 meets our own time-out first.
    const wave = await startWave({
      ...{ port: 0, speed: 2, misbehaves: true, auto_pay: true },
      webhook: { url: mailbox.url, secrets: [webhookSecret], strategy: 'SIGNING_SECRET' },
    })
    const open = (base_url: string, webhook_secret = webhookSecret) =>
      waveGateway(withWave(wave, { base_url, webhook_secret }), {
        ...{ outbound, clock, note: () => undefined },
        tokens: () => {
          throw new Error('this operator gives no tokens')
        },
      })
    return {
      gateway: open(wave.url),
      unreachable: open(nobody_listens),
      stranger: open(wave.url, 'another-secret-of-somebody'),
      openWire: () => wireBetween(wave.url),
      at: (url) => open(url),
      order: newOrder,
      books: async (order) => booksOf(wave, order),
      callback: (order) => mailbox.first(order.our_key),
      otps: { right: '', wrong: '' },
      async close() {
        await wave.stop()
        await mailbox.close()
      },
    }
  },
})
