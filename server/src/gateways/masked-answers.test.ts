// An operator that repeats our own secrets in what it answers: nothing that any adapter reads from
// it, counts or finds has one, in whatever form it was repeated.

import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { encodingsOf } from '../../test/setup/secrets-in-sight.ts'
import { openKeyring } from '../platform/crypto/seal.ts'
import { type Db, openDb } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { Outbound, SendRequest } from '../platform/outbound/outbound.ts'
import type { Account, AdapterModule } from './adapter.ts'
import { adapters, openAccount } from './adapters.ts'
import {
  checks,
  collects,
  type Gateway,
  type GatewayOrder,
  pays,
  prepares,
  refunds,
} from './gateway.ts'
import { maskedOutbound } from './masked-answers.ts'
import type { Pacer } from './pace.ts'
import { reportsBalance } from './wallet.ts'

let database: TestDatabase
let db: Db
let gateway_id: string
beforeAll(async () => {
  database = await createTestDatabase()
  const role = 'pirogue_app' as const
  const options = { connections_max: 2, durable: true, application_name: 'masked-answers' }
  db = openDb({ ...database.options, role, ...options })
  const [row] = await db<{ id: string }[]>`select id from gateways limit 1`
  gateway_id = row?.id ?? ''
})
afterAll(async () => {
  await db?.end()
  await database?.drop()
})

function accountOf({ settings }: AdapterModule): Account {
  const of = (isSecret: boolean, value: (standard: string | undefined) => string) =>
    Object.fromEntries(
      settings
        .filter(({ secret }) => secret === isSecret)
        .map(({ key, standard }) => [key, value(standard?.SANDBOX)]),
    )
  return {
    ...{ id: gateway_id, code: 'repeated', environment: 'SANDBOX', country: 'BJ' },
    settings: of(false, (standard) => standard ?? 'https://operator.example'),
    secrets: of(true, () => `s/${randomBytes(12).toString('hex')}+"`),
    former_secrets: of(true, () => randomBytes(16).toString('hex')),
  }
}

/** Each secret as a header, a body, an address or a dump of bytes would hold it. */
const repeated = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  ...(['hex', 'base64', 'base64url'] as const).map((way) => Buffer.from(secret).toString(way)),
  Buffer.from(`xy${secret}:more`).toString('base64'),
]

/** It refuses everything, in the words of all six, and says each secret back. */
function mockingOutbound(status: number, said: () => string): Outbound {
  const body = () => {
    const message = said()
    const failureReason = { failureCode: 'INVALID_INPUT', failureMessage: message }
    const error = { type: 'invalid_request_error', code: 'odd', message }
    return JSON.stringify({
      ...{ code: 'request-validation-error', message, description: message, status: 'REJECTED' },
      ...{ error, failureReason, error_message: message, reason: { code: message, message } },
    })
  }
  return {
    async send(request: SendRequest) {
      const isToken = request.pace === 'other'
      const issued = JSON.stringify({ access_token: randomUUID(), expires_in: 3_600 })
      const answered = { is: 'answered', headers: {}, took_ms: 1 } as const
      return isToken
        ? { ...answered, status: 200, body: issued }
        : { ...answered, status, body: body() }
    },
    close: async () => undefined,
  }
}

const orderOf = (direction: 'COLLECT' | 'DISBURSE', external_reference: string): GatewayOrder => ({
  ...{ merchant_id: newId(), attempt_id: newId(), direction, our_key: randomUUID() },
  ...{ external_reference, network_code: 'mtn_bj', country_code: 'BJ', flow: 'push' },
  ...{ amount: 5_000_00n, currency: 'XOF', msisdn: '+2290197000000', otp_kind: 'NONE' },
  ...{ otp: undefined, description: 'Panier', memo: { ask: 'theirs' } },
  ...{ callback_url: 'https://pay.example/callbacks/a/b', return_url: 'https://shop.example/b' },
})

/** One row stands for all of their accounts, so all of them have one share of its pace. */
const [pacers, process] = [new Map<string, Pacer>(), newId()]

/** Everything that an adapter may be asked for, and what it makes of each answer. */
async function everythingOf(gateway: Gateway): Promise<unknown[]> {
  const collect = orderOf('COLLECT', 'transactions/7')
  const pay = orderOf('DISBURSE', 'payouts/7')
  const refund = { ...pay, refund_id: newId(), of: collect, reason: '', amount: collect.amount }
  return [
    await gateway.query(collect),
    await gateway.query(pay),
    collects(gateway) && (await gateway.collect(collect)),
    pays(gateway) && (await gateway.pay(pay)),
    prepares(gateway) && [await gateway.prepare(collect), await gateway.prepare(pay)],
    refunds(gateway) && [await gateway.refund(refund), await gateway.askRefund(refund)],
    reportsBalance(gateway) && (await gateway.balances()),
    checks(gateway) && (await gateway.check('https://pay.example')),
  ]
}

describe.each(adapters.map((module) => [module.adapter, module] as const))('%s', (_, module) => {
  it.each([400, 403])(
    'that repeats our secrets with %i: none is in what is read of it',
    async (status) => {
      const account = accountOf(module)
      const all = [account.secrets, account.former_secrets ?? {}].flatMap(Object.values)
      const found: unknown[] = []
      // One at a time, and first: what is kept of a message is cut.
      for (const form of all.flatMap(repeated)) {
        const gateway = openAccount(
          {
            ...{ quick: db, keyring: openKeyring(randomBytes(32).toString('base64')) },
            ...{ outboundOf: () => mockingOutbound(status, () => `no: ${form}`), clock: Date.now },
            ...{ note: (_code, what) => found.push(what), paceFault: () => undefined },
            process,
          },
          module,
          {
            ...{ account, keys: { get: () => undefined }, pacers },
            agreed: { asks_per_s: 1_000, creates_per_s: 1_000 },
          },
        )
        found.push(await everythingOf(gateway))
      }
      const text = JSON.stringify(found, (_name, value) =>
        typeof value === 'bigint' ? String(value) : value,
      )
      const shown = all.flatMap(encodingsOf).filter((one) => text.includes(one))
      expect(shown).toEqual([])
      // What it makes of a message is there: only the secret is not.
      expect(text).toContain('[secret]')
    },
    60_000,
  )
})

describe('an answer', () => {
  const over = (body: string, pace: SendRequest['pace'], secrets: Record<string, string>) => {
    const outbound: Outbound = {
      send: async () => ({ is: 'answered', status: 200, headers: {}, body, took_ms: 1 }),
      close: async () => undefined,
    }
    const request = { method: 'GET', url: 'https://a.example', timeout_ms: 1 }
    const paced = pace === undefined ? request : { ...request, pace }
    return maskedOutbound(outbound, { secrets }).send(paced)
  }
  const secret = '7d3c1c0e-5d5f-4b6e-9d65-0a8a3a1f4a10'

  it('that brings a token stays as it is: a token may be made of what it was asked for with', async () => {
    const token = Buffer.from(`{"clientId":"${secret}"}`).toString('base64url')
    expect(await over(token, 'other', { api_user: secret })).toMatchObject({ body: token })
    expect(await over(token, undefined, { api_user: secret })).not.toMatchObject({ body: token })
  })

  it('without a secret of ours stays as it is, to the byte', async () => {
    const body = '{"status":"FAILED","a":"b.c*d(e"}'
    for (const secrets of [{}, { a: secret }, { a: 'FAILED' }, { a: '.*.*.*.*' }, { a: '' }]) {
      expect(await over(body, undefined, secrets)).toMatchObject({ body })
    }
  })
})
