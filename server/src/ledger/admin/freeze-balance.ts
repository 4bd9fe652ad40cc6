// Staff freeze a balance, or a sum of it, and unfreeze it again (contract 5.12). The mark refuses
// each new outflow; a sum is set aside by a posting, so nothing else can promise it (money 3).

import { createHash } from 'node:crypto'
import { actorOfPerson } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { formatAmount } from '../../money/format.ts'
import { amountFaultText, parseAmount } from '../../money/parse-amount.ts'
import { transactInTurnOfRow } from '../../platform/batch-calls.ts'
import { brokenConstraint, type Db, type Tx } from '../../platform/db.ts'
import { assert, defineErrors, invalid, refuse, type Text } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { idempotencyErrors } from '../../platform/idempotency/run-once.ts'
import { idFromName, newId } from '../../platform/ids.ts'
import { runPart } from '../../platform/sql.ts'
import { freeze, liftFreeze } from '../postings.ts'
import { lockAvailable, postEntries } from '../statements.ts'
import { findMoved } from '../store.ts'
import { findBalance, type MerchantsBalance, updateMark } from './store.ts'

// What staff are answered when a sum cannot be moved (contract: errors).

export const balanceErrors = defineErrors({
  insufficient_balance: {
    status: 422,
    message: {
      en: 'Less than this amount is available. Freeze a smaller amount, or the whole balance.',
      fr:
        'Le solde disponible est inférieur à ce montant. Gelez un montant plus petit, ou tout le ' +
        'solde.',
    },
  },
})

/** The same code, where the sum would come out of what is frozen. */
const lessIsFrozen: Text = {
  en: 'Less than this amount is frozen.',
  fr: 'Le montant gelé est inférieur.',
}

export type FreezeRequest = Readonly<{
  id: string
  how: 'freeze' | 'unfreeze'
  reason: string
  /** A decimal, as it was sent. Absent: the balance is marked and no money moves. */
  amount?: string | number
  /** The Idempotency-Key, where a sum is moved. */
  key: string | undefined
}>

export type Frozen = Readonly<{ balance: MerchantsBalance; is_replayed: boolean }>

/** Refuses with `not_found`, `insufficient_balance`, or a 400 on `amount`. */
export async function freezeBalance(
  db: Db,
  person: Person,
  request: FreezeRequest,
): Promise<Frozen> {
  const key = { id: request.id, environment: person.environment }
  return transactInTurnOfRow(db, { table: 'balances', ...key }, async (tx) => {
    const balance = await findBalance(tx, key)
    if (balance === undefined) throw refuse(transportErrors.not_found)
    const is_replayed =
      request.amount === undefined
        ? await markBalance(tx, person, balance, request)
        : await moveSum(tx, person, balance, {
            ...request,
            amount: amountOf(request.amount, balance),
          })
    const after = await findBalance(tx, key)
    assert(after !== undefined, 'a balance that is there stays')
    return { balance: after, is_replayed }
  })
}

function amountOf(text: string | number, { currency }: MerchantsBalance): bigint {
  const reading = parseAmount(text, currency)
  if (reading.is === 'invalid') throw invalid('amount', amountFaultText[reading.why])
  return reading.hundredths
}

async function markBalance(
  tx: Tx,
  person: Person,
  balance: MerchantsBalance,
  { how, reason }: FreezeRequest,
): Promise<false> {
  const { merchant_id, id } = balance
  const is_frozen = how === 'freeze'
  if (!(await updateMark(tx, { merchant_id, id, is_frozen }))) return false
  await recordAct(tx, {
    ...actOn(person, balance),
    action: is_frozen ? 'balance.frozen' : 'balance.unfrozen',
    before: { is_frozen: !is_frozen },
    after: { is_frozen, reason },
  })
  return false
}

type Sum = Pick<FreezeRequest, 'how' | 'reason' | 'key'> & Readonly<{ amount: bigint }>

async function moveSum(
  tx: Tx,
  person: Person,
  balance: MerchantsBalance,
  { how, reason, amount, key }: Sum,
): Promise<boolean> {
  const { merchant_id, environment } = balance
  const id = key === undefined ? newId() : idOfKey(person, balance, key)
  if (key !== undefined && (await wasMoved(tx, balance, { id, how, amount }))) return true
  const posting = {
    merchant_id,
    environment,
    gate_id: id,
    cause_kind: 'FREEZE' as const,
    cause_id: id,
    attempt_id: null,
    lines: (how === 'freeze' ? freeze : liftFreeze)(balance, amount),
  }
  const entries = await runPart(tx, postEntries(tx, [posting])).catch((error: unknown) => {
    throw asRefusal(error)
  })
  assert(entries === 1, `a ${how} books one entry`)
  const { currency } = balance
  await recordAct(tx, {
    ...actOn(person, balance),
    action: how === 'freeze' ? 'balance.sum_frozen' : 'balance.sum_unfrozen',
    after: { amount: formatAmount(amount), currency, reason },
  })
  return false
}

/** One key of one person is one movement: its entry's cause is derived from both, and is unique. */
const idOfKey = ({ person_id }: Person, { id }: MerchantsBalance, key: string): string =>
  idFromName(createHash('sha256').update(['freeze', id, person_id, key].join('|')).digest())

type Moved = Readonly<{ id: string; how: FreezeRequest['how']; amount: bigint }>

/** Under the balance's lock: of two presses at once, the second sees the first. */
async function wasMoved(
  tx: Tx,
  balance: MerchantsBalance,
  { id, how, amount }: Moved,
): Promise<boolean> {
  await lockAvailable(tx, balance)
  const { merchant_id } = balance
  const moved = await findMoved(tx, { merchant_id, cause_kind: 'FREEZE', cause_id: id })
  if (moved === undefined) return false
  if (moved === (how === 'freeze' ? -amount : amount)) return true
  throw refuse(idempotencyErrors.idempotency_conflict)
}

/** The balance's own checks decide, under its lock, whether the sum is there. */
function asRefusal(error: unknown): unknown {
  const broken = brokenConstraint(error)
  if (broken === 'balances_available_check') return refuse(balanceErrors.insufficient_balance)
  if (broken !== 'balances_frozen_check') return error
  return refuse(balanceErrors.insufficient_balance, { message: lessIsFrozen })
}

const actOn = (person: Person, { merchant_id, environment, id }: MerchantsBalance) => ({
  merchant_id,
  environment,
  actor: actorOfPerson(person),
  target_kind: 'balance' as const,
  target_id: id,
})
