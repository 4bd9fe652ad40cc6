// Faults by chance that can be repeated: each is drawn from a seed, what it is about, and the
// step, so that a run is the same whatever came first.

import { createHash } from 'node:crypto'

export type Chaos = Readonly<{
  /** Printed with a run, so that it can be run again. */
  seed: string
  /** From 0 to 1: how often a step goes wrong. */
  rate: number
  /** What a run does without, to see what these draws alone find. */
  without?: readonly Draw[]
}>

/** Another sum moves; an answer is slow; a search does not find yet what was made. */
export type Draw = 'other_sum' | 'slow' | 'late_search'

const hasDraw = (chaos: Chaos | undefined, draw: Draw): boolean =>
  chaos !== undefined && chaos.without?.includes(draw) !== true

/** From 0 to below 1, the same for the same seed, subject and step. */
export function drawn({ seed }: Pick<Chaos, 'seed'>, subject: string, step: string): number {
  const digest = createHash('sha256').update(`${seed}|${subject}|${step}`).digest()
  return digest.readUIntBE(0, 6) / 2 ** 48
}

/** One of these faults, or none. */
export function faultOf<const T extends string>(
  chaos: Chaos | undefined,
  about: Readonly<{ subject: string; step: string }>,
  faults: readonly T[],
): T | undefined {
  if (chaos === undefined || faults.length === 0) return undefined
  const draw = drawn(chaos, about.subject, about.step)
  if (draw >= chaos.rate) return undefined
  return faults[Math.floor((draw / chaos.rate) * faults.length)]
}

/** The same for what is rarer: of what would go wrong only this share does. */
export const rareFaultOf = <const T extends string>(
  chaos: Chaos | undefined,
  about: Readonly<{ subject: string; step: string }>,
  { share, faults }: Readonly<{ share: number; faults: readonly T[] }>,
): T | undefined => faultOf(chaos && { ...chaos, rate: chaos.rate * share }, about, faults)

/** Another sum moves than was asked for, or one of another currency. */
export const alteredBy = (
  chaos: Chaos | undefined,
  subject: string,
): 'amount' | 'currency' | undefined =>
  hasDraw(chaos, 'other_sum')
    ? rareFaultOf(
        chaos,
        { subject, step: 'moves' },
        { share: 0.3, faults: ['amount', 'currency'] as const },
      )
    : undefined

/**
 * For so long a search does not find what was made: mostly minutes, which is longer than callers
 * count on. Milliseconds by the clock.
 */
export function searchLagOf(chaos: Chaos | undefined, subject: string): number {
  if (chaos === undefined || !hasDraw(chaos, 'late_search')) return 0
  const draw = drawn(chaos, subject, 'late search')
  return draw < lateShare ? lagLeast_ms + (draw / lateShare) * (lagMost_ms - lagLeast_ms) : 0
}

const lateShare = 0.8
const [lagLeast_ms, lagMost_ms] = [120_000, 600_000]

/** Of the operator's time. Milliseconds. */
const slowLeast_ms = 1_000
const slowMost_ms = 60_000
const slowShare = 0.25

/** For how long an answer is on its way: mostly no time. What was asked for is done before. */
export function slownessOf(
  chaos: Chaos | undefined,
  about: Readonly<{ subject: string; step: string }>,
  speed: number,
): number {
  const slow = rareFaultOf(
    chaos,
    { ...about, step: `slow ${about.step}` },
    {
      ...{ share: slowShare, faults: ['slow'] },
    },
  )
  if (chaos === undefined || slow === undefined || !hasDraw(chaos, 'slow')) return 0
  const draw = drawn(chaos, about.subject, `slowness ${about.step}`)
  return (slowLeast_ms + draw * (slowMost_ms - slowLeast_ms)) / speed
}

/** Waits for it. */
export const lateBy = (ms: number): Promise<void> =>
  ms === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms))
