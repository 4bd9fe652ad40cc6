// Who may call a route, in the documented order (decisions 4.3): credentials, rate, suspension,
// scope. The order is contract: a caller learns of the first wall only.

import type { IncomingHttpHeaders } from 'node:http'
import { type Locale, refuse } from '../errors.ts'
import type { Authenticated, Caller } from './route.ts'
import type { ServedRoute } from './served-route.ts'
import { accessErrors } from './transport-errors.ts'

/** What authentication may look at. */
export type RequestFacts = Readonly<{
  authorization: string | undefined
  headers: Readonly<IncomingHttpHeaders>
  ip: string
  request_id: string
  locale: Locale
}>

/**
 * Throws a Refusal: 401, `live_mode_not_enabled`, or `rate_limited` when no allowance is left. One
 * that carries a `rate` shows it in the headers.
 */
export type Authenticate = (facts: RequestFacts) => Promise<Authenticated>

function checkSuspension(route: ServedRoute, caller: Caller): void {
  const suspended = route.suspended ?? (route.method === 'GET' ? 'allowed' : 'refused')
  if (caller.suspended && suspended === 'refused') throw refuse(accessErrors.merchant_suspended)
}

function checkScope(route: ServedRoute, caller: Caller): void {
  const { access } = route
  if (access === 'dashboard' && caller.via === 'KEY') throw refuse(accessErrors.dashboard_only)
  if (access !== 'PAYIN' && access !== 'PAYOUT') return
  if (caller.scope !== access && caller.scope !== 'BOTH') {
    throw refuse(accessErrors.api_key_scope_forbidden)
  }
}

/** Throws the refusal of a known caller who may not call this route. */
export function checkAccess(route: ServedRoute, caller: Caller): void {
  checkSuspension(route, caller)
  checkScope(route, caller)
}
