// The suite's part on callbacks: what a signature proves, and that nothing else does.
// Law: a callback is real (the operator delivered it) before it is forged here.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  asKept,
  type Bench,
  type Callback,
  confirmed,
  receivedOf,
  type Situation,
  type Suite,
  send,
} from './conformance-bench.ts'
import type { Answer, CallbackReading, GatewayOrder } from './gateway.ts'

async function calledBack(bench: Bench, situation: Situation): Promise<[GatewayOrder, Callback]> {
  const order = bench.order(situation, 'COLLECT')
  await send(bench.gateway, order)
  return [order, await bench.callback(order)]
}

const nowIn = ({ world }: Suite): number => Date.now() + world.clock_is_off_ms

const read = (suite: Suite, callback: Callback): CallbackReading =>
  suite.bench().gateway.readCallback(receivedOf(callback, nowIn(suite)))

/** A callback names its order by our reference or by the gateway's own. */
function expectAbout(order: GatewayOrder, key: string, answer: Answer): void {
  const theirs = 'external_reference' in answer ? answer.external_reference : ''
  expect([order.our_key, theirs]).toContain(key)
}

export function describeSignedCallbacks(suite: Suite): void {
  describe('a callback', () => {
    it('proves itself by its signature and says what happened', async () => {
      const [order, callback] = await calledBack(suite.bench(), 'succeeds')
      const reading = read(suite, callback)
      expect(reading).toMatchObject({ proof: 'SIGNED', answer: confirmed(order) })
      expectAbout(order, reading.key, reading.answer)
    })

    it('of a failure names why', async () => {
      const [, callback] = await calledBack(suite.bench(), 'fails')
      if (suite.declares.failed_callbacks === 'NOT_FINAL') {
        expect(read(suite, callback)).toMatchObject({ proof: 'SIGNED', answer: { is: 'unknown' } })
        return
      }
      const why = { is: 'refused', by: 'payer', failure_code: 'INSUFFICIENT_FUNDS' }
      expect(read(suite, callback)).toMatchObject({
        proof: 'SIGNED',
        answer: suite.declares.asks_why ? { is: 'unknown' } : why,
      })
    })

    it('proves nothing without a signature, but still says whom to ask about', async () => {
      const [order, callback] = await calledBack(suite.bench(), 'callback_unsigned')
      const { proof, key, answer } = read(suite, callback)
      expect(proof).toBe('UNSIGNED')
      expectAbout(order, key, answer)
    })

    it('proves nothing when it is forged: another secret, body or signature', async () => {
      const { stranger } = suite.bench()
      const [, callback] = await calledBack(suite.bench(), 'succeeds')
      const { body, headers } = callback
      const withHeaders = (changed: Callback['headers']) =>
        read(suite, { ...callback, headers: changed })
      const readings = [
        stranger.readCallback(receivedOf(callback, nowIn(suite))),
        read(suite, { ...callback, body: `${body} ` }),
        withHeaders({}),
        ...foolish.map((value) => withHeaders(mapped(headers, () => value))),
        withHeaders(mapped(headers, turnLast)),
      ]
      expect(readings.map(({ proof }) => proof)).toEqual(readings.map(() => 'UNSIGNED'))
    })

    it('is no evidence once its time is over, or long before', async () => {
      const { for_s, ahead_s, stale } = suite.declares.freshness ?? usually
      const [, callback] = await calledBack(suite.bench(), 'succeeds')
      const proofAfter = (seconds: number): string => {
        suite.world.clock_is_off_ms = seconds * 1000
        const { proof } = read(suite, callback)
        suite.world.clock_is_off_ms = 0
        return proof
      }
      const ages = [for_s + 60, for_s - 30, 30 - ahead_s, -60 - ahead_s]
      expect(ages.map(proofAfter)).toEqual([stale, 'SIGNED', 'SIGNED', stale])
    })
  })
}

const usually = { for_s: 300, ahead_s: 300, stale: 'UNSIGNED' } as const

/** Header values that a careless comparison would choke on or let pass. */
const foolish = ['', '0', 'é', '0'.repeat(64), 'undefined', 'x'.repeat(10_000)]

const mapped = (headers: Callback['headers'], change: (value: string) => string) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value)]))

const turnLast = (value: string): string =>
  value.replace(/.$/, (last) => (last === '0' ? '1' : '0'))

export function describeUnsignedCallbacks(suite: Suite): void {
  it('reads a callback as a wake-up that proves nothing', async () => {
    const [order, callback] = await calledBack(suite.bench(), 'succeeds')
    const { proof, key, answer } = read(suite, callback)
    expect(proof).toBe('UNSIGNED')
    expectAbout(order, key, answer)
  })
}

/** A token that the answer gave comes back: an attempt compares it with what it kept. */
export function describeBearerCallbacks(suite: Suite): void {
  it('reads in a callback the token that its order was given, and no end', async () => {
    const [order, callback] = await calledBack(suite.bench(), 'succeeds')
    const { memo } = asKept(order)
    const reading = read(suite, callback)
    expect(reading).toMatchObject({ proof: 'UNSIGNED', answer: { is: 'unknown' } })
    expect([reading.notice, reading.notice?.length]).toEqual([memo?.notice, expect.any(Number)])
    const [other] = await calledBack(suite.bench(), 'succeeds')
    expect(asKept(other).memo?.notice).not.toBe(reading.notice)
  })
}

export function describeGarbageCallbacks(suite: Suite): void {
  it('reads garbage as garbage, and never throws', () => {
    const { gateway } = suite.bench()
    const body = fc.oneof(fc.string({ unit: 'binary' }), fc.json())
    const headers = fc.dictionary(fc.string(), fc.string())
    fc.assert(
      fc.property(body, headers, (body, headers) => {
        const unread = { proof: 'UNSIGNED', key: '', answer: { is: 'unknown' } }
        const received = receivedOf({ body, headers }, Date.now())
        expect(gateway.readCallback(received)).toMatchObject(unread)
      }),
    )
  })
}
