// How often signing in may be tried, and how many e-mails may be requested (contract 3.6).

import type { Keyring } from '../platform/crypto/seal.ts'
import type { Sql } from '../platform/db.ts'
import {
  countOrRefuse,
  countTries,
  forgive,
  networkOf,
  type ThrottleDeps,
} from '../platform/throttle/throttle.ts'
import type { Kind } from './person.ts'

// How many e-mails may be requested: per address of the caller, and per recipient (contract 3.6).
// Law: counted alike whether or not the recipient exists, so a refusal reveals nothing.

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

export type SignInLimits = Readonly<{ login_per_ip_10min: number; login_per_email_10min: number }>

export type SignInAttempt = Readonly<{
  kind: Kind
  email: string
  ip: string
  /** The name of a known device of the e-mail's owner. */
  device?: string | undefined
}>

type Deps = ThrottleDeps & Readonly<{ limits: SignInLimits }>
/**
 * What all strangers together may try, as a multiple of what one may, in each of these times: twice
 * as many tries take six times as long, four times as many twenty-four, then seven times as long
 * again. By the standard limits 100 in ten minutes, 200 in an hour, 400 a day, 800 a week.
 */
const strangers = [
  { act: 'login-strangers', factor: 10, within_s },
  { act: 'login-strangers-hour', factor: 20, within_s: 3_600 },
  { act: 'login-strangers-day', factor: 40, within_s: 86_400 },
  { act: 'login-strangers-week', factor: 80, within_s: 604_800 },
] as const

/** At so many times what one may try, the owner is e-mailed, once a day. */
const telling_factor = 2

const nameOf = ({ kind, email }: Pick<SignInAttempt, 'kind' | 'email'>) => `${kind} ${email}`

const ownCount = (attempt: SignInAttempt) =>
  attempt.device === undefined
    ? { act: 'login-pair', target: `${nameOf(attempt)} ${networkOf(attempt.ip)}` }
    : { act: 'login-device', target: attempt.device }

/**
 * For any e-mail, known or not: the count does not reveal who is here. Not on a device of its
 * owner's, which has tries of its own.
 */
export const countAtAddress = (deps: Deps, { ip }: Pick<SignInAttempt, 'ip'>): Promise<void> =>
  countOrRefuse(deps, {
    act: 'login-ip',
    target: networkOf(ip),
    most: deps.limits.login_per_ip_10min,
    within_s,
  })

/** For this e-mail, at this address or on this device. */
export const countOwn = (deps: Deps, attempt: SignInAttempt): Promise<void> =>
  countOrRefuse(deps, { ...ownCount(attempt), most: deps.limits.login_per_email_10min, within_s })

/**
 * From an address that the owner of the e-mail, if there is one, has not signed in from. True once
 * a day: when so many strangers have tried that the owner should know.
 */
export async function countAmongStrangers(deps: Deps, attempt: SignInAttempt): Promise<boolean> {
  const target = nameOf(attempt)
  let today = 0
  for (const { act, factor, within_s: window_s } of strangers) {
    const most = factor * deps.limits.login_per_email_10min
    const used = await countTries(deps, { act, target, most, within_s: window_s })
    if (act === 'login-strangers-day') today = used
  }
  return today === telling_factor * deps.limits.login_per_email_10min
}

/** It was the owner: what was mistyped before is not counted against them. */
export const forgiveSignIn = (deps: ThrottleDeps, attempt: SignInAttempt): Promise<void> =>
  forgive(deps, ownCount(attempt))

/** The owner has proved the address by an e-mail: what strangers did keeps nobody out. */
export async function forgiveStrangers(
  deps: ThrottleDeps,
  attempt: Pick<SignInAttempt, 'kind' | 'email'>,
): Promise<void> {
  for (const { act } of strangers) await forgive(deps, { act, target: nameOf(attempt) })
}
