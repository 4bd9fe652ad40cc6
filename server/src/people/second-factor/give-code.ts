// A code of the second factor is given: counted, taken once, and spent only on what was done
// with it.

import { actorOfPerson } from '../../audit/audit.ts'
import { recordOwnAct } from '../../audit/audit-log.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import { invalid, refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import {
  countOrRefuse,
  forgive,
  networkOf,
  type ThrottleDeps,
} from '../../platform/throttle/throttle.ts'
import { peopleErrors } from '../errors.ts'
import { renewSession, type SessionRenewed } from '../sessions/session.ts'
import { findMac } from './recovery-codes.ts'
import {
  listUnusedCodes,
  lockSecondFactor,
  type SecondFactorRow,
  takeRecoveryCode,
  takeStep,
} from './store.ts'
import { looksLikeTotp, stepOfCode } from './totp.ts'

export type CodeDeps = Readonly<{ db: Db; keyring: Keyring; limits: CodeLimits }>

export type GoodCode = Exclude<CodeResult, 'WRONG' | 'NOT_ENROLLED'>

export const wrongCode = () =>
  invalid('code', {
    en: 'This code is wrong, too old, or already used. Enter the one shown now.',
    fr: 'Ce code est incorrect, trop ancien ou déjà utilisé. Saisissez celui affiché maintenant.',
  })

/** Refuses with `rate_limited`, `totp_not_enrolled`, or a 400 on `code`. */
export async function withCode<T>(
  deps: CodeDeps,
  { person_id, ip, second_factor }: Pick<Person, 'person_id' | 'ip' | 'second_factor'>,
  code: string,
  work: (tx: Tx, taken: GoodCode) => Promise<T>,
): Promise<T> {
  const { db, keyring } = deps
  const throttle = { ...deps, macs: keyring }
  // Their session was opened by a code: they are no stranger who tries one person after another.
  await countCodes(throttle, { person_id, ip: second_factor === 'NONE' ? ip : null })
  const done = await inTransaction(db, async (tx) => {
    const taken = await takeCode(tx, keyring, { person_id, code })
    if (taken === 'NOT_ENROLLED') throw refuse(peopleErrors.totp_not_enrolled)
    if (taken === 'WRONG') throw wrongCode()
    return work(tx, taken)
  })
  await forgiveCodes(throttle, person_id)
  return done
}

// Takes a code of the second factor: the app's, or a recovery code. Once: of several calls at the
// same time, one succeeds.

export type CodeResult = 'TOTP' | 'RECOVERY_CODE' | 'WRONG' | 'NOT_ENROLLED'

/** Which row a sealed secret belongs to. */
export const boundTo = (person_id: string): string => `people:${person_id}:sealed_totp`

type CodeEntry = Readonly<{ person_id: string; code: string }>

/** The caller has counted the try (`countCodes`). Holds the person's row until `tx` ends. */
export async function takeCode(
  tx: Tx,
  keyring: Keyring,
  { person_id, code: text }: CodeEntry,
): Promise<CodeResult> {
  const code = text.replace(/\s/g, '')
  const factor = await lockSecondFactor(tx, person_id)
  if (factor === undefined || !factor.is_enrolled) return 'NOT_ENROLLED'
  if (looksLikeTotp(code)) {
    return (await takeTotp(tx, keyring, { person_id, code, factor })) ? 'TOTP' : 'WRONG'
  }
  const macs = await listUnusedCodes(tx, person_id)
  const mac = findMac(keyring, { person_id, code, macs })
  const taken = mac !== undefined && (await takeRecoveryCode(tx, person_id, mac))
  return taken ? 'RECOVERY_CODE' : 'WRONG'
}

/** A code of the kept secret, confirmed or not, that no earlier call has used. */
export async function takeTotp(
  tx: Tx,
  keyring: Keyring,
  { person_id, code, factor }: CodeEntry & Readonly<{ factor: SecondFactorRow }>,
): Promise<boolean> {
  if (factor.sealed_totp === null) return false
  const secret = keyring.unseal(factor.sealed_totp, boundTo(person_id))
  const step = stepOfCode(secret, code, factor)
  return step !== undefined && takeStep(tx, person_id, step)
}

// Guessing codes is slow: every check counts for the person, and for the address of whoever may be
// a stranger, whatever it is for, before the code is looked at (contract 3.6). Law: strangers at
// the same address keep nobody out of a session that a code has opened, nor off a known device.

export type CodeLimits = Readonly<{ otp_per_ip_10min: number; otp_per_target_10min: number }>

const within_s = 600
const byPerson = 'code-person'

export type CodeTry = Readonly<{
  person_id: string
  /** Null: counted for the person alone. */
  ip: string | null
}>

export async function countCodes(
  deps: ThrottleDeps & Readonly<{ limits: CodeLimits }>,
  { person_id, ip }: CodeTry,
): Promise<void> {
  const { otp_per_ip_10min, otp_per_target_10min } = deps.limits
  if (ip !== null) {
    const byAddress = { act: 'code-ip', target: networkOf(ip) }
    await countOrRefuse(deps, { ...byAddress, most: otp_per_ip_10min, within_s })
  }
  await countOrRefuse(deps, {
    act: byPerson,
    target: person_id,
    most: otp_per_target_10min,
    within_s,
  })
}

/** The person gave a right one; tries of their address on other people still count. */
export const forgiveCodes = (deps: ThrottleDeps, person_id: string): Promise<void> =>
  forgive(deps, { act: byPerson, target: person_id })

// A code given in a session that is open already: for a while it may do what a stolen one must not
// (contract 3.3). Law: it continues under a new token (contract 8.12), so a copy of the old one
// never becomes fresh, however long a thief waits for a code.

/** A new session of the same end, and until when the code counts in it. */
export const stepUp = (
  deps: CodeDeps,
  person: Person,
  { code, user_agent }: Readonly<{ code: string; user_agent: string }>,
): Promise<SessionRenewed> =>
  withCode(deps, person, code, async (tx, taken) => {
    const session = await renewSession(tx, person, user_agent)
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'second_factor.given',
      target_kind: 'session',
      target_id: session.id,
      before: { session: person.session_id },
      after: { by: taken },
    })
    return session
  })
