// The one suite that every adapter runs against its operator (or a stand-in over real HTTP): each
// answer of the port, each way to lose one, and what a callback proves. The harness provokes each.
// Law: what moved is counted in the operator’s own books, never in ours.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assert } from '../platform/errors.ts'
import { createOutbound } from '../platform/outbound/outbound.ts'
import {
  type Ability,
  type Bench,
  type GatewayHarness,
  nothing,
  type Suite,
  sendForReply,
} from './conformance-bench.ts'
import {
  describeBearerCallbacks,
  describeGarbageCallbacks,
  describeSignedCallbacks,
  describeUnsignedCallbacks,
} from './conformance-callbacks.ts'
import { describeCrashes } from './conformance-crash.ts'
import { describeLosses, describeRedirect, describeSending } from './conformance-sending.ts'
import { describeCancel, describeOtp, describeResolve } from './conformance-steering.ts'
import { describeRefundWire, describeWire } from './conformance-wire.ts'
import { cancels, prepares, resolves, takesOtp } from './gateway.ts'

export type {
  Ability,
  Bench,
  Books,
  Callback,
  GatewayHarness,
  Situation,
} from './conformance-bench.ts'

/** Declares the suite for one adapter; call it at the top of a test file. */
export function describeGateway(name: string, harness: GatewayHarness): void {
  describe(`gateway ${name}`, () => {
    const suite = openSuite(harness)
    const { abilities, redirects, callbacks } = harness.declares
    describeFacts(suite)
    describeSending(suite, 'COLLECT')
    describeLosses(suite, 'COLLECT')
    if (abilities.includes('pay')) describeSending(suite, 'DISBURSE')
    if (abilities.includes('pay')) describeLosses(suite, 'DISBURSE')
    if (redirects !== false) describeRedirect(suite)
    if (abilities.includes('confirmOtp')) describeOtp(suite)
    if (abilities.includes('cancel')) describeCancel(suite)
    if (abilities.includes('resolve')) describeResolve(suite)
    if (callbacks === 'SIGNED') describeSignedCallbacks(suite)
    else if (callbacks === 'BEARER') describeBearerCallbacks(suite)
    else describeUnsignedCallbacks(suite)
    describeWire(suite)
    if (abilities.includes('refund')) describeRefundWire(suite)
    describeCrashes(suite)
    describeGarbageCallbacks(suite)
  })
}

function openSuite(harness: GatewayHarness): Suite {
  const world: Suite['world'] = { transaction_is_open: false, clock_is_off_ms: 0 }
  const outbound = createOutbound({
    assertNoTransaction: () => assert(!world.transaction_is_open, 'a transaction is open'),
  })
  let bench: Bench | undefined
  beforeAll(async () => {
    const clock = () => Date.now() + world.clock_is_off_ms
    bench = await harness.open({ outbound, clock })
  })
  afterAll(async () => {
    await bench?.close()
    await outbound.close()
  })
  return {
    declares: harness.declares,
    world,
    bench: () => {
      assert(bench !== undefined, 'the harness is not open')
      return bench
    },
  }
}

function describeFacts(suite: Suite): void {
  const { abilities, create_is_idempotent, redirects, asked_by_answer } = suite.declares

  it('has the abilities it declares and no other', () => {
    const { gateway } = suite.bench()
    const known: Ability[] = ['collect', 'pay', 'confirmOtp', 'cancel', 'resolve', 'refund']
    expect(known.filter((one) => one in gateway)).toEqual(
      known.filter((a) => abilities.includes(a)),
    )
  })

  it('states facts that a poller can live by', () => {
    const { facts } = suite.bench().gateway
    expect(facts).toMatchObject({ create_is_idempotent })
    expect(facts.call_timeout_ms).toBeGreaterThan(0)
    expect(facts.queries_per_second).toBeGreaterThan(0)
    // Gateways show what they took within minutes; earlier, "not found" proves nothing.
    expect(facts.not_found_grace_s).toBeGreaterThanOrEqual(60)
  })

  it('never calls while a transaction is open, and then nothing has left', async () => {
    const { gateway, books, order, otps } = suite.bench()
    const paid = order('succeeds', abilities.includes('pay') ? 'DISBURSE' : 'COLLECT')
    const taken = order(redirects !== false ? 'redirects' : 'succeeds', 'COLLECT')
    const calls: (() => Promise<unknown>)[] = [
      // Of what was never prepared, or answered, nothing is asked.
      ...(prepares(gateway) || asked_by_answer ? [] : [() => gateway.query(taken)]),
      () => sendForReply(gateway, taken),
      () => sendForReply(gateway, paid),
    ]
    if (takesOtp(gateway)) calls.push(() => gateway.confirmOtp(taken, otps.right))
    if (cancels(gateway)) calls.push(() => gateway.cancel(taken))
    if (resolves(gateway)) calls.push(() => gateway.resolve(taken, { is: 'SUCCESS' }))
    suite.world.transaction_is_open = true
    try {
      for (const call of calls) await expect(call()).rejects.toThrow('a transaction is open')
    } finally {
      suite.world.transaction_is_open = false
    }
    expect([await books(taken), await books(paid)]).toEqual([nothing, nothing])
  })
}
