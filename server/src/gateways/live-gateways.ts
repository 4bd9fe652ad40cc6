// The gateways that this process can speak to, as the table has them now: an account that is added
// or changed is opened again without a restart. Law: a change opens only what changed, calls in
// flight end on what they began with, and a switched-off account stays open to be asked.

import type { Db } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { type FoundGateway, listFoundGateways } from './account-store.ts'
import { newCallbackTimes } from './callback-times.ts'
import type { Gateway, Gateways } from './gateway.ts'

export type { FoundGateway } from './account-store.ts'

/** Makes the gateway of one row, by its `adapter`; undefined: it cannot be opened as it is. */
export type Factories = Readonly<Record<string, (row: FoundGateway) => Gateway | undefined>>

export type LiveGateways = Gateways &
  Readonly<{
    /** The id of each one's row, by code. It changes in place. */
    row_ids: ReadonlyMap<string, string>
    /** The same with its environment. */
    ids: ReadonlyMap<string, Readonly<{ id: string; environment: Environment }>>
    /** Reads the table; calls at the same time share one reading. */
    refresh(): Promise<void>
    /** Every port at which an imitation of an operator listens, or did since our start. */
    dialect_ports(): readonly number[]
    /** One that has just been started: this process does not wait for the table to say so. */
    noteDialect(base_url: string): void
    /** Reports whose callbacks came to the other processes, and learns what they know of it. */
    exchangeCallbacks(): Promise<void>
    /** Called for each code that is opened for the first time from now on. */
    onOpened(listener: (gateway: Gateway) => void): void
  }>

type Open = { key: string; gateway: Gateway }

export type LiveDeps = Readonly<{
  db: Db
  factories: Factories
  /** An account that could not be opened keeps no other from its work. */
  onFault: (code: string, error: unknown) => void
}>

const keyOf = (row: FoundGateway): string =>
  JSON.stringify([
    row.id,
    row.adapter,
    row.is_active,
    row.environment,
    row.country,
    row.settings,
    [row.asks_per_s, row.creates_per_s, row.open_calls],
    [row.secrets_version, row.sealed?.toString('base64') ?? ''],
    [row.former_version, row.former_sealed?.toString('base64') ?? ''],
    row.public_keys,
  ])

export function liveGateways(deps: LiveDeps, rows: readonly FoundGateway[]): LiveGateways {
  const open = new Map<string, Open>()
  const row_ids = new Map<string, string>()
  const ids = new Map<string, { id: string; environment: Environment }>()
  const listeners: ((gateway: Gateway) => void)[] = []
  let all: readonly Gateway[] = []
  const times = newCallbackTimes()
  const imitations = new Set<string>()
  const dialect_ports = new Set<number>()
  let under_way: Promise<void> | undefined

  function take(found: readonly FoundGateway[]): void {
    for (const row of found) {
      const key = keyOf(row)
      if (open.get(row.code)?.key === key) continue
      const gateway = opened(deps, row)
      if (gateway === undefined) continue
      const isNew = !open.has(row.code)
      open.set(row.code, { key, gateway })
      row_ids.set(row.code, row.id)
      ids.set(row.code, { id: row.id, environment: row.environment })
      if (isNew) for (const listener of listeners) listener(gateway)
    }
    all = [...open.values()].map(({ gateway }) => gateway)
    for (const { code, dialect, settings } of found) {
      if (dialect == null) continue
      imitations.add(code)
      noteDialect(settings.base_url ?? '')
    }
  }

  function noteDialect(base_url: string): void {
    if (URL.canParse(base_url)) dialect_ports.add(portOf(new URL(base_url)))
  }

  take(rows)
  return {
    get: (code) => open.get(code)?.gateway,
    all: () => all,
    callbacksCome: (code) => times.come(row_ids.get(code) ?? ''),
    noteCallback(code) {
      const gateway_id = row_ids.get(code)
      // An imitation may be asked as often as we like, and whoever tries it waits for the end.
      if (gateway_id !== undefined && !imitations.has(code)) times.note(gateway_id)
    },
    exchangeCallbacks: () => times.exchange(deps.db),
    dialect_ports: () => [...dialect_ports],
    noteDialect,
    row_ids,
    ids,
    refresh() {
      under_way ??= listFoundGateways(deps.db)
        .then(take)
        .finally(() => {
          under_way = undefined
        })
      return under_way
    },
    onOpened: (listener) => void listeners.push(listener),
  }
}

const portOf = ({ port, protocol }: URL): number =>
  Number(port || (protocol === 'https:' ? 443 : 80))

/** A row whose adapter has no factory here is left out: a newer process knows it. */
function opened({ factories, onFault }: LiveDeps, row: FoundGateway): Gateway | undefined {
  const open = Object.hasOwn(factories, row.adapter) ? factories[row.adapter] : undefined
  try {
    const gateway = open?.(row)
    return gateway === undefined || row.is_active ? gateway : queriedOnly(gateway)
  } catch (error) {
    onFault(row.code, error)
    return undefined
  }
}

/**
 * Of a switched-off account: what was never received there is not sent again either. It is asked
 * about until its time of grace is over.
 */
function queriedOnly(gateway: Gateway): Gateway {
  return { ...gateway, facts: { ...gateway.facts, create_is_idempotent: false, asked_only: true } }
}
