// How long a look at one shard group is waited for. Law: a slow one is waited for, a silent one is
// not, because looks over all groups are everybody's: of a server that lost its power nothing
// comes until TCP gives up, and of a group that is moved nothing until that is over.

import type { Db, Sql } from '../db.ts'
import { callGuard } from './map-store.ts'

const answer_ms = 2_000
const probe_ms = 2_000
/** A group that was silent is not asked for so long, and then by one look alone. */
const rest_ms = 5_000

/** Nothing came from a shard group; what was asked there may yet be done. */
export class SilentGroupError extends Error {
  /** As of a connection that waited in vain. */
  readonly code = 'ETIMEDOUT'
  /** It was not asked: that it is silent has been reported. */
  readonly is_known: boolean

  constructor(is_known: boolean) {
    super('a shard group does not answer')
    this.is_known = is_known
  }
}

/** Until when each pool's group is not asked; 0: it answers. */
const rests = new WeakMap<object, number>()

/** By which connection each pool's group is asked whether it is there. */
const probes = new WeakMap<object, () => Sql>()

/**
 * From now on looks at the group of this pool are not waited for without end. `probe` is another
 * pool: behind statements that wait in its own, no answer of the group would come.
 */
export function watchSilence(group: Db, probe: () => Sql): void {
  rests.set(group, 0)
  probes.set(group, probe)
}

/** Fails where the group is silent. A transaction's own connection is waited for as it is. */
export async function inTime<S extends Sql, T>(
  group: S,
  read: (sql: S) => PromiseLike<T>,
): Promise<T> {
  const until = rests.get(group)
  if (until === undefined) return read(group)
  if (until > performance.now()) throw new SilentGroupError(true)
  if (until > 0) rests.set(group, performance.now() + rest_ms)
  const reading = (async () => read(group))()
  const over = reading.then(
    () => {
      rests.set(group, 0)
      return true
    },
    () => true,
  )
  while (!(await within(over, answer_ms))) {
    if (await within(Promise.race([over, speaks(group)]), probe_ms)) continue
    rests.set(group, performance.now() + rest_ms)
    throw new SilentGroupError(false)
  }
  return reading
}

/**
 * Asked by its guard, which waits for a move and for nothing else, and refuses where the group is
 * not where the map has it. Tried twice: a connection that died while nobody used it says so to the
 * next one.
 */
async function speaks(group: Sql): Promise<boolean> {
  const ask = async () => {
    await callGuard(probes.get(group)?.() ?? group)
    return true
  }
  return ask()
    .catch(ask)
    .catch(() => false)
}

/** False where it takes longer. */
async function within(work: Promise<boolean>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
