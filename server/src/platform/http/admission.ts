// Who may call a route, in the documented order (contract 4.3): credentials, rate, suspension,
// scope. The order is part of the contract: a caller learns only the first reason.

import type { IncomingHttpHeaders } from 'node:http'
import { type Locale, refuse, type Text } from '../errors.ts'
import type { TicketShown } from './file-ticket.ts'
import {
  type Authenticated,
  type AuthenticatedPerson,
  type Caller,
  isScope,
  type Permission,
  type Person,
  type Scope,
  type ServedRoute,
  type SessionFacts,
} from './route.ts'
import { accessErrors } from './transport-errors.ts'

/** What authentication may look at. */
export type RequestFacts = Readonly<{
  authorization: string | undefined
  /** The token of a browser's cookie, where it counts and nothing above is sent. */
  cookie?: string | undefined
  /** A ticket for a file, where nothing above is sent. */
  ticket?: TicketShown | undefined
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

/** The same for a person; 403 for a valid credential of the wrong kind. */
export type AuthenticatePerson = (
  facts: RequestFacts,
  kind: Person['kind'],
) => Promise<AuthenticatedPerson>

// What a route asks of its callers: checked below, and published by `openapi-access.ts`.

/** No credential is looked at. */
export const isAnonymous = ({ access, knows_callers }: ServedRoute): boolean =>
  access === 'public' && knows_callers !== true

export const isOpenWhileSuspended = ({ suspended, method }: ServedRoute): boolean =>
  (suspended ?? (method === 'GET' ? 'allowed' : 'refused')) === 'allowed'

export const isOpenToKeys = ({ access }: ServedRoute): boolean => access !== 'dashboard'

/** Any of these is enough; undefined: any that there is. */
export function scopesFor({ access }: ServedRoute): readonly Scope[] | undefined {
  if (!isScope(access)) return undefined
  return access === 'BOTH' ? ['BOTH'] : [access, 'BOTH']
}

/** Undefined: open to no session, rather than to all. */
export const permissionFor = ({ permission, method }: ServedRoute): Permission | undefined =>
  permission ?? (method === 'GET' ? 'read' : undefined)

/**
 * A member's session calls for one merchant, in one environment, and says which by two headers: for
 * a person's own account no merchant is meant, and staff are members of none.
 */
export function readsPlace(route: ServedRoute): boolean {
  if (route.access === 'person' || route.access === 'staff') return false
  return !isAnonymous(route) && permissionFor(route) !== undefined
}

/** A session always says in which environment, be it for a person alone or as one of the staff. */
export const readsEnvironment = (route: ServedRoute): boolean =>
  route.access === 'person' || route.access === 'staff' || readsPlace(route)

/** `enrolled`: one that was given before is enough. */
export function factorFor({ staff, method }: ServedRoute): 'none' | 'enrolled' | 'fresh' {
  if (staff === 'self') return 'none'
  return method === 'GET' ? 'enrolled' : 'fresh'
}

function checkSuspension(route: ServedRoute, caller: Caller): void {
  if (caller.suspended && !isOpenWhileSuspended(route)) {
    throw refuse(accessErrors.merchant_suspended)
  }
}

const readsOnly: Text = {
  en: 'This API key is read-only. Use one that is not read_only, or change it in the dashboard.',
  fr:
    'Cette clé API est en lecture seule. Utilisez-en une autre, ou modifiez-la au tableau de ' +
    'bord.',
}

function checkScope(route: ServedRoute, caller: Caller): void {
  const { access } = route
  if (caller.via === 'KEY' && !isOpenToKeys(route)) throw refuse(accessErrors.dashboard_only)
  if (caller.read_only === true && route.method !== 'GET') {
    throw refuse(accessErrors.api_key_scope_forbidden, { message: readsOnly })
  }
  const scopes = scopesFor(route)
  if (!isScope(access) || scopes?.includes(caller.scope) === true) return
  throw refuse(accessErrors.api_key_scope_forbidden, { message: scopeNeeded(caller, access) })
}

/** For a call whose body says what it is about: a key may do there what its scope may. */
export function requireScope(caller: Caller, needed: Scope): void {
  if (caller.scope === needed || caller.scope === 'BOTH') return
  throw refuse(accessErrors.api_key_scope_forbidden, { message: scopeNeeded(caller, needed) })
}

function scopeNeeded({ scope }: Caller, needed: Scope): Text {
  const [en, fr] = needed === 'BOTH' ? ['BOTH', 'BOTH'] : [`${needed} or BOTH`, `${needed} ou BOTH`]
  return {
    en: `The scope of this API key is ${scope}; this call needs ${en}.`,
    fr: `La portée de cette clé API est ${scope} ; cet appel exige ${fr}.`,
  }
}

function checkRole(route: ServedRoute, caller: Caller): void {
  if (caller.session === null) return
  const permission = permissionFor(route)
  if (permission === undefined || !caller.session.permissions.includes(permission)) {
    throw refuse(accessErrors.permission_denied)
  }
  checkSecondFactor(route, caller, caller.session)
}

/**
 * A stolen session must not move LIVE money or widen itself (contract 3.3), nor while staff have
 * closed LIVE to the merchant: what it widens then holds when they open it again.
 */
function checkSecondFactor(route: ServedRoute, { environment }: Caller, session: SessionFacts) {
  if (route.second_factor === undefined || session.second_factor === 'FRESH') return
  const both = route.second_factor === 'account' && session.has_had_live
  if (both || environment === 'LIVE') throw refuse(accessErrors.totp_required)
}

/** Throws the refusal of a known caller who may not call this route. */
export function checkAccess(route: ServedRoute, caller: Caller): void {
  checkSuspension(route, caller)
  checkScope(route, caller)
  checkRole(route, caller)
}

/**
 * The same for staff: a second factor is required, and fresh for every act; the embedded demo's
 * administrator has none and may do nothing in LIVE (contract 3.3).
 */
export function checkStaff(route: ServedRoute, person: Person): void {
  const { staff } = route
  if (staff === 'self') return
  if (staff === undefined || !person.staff_permissions.includes(staff)) {
    throw refuse(accessErrors.permission_denied)
  }
  const { second_factor, is_demo, environment } = person
  if (is_demo) {
    if (environment === 'LIVE') throw refuse(accessErrors.totp_required)
    return
  }
  const may_be_stale = factorFor(route) === 'enrolled'
  const enough = second_factor === 'FRESH' || (may_be_stale && second_factor === 'STALE')
  if (!enough) throw refuse(accessErrors.totp_required)
}
