// The suite's part on processes that die: at each call that a send makes, before the operator had
// it or after, and with its answer in hand. Another process, which knows only what was kept, asks.
// Law: it was paid once, or it is not said to have been.

import { describe, expect, it } from 'vitest'
import { asKept, forget, type Suite, send, type WireBetween } from './conformance-bench.ts'
import {
  type Answer,
  type Direction,
  type Gateway,
  type GatewayOrder,
  prepares,
} from './gateway.ts'

const broken = { answer: 'broken' } as const

/** Declares every row of calls × what was lost. */
export function describeCrashes(suite: Suite): void {
  const directions: Direction[] = suite.declares.abilities.includes('pay')
    ? ['COLLECT', 'DISBURSE']
    : ['COLLECT']
  describe.each(directions)('%s, when the process that sends it dies', (direction) => {
    it.each(['before', 'after'] as const)(
      'at each of its calls, %s the operator had it',
      async (lost) => {
        const calls = await callsOf(suite, direction)
        expect(calls).toBeGreaterThan(0)
        for (let nth = 0; nth < calls; nth += 1) {
          const one = orderOf(suite, direction)
          await overWire(suite, async (dying, wire) => {
            // What is dead makes no further call.
            wire.spoils((_, at) => {
              if (at < nth) return undefined
              return { ...broken, reaches: at === nth && lost === 'after' }
            })
            await send(dying, one)
          })
          await expectHonest(suite, one, `call ${nth}, lost ${lost}`)
        }
      },
    )

    it('with the answer in hand', async () => {
      const one = orderOf(suite, direction)
      await overWire(suite, (dying) => send(dying, one))
      forget(suite.bench().gateway, one)
      await expectHonest(suite, one, 'in hand')
    })
  })
}

/** Nobody has the page of what cannot be asked about, so nobody pays on it. */
const orderOf = ({ declares, bench }: Suite, direction: Direction): GatewayOrder =>
  bench().order(declares.asked_by_answer ? 'waits' : 'succeeds', direction)

async function overWire(
  suite: Suite,
  run: (gateway: Gateway, wire: WireBetween) => Promise<unknown>,
): Promise<void> {
  const { openWire, at } = suite.bench()
  const wire = await openWire()
  try {
    await run(at(wire.url), wire)
  } finally {
    await wire.close()
  }
}

/** How many calls an honest send makes. */
async function callsOf(suite: Suite, direction: Direction): Promise<number> {
  let calls = 0
  await overWire(suite, async (gateway, wire) => {
    await send(gateway, orderOf(suite, direction))
    calls = wire.passed.length
  })
  return calls
}

/** What another process learns of it, with what the engine does next, against the books. */
async function expectHonest(suite: Suite, one: GatewayOrder, row: string): Promise<void> {
  const { gateway, books } = suite.bench()
  let answer = await askUntilKnown(suite, one)
  // Sent again where the engine would: not found, and the same key is answered with the same.
  if (answer.is === 'not_found' && mayRepeat(gateway, one)) {
    await send(gateway, one)
    answer = await askUntilKnown(suite, one)
  }
  const { orders, debits, hundredths } = await books(one)
  expect(orders, row).toBeLessThanOrEqual(1)
  if (answer.is === 'confirmed') {
    expect([debits, hundredths, answer.amount], row).toEqual([1, one.amount, one.amount])
  } else {
    const honest = ['unknown', 'waiting', 'not_found']
    expect(honest, `${row}: ${JSON.stringify(answer)}`).toContain(answer.is)
    const isOver = answer.is === 'not_found' || (answer.is === 'unknown' && answer.cannot_ask)
    if (isOver) expect(debits, row).toBe(0)
  }
}

function mayRepeat(gateway: Gateway, one: GatewayOrder): boolean {
  const { facts } = gateway
  const isPay = one.direction === 'DISBURSE'
  if (prepares(gateway)) return asKept(one).external_reference === ''
  if (isPay && facts.payout_is_idempotent !== undefined) return facts.payout_is_idempotent
  return facts.create_is_idempotent || (!isPay && facts.ask_by === 'SEARCH')
}

const lookEveryMs = 25
const lookMostMs = 10_000

/** Until it has ended; of what the operator has no order of, one answer is enough. */
async function askUntilKnown(suite: Suite, one: GatewayOrder): Promise<Answer> {
  const { gateway, books } = suite.bench()
  const until = Date.now() + lookMostMs
  for (;;) {
    const { answer } = await gateway.query(asKept(one))
    const isOpen = answer.is === 'waiting' || (answer.is === 'unknown' && !answer.cannot_ask)
    const { orders, debits } = await books(one)
    const isPaidSoon = orders > 0 && !suite.declares.asked_by_answer
    if (!isOpen || (!isPaidSoon && debits === 0) || Date.now() > until) return answer
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
}
