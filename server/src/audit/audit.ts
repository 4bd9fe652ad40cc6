// Acts of people, keys and staff: who, from where, what before and after. A verb writes its line in
// the same transaction as the change. Law: append-only; it contains no secret and no personal data,
// only ids, masked values and settings.

import type { Caller, Environment, Person } from '../platform/http/route.ts'
import type { AuditAction, TargetKind } from './actions.ts'

export type Actor = Readonly<{
  kind: 'MEMBER' | 'KEY' | 'STAFF' | 'SYSTEM'
  id: string | null
  role: string
  ip: string
  request_id: string
}>

/**
 * `before` and `after`: what was and what is, as the API shows it. Some acts hold the whole record,
 * others only the fields that changed: a reader compares the two.
 */
export type Act = Readonly<{
  merchant_id: string
  /** Null: it concerns both. */
  environment: Environment | null
  actor: Actor
  action: AuditAction
  target_kind: TargetKind
  target_id: string
  before?: Readonly<Record<string, unknown>> | null
  after?: Readonly<Record<string, unknown>> | null
}>

/** The caller of a merchant's route. */
export function actorOf(caller: Caller): Actor {
  const { session, member_id, api_key_id, ip, request_id } = caller
  if (session === null) return { kind: 'KEY', id: api_key_id, role: '', ip, request_id }
  return { kind: 'MEMBER', id: member_id, role: session.role, ip, request_id }
}

/** Of a person what the log says of them; by the command line they have no address. */
export type Acting = Pick<Person, 'kind' | 'person_id' | 'staff_role' | 'ip' | 'request_id'>

/** A person who calls for themselves or as staff. */
export const actorOfPerson = ({ kind, person_id, staff_role, ip, request_id }: Acting): Actor => ({
  kind,
  id: person_id,
  role: staff_role,
  ip,
  request_id,
})

/** The id under which people's acts on their own accounts are kept: they belong to no merchant. */
export const accountsOwnId = '00000000-0000-7000-8000-0000000000a0'

/** The command line, a start of the service, due work. */
export const systemActor: Actor = { kind: 'SYSTEM', id: null, role: '', ip: '', request_id: '' }

/** `+229***12`, `aw***@shop.example`: enough to recognise, too little to use. */
export function masked(text: string): string {
  const at = text.indexOf('@')
  if (at > 0) return `${text.slice(0, Math.min(2, at))}***${text.slice(at)}`
  return text.length <= 6 ? '***' : `${text.slice(0, 4)}***${text.slice(-2)}`
}

const email = /[^\s@<>()]+@[^\s@<>()]+\.[^\s@<>()]+/g
/** Eight digits and more, as people write them; not within a reference. */
const number = /(?<![\w-])\+?\d(?:[ .()/\u00a0\u202f-]{0,2}\d){7,}(?![\w-])/g
const special = /[.*+?^${}()|[\]\\]/g

/**
 * What somebody wrote of a payment, for the log: e-mails and numbers masked, and its payer's whole
 * name out. The log is never changed, so it must not have what an erasure would empty.
 */
export function maskedText(text: string, payer: string): string {
  const words = payer.trim().split(/\s+/)
  const pattern = words.map((word) => word.replace(special, '\\$&')).join('\\s+')
  // A first name alone is a word like others.
  const unnamed = words.length < 2 ? text : text.replace(new RegExp(pattern, 'giu'), '***')
  const masks = (found: string) => masked(found.replace(/[^\d+]/g, ''))
  return unnamed.replace(email, (found) => masked(found)).replace(number, masks)
}

// What an act changed, for acts that hold only the fields that differ.

type Fields = Readonly<Record<string, unknown>>

/** The differing fields of two views of one thing; undefined when nothing differs. */
export function changedFields(
  was: Fields,
  is: Fields,
): { before: Fields; after: Fields } | undefined {
  const names = Object.keys(is).filter(
    (name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]),
  )
  if (names.length === 0) return undefined
  const pick = (from: Fields) => Object.fromEntries(names.map((name) => [name, from[name]]))
  return { before: pick(was), after: pick(is) }
}
