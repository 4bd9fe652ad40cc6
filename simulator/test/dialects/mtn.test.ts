// The dialect of MTN MoMo by plain HTTP: what it refuses, what its books hold, what survives a
// restart, and faults by chance that can be told again.

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { drawn, faultOf } from '../../src/dialects/chaos.ts'
import { type Mtn, type MtnOptions, startMtn } from '../../src/dialects/mtn/start.ts'

const key = '0123456789abcdef0123456789abcdef'

async function start(options: Partial<MtnOptions> = {}): Promise<Mtn> {
  const mtn = await startMtn({ port: 0, speed: 20, ...options })
  onTestFinished(() => mtn.stop().catch(() => undefined))
  return mtn
}

type Headers = Record<string, string>

async function call(url: string, method: string, headers: Headers, body?: string) {
  const reply = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
  const text = await reply.text()
  return { status: reply.status, text, type: reply.headers.get('content-type') }
}

async function signedIn(mtn: Mtn, host = 'shop.example'): Promise<Headers> {
  const id = randomUUID()
  const keyed = { 'ocp-apim-subscription-key': key }
  const made = { ...keyed, 'x-reference-id': id }
  await call(`${mtn.url}/v1_0/apiuser`, 'POST', made, `{"providerCallbackHost":"${host}"}`)
  const { text } = await call(`${mtn.url}/v1_0/apiuser/${id}/apikey`, 'POST', keyed)
  const pair = Buffer.from(`${id}:${JSON.parse(text).apiKey}`).toString('base64')
  const basic = { ...keyed, authorization: `Basic ${pair}` }
  const token = await call(`${mtn.url}/collection/token/`, 'POST', basic)
  const bearer = `Bearer ${JSON.parse(token.text).access_token}`
  return { ...keyed, authorization: bearer, 'x-target-environment': 'sandbox' }
}

const order = (changes: object = {}) =>
  JSON.stringify({
    ...{ amount: '50', currency: 'EUR', externalId: 'x', payerMessage: 'a', payeeNote: 'b' },
    payer: { partyIdType: 'MSISDN', partyId: '22997000010' },
    ...changes,
  })

const path = '/collection/v1_0/requesttopay'

describe('the dialect', () => {
  it('refuses what its operator would refuse, in its own two forms', async () => {
    const mtn = await start()
    const good = { ...(await signedIn(mtn)), 'x-reference-id': randomUUID() }
    const tries: [Headers, string, number, RegExp][] = [
      [{ ...good, 'ocp-apim-subscription-key': '' }, order(), 401, /invalid subscription key/],
      [{ ...good, authorization: 'Bearer x' }, order(), 401, /"statusCode":401/],
      [{ ...good, 'x-target-environment': 'mtnbenin' }, order(), 500, /NOT_ALLOWED_TARGET/],
      [{ ...good, 'x-reference-id': 'not-a-uuid' }, order(), 400, /"statusCode":400/],
      [{ ...good, 'x-reference-id': '6f2c1a52-52f7-7c1b-9a55-1f6f0f3c9d20' }, order(), 400, /400/],
      [good, order({ currency: 'XOF' }), 500, /INVALID_CURRENCY/],
      [good, order({ amount: '050' }), 400, /400/],
      [good, order({ amount: 50 }), 400, /400/],
      [good, order({ payeeNote: "l'été" }), 400, /400/],
      [good, order({ payeeNote: 'x'.repeat(161) }), 400, /400/],
      [good, order({ extra: 1 }), 400, /400/],
      [good, order({ payer: { partyIdType: 'MSISDN', partyId: '+229' } }), 400, /400/],
      [{ ...good, 'x-callback-url': 'https://b.example/' }, order(), 500, /INVALID_CALLBACK/],
      [good, '{', 400, /400/],
    ]
    for (const [headers, body, status, form] of tries) {
      const reply = await call(mtn.url + path, 'POST', headers, body)
      expect([reply.status, reply.text], body).toEqual([status, expect.stringMatching(form)])
    }
    expect(mtn.books()).toEqual([])
    const taken = await call(mtn.url + path, 'POST', good, order())
    expect([taken.status, taken.text, taken.type]).toEqual([202, '', null])
    const again = await call(mtn.url + path, 'POST', good, order())
    expect([again.status, JSON.parse(again.text).code]).toEqual([409, 'RESOURCE_ALREADY_EXIST'])
    const nowhere = await call(`${mtn.url}/collection/v2_0/requesttopay`, 'POST', good, order())
    expect([nowhere.status, nowhere.text]).toEqual([
      404,
      '{"statusCode":404,"message":"Resource not found"}',
    ])
    expect(mtn.books()).toHaveLength(1)
  })

  it('ends a token when its life is over', async () => {
    const mtn = await start({ token_life_s: 40 })
    const headers = await signedIn(mtn)
    const ask = () => call(`${mtn.url}${path}/${randomUUID()}`, 'GET', headers)
    expect((await ask()).status).toBe(404)
    await new Promise((resolve) => setTimeout(resolve, 2_100))
    expect((await ask()).status).toBe(401)
  })

  it('goes on in the middle of a payment after a restart', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'pirogue-dialect-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    const journal = join(dir, 'mtn.jsonl')
    const first = await start({ journal, speed: 1 })
    const headers = { ...(await signedIn(first)), 'x-reference-id': randomUUID() }
    await call(first.url + path, 'POST', headers, order())
    expect(first.books()).toMatchObject([{ status: 'PENDING' }])
    await first.stop()
    const second = await start({ journal, speed: 1 })
    expect(second.books()).toHaveLength(1)
    await expect.poll(() => second.books()).toMatchObject([{ status: 'SUCCESSFUL', amount: '50' }])
    const fresh = await signedIn(second)
    const asked = await call(`${second.url}${path}/${headers['x-reference-id']}`, 'GET', fresh)
    expect(JSON.parse(asked.text)).toMatchObject({ status: 'SUCCESSFUL' })
  })
})

describe('a fault by chance', () => {
  it('is the same for the same seed, subject and step, and rare as it is told', () => {
    const chaos = { seed: 'a', rate: 0.25 }
    const faults = ['x', 'y'] as const
    const draw = (seed: string) =>
      Array.from({ length: 2000 }, (_, at) =>
        faultOf({ ...chaos, seed }, { subject: `${at}`, step: 's' }, faults),
      )
    expect(draw('a')).toEqual(draw('a'))
    expect(draw('a')).not.toEqual(draw('b'))
    const hit = draw('a').filter((fault) => fault !== undefined)
    expect(hit.length).toBeGreaterThan(400)
    expect(hit.length).toBeLessThan(600)
    expect(new Set(hit)).toEqual(new Set(faults))
    expect(faultOf(undefined, { subject: 'x', step: 's' }, faults)).toBeUndefined()
    expect(drawn(chaos, 'x', 's')).toBeLessThan(1)
  })
})
