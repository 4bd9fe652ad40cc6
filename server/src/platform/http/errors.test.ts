// Errors as they are answered: shape, language, retry, and what a bug shows (contract 1.3).

import { Writable } from 'node:stream'
import { pino } from 'pino'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { as, buildFixture, config } from '../../../test/setup/boat-routes.ts'
import { defineErrors, Refusal } from '../errors.ts'
import { answerError, renderRefusal } from './errors.ts'
import type { HttpServer } from './server.ts'

const lines: string[] = []
const sink = new Writable({
  write(chunk, _encoding, done) {
    lines.push(String(chunk))
    done()
  },
})

let server: HttpServer
beforeAll(async () => {
  server = await buildFixture({ log: pino(sink) })
})
afterAll(() => server.close())

const post = (payload: string | object, headers: Record<string, string> = {}) =>
  server.inject({
    method: 'POST',
    url: '/api/v1/boats/',
    headers: { ...as('both'), 'content-type': 'application/json', ...headers },
    payload,
  })

describe('a refusal', () => {
  it('shows its message and code', async () => {
    const reply = await post({ name: 'full' })
    expect(reply.json()).toEqual({
      success: false,
      error: { message: 'The boat is full.', code: 'boat_full' },
      code: 422,
    })
    expect(reply.headers['retry-after']).toBeUndefined()
  })

  it('says that it may be retried, and when', async () => {
    const reply = await post({ name: 'away' })
    expect(reply.json().error).toMatchObject({ code: 'boat_away', retryable: true })
    expect(reply.headers['retry-after']).toBe('7')
  })

  it('says how long what stands in its way may take, without being retryable', async () => {
    const reply = await post({ name: 'wet' })
    expect(reply.json().error).toEqual({ message: 'The boat is drying.', code: 'boat_wet' })
    expect(reply.headers['retry-after']).toBe('1')
  })

  it('is never retryable once a transaction is in it, and shows the transaction', () => {
    const row = { code: 'x', status: 422, message: { en: 'x', fr: 'x' }, retryable: true }
    const refusal = new Refusal(row, { extra: { transaction: { id: 't' } } })
    const { error, headers } = answerError(refusal, 'en')
    expect(error).toEqual({ transaction: { id: 't' }, message: 'x', code: 'x' })
    expect(headers).toEqual({})
  })

  it('is rendered for keeping as it would be answered', () => {
    const { sunk } = defineErrors({ sunk: { status: 422, message: { en: 'Sunk.', fr: 'Coulé.' } } })
    const kept = renderRefusal(new Refusal(sunk), { locale: 'fr' })
    expect(kept).toEqual({ status: 422, json: '{"message":"Coulé.","code":"sunk"}' })
  })

  it.each([
    ['fr', 'La pirogue est pleine.'],
    ['fr-SN,fr;q=0.9,en;q=0.8', 'La pirogue est pleine.'],
    ['en;q=0.1, fr;q=0.2', 'La pirogue est pleine.'],
    ['wo', 'The boat is full.'],
    ['fr;q=0', 'The boat is full.'],
    ['*', 'The boat is full.'],
  ])('speaks the language of "%s"', async (language, message) => {
    const reply = await post({ name: 'full' }, { 'accept-language': language })
    expect(reply.json().error).toEqual({ message, code: 'boat_full' })
  })

  it('speaks the default language to whom asks for none', async () => {
    const french = await buildFixture({ config: { ...config, default_locale: 'fr' } })
    const reply = await french.inject({ url: '/nope' })
    expect(reply.json().error.message).toMatch(/^Rien n’a été trouvé à cette adresse/)
    await french.close()
  })
})

describe('a body that cannot be read', () => {
  it.each([
    ['malformed_json', 400, '{"name":', 'application/json'],
    ['malformed_json', 400, '{"name":"+221770000000",}', 'application/json; charset=utf-8'],
    ['malformed_json', 400, Buffer.from([0x22, 0xff, 0x22]), 'application/json'],
    ['unsupported_media_type', 415, 'name=x', 'application/x-www-form-urlencoded'],
    ['unsupported_media_type', 415, '{"name":"x"}', 'text/plain'],
    ['unsupported_media_type', 415, '{"name":"x"}', 'json'],
    ['payload_too_large', 413, `"${'x'.repeat(1_048_575)}"`, 'application/json'],
  ] as const)('is %s %i', async (code, status, payload, type) => {
    const reply = await post(payload, { 'content-type': type })
    expect(reply.statusCode).toBe(status)
    expect(reply.json()).toMatchObject({ success: false, error: { code }, code: status })
    expect(reply.body).not.toContain('+221770000000')
    expect(reply.headers['ratelimit-limit']).toBe('300')
  })

  it('may have exactly one megabyte', async () => {
    const filler = 'x'.repeat(1_048_576 - '{"name":"y","z":""}'.length)
    const reply = await post(`{"name":"y","z":"${filler}"}`)
    expect(reply.statusCode).toBe(201)
  })
})

describe('a bug', () => {
  it('is 500 without a word of what happened, and is in the log with the request id', async () => {
    const reply = await post({ name: 'bug' }, { 'x-request-id': 'req-77' })
    expect(reply.statusCode).toBe(500)
    expect(reply.json().error).toEqual({
      code: 'internal_error',
      message: expect.stringContaining('Check the status of the operation'),
    })
    expect(reply.body).not.toContain('221770000000')
    const bug = lines.map((line) => JSON.parse(line)).find((line) => line.msg === 'bug')
    expect(bug).toMatchObject({ request_id: 'req-77', stack: expect.any(String) })
  })

  it('does not put the query of a request into the log', async () => {
    const url = '/api/v1/boats/?search=%2B221770009999'
    await server.inject({ url, headers: as('both') })
    const answered = lines.map((line) => JSON.parse(line)).findLast((l) => l.msg === 'answered')
    expect(answered).toMatchObject({
      route: '/api/v1/boats/',
      status: 200,
      merchant_id: 'm1',
      environment: 'SANDBOX',
    })
    expect(lines.join()).not.toContain('221770009999')
  })
})

describe('a database that went away under a call', () => {
  const codes = ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'CONNECTION_CLOSED', 'CONNECT_TIMEOUT']
  it.each([...codes, '57P03', '08006', '25P03', '53300'])(
    'is answered 503, to be tried again with the same key (%s)',
    (code) => {
      const answer = answerError(Object.assign(new Error('away'), { code }), 'en')
      expect(answer.status).toBe(503)
      expect(answer.error).toMatchObject({ code: 'service_unavailable', retryable: true })
      expect(answer.headers['Retry-After']).toBe('1')
      expect(answer.bug).toBe(false)
    },
  )

  const ofServer = (code: string) =>
    Object.assign(new postgres.PostgresError('of the server'), { code })

  it.each(['40001', '40P01'])('nor is one that others won again and again a bug (%s)', (code) => {
    const answer = answerError(ofServer(code), 'en')
    expect([answer.status, answer.bug, answer.headers['Retry-After']]).toEqual([503, false, '2'])
  })

  it.each([
    ['55P03', /^Another operation is using/],
    ['57014', /^The request took too long\. Narrow it/],
  ])('a wait for what another holds and a slow read are told apart (%s)', (code, said) => {
    const { status, error, bug } = answerError(ofServer(code), 'en')
    expect([status, bug]).toEqual([503, false])
    expect(error['message']).toMatch(said)
  })

  it.each(['53100', '53200'])('nor one without room, but that is logged as one (%s)', (code) => {
    const answer = answerError(ofServer(code), 'en')
    expect([answer.status, answer.bug, answer.headers['Retry-After']]).toEqual([503, true, '1'])
  })

  it('is not what a broken rule of the database is', () => {
    const answer = answerError(Object.assign(new Error('broken'), { code: '23514' }), 'en')
    expect([answer.status, answer.bug]).toEqual([500, true])
  })
})
