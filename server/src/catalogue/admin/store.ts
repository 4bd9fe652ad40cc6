// Statements about networks as staff see and change them, and what they share with LIVE.

import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import type { Network } from '../catalogue.ts'

const networkColumns = (sql: Sql): Fragment => sql`
  n.id, n.country_id, c.iso_code as country_code, n.code, n.name, n.currency, n.flow, n.otp_kind,
  n.otp_instructions, n.takes_payins, n.takes_payouts, n.is_active, n.colour, n.rank, n.prefixes,
  n.ussd, n.mark_sources, n.created_at, n.updated_at`

/** By country and code; `country` undefined: those of all countries. */
export async function listNetworks(sql: Sql, country: string | undefined): Promise<Network[]> {
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

export type NetworkSettings = Pick<
  Network,
  'name' | 'is_active' | 'takes_payins' | 'takes_payouts' | 'otp_instructions'
>

/** Under `lockNetwork`. Answers when it was changed. */
export async function updateNetwork(tx: Tx, id: string, to: NetworkSettings): Promise<Date> {
  const [row] = await tx<{ updated_at: Date }[]>`
    update networks
       set name = ${to.name}, is_active = ${to.is_active}, takes_payins = ${to.takes_payins},
           takes_payouts = ${to.takes_payouts}, otp_instructions = ${to.otp_instructions},
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
