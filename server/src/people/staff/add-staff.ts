// A new member of staff: proposed by a superadmin and confirmed by another, with an e-mail by which
// a password is chosen, or made on the command line. Nobody can do anything before a second factor
// is enrolled (contract 3.3). Law: nobody makes their own second person.

import { type Actor, actorOfPerson, masked, systemActor } from '../../audit/audit.ts'
import { recordOwnAct } from '../../audit/audit-log.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import { assert, type Locale, refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import { peopleErrors } from '../errors.ts'
import { addPerson } from '../keep-person.ts'
import { hashPassword } from '../password.ts'
import { emailOf } from '../person.ts'
import { newPersonToken } from '../person-token.ts'
import { type Apply, propose } from '../proposals/decide-proposal.ts'
import type { Proposal } from '../proposals/proposal.ts'
import { isStaffRole, type StaffRole } from '../staff-roles.ts'
import { welcomeEmail } from './emails.ts'
import { getStaff, requireSuperadmin } from './get-staff.ts'
import type { StaffMember } from './staff-member.ts'
import { findStaffByEmail } from './store.ts'

export type InviteDeps = Readonly<{
  db: Db
  keyring: Keyring
  /** The origin of our own pages, without a trailing slash. */
  public_url: string
}>

export type NewStaff = Readonly<{
  email: string
  role: StaffRole
  first_name: string
  last_name: string
  locale: Locale
}>

/** Done at once, or left for another superadmin to confirm. */
export type Outcome =
  | Readonly<{ is: 'done'; member: StaffMember }>
  | Readonly<{ is: 'proposed'; proposal: Proposal }>

/** Refuses with `email_taken` when one of the staff has this e-mail, or with `proposal_pending`. */
export const inviteStaff = (deps: InviteDeps, by: Person, staff: NewStaff): Promise<Outcome> =>
  inTransaction(deps.db, async (tx) => {
    await requireSuperadmin(tx, by)
    // The demo's makes accounts of the demo only, which may no more than itself.
    if (by.is_demo) return { is: 'done', member: await welcome(tx, deps, by, staff) }
    const { locale, role, first_name, last_name } = staff
    const email = emailOf(staff.email)
    if ((await findStaffByEmail(tx, email)) !== undefined) throw refuse(peopleErrors.email_taken)
    const content = { email, role, first_name, last_name, locale }
    return {
      is: 'proposed',
      proposal: await propose(tx, by, { kind: 'STAFF_ADDED', subject: email, content }),
    }
  })

/** What another superadmin has confirmed. */
export const applyAdded =
  (deps: Pick<InviteDeps, 'keyring' | 'public_url'>): Apply =>
  async (tx, by, content) => {
    await requireSuperadmin(tx, by)
    const { email, role, first_name, last_name, locale } = content
    assert(isStaffRole(role), 'a proposal has a role')
    const text = (value: string | boolean | undefined) => (typeof value === 'string' ? value : '')
    await welcome(tx, deps, by, {
      email: text(email),
      role,
      first_name: text(first_name),
      last_name: text(last_name),
      locale: locale === 'fr' ? 'fr' : 'en',
    })
  }

async function welcome(
  tx: Tx,
  { keyring, public_url }: Pick<InviteDeps, 'keyring' | 'public_url'>,
  by: Person,
  staff: NewStaff,
): Promise<StaffMember> {
  const how = { password_hash: null, is_demo: by.is_demo, actor: actorOfPerson(by) }
  const made = await insert(tx, staff, how)
  const { id: person_id, email } = made
  const token = await newPersonToken(tx, { person_id, email, purpose: 'RESET_PASSWORD' })
  await queueMail(tx, keyring, welcomeEmail(made, `${public_url}/admin/set-password#${token}`))
  return made
}

/** From the command line, where nobody is signed in: the first superadmin is made so. */
export async function createStaff(
  db: Db,
  staff: NewStaff & Readonly<{ password: string }>,
): Promise<StaffMember> {
  const password_hash = await hashPassword(staff.password)
  const how = { password_hash, is_demo: false, actor: systemActor }
  return inTransaction(db, (tx) => insert(tx, staff, how))
}

type How = Readonly<{ password_hash: string | null; is_demo: boolean; actor: Actor }>

async function insert(
  tx: Tx,
  { role: staff_role, ...staff }: NewStaff,
  { password_hash, is_demo, actor }: How,
): Promise<StaffMember> {
  const { first_name, last_name, locale } = staff
  const person = await addPerson(tx, {
    kind: 'STAFF',
    email: emailOf(staff.email),
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
