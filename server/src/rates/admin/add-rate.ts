// Staff add an exchange rate, from now or from a later moment on (decisions 5.13). Law: a rate is
// never changed, only followed by another; a pair is quoted in one direction; what is pegged is not
// set.

import { actorOfPerson } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import { keepDemoOut } from '../../catalogue/admin/keep-demo-out.ts'
import { publishCatalogue } from '../../catalogue/extend-catalogue.ts'
import { type Db, inTransaction } from '../../platform/db.ts'
import { invalid, refuse } from '../../platform/errors.ts'
import type { Environment, Person } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import { rateErrors } from '../errors.ts'
import { type HistoricRate, hasRate, insertRate, isPast } from './store.ts'
import { viewHistoricRate } from './view.ts'

export type AddRateDeps = Readonly<{
  db: Db
  /** Under whom acts stand that concern no merchant. */
  house: Readonly<Record<Environment, string>>
}>

export type RateWish = Readonly<{
  base: string
  quote: string
  rate: string
  /** In UTC, as text; undefined: from now on. */
  effective_at: string | undefined
}>

// Between any two of them nothing is ever set: a rate of XOF in XAF would break the peg as well.
const pegged = ['EUR', 'XOF', 'XAF']

/** Every process goes by it from its next call on, or from its moment on. */
export function addRate(
  { db, house }: AddRateDeps,
  person: Person,
  wish: RateWish,
): Promise<HistoricRate> {
  const { base, quote, effective_at } = wish
  return inTransaction(db, async (tx) => {
    await keepDemoOut(tx, person)
    if (pegged.includes(base) && pegged.includes(quote)) throw refuse(rateErrors.rate_is_pegged)
    if (effective_at !== undefined && (await isPast(tx, effective_at))) throw past()
    // First, because this row makes those who add rates stand in line: a pair and its inverse
    // cannot come in together.
    await publishCatalogue(tx)
    if (await hasRate(tx, quote, base)) throw refuse(rateErrors.rate_quoted_other_way)
    const pair = { from_currency: base, to_currency: quote }
    const row = { id: newId(), ...pair, rate: wish.rate, source: 'staff', effective_at }
    const added = await insertRate(tx, row)
    if (added === undefined) throw refuse(rateErrors.rate_exists)
    const { rate, effective_at: from } = viewHistoricRate(added)
    await recordAct(tx, {
      merchant_id: house[person.environment],
      environment: null,
      actor: actorOfPerson(person),
      action: 'exchange_rate.added',
      target_kind: 'exchange_rate',
      target_id: added.id,
      after: { base, quote, rate, effective_at: from },
    })
    return added
  })
}

const past = () =>
  invalid('effective_at', {
    en: 'Must be now or later: what was charged is not charged anew. Leave it out for "now".',
    fr: 'Doit être maintenant ou plus tard : rien n’est refacturé. Omettez-le pour « maintenant ».',
  })
