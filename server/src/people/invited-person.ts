// A person accepts an invitation from an e-mail: they have an account and prove it by its password,
// or get one. Reading the e-mail has proved the address. No session is opened, so no second factor
// is required; tries are counted with those of signing in.

import { Type } from 'typebox'
import type { Db, Sql, Tx } from '../platform/db.ts'
import { Invalid, type Locale, refuse } from '../platform/errors.ts'
import { compileBody } from '../platform/http/validation.ts'
import type { ThrottleDeps } from '../platform/throttle/throttle.ts'
import {
  countAmongStrangers,
  countAtAddress,
  countOwn,
  forgiveSignIn,
  type SignInLimits,
} from './count-tries.ts'
import { peopleErrors } from './errors.ts'
import { addPerson } from './keep-person.ts'
import { checkPassword, hashPassword, isPassword } from './password.ts'
import { nameField, type PersonFacts, passwordField } from './person.ts'
import { findByEmail, findForSignIn, lockPassword } from './store.ts'
import { type OnVerified, proveAddress } from './verify-email.ts'

export type InvitedDeps = ThrottleDeps &
  Readonly<{ db: Db; limits: SignInLimits; onVerified: OnVerified }>

export type InvitedFacts = Readonly<{
  email: string
  password: string
  first_name?: string | undefined
  last_name?: string | undefined
  locale: Locale
  ip: string
}>

/** The person, once admitted by the transaction that takes the invitation. */
export type Invited = Readonly<{ admit: (tx: Tx) => Promise<PersonFacts> }>

export const hasAccount = async (sql: Sql, email: string): Promise<boolean> =>
  (await findByEmail(sql, 'MEMBER', email)) !== undefined

/** Refuses a wrong password (401), too many tries, and what a new account lacks (400 by field). */
export async function proveInvited(deps: InvitedDeps, facts: InvitedFacts): Promise<Invited> {
  const there = await hasAccount(deps.db, facts.email)
  return there ? proveByPassword(deps, facts) : prepareAccount(facts)
}

async function proveByPassword(deps: InvitedDeps, facts: InvitedFacts): Promise<Invited> {
  const asking = { kind: 'MEMBER', email: facts.email, ip: facts.ip } as const
  await countAtAddress(deps, asking)
  const person = await findForSignIn(deps.db, asking)
  await countOwn(deps, asking)
  if (person?.knows_address !== true) await countAmongStrangers(deps, asking)
  const right = await isPassword(person?.password_hash ?? null, facts.password)
  if (person === undefined || !right || person.is_disabled) {
    throw refuse(peopleErrors.not_authenticated)
  }
  await forgiveSignIn(deps, asking)
  return {
    admit: async (tx) => {
      // A password that was changed while this one was hashed is no longer valid.
      const { id, password_hash } = person
      const same = await lockPassword(tx, { id, password_hash })
      if (!same) throw refuse(peopleErrors.not_authenticated)
      await proveAddress(tx, deps, person, 'PASSWORD')
      return person
    },
  }
}

const checkAccount = compileBody(
  Type.Object({ password: passwordField, first_name: nameField, last_name: nameField }),
)

async function prepareAccount(facts: InvitedFacts): Promise<Invited> {
  const { email, password, first_name = '', last_name = '', locale } = facts
  const wrong = { ...checkPassword(facts), ...checkAccount(withoutAbsent(facts)) }
  if (Object.keys(wrong).length > 0) throw new Invalid(wrong)
  const password_hash = await hashPassword(password)
  const person = { kind: 'MEMBER', email, first_name, last_name, phone: '', locale } as const
  return {
    admit: async (tx) => {
      const made = await addPerson(tx, { ...person, password_hash, email_verified: true })
      // They signed up at this very moment: repeated, the call proves the account by its password.
      if (made === undefined) throw refuse(peopleErrors.email_taken)
      return made
    },
  }
}

const withoutAbsent = (facts: InvitedFacts) =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
