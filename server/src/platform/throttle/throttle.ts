// How often something may be tried: sign-ins, registrations, codes (contract 3.6). Counted before
// the try, so that many at once gain nothing; exact over all processes.

import type { Keyring } from '../crypto/seal.ts'
import type { Sql } from '../db.ts'
import { refuse } from '../errors.ts'
import { accessErrors } from '../http/transport-errors.ts'
import { countTry, forgetTries } from './store.ts'

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
export async function countTries(deps: ThrottleDeps, tried: Throttled): Promise<number> {
  const { most, within_s } = tried
  const { used, ends_in_s } = await countTry(deps.db, targetOf(deps, tried), within_s)
  if (used > most) throw refuse(accessErrors.rate_limited, { retry_after_s: ends_in_s })
  return used
}

/** The same where only the refusal matters. */
export async function countOrRefuse(deps: ThrottleDeps, tried: Throttled): Promise<void> {
  await countTries(deps, tried)
}

/** A success is not counted against anybody. */
export const forgive = (deps: ThrottleDeps, tried: Pick<Throttled, 'act' | 'target'>) =>
  forgetTries(deps.db, targetOf(deps, tried))
