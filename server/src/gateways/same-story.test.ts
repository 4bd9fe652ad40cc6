// Each dialect plays the same story for a reference by the same seed, whatever comes beside it: the
// answers to its create, by our adapter, and what the operator has in its books in the end. One by
// one and all at once, in two runs. With time and chance given too, it is the same to the byte, and
// so is what it calls back.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { seededSource } from '../../../simulator/src/dialects/source.ts'
import { serveHttp } from '../../test/setup/loopback.ts'
import { dialectNames, nowhere, startDialect, toolsOver } from '../../test/setup/six-dialects.ts'
import { newId } from '../platform/ids.ts'
import { createOutbound, type Outbound } from '../platform/outbound/outbound.ts'
import { collects, type Gateway, type GatewayOrder, prepares, publishesKeys } from './gateway.ts'
import { keyStore } from './public-keys.ts'

const outbound = createOutbound({ assertNoTransaction: () => undefined })
afterAll(() => outbound.close())

/** The same references in every run. */
const ordersOf = (name: string, attempt_id = newId(), heard = nowhere): GatewayOrder[] =>
  Array.from({ length: 40 }, (_, at) => {
    const isPage = ['wave', 'orange', 'stripe'].includes(name)
    const [country_code, network_code] = name === 'wave' ? ['SN', 'wave_sn'] : ['BJ', 'mtn_bj']
    const digits = String(at).padStart(2, '0')
    return {
      ...{ merchant_id: 'm', attempt_id, direction: 'COLLECT' },
      ...{ our_key: `6f2c1a52-52f7-4c1b-9a55-1f6f0f3c9d${digits}`, external_reference: '' },
      ...{ network_code, country_code, amount: 5_155_00n },
      currency: name === 'stripe' ? 'USD' : 'XOF',
      msisdn: name === 'wave' ? `+22177000${digits}55` : `+2299700${digits}55`,
      ...{ flow: isPage ? 'redirect' : 'push', otp_kind: 'NONE', otp: undefined },
      ...{ description: 'Panier', callback_url: heard, return_url: 'https://shop.example/b' },
    }
  })

type Story = Readonly<{ our_key: string; answer: string; lines: readonly string[] }>

/** What a new process is answered that sends it. */
async function answerTo(gateway: Gateway, order: GatewayOrder): Promise<string> {
  if (!collects(gateway)) throw new Error(`${gateway.code} collects nothing`)
  let { external_reference } = order
  if (prepares(gateway)) {
    const { answer } = await gateway.prepare(order)
    if (answer.is !== 'prepared') return `prepare: ${answer.is}`
    external_reference = answer.external_reference
  }
  const { answer } = await gateway.collect({ ...order, external_reference })
  return answer.is
}

async function storiesOf(name: string, seed: string, at_once: boolean): Promise<Story[]> {
  const told = await startDialect(name, { chaos: { seed, rate: 0.5 }, plays: true })
  const orders = ordersOf(name)
  const answers = new Map<string, string>()
  const send = async (order: GatewayOrder) => {
    answers.set(order.our_key, await answerTo(told.gateway, order))
  }
  if (at_once) await Promise.all(orders.map(send))
  else for (const order of orders) await send(order)
  const open = /PENDING|INITIATED|PROCESSING|ACCEPTED/
  await expect
    .poll(() => orders.flatMap(told.lines).filter((one) => open.test(one)), { timeout: 10_000 })
    .toEqual([])
  const stories = orders.map((order) => ({
    our_key: order.our_key,
    answer: answers.get(order.our_key) ?? '',
    lines: told.lines(order),
  }))
  await told.stop()
  return stories
}

describe('the same seed', () => {
  it.each(dialectNames)(
    'is the same story at %s, one by one and all at once',
    async (name) => {
      const seed = `told again: ${name}`
      const one_by_one = await storiesOf(name, seed, false)
      expect(await storiesOf(name, seed, true), seed).toEqual(one_by_one)
      expect(await storiesOf(name, `${seed}, another`, true)).not.toEqual(one_by_one)
      expect(new Set(one_by_one.map(({ answer }) => answer)).size).toBeGreaterThan(1)
    },
    60_000,
  )
})

const began_ms = Date.parse('2026-11-23T08:00:00Z')
/** An id tells when it was made, and a page's life is counted from then. */
const began_hex = began_ms.toString(16).padStart(12, '0')
const began_id = `${began_hex.slice(0, 8)}-${began_hex.slice(8)}-7000-8000-000000000001`

/** All that crossed the wire, in its order, and the file that the dialect kept, line by line. */
type Bytes = Readonly<{ wire: readonly string[]; kept: readonly string[] }>

/** Time stands still while all is sent, and is an hour later when each is asked about. */
async function bytesOf(name: string, seed: string, at_once: boolean): Promise<Bytes> {
  const directory = await mkdtemp(path.join(tmpdir(), 'pirogue-same-'))
  const journal = path.join(directory, 'dialect.jsonl')
  let now_ms = began_ms
  const now = () => now_ms
  const wire: string[] = []
  const seen: Outbound = {
    async send(request) {
      const result = await outbound.send(request)
      const { method, url, body = '' } = request
      wire.push(`${method} ${url} ${body}`, JSON.stringify({ ...result, took_ms: 0 }))
      return result
    },
    close: outbound.close,
  }
  const told = await startDialect(name, {
    ...{ chaos: { seed, rate: 0.3 }, plays: true, journal, source: seededSource(seed, now) },
    tools: toolsOver(seen, now),
  })
  const sent: GatewayOrder[] = []
  const send = async (order: GatewayOrder) => {
    const external_reference = await referenceAfter(told.gateway, order)
    sent.push({ ...order, external_reference })
  }
  const orders = ordersOf(name, began_id)
  if (at_once) await Promise.all(orders.map(send))
  else for (const order of orders) await send(order)
  now_ms += 3_600_000
  if (!at_once) for (const order of sent) await told.gateway.query(order)
  await told.stop()
  const kept = (await readFile(journal, 'utf8')).split('\n')
  await rm(directory, { recursive: true })
  const placed = (text: string) => text.replaceAll(told.url, 'http://dialect')
  return { wire: wire.map(placed), kept: kept.map(placed) }
}

async function referenceAfter(gateway: Gateway, order: GatewayOrder): Promise<string> {
  if (!collects(gateway)) throw new Error(`${gateway.code} collects nothing`)
  const prepared = prepares(gateway) ? (await gateway.prepare(order)).answer : undefined
  const known = prepared?.is === 'prepared' ? prepared.external_reference : ''
  const { answer } = await gateway.collect({ ...order, external_reference: known })
  return 'external_reference' in answer ? answer.external_reference : known
}

describe('the same seed, time and chance', () => {
  it.each(dialectNames)(
    'are the same bytes at %s: on the wire and in its file',
    async (name) => {
      const seed = `byte by byte: ${name}`
      const first = await bytesOf(name, seed, false)
      expect(await bytesOf(name, seed, false)).toEqual(first)
      expect((await bytesOf(name, `${seed}, another`, false)).wire).not.toEqual(first.wire)
      expect(first.kept.length).toBeGreaterThan(10)
    },
    60_000,
  )

  it.each(dialectNames)(
    'are the same lines of each reference at %s, all at once',
    async (name) => {
      const seed = `all at once: ${name}`
      const [first, second] = [await bytesOf(name, seed, true), await bytesOf(name, seed, true)]
      expect(second.kept.toSorted()).toEqual(first.kept.toSorted())
    },
    60_000,
  )
})

/** Of each, the request line, its headers, what it proves, and its bytes; in order of the texts. */
type Heard = readonly string[]

/** Of the connection, not of what is said. */
const carrying = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept'])

/** The longest that a late one takes; without another for so long, that was all. */
const quietMs = 6_000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Time stands still. `count`: how many there are, where that is known. */
async function heardOf(name: string, seed: string, count?: number): Promise<Heard> {
  const heard: string[] = []
  let last_ms = performance.now()
  const server = await serveHttp(async (request, response) => {
    const body = await buffer(request)
    const headers = Object.entries(request.headers).filter(([one]) => !carrying.has(one))
    const { method = '', url: path = '' } = request
    const came = { method, authority: request.headers.host ?? '', path, query: '', at_ms: began_ms }
    const all = Object.fromEntries(headers.map(([one, value]) => [one, String(value)]))
    const { proof } = told.gateway.readCallback({ ...came, headers: all, body })
    heard.push(JSON.stringify([method, path, signedAlike(headers), proof, body.toString()]))
    last_ms = performance.now()
    response.end()
  })
  const now = () => began_ms
  const tools = { ...toolsOver(outbound, now), keys: { get: (id: string) => keys?.get(id) } }
  const told = await startDialect(name, {
    ...{ chaos: { seed, rate: 0.4 }, plays: true, heard: server.url },
    ...{ source: seededSource(seed, now), tools },
  })
  const published = publishesKeys(told.gateway) ? await told.gateway.publishedKeys() : []
  const keys = keyStore(Object.fromEntries((published ?? []).map(({ id, pem }) => [id, pem])))
  for (const order of ordersOf(name, began_id, `${server.url}/callbacks/${name}`)) {
    await answerTo(told.gateway, order)
    // Where nobody pays by themselves; one that was lost before it was made has no page.
    const isMade = told.lines(order).length > 0
    // What is told of late is not waited for here.
    if (name === 'stripe' && isMade) void told.pay?.({ our_key: order.our_key, checkout_url: '' })
  }
  const isOver = () =>
    count === undefined ? performance.now() - last_ms > quietMs : heard.length >= count
  const until = performance.now() + 30_000
  while (!isOver() && performance.now() < until) await pause(50)
  await told.stop()
  await server.close()
  const placed = (one: string) => one.replaceAll(told.url, 'http://dialect')
  return heard.map((one) => placed(one).replaceAll(server.url, 'http://heard')).toSorted()
}

/**
 * Signatures are judged, not compared: ECDSA draws each anew, and those over a body are over the
 * port of its run too, which we take out of what is compared.
 */
const signedAlike = (headers: readonly (readonly [string, unknown])[]) =>
  headers
    .map(([one, value]) => [
      one,
      one === 'signature' ? '' : String(value).replace(/[0-9a-f]{64}/g, ''),
    ])
    .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))

it('what is called back is the same bytes by the same seed, at each of the six', async () => {
  const told = await Promise.all(
    dialectNames.map(async (name) => {
      const seed = `called back: ${name}`
      const first = await heardOf(name, seed)
      const second = await heardOf(name, seed, first.length)
      return { name, first, second }
    }),
  )
  for (const { name, first, second } of told) {
    expect(second, name).toEqual(first)
    expect(first.length, name).toBeGreaterThan(10)
  }
  const proofs = (of: string) => told.filter(({ first }) => first.some((one) => one.includes(of)))
  expect(proofs('"SIGNED"').map(({ name }) => name)).toEqual([
    'pawapay',
    'wave',
    'stripe',
    'fedapay',
  ])
}, 120_000)
