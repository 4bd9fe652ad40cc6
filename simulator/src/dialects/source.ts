// What is otherwise of chance at a dialect: the time, and the bytes of tokens, ids and keys. Where
// both are given, two runs answer the same bytes and keep the same file.

import { createHash, randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'

export type Source = Readonly<{
  /** Unix milliseconds. */
  now: () => number
  /** `about`: what they are for, so that a seeded one draws the same in whatever order. */
  random: (about: string, bytes: number) => Buffer
}>

export const ordinarySource: Source = {
  now: Date.now,
  random: (_about, bytes) => randomBytes(bytes),
}

/** The n-th draw for a thing is always the same. For one run: a restart begins to count again. */
export function seededSource(seed: string, now: () => number): Source {
  const draws = new Map<string, number>()
  return {
    now,
    random(about, bytes) {
      const draw = (draws.get(about) ?? 0) + 1
      draws.set(about, draw)
      const hash = createHash('shake256', { outputLength: bytes })
      return hash.update(JSON.stringify([seed, about, draw])).digest()
    },
  }
}

/** By the dialect's own clock, which a caller compares with its own. */
export const setDate = (response: ServerResponse, { now }: Pick<Source, 'now'>): void =>
  void response.setHeader('date', new Date(now()).toUTCString())
