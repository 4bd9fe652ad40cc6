// Two of the staff ask an operator for a payout that it has paid: one proposes it, and it is asked
// for when another has confirmed it. Both times it must be one that can come back, as its
// merchant's group has it at that moment; the proposal stands at control (docs/decisions/0093).

import type { Attempt } from '../../attempts/attempt.ts'
import { findAttempt } from '../../attempts/attempt-statements.ts'
import { actorOfPerson, maskedText } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { type Gateways, reverses } from '../../gateways/gateway.ts'
import { wasReversed } from '../../incidents/statements.ts'
import { formatAmount } from '../../money/format.ts'
import { type Apply, propose } from '../../people/proposals/decide-proposal.ts'
import type { Proposal } from '../../people/proposals/proposal.ts'
import { transactInTurnOfRow } from '../../platform/batch-calls.ts'
import type { Db, Tx } from '../../platform/db.ts'
import { assert, refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { newId } from '../../platform/ids.ts'
import { control } from '../../platform/places/places.ts'
import { homeOfRow } from '../../platform/places/row-home.ts'
import { findAcross, type StaffTransaction } from '../../transactions/admin/store.ts'
import { hasOpenIncident } from '../../transactions/refund-statements.ts'
import { findNow, insertReversal, type NewReversal } from '../../transactions/returns/statements.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { nameOfPayer } from '../../transactions/view.ts'
import { payoutErrors } from '../errors.ts'

export type ReversalDeps = Readonly<{ db: Db; gateways: Pick<Gateways, 'get'> }>

type Wanted = Readonly<{ id: string; note: string }>

/** Nothing is asked of the operator before another of the staff confirms it. */
export async function proposeReversal(
  deps: ReversalDeps,
  person: Person,
  { id, note }: Wanted,
): Promise<Proposal> {
  const { environment } = person
  const row = { table: 'transactions', id, environment }
  return transactInTurnOfRow(deps.db, row, async (tx) => {
    const payout = await getPayout(tx, person, id)
    await requireReversible(tx, deps, payout)
    const { reference, environment, merchant_name: merchant, net_amount, currency } = payout
    const content = {
      ...{ transaction: id, reference, environment, merchant, note },
      ...{ amount: formatAmount(net_amount), currency, proposed_by: person.person_id },
    }
    return propose(control(tx), person, { kind: 'PAYOUT_REVERSAL', subject: id, content })
  })
}

/** Where what is done about a payout begins: with its merchant. */
export const homeOfPayout = (db: Db, id: string): Promise<Db> => homeOfRow(db, 'transactions', id)

/** In the confirmation's transaction, of the payout's group; a worker sends it after that. */
export const applyReversal =
  (gateways: Pick<Gateways, 'get'>): Apply =>
  async (tx, person, { transaction, environment, note, proposed_by }) => {
    assert(environment === 'SANDBOX' || environment === 'LIVE', 'a proposal names its environment')
    const payout = await getPayout(tx, { environment }, String(transaction))
    const attempt = await requireReversible(tx, { gateways }, payout)
    const { merchant_id, id: transaction_id } = payout
    const made: NewReversal = {
      ...{ merchant_id, id: newId(), transaction_id, attempt_id: attempt.id },
      environment: payout.environment,
      ...{ note: String(note), proposed_by: String(proposed_by), confirmed_by: person.person_id },
    }
    if (!(await insertReversal(tx, made))) throw refuse(payoutErrors.not_reversible)
    await recordAct(tx, {
      merchant_id,
      environment: made.environment,
      actor: actorOfPerson(person),
      action: 'payout.reversal_asked',
      target_kind: 'transaction',
      target_id: transaction_id,
      after: { note: maskedText(made.note, nameOfPayer(payout)) },
    })
  }

async function getPayout(
  tx: Tx,
  { environment }: Pick<Person, 'environment'>,
  id: string,
): Promise<StaffTransaction> {
  const found = await findAcross(tx, { id, environment })
  if (found === undefined) throw refuse(transportErrors.not_found)
  return found
}

/** The attempt that paid it, at an operator that takes such a payout back still. */
async function requireReversible(
  tx: Tx,
  { gateways }: Pick<ReversalDeps, 'gateways'>,
  payout: Transaction,
): Promise<Attempt> {
  const { merchant_id, transaction_type, status, return_state, settled_attempt: id } = payout
  const isPaid = transaction_type === 'RETRAIT' && status === 'SUCCESS' && return_state === null
  const attempt = isPaid && id !== null ? await findAttempt(tx, { merchant_id, id }) : undefined
  const gateway = attempt && gateways.get(attempt.gateway_code)
  const window_s = gateway && reverses(gateway) ? gateway.facts.reversal?.window_s : undefined
  if (attempt === undefined || window_s === undefined) throw refuse(payoutErrors.not_reversible)
  const paid_at = attempt.finished_at ?? attempt.created_at
  const age_ms = (await findNow(tx)).getTime() - paid_at.getTime()
  const isTooLate = age_ms > window_s * 1000
  const isWithPeople = (await hasOpenIncident(tx, payout)) || (await wasReversed(tx, attempt))
  if (isTooLate || isWithPeople) throw refuse(payoutErrors.not_reversible)
  return attempt
}
