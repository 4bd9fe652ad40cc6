// A connection of its own at a merchant's rows, for a file that is read for minutes. On a
// distributed database it has a transaction open behind the guard until it is closed: what it reads
// is one moment's, and a move of the group waits for it.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, Sql } from '../db.ts'
import { isMoved, moved_wait_ms, pause_ms } from './group-pool.ts'
import { callGuard, findGroup, type Group } from './map-store.ts'

type Alone = Readonly<{ db: Db; close(): Promise<void> }>

type AloneDeps = Readonly<{
  /** Where the map of the groups is. */
  control: Sql
  /** One connection to a group; to the only database there is, where none is given. */
  open: (group?: Group) => Alone
  /** How long a move that is under way is waited for. Default 15 s. */
  wait_ms?: number
}>

/** Whoever asked for it closes it. */
export async function aloneAtHome(
  { control, open, wait_ms = moved_wait_ms }: AloneDeps,
  merchant_id: string,
): Promise<Alone> {
  const until = performance.now() + wait_ms
  for (;;) {
    const group = await findGroup(control, merchant_id)
    const alone = open(group)
    if (group === undefined) return alone
    try {
      // The driver lets a client of one connection begin by itself; it ends with the connection.
      await alone.db.unsafe('begin isolation level repeatable read')
      await callGuard(alone.db)
      return alone
    } catch (error) {
      await alone.close()
      if (!isMoved(error) || performance.now() >= until) throw error
    }
    await sleep(pause_ms)
  }
}
