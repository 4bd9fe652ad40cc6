// Faults by chance that can be repeated: each is drawn from a seed, what it is about, and the
// step, so that a run is the same whatever came first.

import { createHash } from 'node:crypto'

export type Chaos = Readonly<{
  /** Printed with a run, so that it can be run again. */
  seed: string
  /** From 0 to 1: how often a step goes wrong. */
  rate: number
}>

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
  if (chaos === undefined || slow === undefined) return 0
  const draw = drawn(chaos, about.subject, `slowness ${about.step}`)
  return (slowLeast_ms + draw * (slowMost_ms - slowLeast_ms)) / speed
}

/** Waits for it. */
export const lateBy = (ms: number): Promise<void> =>
  ms === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms))
