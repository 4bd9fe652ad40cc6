// What a call that moves money is planned by: catalogue, routes, prices and rates, all from this
// process's memory, and what else its verbs need.

import type { QueryDeps } from '../attempts/query-attempt.ts'
import type { CatalogueOf } from '../catalogue/read-catalogue.ts'
import { type GatewayRoutes, routesChosen } from '../gateways/routing.ts'
import type { Caller } from '../platform/http/route.ts'
import type { Versioned } from '../platform/versioned.ts'
import type { PricesOf } from '../pricing/rules.ts'
import type { RatesOf } from '../rates/current-rates.ts'
import type { PromptRefused } from './prompt-limit.ts'

export type PaymentDeps = QueryDeps &
  Readonly<{
    catalogue: CatalogueOf
    routes: Versioned<GatewayRoutes>
    prices: PricesOf
    rates: RatesOf
    limits: Readonly<{
      phone_prompts_10min: number
      phone_prompts_day: number
      session_payments: number
    }>
    /** Called for each payment that the prompt limit refused; nothing waits for it. */
    promptRefused?: (refused: PromptRefused) => void
  }>

/** Everything that prices and routes a payment, from this process's memory. */
export async function factsFor(
  deps: PaymentDeps,
  caller: Pick<Caller, 'merchant_id' | 'catalogue_version' | 'sandbox_dialects'>,
) {
  const version = caller.catalogue_version
  const [catalogue, routes, rules, rates] = await Promise.all([
    deps.catalogue(version),
    deps.routes(version),
    deps.prices(caller.merchant_id, version),
    deps.rates(version),
  ])
  const { gateways, health } = deps
  const chosen = routesChosen(routes, caller.sandbox_dialects)
  return { catalogue, routes: chosen, rules, rates, gateways, health }
}
