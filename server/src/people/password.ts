// Passwords: argon2id with OWASP's figures (19 MiB, two passes). Law: a wrong e-mail costs the same
// time as a wrong password, so the answer's time tells nobody who is here.

import { hash, verify } from '@node-rs/argon2'

const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Argon2id in its own text form. */
export const hashPassword = (password: string): Promise<string> => hash(password, cost)

let nobodys: Promise<string> | undefined

/** False for a person who is not there or has no password, after as long as for a wrong one. */
export async function isPassword(hashed: string | null, password: string): Promise<boolean> {
  nobodys ??= hashPassword('nobody has this password')
  const matches = await verify(hashed ?? (await nobodys), password)
  return matches && hashed !== null
}
