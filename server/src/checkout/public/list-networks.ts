// What a payer may pay with in one country, each network with its fee and total, so that the payer
// knows them before choosing (contract 6.1); and why one takes nothing now, or may fail.

import type { AttemptPlan } from '../../attempts/attempt.ts'
import { instructionIn, type Network } from '../../catalogue/catalogue.ts'
import { confirmationOf, instructionsFor, wayNow } from '../../gateways/route-confirmation.ts'
import { chooseRoutes } from '../../gateways/routing.ts'
import { formatAmount } from '../../money/format.ts'
import type { Session } from '../../orders/session.ts'
import { paymentErrors } from '../../planning/errors.ts'
import { factsFor } from '../../planning/facts.ts'
import { orderShown } from '../../planning/order-routes.ts'
import { planRoutes } from '../../planning/plan-routes.ts'
import { findCountry, isAllowed, otpInstructions } from '../../planning/plan-softpay.ts'
import { Invalid, invalid, type Locale, Refusal, type Text } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { writeMoment } from '../../platform/write-moment.ts'
import { convert } from '../../rates/convert.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import type { PublicDeps } from './payer.ts'
import type { networkConditions } from './view.ts'

type Facts = Awaited<ReturnType<typeof factsFor>>

type NetworksQuery = Readonly<{
  session: Session
  caller: Caller
  country: string | undefined
  /** The last of the session. */
  payment: Transaction | undefined
}>

/** The sum, its currency and the mode of its fee, which a payment keeps when it is tried again. */
export type Kept = Pick<Transaction, 'requested_amount' | 'currency' | 'fee_charge_mode'>

/** Whoever pays in the country in which the last payment failed tries that one again. */
export const keptIn = (country: string, payment: Transaction | undefined): Kept | undefined =>
  payment?.status === 'FAILED' && payment.country_code === country ? payment : undefined

export async function listNetworks(deps: PublicDeps, query: NetworksQuery) {
  const { session, caller, country, payment } = query
  const facts = await factsFor(deps, caller)
  const code = country ?? preselected(facts, caller, session)
  if (code === undefined) throw invalid('country', missing)
  const place = findCountry(facts.catalogue, caller, code)
  const networks = facts.catalogue.networks.filter(
    (one) => one.country_id === place.id && one.is_active && one.takes_payins,
  )
  const kept = keptIn(place.iso_code, payment)
  const currency = kept?.currency ?? place.default_currency
  const total = inCurrency(facts, { session, kept }, currency)
  const rows = networks.map((network) => rowOf(facts, { network, session, caller, kept }))
  return {
    networks: rows,
    amount: formatAmount(total ?? session.amount),
    currency: total === undefined ? session.currency : currency,
    exchange_rate_error: total === undefined ? errorText(caller.locale) : null,
  }
}

/** The same rows for the session's own country; none where it names none that we serve. */
export async function networksAtHome(deps: PublicDeps, query: Omit<NetworksQuery, 'country'>) {
  const country = preselected(await factsFor(deps, query.caller), query.caller, query.session)
  if (country === undefined) return []
  return (await listNetworks(deps, { ...query, country })).networks
}

/** The session's own country; one that is not served preselects nothing (contract 6.1). */
function preselected({ catalogue }: Facts, caller: Caller, { country }: Session) {
  const place = catalogue.countryByCode(country ?? '')
  return place !== undefined && isAllowed(caller, place) ? place.iso_code : undefined
}

const missing = {
  en: 'Specify the country, such as ?country=SN.',
  fr: 'Indiquez le pays, par exemple ?country=SN.',
}

const errorText = (locale: Locale): string => paymentErrors.no_exchange_rate.message[locale]

type Sum = Readonly<{ session: Session; kept: Kept | undefined }>

/** In a country's currency; undefined without a rate, and where what is kept is in another one. */
function inCurrency({ rates }: Facts, { session: { amount, currency }, kept }: Sum, to: string) {
  if (kept !== undefined) return kept.currency === to ? kept.requested_amount : undefined
  return currency === to ? amount : convert(rates, { amount, from: currency, to })?.converted
}

type On = Sum & Readonly<{ network: Network; caller: Caller }>

function rowOf(facts: Facts, on: On) {
  const { network } = on
  const plan = planOn(facts, on)
  const isAvailable = typeof plan !== 'string'
  const { environment } = on.session
  const order = orderShown(facts.health)(network)
  const way = isAvailable ? plan : wayNow(facts.routes, facts, { network, environment, ...order })
  const how = isAvailable ? otpInstructions(network, plan) : instructionsFor(network, way.otp_kind)
  return {
    code: network.code,
    name: network.name,
    confirmation: confirmationOf(way),
    otp_required: way.otp_kind !== 'NONE',
    otp_instructions: instructionIn(on.caller.locale, how),
    fee: isAvailable ? formatAmount(plan.client_fee) : null,
    total: isAvailable ? formatAmount(plan.debited_amount) : null,
    currency: network.currency,
    unavailable: !isAvailable,
    ...conditionOf(facts, on, isAvailable ? undefined : plan),
  }
}

type Condition = Readonly<{
  condition: (typeof networkConditions)[number]
  /** When it takes payments again, as far as that is known, and by whose clocks that is meant. */
  opens_at: string | null
  time_zone: string | null
  /** For the payer; empty where there is nothing to say. */
  notice: string
}>

/** `fault`: why it cannot be paid by now. */
function conditionOf(
  facts: Facts,
  { network, session, caller }: On,
  fault: PlanFault | undefined,
): Condition {
  const choice = chooseRoutes(facts.routes, facts, {
    network_id: network.id,
    direction: 'COLLECT',
    environment: session.environment,
    preferred_gateway: '',
    showing: true,
  })
  const known = (condition: Condition['condition'], text: Text | undefined) => {
    const notice = text?.[caller.locale] ?? ''
    return { condition, opens_at: null, time_zone: null, notice }
  }
  if (fault === 'amount' && choice.routes.length > 0) return known('OTHER_AMOUNT', notices.amount)
  if (fault === undefined && choice.broken !== true) return known('OPEN', undefined)
  if (fault === undefined) return known('INTERRUPTED', notices.interrupted)
  const { until_ms = null, time_zone = 'UTC' } = choice.closed ?? {}
  if (until_ms === null) return known('CLOSED', notices.closed)
  const until = new Date(until_ms)
  const opens = writeMoment(until, time_zone, caller.locale)
  const notice = caller.locale === 'fr' ? `Fermé jusqu’au ${opens}.` : `Closed until ${opens}.`
  return { condition: 'CLOSED', opens_at: until.toISOString(), time_zone, notice }
}

const notices = {
  closed: { en: 'Closed for now.', fr: 'Fermé pour le moment.' },
  interrupted: {
    en: 'The operator is interrupted at the moment: a payment may fail.',
    fr: 'Interruption chez l’opérateur en ce moment : un paiement peut échouer.',
  },
  amount: { en: 'Does not take this amount.', fr: 'N’accepte pas ce montant.' },
} as const satisfies Record<string, Text>

type PlanFault = 'amount' | 'refused'

/** As the payment would be made now, or why it could not. */
function planOn(facts: Facts, on: On): AttemptPlan | PlanFault {
  const { network, session, caller, kept } = on
  const requested = inCurrency(facts, on, network.currency)
  if (requested === undefined) return 'refused'
  if (requested <= 0n) return 'amount'
  try {
    const [first] = planRoutes(facts, {
      direction: 'COLLECT',
      fee: 'TIER',
      environment: session.environment,
      network,
      requested,
      operation_msisdn: '',
      fee_charge_mode: kept?.fee_charge_mode ?? caller.fee_charge_mode_locked ?? undefined,
      preferred_gateway: '',
      showing: true,
    })
    return first
  } catch (error) {
    if (error instanceof Invalid) return 'amount'
    if (error instanceof Refusal) return 'refused'
    throw error
  }
}
