// Chance that can be had again: each choice of a fuzzed request comes from its seed and its number,
// so that request 4711 of seed 7 is the same on every machine, alone or among others.

export type Random = Readonly<{
  /** In [0, 1). */
  next(): number
  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number
  chance(probability: number): boolean
  /** One of a list that is never empty. */
  pick<T>(list: readonly T[]): T
  /** One of a list that may be empty. */
  pickAny<T>(list: readonly T[]): T | undefined
}>

/** The chance of request `index` of the run `seed` (two whole numbers). */
export function randomOf(seed: number, index: number): Random {
  let state = scramble(scramble(seed | 0) ^ Math.imul(index + 1, 0x9e3779b1))
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    return (scramble(state) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick(list) {
      const one = list[below(list.length)]
      if (one === undefined) throw new Error('nothing to pick from')
      return one
    },
    pickAny: (list) => list[below(list.length)],
  }
}

/** Spreads the bits of a number, so that neighbours have nothing in common. */
function scramble(value: number): number {
  let bits = value
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}
