// How many e-mails may be requested: per address of the caller, and per recipient (contract 3.6).
// Law: counted alike whether or not the recipient exists, so a refusal reveals nothing.

import type { Keyring } from '../platform/crypto/seal.ts'
import type { Sql } from '../platform/db.ts'
import { networkOf } from '../platform/throttle/network.ts'
import { countOrRefuse } from '../platform/throttle/throttle.ts'

export type EmailLimitDeps = Readonly<{
  db: Sql
  keyring: Keyring
  limits: Readonly<{ otp_per_ip_10min: number; otp_per_target_10min: number }>
}>

const within_s = 600

/** Refuses with `rate_limited`. What an address may not, counts against no reader. */
export async function countEmail(
  { db, keyring, limits }: EmailLimitDeps,
  { ip, recipient }: Readonly<{ ip: string; recipient: string }>,
): Promise<void> {
  const throttle = { db, macs: keyring }
  await countOrRefuse(throttle, {
    act: 'letter-ip',
    target: networkOf(ip),
    most: limits.otp_per_ip_10min,
    within_s,
  })
  await countOrRefuse(throttle, {
    act: 'letter-reader',
    target: recipient,
    most: limits.otp_per_target_10min,
    within_s,
  })
}
