// Imitations of operators' wires, which a merchant of the sandbox may put behind a network: which
// there are, and the one account that all its merchants share. Law: an imitation is in the sandbox
// alone, and only who chose it is routed to it.

import { systemActor } from '../audit/audit.ts'
import type { Network } from '../catalogue/catalogue.ts'
import { publishCatalogue } from '../catalogue/extend-catalogue.ts'
import { smallestUnit } from '../money/currency.ts'
import { inTransaction, type Tx } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { own_code, specsFor, type Values, withStandards } from './account-settings.ts'
import {
  type FoundGateway,
  insertDialectAccount,
  listFoundGateways,
  listSecrets,
  lockDialect,
  updateDialectSettings,
} from './account-store.ts'
import {
  type AccountDeps,
  fingerprintOf,
  promoteIn,
  recordAccountAct,
  writeSecret,
} from './accounts.ts'
import type { AdapterModule } from './adapter.ts'
import { adapters, findAdapter } from './adapters.ts'
import type { Direction } from './gateway.ts'
import { addRoutes, type NewRoute } from './gateways.ts'

/** The sandbox operator itself, which imitates nobody. */
export const plainDialect = 'pirogue'

/** Every name, the plain one first. */
export const dialectNames: readonly string[] = [
  plainDialect,
  ...adapters.flatMap(({ adapter, imitates }) => (imitates === undefined ? [] : [adapter])),
]

export const directionsOf = ({ takes_payins, takes_payouts }: Network): Direction[] => [
  ...(takes_payins ? (['COLLECT'] as const) : []),
  ...(takes_payouts ? (['DISBURSE'] as const) : []),
]

/** Those that a network may speak, one way. */
export const dialectsOf = (network: Network, direction: Direction): string[] =>
  dialectNames.filter(
    (name) => name === plainDialect || findAdapter(name)?.imitates?.(network, direction) === true,
  )

export const dialectCode = (dialect: string): string => `${own_code}${dialect}`

/** Undefined for an account that is none with an imitation. */
export const dialectOfAccount = (code: string): string | undefined =>
  dialectNames.find((name) => name !== plainDialect && dialectCode(name) === code)

/** How the sandbox operator says that its imitation is used. */
export type OpenedDialect = Readonly<{
  base_url: string
  settings: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
}>

type Opened = Readonly<{ dialect: string; opened: OpenedDialect; networks: readonly Network[] }>

/** Behind all others, for a process of an older version, which knows no choice. */
const priority = 1000
/** As the first desk of the plain operator: the choice changes no sum. Parts per million. */
const costs = { COLLECT: 15_000n, DISBURSE: 10_000n } as const

/**
 * Makes the account and its routes, or brings them up to date; nothing where all is as it was. Of
 * several at once one does it.
 */
export async function keepDialect(
  deps: AccountDeps,
  { dialect, opened, networks }: Opened,
): Promise<void> {
  const module = findAdapter(dialect)
  if (module?.imitates === undefined) throw new Error(`There is no dialect ${dialect}.`)
  const given = { base_url: opened.base_url, ...opened.settings }
  const settings = withStandards(specsFor(module, 'SANDBOX', false), given, 'SANDBOX')
  await inTransaction(deps.db, async (tx) => {
    await lockDialect(tx, dialect)
    const all = await listFoundGateways(tx)
    const found = all.find((one) => one.dialect === dialect)
    const kept =
      found === undefined
        ? await addDialect(tx, deps, { module, settings, secrets: opened.secrets })
        : await mendDialect(tx, deps, { found, settings, secrets: opened.secrets })
    const added = await addRoutes(
      tx,
      networks.flatMap((network) => routesOf(network, dialect)),
    )
    if (kept === 'changed' || added > 0) await publishCatalogue(tx)
  })
}

type Kept = 'changed' | 'as it was'

async function addDialect(
  tx: Tx,
  { keyring }: AccountDeps,
  {
    module,
    settings,
    secrets,
  }: Readonly<{ module: AdapterModule; settings: Values; secrets: Values }>,
): Promise<Kept> {
  const { adapter } = module
  const code = dialectCode(adapter)
  const [id, environment, country] = [newId(), 'SANDBOX' as const, 'XX']
  const name = `${module.name} (imitated)`
  const account = { id, code, adapter, name, environment, country, settings, dialect: adapter }
  await insertDialectAccount(tx, account)
  await writeSecret(tx, keyring, { gateway_id: id, version: 1, state: 'CURRENT', secrets })
  const after = { code, adapter, ...settings }
  await recordAccountAct(tx, account, { action: 'gateway.added', after })
  return 'changed'
}

/** It has another port, or the installation another key. */
async function mendDialect(
  tx: Tx,
  { keyring }: AccountDeps,
  {
    found,
    settings,
    secrets,
  }: Readonly<{ found: FoundGateway; settings: Values; secrets: Values }>,
): Promise<Kept> {
  const { id } = found
  const versions = await listSecrets(tx, id)
  const current = versions.find(({ state }) => state === 'CURRENT')
  const isMoved = Object.entries(settings).some(([key, value]) => found.settings[key] !== value)
  const isOther = current?.fingerprint !== fingerprintOf(secrets)
  if (isMoved) {
    await updateDialectSettings(tx, id, settings)
    await recordAccountAct(tx, found, { action: 'gateway.changed', after: settings })
  }
  if (isOther) {
    const version = Math.max(0, ...versions.map((one) => one.version)) + 1
    await writeSecret(tx, keyring, { gateway_id: id, version, state: 'NEXT', secrets })
    await promoteIn(tx, found, { actor: systemActor })
  }
  return isMoved || isOther ? 'changed' : 'as it was'
}

const waysOf = (network: Network, dialect: string): Direction[] =>
  directionsOf(network).filter((direction) => dialectsOf(network, direction).includes(dialect))

const routesOf = (network: Network, dialect: string): NewRoute[] =>
  waysOf(network, dialect).map((direction) => ({
    id: newId(),
    network_code: network.code,
    direction,
    gateway_code: dialectCode(dialect),
    environment: 'SANDBOX',
    priority,
    is_active: true,
    // Magic numbers make routes fail on purpose: they must not take a route from the next test.
    breaker: false,
    amount_step: smallestUnit(network.currency),
    cost_percent_ppm: costs[direction],
    cost_fixed: 0n,
    cost_floor: null,
    cost_cap: null,
  }))
