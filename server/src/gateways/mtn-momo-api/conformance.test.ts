// This adapter against the dialect that imitates its operator's wire, over real HTTP on loopback.

import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { type Mtn, startMtn } from '../../../../simulator/src/dialects/mtn/start.ts'
import { nobody_listens, serveHttp } from '../../../test/setup/loopback.ts'
import { provisioned } from '../../../test/setup/mtn-account.ts'
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
import { memoryTokens } from '../tokens.ts'
import { mtnGateway } from './mtn-gateway.ts'

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
    network_code: 'mtn_bj',
    country_code: 'BJ',
    amount: 10_325_00n,
    currency: 'XOF',
    msisdn: `+22997${String(orders_made).padStart(4, '0')}${digits[situation] ?? '0055'}`,
    flow: 'push',
    otp_kind: 'NONE',
    otp: undefined,
    description: 'Panier d’Awa : l\'été & "nº 7" '.padEnd(255, '🛒'),
    callback_url: `${callback_base}/${our_key}`,
    return_url: '',
  }
}

/** By number: a second order under another reference would count too. */
function booksOf(mtn: Mtn, { msisdn, direction }: GatewayOrder): Books {
  const product = direction === 'COLLECT' ? 'collection' : 'disbursement'
  const lines = mtn.books().filter((one) => one.product === product && `+${one.msisdn}` === msisdn)
  const moved = lines.filter(({ status }) => status === 'SUCCESSFUL')
  const hundredths = moved.reduce((sum, { amount }) => {
    const reading = parseDecimal(amount)
    if (reading.is === 'invalid') throw new Error(`the operator's books hold ${amount}`)
    return sum + reading.hundredths
  }, 0n)
  return { orders: lines.length, debits: moved.length, hundredths }
}

async function openMailbox() {
  const delivered = new Map<string, Callback>()
  const receiver = await serveHttp(async (req, res) => {
    const headers = Object.fromEntries(
      Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
    )
    const key = req.url?.split('/').at(-1) ?? ''
    delivered.set(key, { body: await text(req), headers })
    res.end()
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

describeGateway('mtn', {
  declares: {
    abilities: ['collect', 'pay'],
    redirects: false,
    callbacks: 'UNSIGNED',
    create_is_idempotent: true,
    refusals: 'LATER',
    payout_fails_with: 'LIMIT_REACHED',
    token_calls: /\/token\/$/,
  },
  async open({ outbound, clock }): Promise<Bench> {
    // A held answer breaks after 30 s / 2, so that number 05 meets our own time-out first.
    const mtn = await startMtn({ port: 0, speed: 2, misbehaves: true })
    const mailbox = await openMailbox()
    const account = await provisioned(mtn.url, '127.0.0.1')
    const open = (base_url: string) =>
      mtnGateway(
        { ...account, settings: { ...account.settings, base_url } },
        {
          outbound,
          clock,
          tokens: (obtain) => memoryTokens(obtain, clock),
          note: () => undefined,
        },
      )
    return {
      gateway: open(mtn.url),
      unreachable: open(nobody_listens),
      stranger: open(mtn.url),
      openWire: () => wireBetween(mtn.url),
      at: open,
      order: (situation, direction) => newOrder(mailbox.url, situation, direction),
      books: async (order) => booksOf(mtn, order),
      callback: (order) => mailbox.first(order.our_key),
      otps: { right: '', wrong: '' },
      async close() {
        await mtn.stop()
        await mailbox.close()
      },
    }
  },
})
