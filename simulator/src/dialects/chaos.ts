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
