// How often signing in may be tried (contract 3.6): per address; per e-mail and address, or per
// device that its owner has signed in on; and per e-mail from all addresses that its owner has not
// signed in from. Law: the more strangers guess, the slower they get; and they never keep the owner
// out of a device or an address of the owner's own.

import { networkOf } from '../platform/throttle/network.ts'
import {
  countOrRefuse,
  countTries,
  forgive,
  type ThrottleDeps,
} from '../platform/throttle/throttle.ts'
import type { Kind } from './person.ts'

export type SignInLimits = Readonly<{ login_per_ip_10min: number; login_per_email_10min: number }>

export type SignInAttempt = Readonly<{
  kind: Kind
  email: string
  ip: string
  /** The name of a known device of the e-mail's owner. */
  device?: string | undefined
}>

type Deps = ThrottleDeps & Readonly<{ limits: SignInLimits }>

const within_s = 600
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

/** For any e-mail, known or not: the count does not reveal who is here. */
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
