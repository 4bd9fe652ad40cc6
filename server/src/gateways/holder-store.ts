// The statements about whose numbers are.

import type { Sql } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { control } from '../platform/places/places.ts'

export type HolderKey = Readonly<{ gateway_id: string; number_mac: Buffer }>

/**
 * The id of its row for whoever asks now; undefined: it was asked about within the day, or a moment
 * ago and nothing came of it.
 */
export async function claimHolder(
  sql: Sql,
  { gateway_id, number_mac }: HolderKey,
): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    insert into holder_lookups as h (id, gateway_id, number_mac, asked_at)
    values (${newId()}, ${gateway_id}, ${number_mac}, now())
    on conflict (gateway_id, number_mac) do update set asked_at = now(), sealed = null
     where h.asked_at <= now() - interval '24 hours'
        or (h.sealed is null and h.asked_at <= now() - interval '10 minutes')
    returning id`
  return row?.id
}

/** Nothing where it was erased meanwhile. */
export async function keepHolder(sql: Sql, id: string, sealed: Buffer): Promise<void> {
  await sql`update holder_lookups set sealed = ${sealed} where id = ${id}`
}

/** Undefined: there is no answer, or it is a day old. */
export async function findHolder(
  sql: Sql,
  { gateway_id, number_mac }: HolderKey,
): Promise<Readonly<{ id: string; sealed: Buffer }> | undefined> {
  const [row] = await sql<{ id: string; sealed: Buffer | null }[]>`
    select id, sealed from holder_lookups
     where gateway_id = ${gateway_id} and number_mac = ${number_mac}
       and asked_at > now() - interval '24 hours'`
  return row === undefined || row.sealed === null ? undefined : { ...row, sealed: row.sealed }
}

/** What was asked a day ago; how many were. */
export async function deleteOldHolders(sql: Sql): Promise<number> {
  const { count } = await sql`
    delete from holder_lookups where asked_at <= now() - interval '24 hours'`
  return count
}

/** Of a person who is erased: what their numbers were said to be, at every operator. */
export async function deleteHolders(sql: Sql, number_macs: readonly Buffer[]): Promise<void> {
  if (number_macs.length === 0) return
  const hexes = number_macs.map((mac) => mac.toString('hex'))
  await control(sql)`
    delete from holder_lookups
     where number_mac in (select decode(hex, 'hex') from unnest(${hexes}::text[]) as hex)`
}
