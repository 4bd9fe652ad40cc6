// The suite's part on callbacks: what a signature proves, and that nothing else does.
// Law: a callback is real (the operator delivered it) before it is forged here.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Bench,
  type Callback,
  confirmed,
  type Situation,
  type Suite,
  send,
} from './conformance-bench.ts'
import type { Answer, GatewayOrder } from './gateway.ts'

async function calledBack(bench: Bench, situation: Situation): Promise<[GatewayOrder, Callback]> {
  const order = bench.order(situation, 'COLLECT')
  await send(bench.gateway, order)
  return [order, await bench.callback(order)]
}

/** A callback names its order by our reference or by the gateway's own. */
function expectAbout(order: GatewayOrder, key: string, answer: Answer): void {
  const theirs = 'external_reference' in answer ? answer.external_reference : ''
  expect([order.our_key, theirs]).toContain(key)
}

export function describeSignedCallbacks(suite: Suite): void {
  describe('a callback', () => {
    it('proves itself by its signature and says what happened', async () => {
      const [order, { body, headers }] = await calledBack(suite.bench(), 'succeeds')
      const reading = suite.bench().gateway.readCallback(body, headers)
      expect(reading).toMatchObject({ proof: 'SIGNED', answer: confirmed(order) })
      expectAbout(order, reading.key, reading.answer)
    })

    it('of a failure names why', async () => {
      const [, { body, headers }] = await calledBack(suite.bench(), 'fails')
      expect(suite.bench().gateway.readCallback(body, headers)).toMatchObject({
        proof: 'SIGNED',
        answer: { is: 'refused', by: 'payer', failure_code: 'INSUFFICIENT_FUNDS' },
      })
    })

    it('proves nothing without a signature, but still says whom to ask about', async () => {
      const [order, { body, headers }] = await calledBack(suite.bench(), 'callback_unsigned')
      const { proof, key, answer } = suite.bench().gateway.readCallback(body, headers)
      expect(proof).toBe('UNSIGNED')
      expectAbout(order, key, answer)
    })

    it('proves nothing when it is forged: another secret, body or signature', async () => {
      const { gateway, stranger } = suite.bench()
      const [, { body, headers }] = await calledBack(suite.bench(), 'succeeds')
      const readings = [
        stranger.readCallback(body, headers),
        gateway.readCallback(`${body} `, headers),
        gateway.readCallback(body, {}),
        ...foolish.map((value) =>
          gateway.readCallback(
            body,
            mapped(headers, () => value),
          ),
        ),
        gateway.readCallback(body, mapped(headers, turnLast)),
      ]
      expect(readings.map(({ proof }) => proof)).toEqual(readings.map(() => 'UNSIGNED'))
    })

    it('proves nothing once it is more than five minutes old, or as far ahead', async () => {
      const { gateway } = suite.bench()
      const [, { body, headers }] = await calledBack(suite.bench(), 'succeeds')
      const proofAfter = (seconds: number): string => {
        suite.world.clock_is_off_ms = seconds * 1000
        const { proof } = gateway.readCallback(body, headers)
        suite.world.clock_is_off_ms = 0
        return proof
      }
      expect([360, 240, -240, -360].map(proofAfter)).toEqual([
        ...['UNSIGNED', 'SIGNED', 'SIGNED', 'UNSIGNED'],
      ])
    })
  })
}

/** Header values that a careless comparison would choke on or let pass. */
const foolish = ['', '0', 'é', '0'.repeat(64), 'undefined', 'x'.repeat(10_000)]

const mapped = (headers: Callback['headers'], change: (value: string) => string) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value)]))

const turnLast = (value: string): string =>
  value.replace(/.$/, (last) => (last === '0' ? '1' : '0'))

export function describeUnsignedCallbacks(suite: Suite): void {
  it('reads a callback as a wake-up that proves nothing', async () => {
    const [order, { body, headers }] = await calledBack(suite.bench(), 'succeeds')
    const { proof, key, answer } = suite.bench().gateway.readCallback(body, headers)
    expect(proof).toBe('UNSIGNED')
    expectAbout(order, key, answer)
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
        expect(gateway.readCallback(body, headers)).toMatchObject(unread)
      }),
    )
  })
}
