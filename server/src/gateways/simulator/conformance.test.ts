// The sandbox operator's adapter against the operator itself, on a free port of loopback. Numbers
// choose what happens (simulator/README.md, "Magic numbers").

import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { type Simulator, startSimulator } from '../../../../simulator/src/start.ts'
import { nobody_listens, serveHttp } from '../../../test/setup/loopback.ts'
import { wireBetween } from '../../../test/setup/wire-between.ts'
import { parseDecimal } from '../../money/parse-amount.ts'
import {
  type Bench,
  type Books,
  type Callback,
  describeGateway,
  type Situation,
} from '../conformance.ts'
import type { Direction, GatewayOrder } from '../gateway.ts'
import { simulatorGateway } from './simulator.ts'

const digits: Readonly<Record<Situation, string>> = {
  succeeds: '0055',
  waits: '0004',
  fails: '0001',
  waits_for_otp: '0055',
  wants_otp: '0055',
  redirects: '0055',
  refused_by_payer: '0003',
  refused_by_gateway: '0006',
  answer_lost: '0005',
  answer_garbled: '9912',
  server_error: '9911',
  other_amount: '9910',
  callback_unsigned: '9915',
}

const otp_kinds: Partial<Record<Situation, GatewayOrder['otp_kind']>> = {
  waits_for_otp: 'POST',
  wants_otp: 'PRE',
}

let orders_made = 0

function newOrder(callback_base: string, situation: Situation, direction: Direction): GatewayOrder {
  orders_made += 1
  const our_key = randomUUID()
  return {
    merchant_id: randomUUID(),
    attempt_id: randomUUID(),
    direction,
    our_key,
    external_reference: '',
    network_code: 'ORANGE_SN',
    country_code: 'SN',
    amount: 10_325_00n,
    currency: 'XOF',
    msisdn: `+22177${String(orders_made).padStart(3, '0')}${digits[situation]}`,
    flow: situation === 'redirects' ? 'redirect' : 'push',
    otp_kind: otp_kinds[situation] ?? 'NONE',
    otp: undefined,
    description: 'Panier nº 7 '.padEnd(255, '🛒'),
    callback_url: `${callback_base}/${our_key}`,
    return_url: 'https://shop.example/thanks',
  }
}

type Mailbox = Readonly<{
  url: string
  first(key: string): Promise<Callback>
  close(): Promise<void>
}>

/** Where the operator calls back: the last part of the address names the order. */
async function openMailbox(): Promise<Mailbox> {
  const delivered = new Map<string, Callback>()
  const receiver = await serveHttp(async (req, res) => {
    const key = req.url?.split('/').at(-1) ?? ''
    const headers = Object.fromEntries(
      Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
    )
    const body = await text(req)
    if (!delivered.has(key)) delivered.set(key, { body, headers })
    res.end()
  })
  return {
    url: `http://127.0.0.1:${receiver.port}`,
    close: receiver.close,
    async first(key) {
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

const hundredthsOf = (amount: string): bigint => {
  const reading = parseDecimal(amount)
  if (reading.is === 'invalid') throw new Error(`the operator's books hold ${amount}`)
  return reading.hundredths
}

/** By number, not by reference: a second order under another reference would count too. */
function booksOf(simulator: Simulator, { msisdn, direction }: GatewayOrder): Books {
  const kind = direction === 'COLLECT' ? 'COLLECTION' : 'PAYOUT'
  const lines = simulator
    .books()
    .filter((line) => line.kind === kind && `+${line.msisdn}` === msisdn)
  const moved = lines.filter((line) => line.debited_at !== undefined)
  const hundredths = moved.reduce((sum, line) => sum + hundredthsOf(line.amount), 0n)
  return { orders: lines.length, debits: moved.length, hundredths }
}

describeGateway('simulator', {
  declares: {
    abilities: ['collect', 'pay', 'confirmOtp', 'cancel', 'resolve', 'refund'],
    redirects: true,
    callbacks: 'SIGNED',
    create_is_idempotent: true,
    statuses_refuse: true,
  },
  async open({ outbound }): Promise<Bench> {
    // Held answers break after 30 s / 5, so that number 05 meets our own time-out first.
    const secrets = { token: 'test-token', callback_secret: 'test-secret' }
    const simulator = await startSimulator({ port: 0, speed: 5, misbehaves: true, ...secrets })
    const mailbox = await openMailbox()
    const open = (base_url: string, callback_secret: string) =>
      simulatorGateway({
        code: 'simulator_a',
        operator: 'a',
        base_url: () => base_url,
        token: secrets.token,
        callback_secret,
        outbound,
      })
    return {
      gateway: open(simulator.url, secrets.callback_secret),
      unreachable: open(nobody_listens, secrets.callback_secret),
      stranger: open(simulator.url, 'another-secret'),
      openWire: () => wireBetween(simulator.url),
      at: (url) => open(url, secrets.callback_secret),
      order: (situation, direction) => newOrder(mailbox.url, situation, direction),
      books: async (order) => booksOf(simulator, order),
      callback: (order) => mailbox.first(order.our_key),
      otps: { right: '123456', wrong: '654321' },
      async close() {
        await simulator.stop()
        await mailbox.close()
      },
    }
  },
})
