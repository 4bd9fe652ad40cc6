// A second factor is enrolled, its recovery codes renewed, and it is removed; each change is
// e-mailed to the person in its own transaction.

import { actorOfPerson } from '../../audit/audit.ts'
import { recordOwnAct } from '../../audit/audit-log.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { inTransaction, type Tx } from '../../platform/db.ts'
import { assert, refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import {
  type PageAddresses,
  type ProofDeps,
  passwordPage,
  provePassword,
} from '../change-password.ts'
import { type SecondFactorNews, secondFactorEmail } from '../emails.ts'
import { peopleErrors } from '../errors.ts'
import { renewSession, type SessionRenewed } from '../sessions/session.ts'
import { findPerson } from '../store.ts'
import {
  boundTo,
  type CodeDeps,
  countCodes,
  forgiveCodes,
  takeTotp,
  withCode,
  wrongCode,
} from './give-code.ts'
import { macOfRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import {
  deleteSecondFactor,
  endOtherSessions,
  lockSecondFactor,
  markEnrolled,
  replaceCodes,
  updateSecret,
} from './store.ts'
import { newTotpSecret, otpauthUrl, qrSvg } from './totp.ts'

export type Enrolment = Readonly<{ secret: string; otpauth_url: string; qr_svg: string }>

/** Refuses with a 400 on `password`, `totp_already_enrolled` or `rate_limited`. */
export async function beginEnrolment(
  deps: ProofDeps,
  person: Person,
  password: string,
): Promise<Enrolment> {
  await provePassword(deps, person, { password })
  const { person_id } = person
  const secret = newTotpSecret()
  const sealed = deps.keyring.seal(secret, boundTo(person_id))
  await inTransaction(deps.db, async (tx) => {
    if (!(await updateSecret(tx, person_id, sealed))) {
      throw refuse(peopleErrors.totp_already_enrolled)
    }
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'second_factor.begun',
      target_kind: 'person',
      target_id: person_id,
    })
  })
  const otpauth_url = otpauthUrl(secret, person.email)
  return { secret, otpauth_url, qr_svg: await qrSvg(otpauth_url) }
}

// The first code proves that the app has the secret: from now on it is required. The person's other
// sessions were opened without it and end; this one continues under a new token, as after any code,
// so that a copy of the old one lets nobody in.

/** The recovery codes and the new token, shown this once. */
export type Enrolled = Readonly<{ recovery_codes: string[]; session: SessionRenewed }>

export async function confirmEnrolment(
  deps: CodeDeps & SecondFactorEmailDeps,
  person: Person,
  { code: text, user_agent }: Readonly<{ code: string; user_agent: string }>,
): Promise<Enrolled> {
  const { db, keyring, limits } = deps
  const { person_id, session_id } = person
  const throttle = { db, macs: keyring, limits }
  await countCodes(throttle, person)
  const code = text.replace(/\s/g, '')
  const enrolled = await inTransaction(db, async (tx) => {
    const factor = await lockSecondFactor(tx, person_id)
    if (factor?.is_enrolled === true) throw refuse(peopleErrors.totp_already_enrolled)
    if (factor === undefined || factor.sealed_totp === null)
      throw refuse(peopleErrors.totp_not_enrolled)
    if (!(await takeTotp(tx, keyring, { person_id, code, factor }))) throw wrongCode()
    await markEnrolled(tx, person_id)
    const session = await renewSession(tx, person, user_agent)
    const but = [session_id, session.id]
    const sessions_ended = await endOtherSessions(tx, { person_id, but })
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'second_factor.enrolled',
      target_kind: 'person',
      target_id: person_id,
      before: { totp_enabled: false },
      after: { totp_enabled: true, sessions_ended },
    })
    await emailSecondFactorChange(tx, deps, person, 'ENROLLED')
    return { recovery_codes: await giveNewCodes(tx, keyring, person_id), session }
  })
  await forgiveCodes(throttle, person_id)
  return enrolled
}

// An e-mail to the person whose second factor has changed, in the transaction of the change: a
// thief who gets so far cannot have the one without the other.

export type SecondFactorEmailDeps = PageAddresses & Readonly<{ keyring: Keyring }>

async function emailSecondFactorChange(
  tx: Tx,
  deps: SecondFactorEmailDeps,
  { person_id }: Pick<Person, 'person_id'>,
  news: SecondFactorNews,
): Promise<void> {
  const person = await findPerson(tx, person_id)
  assert(person !== undefined, 'a second factor of nobody')
  const link = passwordPage(deps, person.kind, 'forgot-password')
  await queueMail(tx, deps.keyring, secondFactorEmail(person, news, link))
}

// New recovery codes: in the answer and nowhere else; all earlier ones are void. The code that was
// given makes no session fresh: that is for `give-code.ts`, which changes the token.

export const renewRecoveryCodes = (
  deps: CodeDeps & SecondFactorEmailDeps,
  person: Person,
  code: string,
): Promise<string[]> =>
  withCode(deps, person, code, async (tx, taken) => {
    const { person_id } = person
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'recovery_codes.renewed',
      target_kind: 'person',
      target_id: person_id,
      after: { by: taken },
    })
    await emailSecondFactorChange(tx, deps, person, 'CODES_RENEWED')
    return giveNewCodes(tx, deps.keyring, person_id)
  })

/** The caller holds the person's row. */
async function giveNewCodes(tx: Tx, keyring: Keyring, person_id: string): Promise<string[]> {
  const codes = newRecoveryCodes()
  const hashes = codes.map((code) => macOfRecoveryCode(keyring, person_id, code))
  await replaceCodes(tx, person_id, hashes)
  return codes
}

// Removes the second factor, with its secret and its recovery codes: by password and code together,
// so that neither a stolen session nor an unattended phone does it.

export async function disableSecondFactor(
  deps: CodeDeps & ProofDeps & SecondFactorEmailDeps,
  person: Person,
  { password, code }: Readonly<{ password: string; code: string }>,
): Promise<void> {
  await provePassword(deps, person, { password })
  await withCode(deps, person, code, async (tx, taken) => {
    const { person_id } = person
    await deleteSecondFactor(tx, person_id)
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'second_factor.disabled',
      target_kind: 'person',
      target_id: person_id,
      before: { totp_enabled: true },
      after: { totp_enabled: false, by: taken },
    })
    await emailSecondFactorChange(tx, deps, person, 'TAKEN_AWAY')
  })
}
