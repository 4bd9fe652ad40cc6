// The suite's part on a wire that spoils: what stands between an operator and us may answer in its
// place, or cut its answer. Law: nothing of that says what became of money; a redirect is not
// followed.

import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { assert } from '../platform/errors.ts'
import {
  asKept,
  type Fault,
  type Passed,
  queryUntilEnded,
  type Suite,
  send,
  type WireBetween,
} from './conformance-bench.ts'
import {
  type Direction,
  type Gateway,
  type GatewayOrder,
  type RefundOrder,
  refunds,
} from './gateway.ts'

const html = { 'content-type': 'text/html' }
const json = { 'content-type': 'application/json' }
const page = '<html><title>Request Rejected</title><body>Support ID: 4711</body></html>'

const instead = (status: number, body = page, headers: Record<string, string> = html): Fault => ({
  ...{ reaches: false, answer: { status, body, headers } },
})
const after = (status: number, body: string, headers: Record<string, string> = json): Fault => ({
  ...{ reaches: true, answer: { status, body, headers } },
})

/** `may_refuse`: operators say that they refuse with it, so an adapter may read it so. */
type Spoiled = Readonly<{ name: string; fault: Fault; may_refuse?: 'ANY' | 'SANDBOX' }>

const situations: readonly Spoiled[] = [
  { name: 'a firewall’s page with 200', fault: instead(200) },
  { name: 'a firewall’s page with 403', fault: instead(403), may_refuse: 'SANDBOX' },
  { name: 'a stranger’s page with 404', fault: instead(404), may_refuse: 'SANDBOX' },
  { name: '429', fault: instead(429, '{}', { ...json, 'retry-after': '1' }), may_refuse: 'ANY' },
  { name: 'a connection that breaks before', fault: { reaches: false, answer: 'broken' } },
  { name: 'a connection that breaks after', fault: { reaches: true, answer: 'broken' } },
  { name: 'a body that is cut', fault: { reaches: true, answer: 'cut' } },
  { name: 'half of a document', fault: after(200, '{"status":"SUCC') },
  { name: 'a list in place of an object', fault: after(200, '[]') },
  { name: 'an object without a word', fault: after(200, '{}') },
  { name: '408', fault: after(408, '{}') },
  { name: '500', fault: after(500, '{"message":"error"}') },
  { name: '502', fault: after(502, page, html) },
  { name: '503', fault: after(503, page, { ...html, 'retry-after': '1' }) },
  { name: '504', fault: after(504, '') },
]

const mayRefuse = ({ declares }: Suite, by: Spoiled['may_refuse']): boolean =>
  by === 'ANY' || (by === 'SANDBOX' && declares.statuses_refuse === true)

/** Declares them for what an adapter sends and asks. */
export function describeWire(suite: Suite): void {
  const directions: Direction[] = suite.declares.abilities.includes('pay')
    ? ['COLLECT', 'DISBURSE']
    : ['COLLECT']
  describe.each(directions)('%s, when the wire spoils an answer', (direction) => {
    it.each(situations)('to a send: $name', async ({ fault, may_refuse }) => {
      const { books, order } = suite.bench()
      const one = order('succeeds', direction)
      const answer = await spoiled(
        suite,
        () => fault,
        (gateway) => send(gateway, one),
      )
      const may = mayRefuse(suite, may_refuse)
      const refused = may && answer.is === 'refused' && answer.by !== 'payer'
      expect(refused ? 'unknown' : answer.is, JSON.stringify(answer)).toBe('unknown')
      const { orders } = await books(one)
      expect(orders).toBeLessThanOrEqual(fault.reaches ? 1 : 0)
    })

    it.each(situations)('to a question: $name', async ({ fault }) => {
      const one = await open(suite, direction)
      const answer = await spoiled(
        suite,
        () => fault,
        async (gateway) => {
          const reply = await gateway.query(asKept(one))
          return reply.answer
        },
      )
      expect(answer.is, JSON.stringify(answer)).toBe('unknown')
    })

    it('with a certificate that nobody vouches for: nothing is sent', async () => {
      const { openWire, at, order } = suite.bench()
      const wire = await openWire()
      const one = order('succeeds', direction)
      expect(await send(at(wire.tls_url), one)).toMatchObject({ is: 'never_sent' })
      expect(wire.passed).toEqual([])
      await wire.close()
    })

    it('with a redirect: it is not followed', async () => {
      const { books, order } = suite.bench()
      for (const status of [301, 302, 303, 307, 308]) {
        const one = order('succeeds', direction)
        const elsewhere = ({ path }: Passed, { operator_url }: WireBetween) =>
          instead(status, '', { location: `${operator_url}${path}` })
        const answer = await spoiled(suite, elsewhere, (gateway) => send(gateway, one))
        expect(answer.is, `${status}`).toBe('unknown')
        expect((await books(one)).orders).toBe(0)
      }
    })
  })
}

/** The same of what an operator is asked to give back: only the call that does so is spoiled. */
export function describeRefundWire(suite: Suite): void {
  describe('a refund, when the wire spoils an answer', () => {
    it.each(situations)('to its send: $name', async ({ fault, may_refuse }) => {
      const one = await paidRefund(suite)
      const answer = await spoiled(
        suite,
        ({ method, path }) => (method === 'POST' && /refund/.test(path) ? fault : undefined),
        async (gateway) => {
          assert(refunds(gateway), `${gateway.code} gives nothing back`)
          return (await gateway.refund(one)).answer
        },
      )
      const may = mayRefuse(suite, may_refuse)
      const refused = may && answer.is === 'refused' && answer.by === 'gateway'
      expect(refused ? 'unknown' : answer.is).toBe('unknown')
    })

    it.each(situations)('to a question: $name', async ({ fault }) => {
      const one = await paidRefund(suite)
      const answer = await spoiled(
        suite,
        () => fault,
        async (gateway) => {
          assert(refunds(gateway), `${gateway.code} gives nothing back`)
          return (await gateway.askRefund(one)).answer
        },
      )
      expect(answer.is).toBe('unknown')
    })
  })
}

/** The whole of a payment that was made, to be given back. */
async function paidRefund(suite: Suite): Promise<RefundOrder> {
  const { gateway, order } = suite.bench()
  const one = order('succeeds', 'COLLECT')
  await send(gateway, one)
  const end = await queryUntilEnded(gateway, one)
  assert(end.is === 'confirmed', `it was not paid: ${end.is}`)
  const of = { ...asKept(one), external_reference: end.external_reference }
  const { merchant_id, amount, currency, callback_url } = one
  return {
    ...{ merchant_id, attempt_id: randomUUID(), our_key: randomUUID(), direction: 'DISBURSE' },
    ...{ external_reference: '', amount, currency, refund_id: randomUUID(), of },
    ...{ reason: 'returned', callback_url },
  }
}

/** An order that waits, as it was honestly sent. */
async function open(suite: Suite, direction: Direction): Promise<GatewayOrder> {
  const { gateway, order } = suite.bench()
  const one = order('waits', direction)
  await send(gateway, one)
  return one
}

/** The call over a wire that spoils every answer but those to calls for a token. */
async function spoiled<T>(
  suite: Suite,
  faultOf: (call: Passed, wire: WireBetween) => Fault | undefined,
  call: (gateway: Gateway) => Promise<T>,
): Promise<T> {
  const { openWire, at } = suite.bench()
  const { token_calls } = suite.declares
  const wire = await openWire()
  wire.spoils((call) => (token_calls?.test(call.path) ? undefined : faultOf(call, wire)))
  try {
    return await call(at(wire.url))
  } finally {
    await wire.close()
  }
}
