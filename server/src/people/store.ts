// The statements about people and their sessions that are not part of a composed one.

import type { Fragment, Sql, Tx } from '../platform/db.ts'
import { assert, type Locale } from '../platform/errors.ts'
import { networkOf } from '../platform/throttle/throttle.ts'
import type { PasswordOwner } from './password.ts'
import type { Kind, PersonFacts } from './person.ts'
import { second_factor_min, session_ends } from './sessions/session-token.ts'
import { idleOf } from './sessions/store.ts'
import type { StaffRole } from './staff-roles.ts'

export const personColumns = (sql: Sql): Fragment => sql`
  p.id, p.kind, p.email, p.first_name, p.last_name, p.phone, p.locale, p.staff_role, p.is_demo,
  p.email_verified_at is not null as email_verified,
  p.totp_enrolled_at is not null as totp_enabled, p.last_login_at, p.created_at`

export type NewPerson = Readonly<{
  id: string
  kind: Kind
  email: string
  first_name: string
  last_name: string
  phone: string
  locale: Locale
  password_hash: string | null
  staff_role: StaffRole | null
  is_demo: boolean
  email_verified: boolean
}>

/** Undefined when the e-mail is taken; a rival that takes it just now is waited for. */
export async function insertPerson(sql: Sql, person: NewPerson): Promise<PersonFacts | undefined> {
  const [row] = await sql<PersonFacts[]>`
    insert into people as p
      (id, kind, email, first_name, last_name, phone, locale, password_hash, password_changed_at,
       staff_role, is_demo, email_verified_at)
    values (${person.id}, ${person.kind}, ${person.email}, ${person.first_name},
      ${person.last_name}, ${person.phone}, ${person.locale}, ${person.password_hash},
      ${person.password_hash === null ? null : sql`now()`}, ${person.staff_role},
      ${person.is_demo}, ${person.email_verified ? sql`now()` : null})
    on conflict (kind, email) do nothing
    returning ${personColumns(sql)}`
  return row
}

export async function findPerson(sql: Sql, id: string): Promise<PersonFacts | undefined> {
  const [row] = await sql<PersonFacts[]>`
    select ${personColumns(sql)} from people p where p.id = ${id}`
  return row
}

export type SignInFacts = PersonFacts &
  Readonly<{
    password_hash: string | null
    is_disabled: boolean
    /** They have signed in from this address, or from its IPv6 network, within 30 days. */
    knows_address: boolean
  }>

export async function findForSignIn(
  sql: Sql,
  { kind, email, ip }: Readonly<{ kind: Kind; email: string; ip: string }>,
): Promise<SignInFacts | undefined> {
  const [row] = await sql<SignInFacts[]>`
    select ${personColumns(sql)}, p.password_hash, p.disabled_at is not null as is_disabled,
           exists (select 1 from sessions s
                    where s.person_id = p.id and ${isNear(sql, ip)}
                      and s.created_at > now() - interval '30 days') as knows_address
      from people p where p.kind = ${kind} and p.email = ${email}`
  return row
}

/** IPv6 addresses change within their network from day to day. What is compared is an address. */
const isNear = (sql: Sql, ip: string): Fragment => sql`
  case when strpos(${ip}, ':') = 0 or strpos(s.ip, ':') = 0 then s.ip = ${ip}
       else s.ip::inet <<= ${networkOf(ip)}::text::inet end`

type PasswordSeen = Pick<SignInFacts, 'id' | 'password_hash'> &
  Partial<Pick<SignInFacts, 'totp_enabled'>>

/**
 * False when the person has another password by now, where it is named a second factor that they
 * had not (or none any more), or is switched off: read before, it waits.
 */
export async function lockPassword(
  tx: Tx,
  { id, password_hash, totp_enabled }: PasswordSeen,
): Promise<boolean> {
  const rows = await tx`
    select 1 from people
     where id = ${id} and password_hash = ${password_hash} and disabled_at is null
       and (totp_enrolled_at is not null)
           = coalesce(${totp_enabled ?? null}::boolean, totp_enrolled_at is not null)
       for no key update`
  return rows.count === 1
}

export async function findPasswordHash(sql: Sql, id: string): Promise<string | null> {
  const [row] = await sql<{ password_hash: string | null }[]>`
    select password_hash from people where id = ${id}`
  return row?.password_hash ?? null
}

export type NewSession = Readonly<{
  hash: Buffer
  id: string
  person_id: string
  ip: string
  user_agent: string
  /** A code of the second factor came with the sign-in. */
  second_factor: boolean
}>

/** Answers when it ends at the latest. */
export async function insertSession(sql: Sql, session: NewSession): Promise<Date> {
  const [row] = await sql<{ ends_at: Date }[]>`
    with seen as (
      update people set last_login_at = now() where id = ${session.person_id} returning kind)
    insert into sessions (hash, id, person_id, ip, user_agent, ends_at, totp_at)
    select ${session.hash}, ${session.id}, ${session.person_id}, ${session.ip},
           ${session.user_agent},
           now() + case when kind = 'STAFF' then ${session_ends.STAFF.most_h}::int
                        else ${session_ends.MEMBER.most_h} end * interval '1 hour',
           ${session.second_factor ? sql`now()` : sql`null::timestamptz`}
      from seen
    returning ends_at`
  if (row === undefined) throw new Error('bug: a session without a row')
  return row.ends_at
}

export type SessionRenewed = Readonly<{ ends_at: Date; verified_until: Date }>

/** How long the token before still opens something, for calls that are under way. Seconds. */
const replaced_life_s = 10

/**
 * A code was given: the session continues under a new hash, with the same end, and alone has the
 * freshness of the code. Undefined when it is over, or was replaced before.
 */
export async function replaceSession(
  sql: Sql,
  old_id: string,
  next: Pick<NewSession, 'hash' | 'id' | 'ip' | 'user_agent'>,
): Promise<SessionRenewed | undefined> {
  const [row] = await sql<SessionRenewed[]>`
    with old as (
      select hash, person_id, ends_at from sessions
       where id = ${old_id} and ended_at is null and replaced_at is null and ends_at > now()
         for update
    ), leaving as (
      update sessions s
         set replaced_at = now(), totp_at = null,
             ends_at = least(old.ends_at, now() + ${replaced_life_s} * interval '1 second')
        from old
       where s.hash = old.hash
    )
    insert into sessions (hash, id, person_id, ip, user_agent, ends_at, totp_at, replaces)
    select ${next.hash}, ${next.id}, person_id, ${next.ip}, ${next.user_agent}, ends_at, now(),
           ${old_id}
      from old
    returning ends_at, totp_at + ${second_factor_min} * interval '1 minute' as verified_until`
  return row
}

/** Neither ended nor replaced. Under the person's lock, which whoever does either has. */
export async function isSessionOpen(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`
    select 1 from sessions
     where id = ${id} and ended_at is null and replaced_at is null and ends_at > now()`
  return rows.count === 1
}

/**
 * False when it is unknown, another's, or over already. What a step-up replaced and what replaced
 * it is the same sign-in, and ends with it. The caller has locked the person's row: a step-up that
 * was under way is seen whole.
 */
export async function endSessionRow(
  sql: Sql,
  { person_id, id }: Readonly<{ person_id: string; id: string }>,
): Promise<boolean> {
  const rows = await sql`
    with recursive same as (
      select id, replaces from sessions where id = ${id} and person_id = ${person_id}
      union
      select s.id, s.replaces
        from same c
        join sessions s on s.person_id = ${person_id} and (s.replaces = c.id or s.id = c.replaces)
    )
    update sessions s set ended_at = now()
      from people p
     where s.id in (select id from same) and s.person_id = ${person_id} and p.id = s.person_id
       and s.ended_at is null and s.ends_at > now() and s.last_seen_at > now() - ${idleOf(sql)}`
  return rows.count > 0
}

export type TokenPurpose = 'VERIFY_EMAIL' | 'RESET_PASSWORD' | 'SIGN_IN'

/**
 * A new token that confirms an address, or signs in, voids the person's earlier ones of its kind.
 * One that resets a password does not: a stranger's request must not spoil the e-mail just read.
 * They end together (`setPassword`), and last an hour.
 */
export async function insertToken(
  sql: Sql,
  token: {
    hash: Buffer
    person_id: string
    purpose: TokenPurpose
    email: string
    valid_s: number
  },
): Promise<void> {
  await sql`
    with voided as (
      update person_tokens set used_at = now()
       where person_id = ${token.person_id} and purpose = ${token.purpose} and used_at is null
         and purpose <> 'RESET_PASSWORD')
    insert into person_tokens (hash, person_id, purpose, email, expires_at)
    values (${token.hash}, ${token.person_id}, ${token.purpose}, ${token.email},
      now() + ${token.valid_s} * interval '1 second')`
}

export async function findByEmail(
  sql: Sql,
  kind: Kind,
  email: string,
): Promise<PersonFacts | undefined> {
  const [row] = await sql<PersonFacts[]>`
    select ${personColumns(sql)} from people p where p.kind = ${kind} and p.email = ${email}`
  return row
}

/**
 * With a new password every session of the person ends, and every token that could change it or
 * sign in without it.
 */
export async function setPassword(sql: Sql, id: string, password_hash: string): Promise<void> {
  await sql`
    with ended as (
      update sessions set ended_at = now() where person_id = ${id} and ended_at is null
    ), voided as (
      update person_tokens set used_at = now()
       where person_id = ${id} and purpose in ('RESET_PASSWORD', 'SIGN_IN') and used_at is null
    )
    update people
       set password_hash = ${password_hash}, password_changed_at = now(), updated_at = now()
     where id = ${id}`
}

type TokenQuery = Readonly<{ hash: Buffer; purpose: TokenPurpose; kind: Kind }>

/**
 * For `person_tokens t` and `people p`: not used, not over, and for the person's present address.
 */
const isOpen = (sql: Sql, { hash, purpose, kind }: TokenQuery): Fragment => sql`
  t.hash = ${hash} and t.purpose = ${purpose} and t.used_at is null and t.expires_at > now()
   and p.id = t.person_id and p.kind = ${kind} and p.email = t.email and p.disabled_at is null`

/** The person of a token; it stays valid. */
export async function findByToken(sql: Sql, query: TokenQuery): Promise<PersonFacts | undefined> {
  const [row] = await sql<PersonFacts[]>`
    select ${personColumns(sql)} from person_tokens t, people p where ${isOpen(sql, query)}`
  return row
}

/** The owner of a new password, and the words that it must not be made of. */
export async function getPasswordOwner(sql: Sql, id: string): Promise<PasswordOwner> {
  const [row] = await sql<Required<PasswordOwner>[]>`
    select p.kind, p.email,
           array[p.first_name, p.last_name] || array(
             select m.name from memberships b join merchants m on m.id = b.merchant_id
              where b.person_id = p.id) as names
      from people p where p.id = ${id}`
  assert(row !== undefined, 'a password of nobody')
  return row
}

/** Uses the token up: of several at once one finds the person. */
export async function takeToken(tx: Tx, query: TokenQuery): Promise<PersonFacts | undefined> {
  const [row] = await tx<PersonFacts[]>`
    update person_tokens t set used_at = now() from people p where ${isOpen(tx, query)}
    returning ${personColumns(tx)}`
  return row
}

/** The person who gets e-mails at this address: nobody who is switched off. */
export async function findForEmail(
  sql: Sql,
  kind: Kind,
  email: string,
): Promise<PersonFacts | undefined> {
  const [row] = await sql<PersonFacts[]>`
    select ${personColumns(sql)} from people p
     where p.kind = ${kind} and p.email = ${email} and p.disabled_at is null`
  return row
}

export async function lockPerson(tx: Tx, id: string): Promise<void> {
  await tx`select 1 from people where id = ${id} for no key update`
}

/**
 * Removes what a stranger who had the account before its address was proved may have left in it:
 * the second factor, sessions and e-mailed tokens, and the password too where it is not being
 * replaced.
 */
export async function forgetBefore(
  tx: Tx,
  id: string,
  { password }: Readonly<{ password: 'goes' | 'stays' }>,
): Promise<void> {
  await tx`
    with ended as (
      update sessions set ended_at = now() where person_id = ${id} and ended_at is null
    ), voided as (
      update person_tokens set used_at = now() where person_id = ${id} and used_at is null
    ), codes as (
      delete from recovery_codes where person_id = ${id}
    )
    update people
       set sealed_totp = null, totp_enrolled_at = null, totp_last_step = 0, updated_at = now(),
           password_hash = case when ${password === 'stays'} then password_hash end
     where id = ${id}`
}

/** The address is free for its owner; the person's acts keep an id, and no name. */
export async function forgetPerson(tx: Tx, id: string): Promise<void> {
  await forgetBefore(tx, id, { password: 'goes' })
  await tx`
    update people
       set email = id::text || '@lapsed.invalid', first_name = '', last_name = '', phone = '',
           disabled_at = coalesce(disabled_at, now()), updated_at = now()
     where id = ${id} and email_verified_at is null`
}

/** True when the address was not proved before. */
export async function markVerified(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`
    update people set email_verified_at = now(), updated_at = now()
     where id = ${id} and email_verified_at is null`
  return rows.count === 1
}

// Statements about a person's own details.

export type Profile = Readonly<{
  first_name: string
  last_name: string
  phone: string
  locale: Locale
}>

export async function lockProfile(tx: Tx, id: string): Promise<Profile | undefined> {
  const [row] = await tx<Profile[]>`
    select first_name, last_name, phone, locale from people where id = ${id} for no key update`
  return row
}

export async function updateProfile(tx: Tx, id: string, profile: Profile): Promise<void> {
  await tx`
    update people
       set first_name = ${profile.first_name}, last_name = ${profile.last_name},
           phone = ${profile.phone}, locale = ${profile.locale}, updated_at = now()
     where id = ${id}`
}
