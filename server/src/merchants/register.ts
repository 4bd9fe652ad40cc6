// A merchant signs up: the person, the merchant and the ownership together, or nothing. The sandbox
// works at once; LIVE opens with a verified e-mail and the platform's approval (contract 3.3).

import { recordAct } from '../audit/audit-log.ts'
import { newDeviceToken } from '../people/device.ts'
import { peopleErrors } from '../people/errors.ts'
import { addPerson } from '../people/keep-person.ts'
import { hashPassword } from '../people/password.ts'
import { emailOf } from '../people/person.ts'
import { openSession } from '../people/sessions/session.ts'
import type { SignedIn } from '../people/sign-in.ts'
import { emailVerification } from '../people/verify-email.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import { type Db, inTransaction } from '../platform/db.ts'
import { type Locale, refuse } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { countOrRefuse, networkOf } from '../platform/throttle/throttle.ts'
import { insertMembership, insertMerchant } from './store.ts'

export type RegisterDeps = Readonly<{
  db: Db
  keyring: Keyring
  /** Where the dashboard is, without a trailing slash. */
  dashboard_url: string
  /** Wakes a job: the e-mail is on its way as soon as it is written. */
  wake: (job: string) => void
  limits: Readonly<{ register_per_ip_hour: number; register_per_email_hour: number }>
}>

export type Registration = Readonly<{
  merchant_name: string
  country: string
  email: string
  password: string
  first_name: string
  last_name: string
  phone: string
  locale: Locale
  ip: string
  user_agent: string
  request_id: string
}>

const rate_limit_per_minute = 300
const hour_s = 3600

/** Refuses with `email_taken` or `rate_limited`. The country was looked up before. */
export async function register(deps: RegisterDeps, registration: Registration): Promise<SignedIn> {
  const email = emailOf(registration.email)
  await countRegistrations(deps, email, registration.ip)
  const password_hash = await hashPassword(registration.password, registration.ip)
  const signed = await inTransaction(deps.db, async (tx) => {
    const { first_name, last_name, phone, locale } = registration
    const named = { first_name, last_name, phone, locale }
    const person = await addPerson(tx, { ...named, kind: 'MEMBER', email, password_hash })
    if (person === undefined) throw refuse(peopleErrors.email_taken)
    const merchant_id = newId()
    await insertMerchant(tx, {
      id: merchant_id,
      name: registration.merchant_name,
      country: registration.country,
      rate_limit_per_minute,
      live_enabled: false,
    })
    await insertMembership(tx, { merchant_id, person_id: person.id, role: 'OWNER' })
    await emailVerification(tx, deps, person)
    await recordAct(tx, {
      merchant_id,
      environment: null,
      actor: {
        kind: 'MEMBER',
        id: person.id,
        role: 'OWNER',
        ip: registration.ip,
        request_id: registration.request_id,
      },
      action: 'merchant.registered',
      target_kind: 'merchant',
      target_id: merchant_id,
      after: { name: registration.merchant_name, country: registration.country },
    })
    const { ip, user_agent } = registration
    const opening = { person_id: person.id, ip, user_agent, second_factor: false }
    const device_token = newDeviceToken(deps.keyring, { id: person.id, password_hash })
    return { session: await openSession(tx, opening), person, device_token }
  })
  deps.wake('send-mail')
  return signed
}

async function countRegistrations(
  { db, keyring, limits }: RegisterDeps,
  email: string,
  ip: string,
) {
  const throttle = { db, macs: keyring }
  await countOrRefuse(throttle, {
    act: 'register-ip',
    target: networkOf(ip),
    most: limits.register_per_ip_hour,
    within_s: hour_s,
  })
  await countOrRefuse(throttle, {
    act: 'register-email',
    target: email,
    most: limits.register_per_email_hour,
    within_s: hour_s,
  })
}
