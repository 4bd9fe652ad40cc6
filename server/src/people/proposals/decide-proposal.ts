// One proposes, another confirms: then it is done, in the transaction of the confirmation, as the
// confirming person's act. Either may withdraw it. Under the proposal's lock, so it is done once.
// What changes a merchant's rows is done in their group, and the proposal beside it at control: it
// is decided just before the group's own commit. Who dies in between leaves one that is confirmed
// and was not done, and it may be proposed again (docs/decisions/0093).

import { type Acting, actorOfPerson } from '../../audit/audit.ts'
import { recordOwnAct } from '../../audit/audit-log.ts'
import { type Db, inTransaction, type Sql, type Tx } from '../../platform/db.ts'
import { assert, refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { accessErrors, transportErrors } from '../../platform/http/transport-errors.ts'
import { newId } from '../../platform/ids.ts'
import { control } from '../../platform/places/places.ts'
import { proposalErrors } from './errors.ts'
import { requireProposer } from './first-person.ts'
import {
  type Content,
  type Proposal,
  type ProposalKind,
  proposal_valid_h,
  rightTo,
} from './proposal.ts'
import {
  findProposal,
  findSealed,
  insertProposal,
  lapseOver,
  lockProposal,
  updateDecided,
} from './store.ts'

/** What goes with a proposal and nobody is shown, bound to its id; null: nothing does. */
export type Enclosed = Readonly<{ id: string; sealed: Buffer | null }>

/** Does what was proposed, in `tx` of its home; may refuse what is no longer possible. */
export type Apply = (tx: Tx, by: Person, content: Content, enclosed: Enclosed) => Promise<void>

/** Where the change about this subject begins. */
export type Home = (db: Db, subject: string) => Promise<Db>

export type DecideDeps = Readonly<{
  db: Db
  /** Each where its rule is; wired at start. */
  applies: Readonly<Record<ProposalKind, Apply>>
  /** Of those that change a merchant's rows; the others are at control. */
  homes: Readonly<Partial<Record<ProposalKind, Home>>>
}>

export type ProposedChange = Readonly<{
  kind: ProposalKind
  subject: string
  content: Content
  /** Seals what goes with it, bound to its id (`enclosedBinding`). Absent: nothing does. */
  seal?: (id: string) => Buffer
}>

/** Refuses with `proposal_pending`. The caller has checked that it could be done now. */
export async function propose(
  tx: Tx,
  by: Acting,
  { seal, ...proposed }: ProposedChange,
): Promise<Proposal> {
  const id = newId()
  const enclosed = seal === undefined ? {} : { sealed: seal(id) }
  const of = { id, proposed_by: by.person_id, valid_h: proposal_valid_h }
  const made = await insertProposal(tx, { ...proposed, ...of, ...enclosed })
  if (made === undefined) throw refuse(proposalErrors.proposal_pending)
  await recordOwnAct(tx, actorOfPerson(by), {
    action: 'proposal.made',
    target_kind: 'staff_proposal',
    target_id: made.id,
    after: { kind: made.kind },
  })
  return made
}

/**
 * Refuses with `same_person`, `proposal_decided`, `proposer_gone`, or whatever forbids it now.
 */
export async function confirmProposal(
  { db, applies, homes }: DecideDeps,
  by: Person,
  id: string,
): Promise<Proposal> {
  const found = await findProposal(control(db), { is_demo: false }, id)
  if (found === undefined) throw refuse(transportErrors.not_found)
  // Its kind and subject never change; all else, and what is hidden from whom, is for its lock.
  const home = homes[found.kind]
  const at = home === undefined ? control(db) : await home(db, found.subject)
  return inTransaction(at, async (tx) => {
    const before = await lockPending(control(tx), by, id)
    if (before.proposed_by === by.person_id) throw refuse(proposalErrors.same_person)
    await requireProposer(tx, before.proposed_by, rightTo[before.kind])
    // Before it is decided: that ends what goes with it.
    const sealed = await findSealed(control(tx), id)
    const after = await decided(control(tx), by, before, 'CONFIRMED')
    await applies[before.kind](tx, by, before.content, { id, sealed })
    return after
  })
}

export const withdrawProposal = (
  { db }: Pick<DecideDeps, 'db'>,
  by: Person,
  id: string,
): Promise<Proposal> =>
  inTransaction(db, async (tx) => decided(tx, by, await lockPending(tx, by, id), 'WITHDRAWN'))

async function lockPending(tx: Tx, by: Person, id: string): Promise<Proposal> {
  const found = await lockProposal(tx, id)
  if (found === undefined) throw refuse(transportErrors.not_found)
  if (!by.staff_permissions.includes(rightTo[found.kind])) {
    throw refuse(accessErrors.permission_denied)
  }
  if (by.is_demo && !isSandboxOnly(found)) throw refuse(accessErrors.totp_required)
  if (found.status !== 'PENDING') throw refuse(proposalErrors.proposal_decided)
  return found
}

/**
 * All else gives rights, moves everybody's price or touches LIVE, where the embedded demo's
 * administrator has no say (contract 3.3).
 */
const isSandboxOnly = ({ content }: Proposal): boolean => content['environment'] === 'SANDBOX'

async function decided(
  tx: Tx,
  by: Person,
  { id, kind }: Proposal,
  status: 'CONFIRMED' | 'WITHDRAWN',
): Promise<Proposal> {
  const after = await updateDecided(tx, { id, status, by: by.person_id })
  assert(after !== undefined, 'a locked proposal was decided by another')
  await recordOwnAct(tx, actorOfPerson(by), {
    action: status === 'CONFIRMED' ? 'proposal.confirmed' : 'proposal.withdrawn',
    target_kind: 'staff_proposal',
    target_id: id,
    after: { kind },
  })
  return after
}

// Due work: proposals that were not confirmed in time end by themselves. Returns how many.

export const lapseProposals = (sql: Sql): Promise<number> => lapseOver(sql)
