// What is sent for an account keeps to its pace whichever object sends it: one that is opened anew
// goes on where the former one was. And what counts as a question, at an operator that is asked by
// POST too.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { withOrange } from '../../test/setup/orange-account.ts'
import { withWave } from '../../test/setup/wave-account.ts'
import { openKeyring } from '../platform/crypto/seal.ts'
import { type Db, openDb } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { Outbound, SendRequest } from '../platform/outbound/outbound.ts'
import { fasterIn, slowerIn } from './account-paces.ts'
import { openAccount } from './adapters.ts'
import { collects, type GatewayOrder } from './gateway.ts'
import { orangeAdapter } from './orange-web-payment/orange-gateway.ts'
import type { Pacer } from './pace.ts'
import { waveAdapter } from './wave-business-api/wave-gateway.ts'

let database: TestDatabase
let db: Db
let gateway_id: string
beforeAll(async () => {
  database = await createTestDatabase()
  const role = 'pirogue_app' as const
  const options = { connections_max: 2, durable: true, application_name: 'account-paces' }
  db = openDb({ ...database.options, role, ...options })
  const [row] = await db<{ id: string }[]>`select id from gateways limit 1`
  gateway_id = row?.id ?? ''
})
afterAll(async () => {
  await db?.end()
  await database?.drop()
})

/** Notes what would be sent; nobody is there. */
function notingOutbound() {
  const sent: SendRequest[] = []
  const outbound: Outbound = {
    async send(request) {
      sent.push(request)
      return { is: 'unknown', because: 'timeout' }
    },
    close: async () => undefined,
  }
  return { sent, outbound }
}

const order = {
  ...{ merchant_id: 'm', attempt_id: newId(), direction: 'COLLECT', our_key: newId() },
  ...{ external_reference: 'cos-1', network_code: 'wave_sn', country_code: 'SN' },
  ...{ amount: 5_000_00n, currency: 'XOF', msisdn: '+221770000155', flow: 'redirect' },
  ...{ otp_kind: 'NONE', otp: undefined, description: 'Panier' },
  ...{ callback_url: 'http://127.0.0.1:9/none', return_url: 'https://shop.example/b' },
} satisfies GatewayOrder

/** Whoever claims a share has it by then: the database has answered others since. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await db`select 1`
}

describe('an account that is opened anew', () => {
  it('goes on with the share and the window that it had', async () => {
    const { sent, outbound } = notingOutbound()
    const process = newId()
    const pacers = new Map<string, Pacer>()
    const account = { ...withWave({ url: 'http://127.0.0.1:9', api_key: 'k' }), id: gateway_id }
    const open = (asks_per_s: number) =>
      openAccount(
        {
          ...{ quick: db, keyring: openKeyring(randomBytes(32).toString('base64')) },
          ...{ outboundOf: () => outbound, clock: Date.now, process },
          ...{ note: () => undefined, paceFault: () => undefined },
          // Time stands still, and whoever waits goes on waiting.
          ...{ now: () => 0, sleep: () => new Promise<void>(() => undefined) },
        },
        waveAdapter,
        { account, keys: { get: () => undefined }, agreed: { asks_per_s }, pacers },
      )
    const first = open(5)
    expect(first.facts.queries_per_second).toBe(5)
    await first.query(order)
    for (let asked = 0; asked < 10; asked += 1) void first.query(order)
    await turns()
    // A fifth is for whoever comes next.
    expect(sent).toHaveLength(4)
    const second = open(5)
    for (let asked = 0; asked < 10; asked += 1) void second.query(order)
    await turns()
    expect(sent).toHaveLength(4)
  })
})

describe('at an operator that is asked by POST', () => {
  it('a question counts as one, a create as one, and a token as neither', async () => {
    const { sent, outbound } = notingOutbound()
    const account = withOrange({
      ...{ url: 'http://127.0.0.1:9', client_id: 'c', client_secret: 's', merchant_key: 'm' },
    })
    const gateway = orangeAdapter.open(account, {
      ...{ outbound, clock: Date.now, note: () => undefined },
      tokens: (obtain) => ({
        async get(product) {
          await obtain(product)
          return { is: 'token', value: 'x', generation: 1n }
        },
        refuse: () => undefined,
      }),
    })
    if (!collects(gateway)) throw new Error('it collects')
    await gateway.query({ ...order, memo: { ask: 'pay token' } })
    expect(sent.map(({ method, pace }) => [method, pace])).toEqual([
      ['POST', 'other'],
      ['POST', 'ask'],
    ])
    sent.length = 0
    await gateway.collect(order)
    expect(sent.map(({ pace }) => pace)).toEqual(['other', 'create'])
  })
})

describe('a change of a pace', () => {
  const was = { adapter: 'stripe', environment: 'LIVE', open_calls: null } as const
  const of = (changes: object) => ({ ...was, asks_per_s: null, creates_per_s: null, ...changes })

  it('lets more through where more counts than counted, by what is usual too', () => {
    expect(fasterIn(of({}), { creates_per_s: 50 })).toEqual({})
    expect(fasterIn(of({}), { creates_per_s: 51 })).toEqual({ creates_per_s: 51 })
    expect(fasterIn(of({ creates_per_s: 60 }), { creates_per_s: null })).toEqual({})
    expect(fasterIn(of({ creates_per_s: 40 }), { creates_per_s: null })).toEqual({
      creates_per_s: null,
    })
    expect(fasterIn(of({}), { open_calls: 1_000 })).toEqual({})
    expect(fasterIn(of({ open_calls: 5 }), { open_calls: null })).toEqual({ open_calls: null })
    expect(slowerIn(of({ asks_per_s: 9 }), { asks_per_s: 10, creates_per_s: 3 })).toEqual({
      creates_per_s: 3,
    })
  })
})
