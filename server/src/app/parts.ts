// What a process is made of before it is put together: connections, keys, configuration, clocks.

import type { Logger } from 'pino'
import type { FoundGateway } from '../gateways/live-gateways.ts'
import type { Room } from '../gateways/read-balances.ts'
import { hastenWaiting } from '../payouts/start-waiting.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db.ts'
import type { OwnConnection } from '../platform/export/exports.ts'
import type { Waker } from '../platform/jobs/notify.ts'
import { hastenRefunds } from '../refunds/send-again.ts'
import { hastenSettlements } from '../settlements/send-again.ts'
import type { Config } from './config.ts'

export type Parts = Readonly<{
  config: Config
  /** Durable commits: everything about money. */
  db: Db
  /** Commits that may be lost with the machine: counters, leases. */
  quick: Db
  /** Lists, searches and reports: a slow one is ended, and keeps only its like waiting. */
  reads: Db
  /** A connection for one export, to the merchant's rows. */
  openAlone: (merchant_id: string) => Promise<OwnConnection>
  keyring: Keyring
  waker: Waker
  /** Wakes a job in the other processes too. */
  wakeOthers: (name: string) => void
  /** Where the sandbox operator is now. */
  simulator_url: () => string
  /** Where a gateway reaches us, without a slash at the end. */
  callback_base: (gateway_code: string) => string
  /** Our own and the sandbox operator’s; `rules` in `wire.ts` add those of its imitations. */
  own_ports: () => readonly number[]
  /** The accounts with operators as they were at the start. */
  gateways: readonly FoundGateway[]
  /** The origin of our own pages, without a trailing slash. */
  public_url: string
  /** Where the dashboard is, without a trailing slash: of its own, or `public_url`. */
  dashboard_url: string
  log: Logger
}>

/** Wakes a job here and in the other processes. */
export const wakeUpOf =
  ({ waker, wakeOthers }: Parts) =>
  (name: string): void => {
    waker.wake(name)
    wakeOthers(name)
  }

/** What waited for an operator is looked at now, in whichever process, whatever it pays. */
export const onRoomOf = (parts: Parts) => {
  const deps = { db: parts.db, wake: wakeUpOf(parts) }
  return async (room: Room): Promise<void> => {
    await Promise.all([
      hastenWaiting(deps, room),
      hastenRefunds(deps, room),
      hastenSettlements(deps, room),
    ])
  }
}
