// The statements about the catalogue.

import type { Fragment, Sql, Tx } from '../platform/db.ts'
import { jsonRows } from '../platform/sql.ts'
import type { Country, Network, NetworkMarks } from './catalogue.ts'

export async function listCountries(sql: Sql): Promise<Country[]> {
  return sql<Country[]>`
    select id, iso_code, name, default_currency, created_at, updated_at
      from countries order by iso_code`
}

export async function listNetworks(sql: Sql): Promise<Network[]> {
  return sql<Network[]>`
    select n.id, n.country_id, c.iso_code as country_code, n.code, n.name, n.currency, n.flow,
           n.otp_kind, n.otp_instructions, n.takes_payins, n.takes_payouts, n.is_active,
           n.collect_routing, n.disburse_routing, n.colour, n.rank, n.prefixes, n.ussd,
           n.mark_sources, n.created_at, n.updated_at
      from networks n join countries c on c.id = n.country_id
     order by c.iso_code, n.code`
}

export async function getCatalogueVersion(sql: Sql): Promise<bigint> {
  const [row] = await sql<{ version: bigint }[]>`select version from catalogue_version`
  return row?.version ?? 0n
}

/** Every change of countries, networks, gateways, routes, prices or rates ends with this. */
export async function bumpCatalogueVersion(sql: Sql): Promise<void> {
  await sql`update catalogue_version set version = version + 1`
}

export type NewCountry = Readonly<{
  id: string
  iso_code: string
  name: string
  default_currency: string
}>

/** Writes the countries whose codes are missing; returns how many. */
export async function insertCountries(sql: Sql, countries: readonly NewCountry[]): Promise<number> {
  const made = await sql`
    insert into countries (id, iso_code, name, default_currency)
    select c.id, c.iso_code, c.name, c.default_currency
      from ${jsonRows(
        sql,
        countries,
        sql`
        id uuid, iso_code text, name text, default_currency text`,
      )} as c
    on conflict (iso_code) do nothing
    returning id`
  return made.count
}

export type NewNetwork = Readonly<
  Omit<
    Network,
    | 'country_id'
    | 'collect_routing'
    | 'disburse_routing'
    | 'created_at'
    | 'updated_at'
    | keyof NetworkMarks
  >
>

/** Writes the networks whose codes are missing (operators edit the others); returns how many. */
export async function insertNetworks(sql: Sql, networks: readonly NewNetwork[]): Promise<number> {
  const made = await sql`
    insert into networks (id, country_id, code, name, currency, flow, otp_kind, otp_instructions,
      takes_payins, takes_payouts, is_active)
    select n.id, c.id, n.code, n.name, n.currency, n.flow, n.otp_kind, n.otp_instructions,
           n.takes_payins, n.takes_payouts, n.is_active
      from ${jsonRows(
        sql,
        networks,
        sql`
        id uuid, country_code text, code text, name text, currency text,
        flow text, otp_kind text, otp_instructions text, takes_payins boolean,
        takes_payouts boolean, is_active boolean`,
      )} as n
      join countries c on c.iso_code = n.country_code
    on conflict (code) do nothing
    returning id`
  return made.count
}

export type NewMarks = NetworkMarks & Readonly<{ network_code: string }>

/**
 * Writes each mark that a network has from no source yet, and leaves those that it has; returns how
 * many networks were given one.
 */
export async function fillMarks(sql: Sql, marks: readonly NewMarks[]): Promise<number> {
  const filled = await sql`
    update networks n
       set colour = case when n.mark_sources ? 'colour' then n.colour else m.colour end,
           rank = case when n.mark_sources ? 'rank' then n.rank else m.rank end,
           ussd = case when n.mark_sources ? 'ussd' then n.ussd else m.ussd end,
           prefixes = case when n.mark_sources ? 'prefixes' then n.prefixes
                           else array(select jsonb_array_elements_text(m.prefixes)) end,
           mark_sources = m.mark_sources || n.mark_sources
      from ${jsonRows(
        sql,
        marks,
        sql`
        network_code text, colour text, rank int, prefixes jsonb, ussd text, mark_sources jsonb`,
      )} as m
     where n.code = m.network_code
       and not n.mark_sources ?& array(select jsonb_object_keys(m.mark_sources))
    returning n.id`
  return filled.count
}

export async function hasCountry(sql: Sql, iso_code: string): Promise<boolean> {
  const rows = await sql`select 1 from countries where iso_code = ${iso_code}`
  return rows.count === 1
}

/** As payers know them, switched off or not. */
export async function listNetworkNames(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select name from networks order by name`
  return rows.map(({ name }) => name)
}

// Statements about networks as staff see and change them, and what they share with LIVE.

const networkColumns = (sql: Sql): Fragment => sql`
  n.id, n.country_id, c.iso_code as country_code, n.code, n.name, n.currency, n.flow, n.otp_kind,
  n.otp_instructions, n.takes_payins, n.takes_payouts, n.is_active, n.collect_routing,
  n.disburse_routing, n.colour, n.rank, n.prefixes, n.ussd, n.mark_sources, n.created_at,
  n.updated_at`

/** By country and code; `country` undefined: those of all countries. */
export async function listStaffNetworks(sql: Sql, country: string | undefined): Promise<Network[]> {
  return sql<Network[]>`
    select ${networkColumns(sql)}
      from networks n join countries c on c.id = n.country_id
     where ${country === undefined ? sql`true` : sql`c.iso_code = ${country}`}
     order by c.iso_code, n.code`
}

export async function findNetwork(sql: Sql, code: string): Promise<Network | undefined> {
  const [row] = await sql<Network[]>`
    select ${networkColumns(sql)}
      from networks n join countries c on c.id = n.country_id
     where n.code = ${code}`
  return row
}

export async function lockNetwork(tx: Tx, id: string): Promise<Network | undefined> {
  const [row] = await tx<Network[]>`
    select ${networkColumns(tx)}
      from networks n join countries c on c.id = n.country_id
     where n.id = ${id}
       for update of n`
  return row
}

/** Nobody changes it until the transaction ends. */
export async function shareNetwork(tx: Tx, id: string): Promise<Network | undefined> {
  const [row] = await tx<Network[]>`
    select ${networkColumns(tx)}
      from networks n join countries c on c.id = n.country_id
     where n.id = ${id}
       for share of n`
  return row
}

/** Payers of one of its routes make a code first, whatever the network's own way. */
export async function hasCodeRoute(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`select from routes where network_id = ${id} and otp_kind = 'PRE' limit 1`
  return rows.count > 0
}

export type NetworkSettings = Pick<
  Network,
  | 'name'
  | 'is_active'
  | 'takes_payins'
  | 'takes_payouts'
  | 'otp_instructions'
  | 'collect_routing'
  | 'disburse_routing'
>

/** Under `lockNetwork`. Answers when it was changed. */
export async function updateNetwork(tx: Tx, id: string, to: NetworkSettings): Promise<Date> {
  const [row] = await tx<{ updated_at: Date }[]>`
    update networks
       set name = ${to.name}, is_active = ${to.is_active}, takes_payins = ${to.takes_payins},
           takes_payouts = ${to.takes_payouts}, otp_instructions = ${to.otp_instructions},
           collect_routing = ${to.collect_routing}, disburse_routing = ${to.disburse_routing},
           updated_at = now()
     where id = ${id}
    returning updated_at`
  if (row === undefined) throw new Error('bug: a locked network is gone')
  return row.updated_at
}

/** Real money may move here: there is a gateway of LIVE. */
export async function hasLiveGateway(sql: Sql): Promise<boolean> {
  const rows = await sql`select 1 from gateways where environment = 'LIVE' limit 1`
  return rows.count > 0
}
