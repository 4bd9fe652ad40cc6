// Each dialect plays the same story for a reference by the same seed, whatever comes beside it: the
// answers to its create, by our adapter, and what the operator has in its books in the end. One by
// one and all at once, in two runs. With time and chance given too, it is the same to the byte.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { seededSource } from '../../../simulator/src/dialects/source.ts'
import { dialectNames, nowhere, startDialect, toolsOver } from '../../test/setup/six-dialects.ts'
import { newId } from '../platform/ids.ts'
import { createOutbound, type Outbound } from '../platform/outbound/outbound.ts'
import { collects, type Gateway, type GatewayOrder, prepares } from './gateway.ts'

const outbound = createOutbound({ assertNoTransaction: () => undefined })
afterAll(() => outbound.close())

/** The same references in every run. */
const ordersOf = (name: string, attempt_id = newId()): GatewayOrder[] =>
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
      ...{ description: 'Panier', callback_url: nowhere, return_url: 'https://shop.example/b' },
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

  // FedaPay counts its ids, so they tell who came first.
  it.each(dialectNames.filter((name) => name !== 'fedapay'))(
    'are the same lines of each reference at %s, all at once',
    async (name) => {
      const seed = `all at once: ${name}`
      const [first, second] = [await bytesOf(name, seed, true), await bytesOf(name, seed, true)]
      expect(second.kept.toSorted()).toEqual(first.kept.toSorted())
    },
    60_000,
  )
})
