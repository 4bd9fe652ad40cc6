// A port for a process that is killed and started again. It lies below the range that the system
// gives to outgoing connections: else one of these could take it while its owner is dead, or a
// caller that knocks there could be connected with themselves.

import { requireFreePort } from '../../server/src/app/port.ts'
import { loopback } from '../../server/test/setup/loopback.ts'

const lowest = 20_000
const how_many = 10_000
const tries_max = 100

/** Free now, and none of `taken`. */
export async function steadyPort(taken: readonly number[]): Promise<number> {
  for (let tries = 0; tries < tries_max; tries += 1) {
    const port = lowest + Math.floor(Math.random() * how_many)
    if (taken.includes(port)) continue
    const is_free = await requireFreePort(port, loopback).then(
      () => true,
      () => false,
    )
    if (is_free) return port
  }
  throw new Error(`no free port between ${lowest} and ${lowest + how_many}`)
}
