// What a browser reads by its cookie comes compressed, since it may be on a slow network; what a
// program reads does not, nor what an act answers, which may have a secret in it.

import { type IncomingHttpHeaders, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { browserAt } from '../setup/browser-calls.ts'

let app: TestApp
let member: SignedInCaller
let cookie: string
let token: string
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } })
  member = await app.member({ merchant_id: (await app.shop()).merchant_id })
  const { email, password } = member
  const browser = browserAt(app.url)
  await browser.call('POST', '/auth/login/', { body: { email, password, cookie: true } })
  const program = await browserAt(app.url).call('POST', '/auth/login/', {
    body: { email, password },
  })
  token = program.data.token
  cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ')
})
afterAll(() => app?.stop())

type Answer = Readonly<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer }>
type Asking = Readonly<{ method?: string; headers?: Record<string, string>; body?: object }>

const ask = (path: string, { method = 'GET', headers = {}, body }: Asking = {}) =>
  new Promise<Answer>((resolve, reject) => {
    const usual = {
      ...{ cookie, 'x-requested-with': 'pirogue', 'sec-fetch-site': 'same-origin' },
      ...{ 'x-merchant': member.merchant_id, 'x-environment': 'SANDBOX' },
      ...(method === 'GET' ? {} : { origin: app.url, 'content-type': 'application/json' }),
    }
    const options = { method, headers: { ...usual, ...headers }, agent: false }
    const sent = request(`${app.url}/api/v1${path}`, options, (reply) => {
      const parts: Buffer[] = []
      reply.on('data', (part: Buffer) => parts.push(part))
      reply.on('error', reject)
      reply.on('end', () => {
        const { statusCode: status = 0 } = reply
        resolve({ status, headers: reply.headers, bytes: Buffer.concat(parts) })
      })
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })

const long = '/networks/?page_size=100'
const taking = (encodings: string) => ({ headers: { 'accept-encoding': encodings } })

it('a long answer is compressed as the browser takes it, and says what it varies by', async () => {
  const plain = await ask(long)
  expect(plain.status).toBe(200)
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(plain.headers.vary).toMatch(/(^|, )Accept-Encoding(,|$)/)
  for (const [encodings, encoding, unpack] of [
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
  ] as const) {
    const { status, headers, bytes } = await ask(long, taking(encodings))
    expect([status, headers['content-encoding']], encodings).toEqual([200, encoding])
    expect(headers['content-length']).toBe(String(bytes.length))
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers.vary).toMatch(/(^|, )Accept-Encoding(,|$)/)
    expect(bytes.length).toBeLessThan(plain.bytes.length / 5)
    expect(unpack(bytes).toString()).toBe(plain.bytes.toString())
  }
  const bare = { headers: { 'accept-encoding': 'gzip', prefer: 'envelope=off' } }
  const { headers, bytes } = await ask(long, bare)
  expect(headers.vary).toMatch(/Accept-Encoding, Prefer$/)
  expect(JSON.parse(gunzipSync(bytes).toString())).toHaveProperty('results')
})

it('a short one, a refusal, what an act answers, and what a program reads are not', async () => {
  const short = await ask('/transactions/', taking('gzip'))
  expect([short.status, short.headers['content-encoding']]).toEqual([200, undefined])
  const gone = await ask('/transactions/none/', taking('gzip'))
  expect([gone.status, gone.headers['content-encoding']]).toEqual([404, undefined])
  const url = `https://hooks.example.com/${'a'.repeat(1_400)}`
  const made = await ask('/merchant-webhooks/', {
    method: 'POST',
    body: { url },
    ...taking('gzip'),
  })
  expect([made.status, made.headers['content-encoding']]).toEqual([201, undefined])
  expect(made.bytes.length).toBeGreaterThan(1_400)
  const program = await ask(long, {
    headers: { cookie: '', authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' },
  })
  expect([program.status, program.headers['content-encoding']]).toEqual([200, undefined])
  expect(program.headers.vary ?? '').not.toContain('Accept-Encoding')
})
