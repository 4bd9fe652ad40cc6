// A question that an operator refuses for who we are, or how we are set up, as its documents say it:
// of what was asked about it says nothing, and it raises the alarm that a refused create raises.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LoopbackServer, serveHttp } from '../../test/setup/loopback.ts'
import { newId } from '../platform/ids.ts'
import { createOutbound, type Outbound } from '../platform/outbound/outbound.ts'
import type { Account, AdapterModule } from './adapter.ts'
import { adapters } from './adapters.ts'
import { alarmIn } from './alarms.ts'
import { type AttemptKey, refunds } from './gateway.ts'
import { memoryTokens } from './tokens.ts'

let said: Readonly<{ status: number; body: string }>
let operator: LoopbackServer
let outbound: Outbound
beforeAll(async () => {
  operator = await serveHttp((request, response) => {
    const isToken = /token|oauth/.test(request.url ?? '')
    const { status, body } = isToken ? issued : said
    request.resume()
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  outbound = createOutbound({ assertNoTransaction: () => undefined })
})
afterAll(async () => {
  await outbound?.close()
  await operator?.close()
})

const issued = {
  status: 200,
  body: JSON.stringify({ access_token: 'theirs', token_type: 'Bearer', expires_in: 3600 }),
}

function accountOf({ settings }: AdapterModule): Account {
  const of = (isSecret: boolean) =>
    Object.fromEntries(
      settings
        .filter(({ secret }) => secret === isSecret)
        .map(({ key, standard }) => [
          key,
          key === 'base_url' ? operator.url : (standard?.SANDBOX ?? randomUUID()),
        ]),
    )
  const { ca: _, tls_ca: __, ...secrets } = of(true)
  return {
    ...{ id: newId(), code: 'denied', environment: 'SANDBOX', country: 'BJ' },
    ...{ settings: of(false), secrets },
  }
}

const opened = (module: AdapterModule) =>
  module.open(accountOf(module), {
    ...{ outbound, clock: Date.now, note: () => undefined },
    tokens: (obtain) => memoryTokens(obtain, Date.now),
  })

const attemptOf = (external_reference: string): AttemptKey => ({
  ...{ merchant_id: newId(), attempt_id: newId(), direction: 'COLLECT', our_key: randomUUID() },
  ...{ external_reference, amount: 5_000_00n, currency: 'XOF', memo: { ask: 'theirs' } },
})

const failure = (failureCode: string) => ({ failureReason: { failureCode, failureMessage: '' } })
const stripeSays = { error: { type: 'invalid_request_error', message: 'Invalid API Key' } }

/** Of each: what it answers, and what that is. */
const denials = [
  ['mtn', 401, { code: 'INVALID_TOKEN' }, 'CREDENTIAL'],
  ['mtn', 403, { code: 'FORBIDDEN' }, 'CONFIGURATION'],
  ['pawapay', 401, failure('AUTHENTICATION_ERROR'), 'CREDENTIAL'],
  ['pawapay', 403, failure('AUTHORISATION_ERROR'), 'CREDENTIAL'],
  ['wave', 401, { code: 'no-matching-api-key' }, 'CREDENTIAL'],
  ['wave', 403, { code: 'ip-not-allowed' }, 'CREDENTIAL'],
  ['orange', 401, { code: 42, message: 'Expired credentials' }, 'CREDENTIAL'],
  ['orange', 403, { code: 50, message: 'Access denied' }, 'CONFIGURATION'],
  ['stripe', 401, stripeSays, 'CREDENTIAL'],
  ['stripe', 403, stripeSays, 'CREDENTIAL'],
  ['fedapay', 401, { message: 'Authentication failed' }, 'CREDENTIAL'],
  ['fedapay', 403, { message: 'Forbidden' }, 'CREDENTIAL'],
] as const

const references: Readonly<Record<string, readonly string[]>> = {
  wave: ['', 'cos-18qq25rgr100a'],
  stripe: ['', 'cs_test_1'],
  fedapay: ['transactions/7'],
}

const moduleOf = (name: string): AdapterModule => {
  const module = adapters.find(({ adapter }) => adapter === name)
  if (module === undefined) throw new Error(`no adapter ${name}`)
  return module
}

describe.each(denials)('%s, that answers a question with %i', (name, status, body, alarm) => {
  it.each(references[name] ?? [''])('leaves it unknown, with an alarm: %s', async (reference) => {
    said = { status, body: JSON.stringify(body) }
    const { answer } = await opened(moduleOf(name)).query(attemptOf(reference))
    expect(answer).toMatchObject({ is: 'unknown', alarm })
  })

  it('leaves a refund unknown, too', async () => {
    said = { status, body: JSON.stringify(body) }
    const gateway = opened(moduleOf(name))
    if (!refunds(gateway)) return
    const of = attemptOf(references[name]?.at(-1) ?? '')
    const refund = { ...attemptOf(''), direction: 'DISBURSE', refund_id: newId(), of } as const
    const { answer } = await gateway.askRefund(refund)
    expect(answer).toMatchObject({ is: 'unknown', alarm })
    const order = { ...refund, reason: '', callback_url: 'https://pay.example/callbacks/a/b' }
    const sent = await gateway.refund({ ...order, amount: of.amount })
    expect(sent.answer.is).toMatch(/^(refused|never_sent)$/)
    expect(alarmIn(sent.answer)).toBe(alarm)
  })
})

describe.each(adapters.map(({ adapter }) => adapter))('%s', (name) => {
  it.each([
    [500, '{}'],
    [403, '<html>Request Rejected</html>'],
    [404, '{}'],
  ])('raises none for %i %s', async (status, body) => {
    said = { status, body }
    const { answer } = await opened(moduleOf(name)).query(attemptOf(references[name]?.at(-1) ?? ''))
    expect(alarmIn(answer)).toBeUndefined()
  })
})

describe.each(['mtn', 'orange'])('%s, that gives us no token for who we are', (name) => {
  it('says so of a question', async () => {
    const before = { ...issued }
    Object.assign(issued, { status: 401, body: '{"error":"invalid_client"}' })
    try {
      const { answer } = await opened(moduleOf(name)).query(attemptOf(''))
      expect(answer).toMatchObject({ is: 'never_sent', alarm: 'CREDENTIAL' })
    } finally {
      Object.assign(issued, before)
    }
  })
})
