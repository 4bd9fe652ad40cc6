// How often something may be tried: sign-ins, registrations, codes (contract 3.6). Counted before
// the try, so that many at once gain nothing; exact over all processes.

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Keyring } from '../crypto/seal.ts'
import type { Sql } from '../db.ts'
import { refuse } from '../errors.ts'
import { accessErrors } from '../http/transport-errors.ts'
import { countTry, deleteOldTries, forgetTries, readTries, type Window } from './store.ts'

/** Whoever has had their share comes again: others may have left theirs. */
const share_again_s = 600

export type ThrottleDeps = Readonly<{ db: Sql; macs: Pick<Keyring, 'mac'> }>

export type Throttled = Readonly<{
  /** A constant of the code: what is tried. */
  act: string
  /** What it is counted for: an address, an e-mail. Kept as a MAC only. */
  target: string
  most: number
  within_s: number
}>

const targetOf = ({ macs }: ThrottleDeps, { act, target }: Pick<Throttled, 'act' | 'target'>) =>
  macs.mac('throttle-target', `${act} ${target}`)

/**
 * Counts a try and returns how many there are in its window, including this one; refuses with
 * `rate_limited` and the seconds until the window ends.
 */
export const countTries = async (deps: ThrottleDeps, tried: Throttled): Promise<number> =>
  (await countIn(deps, tried)).used

async function countIn(deps: ThrottleDeps, tried: Throttled): Promise<Window> {
  const { most, within_s } = tried
  const { ends_in_s, ...window } = await countTry(deps.db, targetOf(deps, tried), within_s)
  if (window.used > most) throw refuse(accessErrors.rate_limited, { retry_after_s: ends_in_s })
  return window
}

/** The same where whoever is beyond it is not refused, but does less: how many there are by now. */
export const countOnly = async (
  deps: ThrottleDeps,
  { within_s, ...tried }: Omit<Throttled, 'most'>,
): Promise<number> => (await countTry(deps.db, targetOf(deps, tried), within_s)).used

/** The same where only the refusal matters. */
export async function countOrRefuse(deps: ThrottleDeps, tried: Throttled): Promise<void> {
  await countTries(deps, tried)
}

/** `by`: who tries; kept as a MAC, as the target is. */
export type Shared = Throttled & Readonly<{ by: string }>

/**
 * The same where many share one allowance: nobody takes more of it than what they leave. Whoever is
 * alone has half of it, two who take all they can two thirds, and whoever comes then finds as much
 * as each of them had. What is refused for that is counted for nobody. A share is of one window of
 * the whole, whenever its owner began. Of the share those who come at the same moment know nothing
 * of each other; the whole is exact.
 */
export async function countShare(deps: ThrottleDeps, { by, ...whole }: Shared): Promise<void> {
  const { act, target, most, within_s } = whole
  const ownIn = ({ began }: Window) => ({
    ...whole,
    ...{ act: `${act} by`, target: `${target} ${by} ${began}` },
  })
  const read = (of: Throttled) => readTries(deps.db, targetOf(deps, of), within_s)
  const window = await read(whole)
  const taken = window === undefined ? 0 : ((await read(ownIn(window)))?.used ?? 0)
  const left = most - (window?.used ?? 0)
  // Where nothing is left it says when there is.
  if (left > 0 && taken >= left) {
    throw refuse(accessErrors.rate_limited, { retry_after_s: share_again_s })
  }
  await countTries(deps, ownIn(await countIn(deps, whole)))
}

/** A success is not counted against anybody. */
export const forgive = (deps: ThrottleDeps, tried: Pick<Throttled, 'act' | 'target'>) =>
  forgetTries(deps.db, targetOf(deps, tried))

// Removes, in one statement, the counts of tries whose windows are over.

export const dropOldTries = (sql: Sql): Promise<number> => deleteOldTries(sql)

// What tries are counted by: one IPv4 address, or an IPv6 network of 64 bits, since one person may
// have all of its addresses.

const one_persons_bits = 64

/** In CIDR form for IPv6; anything else as it is. */
export function networkOf(ip: string): string {
  if (isIP(ip) !== 6) return ip
  const cidr = `${ip}/${one_persons_bits}`
  return `${ipaddr.IPv6.networkAddressFromCIDR(cidr).toString()}/${one_persons_bits}`
}

// Counts in this process's memory for what is too cheap to be worth a row: the first sieve before
// the database is read. Bounded, whatever comes: a full minute begins with nothing.

const minute_ms = 60_000
const names_max = 10_000

export type Tally = Readonly<{
  /** Counts one more of this name in this minute; false when it was one too many. */
  take(name: string, most: number): boolean
}>

export function newTally(clock: () => number = Date.now): Tally {
  const counts = new Map<string, number>()
  let minute = 0
  return {
    take(name, most) {
      const now = Math.floor(clock() / minute_ms)
      if (now !== minute) {
        counts.clear()
        minute = now
      }
      const used = (counts.get(name) ?? 0) + 1
      // Names that no longer fit are counted together: a flood of them shares one allowance.
      const counted = used > 1 || counts.size < names_max
      const kept = counted ? name : ''
      const total = counted ? used : (counts.get('') ?? 0) + 1
      counts.set(kept, total)
      return total <= most
    },
  }
}
