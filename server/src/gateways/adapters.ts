// The operators that we can have accounts with, and how an account of theirs is opened. A new
// operator is a folder here and a line in this list.

import type { Keyring } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db.ts'
import type { Outbound } from '../platform/outbound/outbound.ts'
import { openedAccount } from './accounts.ts'
import type { Account, AdapterModule, Gateway } from './gateway.ts'
import type { Factories, FoundGateway } from './live-gateways.ts'
import { mtnAdapter } from './mtn-momo-api/mtn-gateway.ts'
import { orangeAdapter } from './orange-web-payment/orange-gateway.ts'
import { sharedTokens } from './token-leases.ts'
import { waveAdapter } from './wave-business-api/wave-gateway.ts'

export const adapters: readonly AdapterModule[] = [mtnAdapter, waveAdapter, orangeAdapter]

export const findAdapter = (name: string): AdapterModule | undefined =>
  adapters.find(({ adapter }) => adapter === name)

export type OpenDeps = Readonly<{
  /** Its commits need not be durable: what it keeps is tokens. */
  quick: Db
  keyring: Keyring
  outbound: Outbound
  clock: () => number
  /** Counts what an operator sent and its sheet does not list. */
  note: (gateway_code: string, what: string) => void
}>

export function openAccount(deps: OpenDeps, module: AdapterModule, account: Account): Gateway {
  const { quick: db, keyring, outbound, clock } = deps
  const { id: gateway_id, code } = account
  return module.open(account, {
    outbound,
    clock,
    tokens: (obtain) => sharedTokens({ db, keyring, gateway_id, now: clock }, obtain),
    note: (what) => deps.note(code, what),
  })
}

/** One for each operator of the list; an account without secrets is not opened. */
export const accountFactories = (deps: OpenDeps): Factories =>
  Object.fromEntries(
    adapters.map((module) => [
      module.adapter,
      (row: FoundGateway) => {
        const account = openedAccount(deps.keyring, row)
        return account && openAccount(deps, module, account)
      },
    ]),
  )

/** How long a change of an account may take to count in a process. Milliseconds. */
const refreshMs = 1_000

/** Reads the table at every second, where nothing else has led to it. */
export function watchEvery(work: () => Promise<void>): Readonly<{ stop(): Promise<void> }> {
  let under_way = Promise.resolve()
  const timer = setInterval(() => {
    under_way = work().catch(() => undefined)
  }, refreshMs)
  timer.unref()
  return {
    stop: () => {
      clearInterval(timer)
      return under_way
    },
  }
}
