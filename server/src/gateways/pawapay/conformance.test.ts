// This adapter against the dialect that imitates its operator's wire, over real HTTP on loopback.

import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { type Pawapay, startPawapay } from '../../../../simulator/src/dialects/pawapay/start.ts'
import { nobody_listens, serveHttp } from '../../../test/setup/loopback.ts'
import { keysOf, pawapayAccount } from '../../../test/setup/pawapay-account.ts'
import { wireBetween } from '../../../test/setup/wire-between.ts'
import { parseDecimal } from '../../money/parse-amount.ts'
import type { KeyStore } from '../adapter.ts'
import {
  type Bench,
  type Books,
  type Callback,
  describeGateway,
  type Situation,
} from '../conformance.ts'
import type { Direction, GatewayOrder } from '../gateway.ts'
import { memoryTokens } from '../tokens.ts'
import { pawapayGateway } from './pawapay-gateway.ts'

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
  callback_unsigned: '9913',
}

let orders_made = 0

function newOrder(situation: Situation, direction: Direction): GatewayOrder {
  orders_made += 1
  const isPage = situation === 'redirects'
  const last = `${String(orders_made).padStart(4, '0')}${digits[situation] ?? '0055'}`
  return {
    merchant_id: randomUUID(),
    attempt_id: randomUUID(),
    direction,
    our_key: randomUUID(),
    external_reference: '',
    network_code: isPage ? 'wave_sn' : 'mtn_bj',
    country_code: isPage ? 'SN' : 'BJ',
    amount: 10_325_00n,
    currency: 'XOF',
    msisdn: isPage ? `+2217${last}` : `+22997${last}`,
    flow: isPage ? 'redirect' : 'push',
    otp_kind: 'NONE',
    otp: undefined,
    description: 'Panier d’Awa : l\'été & "nº 7" '.padEnd(255, '🛒'),
    callback_url: 'http://127.0.0.1:9/not-used',
    return_url: isPage ? 'https://shop.example/back' : '',
  }
}

/** By number: a second order under another reference would count too. */
function booksOf(pawapay: Pawapay, { msisdn, direction }: GatewayOrder): Books {
  const operation = direction === 'COLLECT' ? 'deposits' : 'payouts'
  const lines = pawapay
    .books()
    .filter((one) => one.operation === operation && `+${one.msisdn}` === msisdn)
  const moved = lines.filter(({ status }) => status === 'COMPLETED')
  const hundredths = moved.reduce((sum, { amount }) => {
    const reading = parseDecimal(amount)
    if (reading.is === 'invalid') throw new Error(`the operator's books hold ${amount}`)
    return sum + reading.hundredths
  }, 0n)
  return { orders: lines.length, debits: moved.length, hundredths }
}

/** One fixed address, as in the operator's dashboard: the body says what it is about. */
async function openMailbox() {
  const delivered = new Map<string, Callback>()
  const receiver = await serveHttp(async (req, res) => {
    const headers = Object.fromEntries(
      Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
    )
    const { host: authority = '' } = req.headers
    const body = await text(req)
    const { depositId, payoutId } = JSON.parse(body)
    const path = req.url ?? ''
    delivered.set(depositId ?? payoutId, { body, headers, method: 'POST', authority, path })
    res.end()
  })
  return {
    url: `http://127.0.0.1:${receiver.port}/callbacks/pawapay_test`,
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

const { publicKey: another } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

for (const signature of ['der', 'raw'] as const) {
  describeGateway(`pawapay, signed ${signature}`, {
    declares: {
      abilities: ['collect', 'pay', 'refund'],
      redirects: true,
      callbacks: 'SIGNED',
      create_is_idempotent: true,
      freshness: { for_s: 120, ahead_s: 60, stale: 'BEARER' },
      payout_fails_with: 'LIMIT_REACHED',
    },
    async open({ outbound, clock }): Promise<Bench> {
      const mailbox = await openMailbox()
      // A held answer breaks after 30 s / 2, so that number 05 meets our own time-out first.
      const pawapay = await startPawapay({
        ...{ port: 0, speed: 2, misbehaves: true },
        form: { signature, digest: signature === 'der' ? 'sha-512' : 'sha-256' },
        callbacks: { deposits: mailbox.url, payouts: mailbox.url },
      })
      const account = pawapayAccount(pawapay)
      const keys = await keysOf(pawapay)
      const open = (base_url: string, store: KeyStore) =>
        pawapayGateway(
          { ...account, settings: { ...account.settings, base_url } },
          {
            ...{ outbound, clock, keys: store, note: () => undefined },
            tokens: (obtain) => memoryTokens(obtain, clock),
          },
        )
      return {
        gateway: open(pawapay.url, keys),
        unreachable: open(nobody_listens, keys),
        stranger: open(pawapay.url, { get: () => another }),
        openWire: () => wireBetween(pawapay.url),
        at: (url) => open(url, keys),
        order: newOrder,
        books: async (order) => booksOf(pawapay, order),
        callback: (order) => mailbox.first(order.our_key),
        otps: { right: '', wrong: '' },
        async close() {
          await pawapay.stop()
          await mailbox.close()
        },
      }
    },
  })
}
