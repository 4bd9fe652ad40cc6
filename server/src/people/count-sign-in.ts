// How often signing in may be tried (decisions 3.6): per address; per e-mail and address; and per
// e-mail from all addresses that its owner has not signed in from. Law: so a stranger's guessing,
// from however many addresses, never keeps the owner out of his own.

import { networkOf } from '../platform/throttle/network.ts'
import { countOrRefuse, forgive, type ThrottleDeps } from '../platform/throttle/throttle.ts'
import type { Kind } from './person.ts'

export type SignInLimits = Readonly<{ login_per_ip_10min: number; login_per_email_10min: number }>

export type Asking = Readonly<{ kind: Kind; email: string; ip: string }>

type Deps = ThrottleDeps & Readonly<{ limits: SignInLimits }>

const within_s = 600
/** Over all addresses this many times what one may try. */
const strangers_factor = 10

const pairOf = ({ kind, email, ip }: Asking) =>
  ({ act: 'login-pair', target: `${kind} ${email} ${networkOf(ip)}` }) as const

/** Whoever asks, known or not: the count says nothing of who is here. */
export async function countAtAddress(deps: Deps, asking: Asking): Promise<void> {
  const { login_per_ip_10min, login_per_email_10min } = deps.limits
  const byAddress = { act: 'login-ip', target: networkOf(asking.ip) }
  await countOrRefuse(deps, { ...byAddress, most: login_per_ip_10min, within_s })
  await countOrRefuse(deps, { ...pairOf(asking), most: login_per_email_10min, within_s })
}

/** From an address that the owner of the e-mail, if there is one, has not signed in from. */
export async function countAmongStrangers(deps: Deps, { kind, email }: Asking): Promise<void> {
  const most = strangers_factor * deps.limits.login_per_email_10min
  const target = `${kind} ${email}`
  await countOrRefuse(deps, { act: 'login-strangers', target, most, within_s })
}

/** He was himself: what he mistyped before is not held against him. */
export const forgiveSignIn = (deps: ThrottleDeps, asking: Asking): Promise<void> =>
  forgive(deps, pairOf(asking))
