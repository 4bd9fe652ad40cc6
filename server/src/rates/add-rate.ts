// Staff add an exchange rate, from now or from a later moment on (contract 5.13). Law: a rate is
// never changed, only followed by another; a pair is quoted in one direction; a pegged one is not
// set; and once there is real money, nobody moves a pair far alone, at once or in small steps.

import { actorOfPerson } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { isLiveOpen, requireNotDemo } from '../catalogue/admin/require-not-demo.ts'
import { publishCatalogue } from '../catalogue/extend-catalogue.ts'
import { type Apply, propose } from '../people/proposals/decide-proposal.ts'
import type { Proposal } from '../people/proposals/proposal.ts'
import { type Db, inTransaction, type Sql, type Tx } from '../platform/db.ts'
import { assert, invalid, refuse } from '../platform/errors.ts'
import type { Environment, Person } from '../platform/http/route.ts'
import { newId } from '../platform/ids.ts'
import type { Reader } from '../platform/settings/reader.ts'
import { rateErrors } from './errors.ts'
import {
  type HistoricRate,
  hasRate,
  insertRate,
  insertRates,
  isPast,
  movesFar,
  type NewRate,
} from './store.ts'
import { viewHistoricRate } from './view.ts'

export type AddRateDeps = Readonly<{
  db: Db
  /** Acts that concern no merchant are kept under this one. */
  platformMerchant: Readonly<Record<Environment, string>>
  /** Parts per million: how far one person may move a pair within 24 hours. */
  rate_step_ppm: bigint
}>

const rate_step_default_ppm = 50_000n

/** Parts per million: how far one member of staff may move an exchange rate within 24 hours. */
export const readRateStep = (reader: Reader): bigint =>
  reader.percent('RATE_STEP_PERCENT') ?? rate_step_default_ppm

export type RateRequest = Readonly<{
  base: string
  quote: string
  rate: string
  /** In UTC, as text; undefined: from now on. */
  effective_at: string | undefined
}>

// Between any two of them nothing is ever set: a rate of XOF in XAF would break the peg as well.
const pegged = ['EUR', 'XOF', 'XAF']

/** The rate that counts now, or what waits for another member of staff. */
export type RateOutcome =
  | Readonly<{ is: 'done'; rate: HistoricRate }>
  | Readonly<{ is: 'proposed'; proposal: Proposal }>

/**
 * Takes effect in every process on its next request, or at its moment. One that moves the pair by
 * more than the step waits for a second person, once LIVE has a gateway.
 */
export const addRate = (
  deps: AddRateDeps,
  person: Person,
  request: RateRequest,
): Promise<RateOutcome> =>
  inTransaction(deps.db, async (tx) => {
    await requireNotDemo(tx, person)
    await requireSettable(tx, request)
    const isFar = await movesFar(tx, { ...request, step_ppm: deps.rate_step_ppm })
    if (!isFar || !(await isLiveOpen(tx))) {
      return { is: 'done', rate: await insert(tx, deps, person, request) }
    }
    const { base, quote, rate, effective_at } = request
    const content = { base, quote, rate, ...(effective_at === undefined ? {} : { effective_at }) }
    const proposed = { kind: 'EXCHANGE_RATE', subject: `${base}/${quote}`, content } as const
    return { is: 'proposed', proposal: await propose(tx, person, proposed) }
  })

/** What another has confirmed: from now on, or from the moment that was proposed. */
export const applyRate =
  (deps: Pick<AddRateDeps, 'platformMerchant'>): Apply =>
  async (tx, person, { base, quote, rate, effective_at }) => {
    const all = [base, quote, rate].every((each) => typeof each === 'string')
    assert(all, 'a proposed rate is whole')
    const request = {
      base: String(base),
      quote: String(quote),
      rate: String(rate),
      effective_at: typeof effective_at === 'string' ? effective_at : undefined,
    }
    await requireSettable(tx, request)
    await insert(tx, deps, person, request)
  }

async function requireSettable(tx: Tx, { base, quote, effective_at }: RateRequest): Promise<void> {
  if (pegged.includes(base) && pegged.includes(quote)) throw refuse(rateErrors.rate_is_pegged)
  if (effective_at !== undefined && (await isPast(tx, effective_at))) throw past()
  // First, because additions of rates queue up at this row: a pair and its inverse cannot come in
  // together.
  await publishCatalogue(tx)
  if (await hasRate(tx, quote, base)) throw refuse(rateErrors.rate_quoted_other_way)
}

async function insert(
  tx: Tx,
  { platformMerchant }: Pick<AddRateDeps, 'platformMerchant'>,
  person: Person,
  { base, quote, rate: given, effective_at }: RateRequest,
): Promise<HistoricRate> {
  const pair = { from_currency: base, to_currency: quote }
  const row = { id: newId(), ...pair, rate: given, source: 'staff', effective_at }
  const added = await insertRate(tx, row)
  if (added === undefined) throw refuse(rateErrors.rate_exists)
  const { rate, effective_at: from } = viewHistoricRate(added)
  await recordAct(tx, {
    merchant_id: platformMerchant[person.environment],
    environment: null,
    actor: actorOfPerson(person),
    action: 'exchange_rate.added',
    target_kind: 'exchange_rate',
    target_id: added.id,
    after: { base, quote, rate, effective_at: from },
  })
  return added
}

const past = () =>
  invalid('effective_at', {
    en: 'Must be now or later: past charges are not recalculated. Omit it for "now".',
    fr:
      'Doit être maintenant ou plus tard : les frais passés ne sont pas recalculés. Omettez-le ' +
      'pour « maintenant ».',
  })

// Writing exchange rates: append-only, a rate is replaced by a later one and never changed.

export type { NewRate }

/** Adds the rates whose pair and effective moment are missing; returns how many. */
export const addRates = (sql: Sql, rates: readonly NewRate[]): Promise<number> =>
  insertRates(sql, rates)
