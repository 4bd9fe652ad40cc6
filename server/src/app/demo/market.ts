// Where a made-up payment can take place: the networks that are priced and have a route, and what
// it would cost there. Prices, routes and the arithmetic are those of real payments.

import type { Network } from '../../catalogue/catalogue.ts'
import { catalogueIn } from '../../catalogue/read-catalogue.ts'
import type { Collects, Direction, Gateways, Pays } from '../../gateways/gateway.ts'
import { newHealth } from '../../gateways/health.ts'
import { routesIn } from '../../gateways/routing.ts'
import type { Place } from '../../ledger/account.ts'
import { feeOf, planRoutes, type RouteFacts } from '../../planning/plan-routes.ts'
import type { Db } from '../../platform/db.ts'
import { pricesIn } from '../../pricing/rules.ts'
import { highestBound, lowestBound } from '../../pricing/tier.ts'
import { type Offer, offerOf, type Past, type PastCustomer } from './make-transaction.ts'

export type Market = Readonly<{
  places: readonly Place[]
  draw(random: () => number, customers: readonly PastCustomer[], at: Date): Past
}>

type Kind = Past['transaction_type']

const failing_share = 0.12
const payout_share = 0.15
const top_up_share = 0.03

/** At most `count` markets, each with countries of its own, so that no two share a balance. */
export async function openMarkets(db: Db, merchant_id: string, count: number): Promise<Market[]> {
  const [catalogue, routes, rules] = await Promise.all([
    catalogueIn(db)(0n),
    routesIn(db)(0n),
    pricesIn(db)(merchant_id, 0n),
  ])
  const facts: RouteFacts = { routes, rules, gateways: unused_gateways, health: newHealth() }
  const open = (direction: Direction) =>
    catalogue.networks.filter(
      ({ id, is_active, ...takes }) =>
        is_active &&
        (direction === 'COLLECT' ? takes.takes_payins : takes.takes_payouts) &&
        routes.of(id, direction, 'SANDBOX').length > 0 &&
        rules.of(id, direction) !== undefined,
    )
  const [payins, payouts] = [open('COLLECT'), open('DISBURSE')]
  const countries = [...new Set(payins.map(({ country_code }) => country_code))]
  if (countries.length === 0) throw new Error('No network is open: run `seed` first.')
  return Array.from({ length: Math.min(count, countries.length) }, (_, nth) => {
    const own = new Set(countries.filter((_, at) => at % count === nth))
    const isOwn = ({ country_code }: Network) => own.has(country_code)
    const networks = { COLLECT: payins.filter(isOwn), DISBURSE: payouts.filter(isOwn) }
    return marketOf(facts, merchant_id, networks)
  })
}

function marketOf(
  facts: RouteFacts,
  merchant_id: string,
  networks: Readonly<Record<Direction, Network[]>>,
): Market {
  const placeOf = ({ country_code, currency }: Network): Place => {
    return { merchant_id, environment: 'SANDBOX', country: country_code, currency }
  }
  const offers = offersOf(facts, placeOf)
  const draw: Market['draw'] = (random, customers, at) => {
    const drawn = kindFor(random())
    const kind = networks.DISBURSE.length === 0 && drawn === 'RETRAIT' ? 'PAIEMENT' : drawn
    const network = pick(networks[directionOf(kind)], random() ** 2)
    const customer = pick(customers, random())
    if (network === undefined || customer === undefined) throw new Error('bug: nobody is there')
    const offer = offers(kind, network, random())
    return { offer, customer, transaction_type: kind, at, succeeds: random() >= failing_share }
  }
  const places = networks.COLLECT.map(placeOf)
  return { places: [...new Map(places.map((place) => [place.country, place])).values()], draw }
}

/** A price is worked out once for each amount: there are few, and they come again and again. */
function offersOf(facts: RouteFacts, placeOf: (network: Network) => Place) {
  const known = new Map<string, Offer>()
  return (kind: Kind, network: Network, part: number): Offer => {
    const direction = directionOf(kind)
    const requested = amountFor(facts, network, direction, part)
    const name = `${kind} ${network.id} ${requested}`
    const there = known.get(name)
    if (there !== undefined) return there
    const [plan] = planRoutes(facts, {
      direction,
      environment: 'SANDBOX',
      network,
      requested,
      operation_msisdn: '',
      fee: feeOf(kind),
      fee_charge_mode: undefined,
      preferred_gateway: '',
    })
    const offer = offerOf(placeOf(network), network.country_id, plan)
    known.set(name, offer)
    return offer
  }
}

const directionOf = (kind: Kind): Direction => (kind === 'RETRAIT' ? 'DISBURSE' : 'COLLECT')

/** The first are drawn most often, as a few networks carry most of a country's payments. */
const pick = <T>(all: readonly T[], part: number): T | undefined =>
  all[Math.floor(part * all.length)]

function kindFor(part: number): Kind {
  if (part < payout_share) return 'RETRAIT'
  return part < payout_share + top_up_share ? 'RECHARGE' : 'PAIEMENT'
}

/** A round amount, small ones more often, well above the least and the fee of the price. */
function amountFor({ rules }: RouteFacts, { id }: Network, direction: Direction, part: number) {
  const tiers = rules.of(id, direction)?.tiers ?? []
  const parts = tiers.flatMap(({ fixed, floor_amount }) => [fixed, floor_amount ?? 0n])
  const least = [lowestBound(tiers) ?? 0n, ...parts].reduce((a, b) => (a > b ? a : b))
  const unit = 50_000n * (1n + least / 10_000n)
  const most = highestBound(tiers) ?? unit
  const amount = BigInt(1 + Math.floor(part ** 3 * 100)) * unit
  return amount < most ? amount : most
}

const refuse = () => {
  throw new Error('bug: a made-up payment is asked of nobody')
}
const silent = (code: string): Collects & Pays => ({
  code,
  facts: {
    create_is_idempotent: true,
    not_found_grace_s: 0,
    call_timeout_ms: 0,
    queries_per_second: 1,
    first_ask_after_s: { callbacks_seen: 1, callbacks_silent: 1 },
    callback_address: 'PER_CALL',
  },
  query: refuse,
  readCallback: refuse,
  collect: refuse,
  pay: refuse,
})
const unused_gateways: Gateways = { get: silent, all: () => [] }
