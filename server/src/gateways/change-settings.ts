// The settings of an account that is there already are changed: SANDBOX by one, LIVE by two. Law:
// each is judged as when it was added, and what says where payments are found again changes only
// while none is with the operator.

import { type Actor, actorOfPerson, changedFields } from '../audit/audit.ts'
import { publishCatalogue } from '../catalogue/extend-catalogue.ts'
import { type Apply, propose } from '../people/proposals/decide-proposal.ts'
import { proposalErrors } from '../people/proposals/errors.ts'
import type { Content, Proposal } from '../people/proposals/proposal.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { assert, defineErrors, refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import {
  assertAccount,
  settingsOf,
  specsFor,
  type Values,
  withStandards,
} from './account-settings.ts'
import { endTokens, type FoundGateway, findAccount, lockAccount } from './account-store.ts'
import { accountErrors, recordAccountAct } from './accounts.ts'
import type { AdapterModule } from './adapter.ts'
import { findAdapter } from './adapters.ts'
import { deleteChecks, isRested, updateMoved, updateSettings } from './settings-store.ts'
import { findGatewayId, findStaffGateway, type StaffGateway } from './store.ts'

export type SettingsDeps = Readonly<{
  db: Db
  /** Whether anything is with the account that is not known to have ended; on no transaction. */
  isInUse: (gateway_id: string) => Promise<boolean>
  /** An account of SANDBOX speaks to its operator's own addresses alone. */
  own_hosts: boolean
  /** The proxies that an account may go through; undefined: any. */
  proxies?: readonly string[] | undefined
}>

export type SettingsRequest = Pick<FoundGateway, 'id' | 'environment'> &
  Readonly<{
    /** By key; an empty one is taken away, or is the standard again. What is not named stays. */
    settings: Values
  }>

export type SettingsOutcome =
  | Readonly<{ is: 'done'; gateway: StaffGateway }>
  | Readonly<{ is: 'proposed'; proposal: Proposal }>

/**
 * By staff. Refuses an account of the other environment as unknown; without a change nothing is
 * written. In LIVE it is proposed to another.
 */
export async function changeSettings(
  deps: SettingsDeps,
  person: Person,
  request: Pick<SettingsRequest, 'id' | 'settings'>,
): Promise<SettingsOutcome> {
  const { environment } = person
  const in_use = await deps.isInUse(request.id)
  return inTransaction(deps.db, async (tx) => {
    const change = await judge(tx, { ...deps, in_use }, { ...request, environment })
    if (change.changes !== undefined && environment === 'LIVE') {
      return { is: 'proposed', proposal: await proposeChange(tx, person, change) }
    }
    await keep(tx, change, actorOfPerson(person))
    const gateway = await findStaffGateway(tx, { id: request.id, environment })
    assert(gateway !== undefined, `gateway ${request.id} is locked`)
    return { is: 'done', gateway }
  })
}

/** By the command line, of SANDBOX; as it is set up from now on. */
export async function setSettings(
  deps: SettingsDeps,
  request: SettingsRequest,
  by: Actor,
): Promise<Values> {
  const in_use = await deps.isInUse(request.id)
  return inTransaction(deps.db, async (tx) => {
    const change = await judge(tx, { ...deps, in_use }, request)
    await keep(tx, change, by)
    return change.to
  })
}

/** What changing settings can be answered. */
export const settingsErrors = defineErrors({
  gateway_in_use: {
    status: 409,
    message: {
      en: 'Disable the account, wait a minute and until all that is with it has ended.',
      fr: 'Désactivez le compte, attendez une minute et la fin de tout ce qui s’y trouve.',
    },
  },
})

type Change = Readonly<{
  account: FoundGateway
  to: Values
  /** By `settings.key`, what was and what will be; undefined: nothing changes. */
  changes: Readonly<{ before: Values; after: Values }> | undefined
  /** Whether payments are found elsewhere from then on. */
  moves: boolean
}>

async function judge(
  tx: Tx,
  {
    own_hosts,
    proxies,
    in_use,
  }: Pick<SettingsDeps, 'own_hosts' | 'proxies'> & Readonly<{ in_use: boolean }>,
  { id, environment, settings }: SettingsRequest,
): Promise<Change> {
  await lockAccount(tx, id)
  const account = await findAccount(tx, { id, environment })
  if (account === undefined) throw refuse(transportErrors.not_found)
  const module = findAdapter(account.adapter)
  if (module === undefined || account.dialect != null) {
    throw refuse(accountErrors.gateway_without_settings)
  }
  const to = settingsAfter(module, account, settings)
  // One that the command line has set stays as it is: whatever else is wrong can be put right.
  const isSame = to['egress_proxy'] === account.settings['egress_proxy']
  assertAccount(module, environment, {
    ...{ settings: to, secrets: undefined, own_hosts },
    proxies: isSame ? undefined : proxies,
  })
  const names = Object.keys({ ...account.settings, ...to })
  const shown = (of: Values) =>
    Object.fromEntries(names.map((name) => [`settings.${name}`, of[name] ?? '']))
  const found = changedFields(shown(account.settings), shown(to))
  const changes =
    found === undefined ? undefined : { before: texts(found.before), after: texts(found.after) }
  const fixed = fixedIn(module, names).filter((name) => account.settings[name] !== to[name])
  const moves = fixed.length > 0
  if (moves && (in_use || !(await isRested(tx, id)))) throw inUse(fixed)
  return { account, to, changes, moves }
}

const texts = (of: Readonly<Record<string, unknown>>): Values =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, String(value)]))

function settingsAfter(module: AdapterModule, account: FoundGateway, settings: Values): Values {
  const specs = specsFor(module, account.environment, false)
  const all = Object.entries({ ...account.settings, ...settings })
  const given = Object.fromEntries(all.filter(([, value]) => value !== ''))
  return withStandards(specs, given, account.environment)
}

/** Of these, what must stay while the operator has something of ours. */
function fixedIn(module: AdapterModule, names: readonly string[]): string[] {
  const settings = settingsOf(module)
  return names.filter((name) => !settings.some((one) => one.key === name && one.changes_in_use))
}

/** Names settings, and never what was given for one. */
function inUse(names: readonly string[]) {
  const all = names.join(', ')
  return refuse(settingsErrors.gateway_in_use, {
    message: {
      en:
        `${all}: this says where payments are found. Disable the account, wait a minute and ` +
        'until all that is with it has ended; or add another account.',
      fr:
        `${all} : cela indique où les paiements se retrouvent. Désactivez le compte, attendez ` +
        'une minute et la fin de tout ce qui s’y trouve ; ou ajoutez un autre compte.',
    },
  })
}

function proposeChange(tx: Tx, person: Person, { account, changes }: Change): Promise<Proposal> {
  const { id, code, environment } = account
  const former = Object.entries(changes?.before ?? {}).map(([name, was]) => [`former_${name}`, was])
  // Not `code`: a process of an older version would confirm it, and change nothing.
  const of = { environment, gateway: code }
  const content = { ...of, ...changes?.after, ...Object.fromEntries(former) }
  return propose(tx, person, { kind: 'GATEWAY_ACCOUNT', subject: id, content })
}

const former = 'former_settings.'

/** Whether a proposal about an account is of its settings. */
export const changesSettings = (content: Content): boolean =>
  Object.keys(content).some((name) => name.startsWith(former))

/** What another has confirmed: of what it was when it was shown, or not at all. */
export const applySettings =
  (deps: SettingsDeps): Apply =>
  async (tx, by, content) => {
    const of = { code: String(content['gateway']), environment: 'LIVE' } as const
    const id = await findGatewayId(tx, of)
    if (id === undefined) throw refuse(transportErrors.not_found)
    const keys = Object.keys(content).flatMap((name) =>
      name.startsWith(former) ? [name.slice(former.length)] : [],
    )
    const read = (before: string) =>
      Object.fromEntries(keys.map((key) => [key, String(content[before + key])]))
    const in_use = await deps.isInUse(id)
    await lockAccount(tx, id)
    const was = (await findAccount(tx, { id, environment: 'LIVE' }))?.settings ?? {}
    const shown = read(former)
    if (keys.some((key) => (was[key] ?? '') !== shown[key])) {
      throw refuse(proposalErrors.proposal_outdated)
    }
    const request = { id, environment: 'LIVE', settings: read('settings.') } as const
    const change = await judge(tx, { ...deps, in_use }, request)
    await keep(tx, change, actorOfPerson(by))
  }

/** In every process within seconds: it opens the account anew. */
async function keep(tx: Tx, { account, to, changes, moves }: Change, actor: Actor): Promise<void> {
  if (changes === undefined) return
  await updateSettings(tx, { id: account.id, settings: to })
  await deleteChecks(tx, account.id)
  await endTokens(tx, account.id)
  if (moves) await updateMoved(tx, account.id)
  await recordAccountAct(tx, account, { action: 'gateway.changed', ...changes, actor })
  await publishCatalogue(tx)
}
