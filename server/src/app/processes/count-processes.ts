// How many processes of the service a start makes (PROCESSES).

import { availableParallelism } from 'node:os'
import type { Db } from '../../platform/db.ts'
import type { Config } from '../config.ts'
import { readConnectionsMax } from '../store.ts'

/** What a busy process holds at most, without exports (docs/configuration.md, "Processes"). */
const connections_of_one = 35
/** Left for the command line, exports and whoever looks. */
const connections_beside = 15

/**
 * The share of a machine's time that processes of the service can use. A payment costs about as
 * much in the database as here, and a third of that in the sandbox operator (docs/benchmarks.md): a
 * database on the same machine wants its half.
 */
const shares = { beside_database: 0.44, alone: 0.75 }
const at_most = 16

/**
 * As many as the cores can keep busy. Fewer are better than too many: what waits in one process
 * goes to the database together (docs/decisions/0011); two halves of a group cost more than one.
 */
export function usefulProcesses(embedded: boolean, cores: number = availableParallelism()): number {
  const share = embedded ? shares.beside_database : shares.alone
  return Math.min(Math.max(Math.floor(cores * share), 1), at_most)
}

/** What was asked for; `auto` is never more than the database has connections for. */
export async function countProcesses(
  { processes, embedded }: Pick<Config, 'processes' | 'embedded'>,
  db: Db,
): Promise<{ count: number; warning: string | null }> {
  const wanted = processes === 'auto' ? usefulProcesses(embedded) : processes
  if (wanted === 1) return { count: 1, warning: null }
  const most = await readConnectionsMax(db)
  const room = Math.max(Math.floor((most - connections_beside) / connections_of_one), 1)
  if (room >= wanted) return { count: wanted, warning: null }
  const few =
    `max_connections of the database has room for ${room} busy processes of the service ` +
    `(${connections_of_one} connections each)`
  if (processes === 'auto') {
    return { count: room, warning: `${few}; this machine could use ${wanted}.` }
  }
  return { count: wanted, warning: `${few}, and PROCESSES asks for ${wanted}: raise it.` }
}

/** What our own database server must let in. */
export function connectionsFor(processes: Config['processes']): number {
  const count = processes === 'auto' ? usefulProcesses(true) : processes
  return Math.max(100, count * connections_of_one + connections_beside)
}
