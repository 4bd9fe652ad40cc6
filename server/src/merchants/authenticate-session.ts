// A member calls by session: for one merchant (X-Merchant, otherwise the member's first) and in one
// environment (X-Environment, default SANDBOX; contract 3.3). And people who call for themselves,
// or as staff.

import { redeemTicket } from '../people/downloads/ticket.ts'
import { readSession, type Session } from '../people/sessions/session.ts'
import { looksLikeSession } from '../people/sessions/session-token.ts'
import { mayAsStaff } from '../people/staff-roles.ts'
import type { Db } from '../platform/db.ts'
import { Invalid, invalid, refuse, type Text } from '../platform/errors.ts'
import type { RequestFacts } from '../platform/http/admission.ts'
import {
  type Authenticated,
  type AuthenticatedPerson,
  type Caller,
  type Environment,
  environmentNamed,
  type Rate,
} from '../platform/http/route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { isUuid } from '../platform/ids.ts'
import { RateLimited } from './allowance.ts'
import { countPersonsCall, findMemberAndCount, type MemberFound } from './call-count-store.ts'
import { mayAs } from './roles.ts'

/** A session that is open, and the request as it is meant. */
export type Opened = Readonly<{ session: Session; facts: RequestFacts }>

/**
 * The session that a browser's cookie or a file's ticket stands for; undefined where the request
 * has neither. A ticket brings its place along, so that one read decides as for any session.
 */
export async function openedByBrowser(db: Db, facts: RequestFacts): Promise<Opened | undefined> {
  const { ticket, cookie, headers } = facts
  if (ticket !== undefined) {
    const { session, place } = await redeemTicket(db, ticket)
    const { acts_for, environment, locale } = place
    const placed = { ...headers, 'x-environment': environment, 'x-merchant': acts_for ?? '' }
    return { session, facts: { ...facts, headers: placed, locale } }
  }
  if (cookie === undefined) return undefined
  if (!looksLikeSession(cookie)) throw refuse(accessErrors.session_expired)
  return { session: await readSession(db, cookie, facts), facts }
}

export async function authenticateMember(
  db: Db,
  session: Session,
  facts: RequestFacts,
): Promise<Authenticated> {
  const { merchant_id, environment } = readPlace(facts)
  if (session.kind !== 'MEMBER') throw refuse(accessErrors.permission_denied)
  const { person_id } = session
  const live = environment === 'LIVE'
  const member = await findMemberAndCount(db, { person_id, merchant_id, live })
  if (member === undefined) throw refuse(accessErrors.permission_denied)
  if (live && !member.live_enabled) throw refuse(accessErrors.live_mode_not_enabled)
  const rate = rateOf(member.rate_limit_per_minute, member)
  return { caller: callerOf(session, member, { environment, facts }), rate }
}

function rateOf(limit: number, { used, reset_s }: { used: number | null; reset_s: number }): Rate {
  if (used === null) throw new RateLimited({ limit, remaining: 0, reset_s })
  return { limit, remaining: limit - used, reset_s }
}

type Context = { environment: Environment; facts: RequestFacts }

function callerOf(session: Session, member: MemberFound, { environment, facts }: Context): Caller {
  return {
    merchant_id: member.merchant_id,
    environment,
    via: 'SESSION',
    scope: 'BOTH',
    api_key_id: null,
    member_id: session.person_id,
    session: {
      id: session.session_id,
      role: member.role,
      permissions: mayAs[member.role],
      second_factor: session.second_factor,
      live_enabled: member.live_enabled,
      has_had_live: member.has_had_live,
    },
    ip: facts.ip,
    request_id: facts.request_id,
    locale: facts.locale,
    suspended: member.is_suspended,
    fee_charge_mode_locked: member.fee_charge_mode_locked,
    allowed_countries: member.allowed_countries,
    sandbox_dialects: member.sandbox_dialects,
    catalogue_version: member.catalogue_version,
  }
}

const persons_calls_per_minute = 300

/** A person without a merchant. A person of a kind other than the route's is refused. */
export async function authenticatePerson(
  db: Db,
  session: Session,
  { facts, kind }: { facts: RequestFacts; kind: 'MEMBER' | 'STAFF' },
): Promise<AuthenticatedPerson> {
  const environment = readEnvironment(facts)
  if (session.kind !== kind) throw refuse(accessErrors.permission_denied)
  const { person_id, session_id, email, staff_role, is_demo } = session
  // The demo's password is in a file: a factor that was enrolled with it alone opens nothing more.
  const second_factor = is_demo ? 'NONE' : session.second_factor
  const counted = await countPersonsCall(db, person_id, persons_calls_per_minute)
  const rate = rateOf(persons_calls_per_minute, counted)
  const person: AuthenticatedPerson['person'] = {
    person_id,
    kind,
    session_id,
    email,
    staff_role: staff_role ?? '',
    staff_permissions: staff_role === null ? [] : mayAsStaff[staff_role],
    second_factor,
    second_factor_until: second_factor === 'FRESH' ? session.totp_until : null,
    session_ends: { ends_at: session.ends_at, idle_at: session.idle_at },
    is_demo,
    environment,
    ip: facts.ip,
    request_id: facts.request_id,
    locale: facts.locale,
  }
  return { person, rate }
}

type Place = Readonly<{ merchant_id: string | null; environment: Environment }>

/** Where the session acts; errors of both headers are reported at once (contract 1.3). */
function readPlace({ headers }: RequestFacts): Place {
  const merchant_id = merchantIn(headers)
  const environment = environmentIn(headers)
  if (merchant_id !== undefined && environment !== undefined) return { merchant_id, environment }
  throw new Invalid({
    ...(merchant_id === undefined ? { 'X-Merchant': [notAMerchant] } : {}),
    ...(environment === undefined ? { 'X-Environment': [notAnEnvironment] } : {}),
  })
}

function readEnvironment({ headers }: RequestFacts): Environment {
  const environment = environmentIn(headers)
  if (environment === undefined) throw invalid('X-Environment', notAnEnvironment)
  return environment
}

const notAMerchant: Text = {
  en: 'Must be the id of a merchant.',
  fr: 'Doit être l’identifiant d’un marchand.',
}

const notAnEnvironment: Text = {
  en: 'Must be SANDBOX or LIVE.',
  fr: 'Doit être SANDBOX ou LIVE.',
}

type Headers = RequestFacts['headers']

/** Null: it is not sent. Undefined: what is sent cannot be an id. */
function merchantIn(headers: Headers): string | null | undefined {
  const given = [headers['x-merchant'] ?? []].flat().join(', ').trim()
  if (given === '') return null
  return isUuid(given) ? given : undefined
}

function environmentIn(headers: Headers): Environment | undefined {
  const given = [headers['x-environment'] ?? []].flat().join(', ').trim()
  return given === '' ? 'SANDBOX' : environmentNamed(given)
}
