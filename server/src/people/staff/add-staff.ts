// One more of the platform's staff: invited by a superadmin, with a letter in which he chooses his
// password, or made on the command line with a password. He must enrol a second factor before he
// can do anything (decisions 3.3).

import { type Actor, actorOfPerson, masked, systemActor } from '../../audit/audit.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import { type Locale, refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import { addPerson } from '../add-person.ts'
import { peopleErrors } from '../errors.ts'
import { hashPassword } from '../password.ts'
import { emailOf } from '../person.ts'
import { newPersonToken } from '../person-token.ts'
import { recordOwnAct } from '../record-own-act.ts'
import type { StaffRole } from '../staff-roles.ts'
import { getStaff } from './get-staff.ts'
import { welcomeLetter } from './letters.ts'
import type { StaffMember } from './staff-member.ts'
import { standAsSuperadmin } from './stand-as-superadmin.ts'

export type InviteDeps = Readonly<{
  db: Db
  keyring: Keyring
  /** Of our own pages, without a slash at its end. */
  public_url: string
}>

export type NewStaff = Readonly<{
  email: string
  role: StaffRole
  first_name: string
  last_name: string
  locale: Locale
}>

/** Refuses with `email_taken` when one of the staff has this e-mail. */
export async function inviteStaff(
  { db, keyring, public_url }: InviteDeps,
  by: Person,
  wish: NewStaff,
): Promise<StaffMember> {
  return inTransaction(db, async (tx) => {
    await standAsSuperadmin(tx, by)
    // Whoever the demo's administrator makes may no more than himself.
    const how = { password_hash: null, is_demo: by.is_demo, actor: actorOfPerson(by) }
    const made = await insert(tx, wish, how)
    const { id: person_id, email } = made
    const token = await newPersonToken(tx, { person_id, email, purpose: 'RESET_PASSWORD' })
    await queueMail(tx, keyring, welcomeLetter(made, `${public_url}/admin/set-password#${token}`))
    return made
  })
}

/** From the command line, where nobody is signed in: the first superadmin comes this way. */
export async function createStaff(
  db: Db,
  wish: NewStaff & Readonly<{ password: string }>,
): Promise<StaffMember> {
  const password_hash = await hashPassword(wish.password)
  const how = { password_hash, is_demo: false, actor: systemActor }
  return inTransaction(db, (tx) => insert(tx, wish, how))
}

type How = Readonly<{ password_hash: string | null; is_demo: boolean; actor: Actor }>

async function insert(
  tx: Tx,
  { role: staff_role, ...wish }: NewStaff,
  { password_hash, is_demo, actor }: How,
): Promise<StaffMember> {
  const { first_name, last_name, locale } = wish
  const person = await addPerson(tx, {
    kind: 'STAFF',
    email: emailOf(wish.email),
    first_name,
    last_name,
    phone: '',
    locale,
    password_hash,
    staff_role,
    is_demo,
  })
  if (person === undefined) throw refuse(peopleErrors.email_taken)
  await recordOwnAct(tx, actor, {
    action: 'staff.created',
    target_kind: 'staff',
    target_id: person.id,
    after: { email: masked(person.email), role: staff_role },
  })
  return getStaff(tx, person.id)
}
