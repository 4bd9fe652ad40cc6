// Accounts with operators: adding one, its secrets in versions, and opening it. Law: a secret goes
// in and never comes out; what people see of it is its fingerprint.

import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { AuditAction } from '../audit/actions.ts'
import { type Act, type Actor, systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { publishCatalogue } from '../catalogue/extend-catalogue.ts'
import { platformMerchant } from '../ledger/account.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { assert, defineErrors, refuse } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { newId } from '../platform/ids.ts'
import { assertAccount, specsFor, type Values, withStandards } from './account-settings.ts'
import {
  endTokens,
  type FoundGateway,
  findAccount,
  findFoundGateway,
  hasPassedCheck,
  insertAccount,
  insertSecret,
  listSecrets,
  lockAccount,
  type SecretRow,
  saveCheck,
  updateSecretState,
} from './account-store.ts'
import type { Account, AdapterModule } from './adapter.ts'
import type { Finding } from './gateway.ts'
import { updateGateway } from './store.ts'

export type AccountDeps = Readonly<{ db: Db; keyring: Keyring }>

/** What the secrets of a version are bound to, by the primary key of their row. */
export const secretBinding = ([gateway_id = '', version = '']: readonly string[]): string =>
  `gateway_secrets:${gateway_id}:${version}`

/** The first and last characters would give it away; eight of a hash do not. */
export const fingerprintOf = (secrets: Values): string => {
  const sorted = Object.entries(secrets).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 12)
}

export type AccountRequest = Readonly<{
  code: string
  name: string
  environment: Environment
  country: string
  settings: Values
  /** Absent: they are set later, and then promoted. */
  secrets?: Values
  /** Absent: the command line. */
  by?: Actor
  /** Also in SANDBOX it speaks to its operator's own addresses alone. */
  own_hosts?: boolean
  /** The proxies that it may go through; undefined: any. */
  proxies?: readonly string[] | undefined
}>

/**
 * Adds the account, switched off, with its first secrets: in LIVE they wait, as any others do, for
 * two people. Throws what is wrong, by field; a code that is taken is refused.
 */
export async function addAccount(
  { db, keyring }: AccountDeps,
  module: AdapterModule,
  request: AccountRequest,
): Promise<FoundGateway> {
  await inTransaction(db, (tx) => addAccountIn({ tx, keyring }, module, request))
  const made = await findFoundGateway(db, request.code)
  assert(made !== undefined, `gateway ${request.code} was added`)
  return made
}

/** The same within a transaction; its id. */
export async function addAccountIn(
  { tx, keyring }: Readonly<{ tx: Tx; keyring: Keyring }>,
  module: AdapterModule,
  request: AccountRequest,
): Promise<string> {
  const { environment, code, name, country, secrets, by = systemActor } = request
  const settings = settingsIn(module, request)
  const id = newId()
  const account = { id, code, adapter: module.adapter, name, environment, country, settings }
  if (!(await insertAccount(tx, account))) throw taken(code)
  const state = environment === 'LIVE' ? 'NEXT' : 'CURRENT'
  const first = { gateway_id: id, version: 1, state } as const
  const fingerprint =
    secrets === undefined ? '' : await writeSecret(tx, keyring, { ...first, secrets, by })
  const keys = fingerprint === '' ? {} : { fingerprint }
  const after = { code, adapter: module.adapter, country, ...settings, ...keys }
  await recordAccountAct(tx, { id, environment }, { action: 'gateway.added', after, actor: by })
  await publishCatalogue(tx)
  return id
}

/** What it is to be set up with, standard values too. Throws what is wrong, by field. */
export function settingsIn(module: AdapterModule, request: AccountRequest): Values {
  const { environment, code, secrets, own_hosts = false, proxies } = request
  const specs = specsFor(module, environment, false)
  const settings = withStandards(specs, request.settings, environment)
  assertAccount(module, environment, { code, settings, secrets, own_hosts, proxies })
  return settings
}

/** What adding an account and giving it secrets are answered. */
export const accountErrors = defineErrors({
  gateway_exists: {
    status: 409,
    message: {
      en: 'There is a gateway with this code already. Choose another code.',
      fr: 'Une passerelle porte déjà ce code. Choisissez un autre code.',
    },
  },
  no_new_secrets: {
    status: 409,
    message: {
      en: 'There are no new secrets: set them first.',
      fr: 'Il n’y a pas de nouveaux secrets : enregistrez-les d’abord.',
    },
  },
  gateway_without_settings: {
    status: 409,
    message: {
      en: 'This gateway has no settings and no secrets.',
      fr: 'Cette passerelle n’a ni réglages ni secrets.',
    },
  },
  no_former_secrets: {
    status: 409,
    message: {
      en: 'There are no former secrets.',
      fr: 'Il n’y a pas d’anciens secrets.',
    },
  },
})

export const taken = (code: string) =>
  refuse(accountErrors.gateway_exists, {
    message: {
      en: `There is a gateway ${code} already. Choose another code.`,
      fr: `La passerelle ${code} existe déjà. Choisissez un autre code.`,
    },
  })

type NewSecret = Pick<SecretRow, 'gateway_id' | 'version' | 'state'> &
  Readonly<{ secrets: Values; by?: Actor }>

/** Seals them into a version of their own; their fingerprint. */
export async function writeSecret(tx: Tx, keyring: Keyring, secret: NewSecret): Promise<string> {
  const { gateway_id, version, state, secrets, by } = secret
  const bound_to = secretBinding([gateway_id, String(version)])
  const sealed = keyring.seal(JSON.stringify(secrets), bound_to)
  const fingerprint = fingerprintOf(secrets)
  const created_by = by?.kind === 'STAFF' ? by.id : null
  await insertSecret(tx, { gateway_id, version, state, sealed, fingerprint, created_by })
  return fingerprint
}

export const recordAccountAct = (
  tx: Tx,
  { id, environment }: Pick<FoundGateway, 'id' | 'environment'>,
  act: Pick<Act, 'before' | 'after'> & Readonly<{ action: AuditAction; actor?: Actor }>,
) =>
  recordAct(tx, {
    merchant_id: platformMerchant[environment],
    environment,
    actor: systemActor,
    target_kind: 'gateway',
    target_id: id,
    ...act,
  })

export type SecretShown = Omit<SecretRow, 'gateway_id' | 'sealed' | 'state_at'>

/** New ones count once they are promoted; one set waits. An imitation's are ours to say. */
export function setNextSecrets(
  { db, keyring }: AccountDeps,
  module: AdapterModule,
  given: Readonly<{ account: FoundGateway; secrets: Values; by?: Actor }>,
): Promise<Readonly<{ version: number; fingerprint: string }>> {
  const { account, secrets, by = systemActor } = given
  const { id, environment } = account
  if (account.dialect != null) throw refuse(accountErrors.gateway_without_settings)
  assertAccount(module, environment, { secrets })
  return inTransaction(db, async (tx) => {
    await lockAccount(tx, id)
    const all = await listSecrets(tx, id)
    for (const one of all.filter(({ state }) => state === 'NEXT')) {
      await updateSecretState(tx, one, 'RETIRED')
    }
    const version = Math.max(0, ...all.map((one) => one.version)) + 1
    const secret = { gateway_id: id, version, state: 'NEXT' as const, secrets, by }
    const fingerprint = await writeSecret(tx, keyring, secret)
    const after = { version, fingerprint }
    await recordAccountAct(tx, account, { action: 'gateway_secrets.set', after, actor: by })
    return after
  })
}

/** As `promoteIn`, by command. Throws one line where there are none. */
export const promoteSecrets = ({ db }: AccountDeps, account: FoundGateway): Promise<number> =>
  inTransaction(db, async (tx) => {
    const version = await promoteIn(tx, account, { actor: systemActor })
    if (version === undefined) throw refuse(accountErrors.no_new_secrets)
    await publishCatalogue(tx)
    return version
  })

type Promoting = Readonly<{
  actor: Actor
  /** Of those that are meant; absent: whichever wait. */
  fingerprint?: string
  version?: number | undefined
}>

/**
 * NEXT becomes CURRENT, CURRENT becomes PREVIOUS, and what was PREVIOUS is retired. Undefined
 * where no secrets wait, or others than these.
 */
export async function promoteIn(
  tx: Tx,
  account: Pick<FoundGateway, 'id' | 'environment'>,
  { actor, fingerprint, version }: Promoting,
): Promise<number | undefined> {
  await lockAccount(tx, account.id)
  const all = await listSecrets(tx, account.id)
  const of = (state: SecretRow['state']) => all.find((one) => one.state === state)
  const next = of('NEXT')
  if (next === undefined) return undefined
  if ((fingerprint ?? next.fingerprint) !== next.fingerprint) return undefined
  if ((version ?? next.version) !== next.version) return undefined
  // In this order, because no two rows of an account may have one state.
  for (const [from, to] of steps) {
    const row = of(from)
    if (row !== undefined) await updateSecretState(tx, row, to)
  }
  await endTokens(tx, account.id)
  const after = { version: next.version, fingerprint: next.fingerprint }
  await recordAccountAct(tx, account, { action: 'gateway_secrets.promoted', after, actor })
  return next.version
}

type CheckFound = Readonly<{
  findings: readonly Finding[]
  next?: Account | undefined
  /** Who of the staff checked it. Absent: nobody is recorded. */
  by?: Actor
}>

/** Of the account as it was read, or with the secrets that wait: it counts for those alone. */
export async function keepCheck(
  { db }: Pick<AccountDeps, 'db'>,
  account: FoundGateway,
  { findings, next, by }: CheckFound,
): Promise<void> {
  const { id, secrets_version } = account
  const passed = findings.every(({ is }) => is !== 'FAIL')
  await inTransaction(db, async (tx) => {
    // A check of other settings counts for nothing; they may have been changed since it began.
    await lockAccount(tx, id)
    const now = await findAccount(tx, account)
    if (!isDeepStrictEqual(now?.settings, account.settings)) return
    const used = (await listSecrets(tx, id)).find(({ version }) => version === secrets_version)
    const fingerprint = next === undefined ? (used?.fingerprint ?? '') : fingerprintOf(next.secrets)
    await saveCheck(tx, { gateway_id: id, fingerprint, passed })
    if (by === undefined) return
    const after = { fingerprint, passed }
    await recordAccountAct(tx, account, { action: 'gateway.checked', after, actor: by })
  })
}

/**
 * Nothing of LIVE is switched on whose account has not passed a check within a day, with the
 * secrets that it is opened with: those that count, or are to be promoted with it.
 */
export async function assertChecked(
  tx: Tx,
  { id, code, environment }: Pick<FoundGateway, 'id' | 'code' | 'environment'>,
  fingerprint?: string,
): Promise<void> {
  if (environment !== 'LIVE') return
  if (await hasPassedCheck(tx, id, fingerprint)) return
  const command = `npm run cli -- gateway check ${code}`
  const message = {
    en:
      `${code} has not passed a check within the last 24 hours with these secrets. ` +
      `Run \`${command}\`, then try again.`,
    fr:
      `${code} n’a réussi aucune vérification avec ces secrets au cours des dernières 24 heures. ` +
      `Lancez « ${command} », puis réessayez.`,
  }
  throw refuse(checkErrors.gateway_not_checked, { message })
}

/** What a check, and switching on without one, can be answered. */
export const checkErrors = defineErrors({
  gateway_not_checked: {
    status: 409,
    message: {
      en: 'The account has not passed a check within the last 24 hours.',
      fr: 'Le compte n’a réussi aucune vérification au cours des dernières 24 heures.',
    },
  },
  gateway_check_running: {
    status: 409,
    retryable: true,
    message: {
      en: 'A check of this account is under way. Try again once it has ended.',
      fr: 'Une vérification de ce compte est en cours. Réessayez quand elle sera terminée.',
    },
  },
})

const steps = [
  ['PREVIOUS', 'RETIRED'],
  ['CURRENT', 'PREVIOUS'],
  ['NEXT', 'CURRENT'],
] as const

export type Retired = Readonly<{ version: number; fingerprint: string }>

/** Takes the former secrets away for ever. */
export function retireSecrets(
  { db }: Pick<AccountDeps, 'db'>,
  account: FoundGateway,
  by: Actor = systemActor,
): Promise<Retired> {
  return inTransaction(db, async (tx) => {
    await lockAccount(tx, account.id)
    const former = (await listSecrets(tx, account.id)).find(({ state }) => state === 'PREVIOUS')
    if (former === undefined) throw refuse(accountErrors.no_former_secrets)
    await updateSecretState(tx, former, 'RETIRED')
    const { version, fingerprint } = former
    const after = { version, fingerprint }
    await recordAccountAct(tx, account, { action: 'gateway_secrets.retired', after, actor: by })
    return after
  })
}

/** Off stops creates alone: what the operator has is asked about, and its callbacks count. */
export function switchAccount(
  { db }: Pick<AccountDeps, 'db'>,
  account: FoundGateway,
  { is_active, why }: Readonly<{ is_active: boolean; why: string }>,
): Promise<void> {
  return inTransaction(db, async (tx) => {
    await lockAccount(tx, account.id)
    await updateGateway(tx, account.id, { name: account.name, is_active })
    await recordAccountAct(tx, account, { action: 'gateway.changed', after: { is_active, why } })
    await publishCatalogue(tx)
  })
}

export async function secretsOf(
  { db }: Pick<AccountDeps, 'db'>,
  account: FoundGateway,
): Promise<SecretShown[]> {
  const all = await listSecrets(db, account.id)
  return all.map(({ version, state, fingerprint, created_at, valid_until }) => ({
    ...{ version, state },
    ...{ fingerprint, created_at, valid_until },
  }))
}

/** What an adapter is opened with; undefined where an account has no secrets yet. */
export function openedAccount(keyring: Keyring, row: FoundGateway): Account | undefined {
  const { id, code, environment, country, settings } = row
  const secrets = openedSecrets(keyring, id, row.secrets_version, row.sealed)
  if (secrets === undefined) return undefined
  const former_secrets = openedSecrets(keyring, id, row.former_version, row.former_sealed)
  const account = { id, code, environment, country, settings, secrets }
  return former_secrets === undefined ? account : { ...account, former_secrets }
}

function openedSecrets(
  keyring: Keyring,
  gateway_id: string,
  version: number | null,
  sealed: Buffer | null,
): Values | undefined {
  if (version === null || sealed === null) return undefined
  return JSON.parse(keyring.unseal(sealed, secretBinding([gateway_id, String(version)])))
}

/** The same account with the secrets that wait, to look whether they are good. */
export async function withNextSecrets(
  { db, keyring }: AccountDeps,
  row: FoundGateway,
): Promise<Account | undefined> {
  const next = (await listSecrets(db, row.id)).find(({ state }) => state === 'NEXT')
  if (next === undefined) return undefined
  return openedAccount(keyring, { ...row, secrets_version: next.version, sealed: next.sealed })
}
