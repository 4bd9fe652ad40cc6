// The wire of one seed: for half an hour of it the operator may be silent, and its clock may be
// apart from ours. Both are drawn by the seed, so that it tells the same story again.

import type { Outbound, SendResult } from '../../src/platform/outbound/outbound.ts'

/** Seconds. */
export type Drawn = Readonly<{
  /** How far the operator's clock is ahead of ours; below 0 it is behind. */
  skew_s: number
  /** When it falls silent; undefined: it does not. */
  silent_from_s: number | undefined
}>

export const silence_s = 1800
const skewMost_s = 600
/** Payments are made in the first minutes, and given back until then. */
const silentMost_s = 900

/** A third of all clocks are right, and two of three operators are silent once. */
export function drawnFor(chance: (what: string) => number): Drawn {
  const isRight = chance('clock') < 1 / 3
  const isSilent = chance('silent') < 2 / 3
  return {
    skew_s: isRight ? 0 : Math.round((2 * chance('skew') - 1) * skewMost_s),
    // Half of them within four minutes, while payments are made.
    silent_from_s: isSilent ? Math.round(chance('silence') ** 2 * silentMost_s) : undefined,
  }
}

export const unskewed: Drawn = { skew_s: 0, silent_from_s: undefined }

export const isSilentAt = ({ silent_from_s }: Drawn, now_s: number): boolean =>
  silent_from_s !== undefined && now_s >= silent_from_s && now_s < silent_from_s + silence_s

/** What a planted adapter reads in place of what came. `now_ms`: by our clock, since 1970. */
export type WirePlant = (result: SendResult, now_ms: number) => SendResult

export type SeededWire = Readonly<{
  outbound: Outbound
  /** For how long all calls have found it silent. */
  silent_s: () => number
}>

type Wiring = Readonly<{
  drawn: Drawn
  now_s: () => number
  now_ms: () => number
  chance: (what: string) => number
  plant?: WirePlant | undefined
}>

/** What is sent to a silent operator reaches it or not; nobody learns which. */
export function seededWire(outbound: Outbound, wiring: Wiring): SeededWire {
  const { drawn, now_s, now_ms, chance, plant } = wiring
  const times = new Map<string, number>()
  let silent_since_s: number | undefined
  const planted = (result: SendResult) => (plant === undefined ? result : plant(result, now_ms()))
  return {
    outbound: {
      ...outbound,
      async send(request) {
        if (!isSilentAt(drawn, now_s())) {
          silent_since_s = undefined
          return planted(await outbound.send(request))
        }
        silent_since_s ??= now_s()
        const what = `${request.method} ${new URL(request.url).pathname}`
        const nth = times.get(what) ?? 0
        times.set(what, nth + 1)
        if (chance(`reaches ${what} ${nth}`) < 0.5) await outbound.send(request)
        return { is: 'unknown', because: 'timeout' }
      },
    },
    silent_s: () => (silent_since_s === undefined ? 0 : now_s() - silent_since_s),
  }
}
