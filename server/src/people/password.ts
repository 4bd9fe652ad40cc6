// Passwords: argon2id with OWASP's figures (19 MiB, two passes). Law: a wrong e-mail costs the same
// time as a wrong password, so the time of the answer reveals nobody; and a flood of hashing keeps
// neither payments nor, from one network, the sign-in of others waiting.

import { hash, verify } from '@node-rs/argon2'
import { networkOf } from '../platform/throttle/network.ts'
import { turnsOf } from '../platform/turns.ts'

const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Hashing takes threads of Node's pool (four, unless UV_THREADPOOL_SIZE is set), which files, names
 * and compression want too: half of them, and a queue of some two seconds, of which one network has
 * two thirds at most.
 */
const hashing = turnsOf({ at_once: 2, waiting: 60, waiting_in_all: 90 })

/** Hashing without a caller's address is counted together: our own commands. */
const ours = ''

const ownerOf = (ip: string | undefined): string => (ip === undefined ? ours : networkOf(ip))

/**
 * Argon2id in its own text form. `ip`: the caller's; 503 when too many wait, or too many of theirs.
 */
export const hashPassword = (password: string, ip?: string): Promise<string> =>
  hashing(ownerOf(ip), () => hash(password, cost))

let nobodys: Promise<string> | undefined

/** False for a person who is not there or has no password, after as long as for a wrong one. */
export async function isPassword(
  hashed: string | null,
  password: string,
  ip?: string,
): Promise<boolean> {
  nobodys ??= hash('nobody has this password', cost)
  const known = hashed ?? (await nobodys)
  const matches = await hashing(ownerOf(ip), () => verify(known, password))
  return matches && hashed !== null
}
