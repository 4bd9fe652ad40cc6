// The statements about second factors. Law: a code works once, because taking it is a conditional
// update; whatever changes a person's second factor has locked their row.

import type { Sql, Tx } from '../../platform/db.ts'

export type SecondFactorRow = Readonly<{
  email: string
  sealed_totp: Buffer | null
  is_enrolled: boolean
  /** By the database's clock, which is the same for all processes. */
  now_s: number
}>

export async function lockSecondFactor(
  tx: Tx,
  person_id: string,
): Promise<SecondFactorRow | undefined> {
  const [row] = await tx<SecondFactorRow[]>`
    select email, sealed_totp, totp_enrolled_at is not null as is_enrolled,
           floor(extract(epoch from clock_timestamp()))::int as now_s
      from people
     where id = ${person_id}
       for no key update`
  return row
}

/** False where a second factor is enrolled. A secret that was not confirmed is forgotten. */
export async function updateSecret(
  sql: Sql,
  person_id: string,
  sealed_totp: Buffer,
): Promise<boolean> {
  const rows = await sql`
    update people
       set sealed_totp = ${sealed_totp}, totp_last_step = 0, updated_at = now()
     where id = ${person_id} and totp_enrolled_at is null`
  return rows.count === 1
}

/** False when a code of this step, or of a later one, was taken before. */
export async function takeStep(sql: Sql, person_id: string, step: number): Promise<boolean> {
  const rows = await sql`
    update people set totp_last_step = ${step}
     where id = ${person_id} and totp_last_step < ${step}`
  return rows.count === 1
}

export async function markEnrolled(sql: Sql, person_id: string): Promise<void> {
  await sql`
    update people
       set totp_enrolled_at = now(), updated_at = now()
     where id = ${person_id} and totp_enrolled_at is null`
}

/** With the secret its recovery codes go. */
export async function deleteSecondFactor(sql: Sql, person_id: string): Promise<void> {
  await sql`
    with gone as (
      delete from recovery_codes where person_id = ${person_id}
    )
    update people
       set sealed_totp = null, totp_enrolled_at = null, updated_at = now()
     where id = ${person_id}`
}

export async function listUnusedCodes(sql: Sql, person_id: string): Promise<Buffer[]> {
  const rows = await sql<{ hash: Buffer }[]>`
    select hash from recovery_codes where person_id = ${person_id} and used_at is null`
  return rows.map(({ hash }) => hash)
}

/** False when it was used before. */
export async function takeRecoveryCode(
  sql: Sql,
  person_id: string,
  hash: Buffer,
): Promise<boolean> {
  const rows = await sql`
    update recovery_codes set used_at = now()
     where person_id = ${person_id} and hash = ${hash} and used_at is null`
  return rows.count === 1
}

/** Earlier ones are void, used or not. */
export async function replaceCodes(
  tx: Tx,
  person_id: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await tx`delete from recovery_codes where person_id = ${person_id}`
  const hex = hashes.map((hash) => hash.toString('hex'))
  await tx`
    insert into recovery_codes (person_id, hash)
    select ${person_id}, decode(one, 'hex') from unnest(${hex}::text[]) as one`
}

/** All but this one and the token that it replaces, which ends by itself. */
export async function endOtherSessions(
  sql: Sql,
  of: Readonly<{ person_id: string; but: readonly string[] }>,
): Promise<number> {
  const rows = await sql`
    update sessions set ended_at = now()
     where person_id = ${of.person_id} and id <> all(${[...of.but]}::uuid[]) and ended_at is null`
  return rows.count
}
