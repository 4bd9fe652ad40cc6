// What a payer may pay with in one country, each network with its fee and total, so that the payer
// knows them before choosing (contract 6.1).

import { instructionIn, type Network } from '../../catalogue/catalogue.ts'
import { formatAmount } from '../../money/format.ts'
import type { Session } from '../../orders/session.ts'
import { paymentErrors } from '../../planning/errors.ts'
import { factsFor } from '../../planning/facts.ts'
import { planRoutes } from '../../planning/plan-routes.ts'
import { findCountry, isAllowed, otpInstructions } from '../../planning/plan-softpay.ts'
import { Invalid, invalid, type Locale, Refusal } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { convert } from '../../rates/convert.ts'
import type { PublicDeps } from './payer.ts'

type Facts = Awaited<ReturnType<typeof factsFor>>

type NetworksQuery = Readonly<{ session: Session; caller: Caller; country: string | undefined }>

export async function listNetworks(deps: PublicDeps, { session, caller, country }: NetworksQuery) {
  const facts = await factsFor(deps, caller)
  const code = country ?? preselected(facts, caller, session)
  if (code === undefined) throw invalid('country', missing)
  const place = findCountry(facts.catalogue, caller, code)
  const networks = facts.catalogue.networks.filter(
    (one) => one.country_id === place.id && one.is_active && one.takes_payins,
  )
  const total = inCurrency(facts, session, place.default_currency)
  const rows = networks.map((network) => rowOf(facts, { network, session, caller }))
  return {
    networks: rows,
    amount: formatAmount(total ?? session.amount),
    currency: total === undefined ? session.currency : place.default_currency,
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

/** The session's sum in a country's currency; undefined without a rate. */
function inCurrency({ rates }: Facts, { amount, currency }: Session, to: string) {
  return currency === to ? amount : convert(rates, { amount, from: currency, to })?.converted
}

type On = Readonly<{ network: Network; session: Session; caller: Caller }>

function rowOf(facts: Facts, on: On) {
  const { network } = on
  const plan = planOn(facts, on)
  const { otp_instructions: untold } = network
  const how = plan === undefined ? untold : otpInstructions(network, plan.debited_amount)
  return {
    code: network.code,
    name: network.name,
    otp_required: network.otp_kind !== 'NONE',
    otp_instructions: instructionIn(on.caller.locale, how),
    fee: plan === undefined ? null : formatAmount(plan.client_fee),
    total: plan === undefined ? null : formatAmount(plan.debited_amount),
    currency: network.currency,
    unavailable: plan === undefined,
  }
}

/** As the payment would be made now; undefined when it could not. */
function planOn(facts: Facts, { network, session, caller }: On) {
  const requested = inCurrency(facts, session, network.currency)
  if (requested === undefined || requested <= 0n) return undefined
  try {
    const [first] = planRoutes(facts, {
      direction: 'COLLECT',
      fee: 'TIER',
      environment: session.environment,
      network,
      requested,
      operation_msisdn: '',
      fee_charge_mode: caller.fee_charge_mode_locked ?? undefined,
      preferred_gateway: '',
      showing: true,
    })
    return first
  } catch (error) {
    if (error instanceof Refusal || error instanceof Invalid) return undefined
    throw error
  }
}
