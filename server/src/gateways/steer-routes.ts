// Staff add routes and steer them: which gateway serves a network in one direction, in which order,
// at what cost, how its payers confirm. Law: in LIVE a route is switched on, and its price and how
// payers confirm changed, by two people; one switches it off and puts it in another order, at once.
// Takes effect in every process on the next request.

import { actorOfPerson, changedFields } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { publishCatalogue } from '../catalogue/extend-catalogue.ts'
import { platformMerchant } from '../ledger/account.ts'
import { type Apply, propose } from '../people/proposals/decide-proposal.ts'
import { proposalErrors } from '../people/proposals/errors.ts'
import type { Content, Proposal } from '../people/proposals/proposal.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { assertChecked } from './accounts.ts'
import { addRoute, type RouteRequest } from './add-route.ts'
import { applySettings, changesSettings, type SettingsDeps } from './change-settings.ts'
import { addsAccount, applyAccount } from './propose-account.ts'
import { readSettings, type SettingsInput } from './read-route-settings.ts'
import { requireConfirmable } from './route-confirmation.ts'
import { viewSettings } from './staff-view.ts'
import { applyGateway } from './steer-gateways.ts'
import {
  type ConfirmationSettings,
  findStaffRoute,
  lockRoute,
  type RouteSettings,
  type StaffRoute,
  updateRoute,
} from './store.ts'

type Deps = Readonly<{ db: Db }>

/** The route as it is now, or what waits for another member of staff. */
export type RouteOutcome =
  | Readonly<{ is: 'done'; route: StaffRoute }>
  | Readonly<{ is: 'proposed'; proposal: Proposal }>

/**
 * A route of the environment that staff look at, active unless stated otherwise. In LIVE it is
 * written switched off, and an active one is proposed to another.
 */
export function createRoute(
  { db }: Deps,
  person: Person,
  request: RouteRequest,
): Promise<RouteOutcome> {
  const by = { environment: person.environment, actor: actorOfPerson(person) }
  return inTransaction(db, async (tx) => {
    const { route, wanted } = await addRoute(tx, by, request)
    if (wanted.is_active === route.is_active) return { is: 'done', route }
    return { is: 'proposed', proposal: await proposeRoute(tx, person, route, wanted) }
  })
}

/**
 * Refuses a route of the other environment as unknown; without a change nothing is written. What
 * one person may do is done at once, whatever else is asked for with it; it is switched off even
 * where the rest is refused.
 */
export async function changeRoute(
  { db }: Deps,
  person: Person,
  { id, ...request }: SettingsInput & Readonly<{ id: string }>,
): Promise<RouteOutcome> {
  if (person.environment === 'LIVE' && request.is_active === false) {
    await switchOff(db, person, { id, ...request })
  }
  return inTransaction(db, async (tx) => {
    const was = await lockedRoute(tx, person, id)
    const to = readSettings(was, request, was.currency)
    await assertConfirmable(tx, was, to)
    const now = person.environment === 'LIVE' ? oneMayDo(was, to) : to
    await assertMayOpen(tx, was, to)
    const route = await keepRoute(tx, person, was, now)
    if (differences(now, to) === undefined) return { is: 'done', route }
    return { is: 'proposed', proposal: await proposeRoute(tx, person, route, to) }
  })
}

/** By itself: whatever becomes of the rest, nothing is sent there any more. */
const switchOff = (
  db: Db,
  person: Person,
  { id, ...request }: SettingsInput & Readonly<{ id: string }>,
): Promise<StaffRoute> =>
  inTransaction(db, async (tx) => {
    const was = await lockedRoute(tx, person, id)
    // A figure that is none is answered before anything is done.
    readSettings(was, request, was.currency)
    return keepRoute(tx, person, was, { ...was, is_active: false })
  })

/**
 * Not to switch on, not what a payment costs there (its amount step may raise a fee), and not how
 * its payers confirm.
 */
const oneMayDo = (was: RouteSettings, to: RouteSettings): RouteSettings => ({
  ...was,
  priority: to.priority,
  breaker: to.breaker,
  is_active: was.is_active && to.is_active,
})

const differences = (was: RouteSettings, to: RouteSettings) =>
  changedFields(viewSettings(was), viewSettings(to))

async function assertMayOpen(tx: Tx, was: StaffRoute, to: RouteSettings): Promise<void> {
  const { gateway_id, gateway_code, environment } = was
  if (!to.is_active || was.is_active) return
  await assertChecked(tx, { id: gateway_id, code: gateway_code, environment })
}

/** A route whose adapter or network is set apart from it since is not refused what it has. */
async function assertConfirmable(tx: Tx, was: StaffRoute, to: RouteSettings): Promise<void> {
  const { network_id, direction, gateway_adapter: adapter } = was
  if (confirmationNames.every((name) => was[name] === to[name])) return
  await requireConfirmable(tx, { network_id, direction, adapter }, to)
}

async function keepRoute(
  tx: Tx,
  person: Person,
  was: StaffRoute,
  to: RouteSettings,
): Promise<StaffRoute> {
  const changes = differences(was, to)
  if (changes === undefined) return was
  await updateRoute(tx, was.id, to)
  await recordAct(tx, { ...actOn(person, was.id), action: 'route.changed', ...changes })
  await publishCatalogue(tx)
  return getRoute(tx, person, was.id)
}

/**
 * What the second person sees: of which route, and its price and how its payers confirm, as it was
 * and as it will be.
 */
function proposeRoute(
  tx: Tx,
  person: Person,
  route: StaffRoute,
  to: RouteSettings,
): Promise<Proposal> {
  const { id, network_code: network, gateway_code: gateway, direction } = route
  const on = to.is_active && !route.is_active ? { is_active: true } : {}
  const [was, then] = [shownIn(route), shownIn(to)]
  const changed = shownNames.filter((name) => was[name] !== then[name])
  const former = changed.map((name) => [`former_${name}`, was[name]])
  // How payers confirm is shown where it is the route's own, or was.
  const shown = shownNames
    .filter((name) => isPrice(name) || changed.includes(name) || then[name] !== '')
    .map((name) => [name, then[name]])
  const of = { route: id, network, gateway, direction }
  const content = { ...of, ...on, ...Object.fromEntries([...shown, ...former]) }
  return propose(tx, person, { kind: 'GATEWAY_ACCOUNT', subject: id, content })
}

const priceNames = ['cost_percent', 'cost_fixed', 'cost_floor', 'cost_cap', 'amount_step'] as const
const confirmationNames = ['flow', 'otp_kind', 'prompt_lifetime_s'] as const
const shownNames = [...priceNames, ...confirmationNames] as const
type ShownName = (typeof shownNames)[number]

const isPrice = (name: ShownName): boolean => priceNames.some((one) => one === name)

/** As staff see it in a proposal; empty where there is no floor or cap, or it is as usual. */
function shownIn(route: RouteSettings): Readonly<Record<ShownName, string>> {
  const { cost, amount_step, flow, otp_kind, prompt_lifetime_s } = viewSettings(route)
  const { percent: cost_percent, fixed: cost_fixed, floor, cap } = cost
  return {
    ...{ cost_percent, cost_fixed, cost_floor: floor ?? '', cost_cap: cap ?? '', amount_step },
    ...{ flow: flow ?? '', otp_kind: otp_kind ?? '' },
    prompt_lifetime_s: prompt_lifetime_s === null ? '' : String(prompt_lifetime_s),
  }
}

/**
 * What another has confirmed, with what they saw of it or not at all. A switch that was thrown
 * since, and the order, stay as they are where nobody proposed them.
 */
const applyRoute: Apply = async (tx, by, content) => {
  const person = { ...by, environment: 'LIVE' } as const
  const was = await lockedRoute(tx, person, String(content['route']))
  const shown = (name: string) => content[`former_${name}`] ?? content[name] ?? ''
  const now = shownIn(was)
  if (shownNames.some((name) => shown(name) !== now[name])) {
    throw refuse(proposalErrors.proposal_outdated)
  }
  const to = readSettings(was, proposedIn(content), was.currency)
  await assertConfirmable(tx, was, to)
  await assertMayOpen(tx, was, to)
  await keepRoute(tx, person, was, to)
}

function proposedIn(content: Content): SettingsInput {
  const text = (name: (typeof priceNames)[number]) => String(content[name])
  const bound = (name: 'floor' | 'cap') => {
    const sum = text(`cost_${name}`)
    return sum === '' ? {} : { [name]: sum }
  }
  const cost = { percent: text('cost_percent'), fixed: text('cost_fixed') }
  return {
    ...(content['is_active'] === true ? { is_active: true } : {}),
    amount_step: text('amount_step'),
    cost: { ...cost, ...bound('floor'), ...bound('cap') },
    ...confirmationFrom(content),
  }
}

/** An empty one is as usual: null. */
function confirmationFrom(content: Content): ConfirmationSettings {
  const text = (name: (typeof confirmationNames)[number]) => String(content[name] ?? '')
  const seconds = text('prompt_lifetime_s')
  return {
    flow: flows.find((one) => one === text('flow')) ?? null,
    otp_kind: otpKinds.find((one) => one === text('otp_kind')) ?? null,
    prompt_lifetime_s: seconds === '' ? null : Number(seconds),
  }
}

const flows = ['push', 'redirect'] as const
const otpKinds = ['NONE', 'PRE', 'POST'] as const

/** What another has confirmed of an account, one that is to be added, or of a route over one. */
export function applySteering(deps: SettingsDeps & Readonly<{ keyring: Keyring }>): Apply {
  const added = applyAccount(deps.keyring)
  const set = applySettings(deps)
  return (tx, by, content, enclosed) => {
    const switched = Object.hasOwn(content, 'route') ? applyRoute : applyGateway
    const apply = changesSettings(content) ? set : addsAccount(content) ? added : switched
    return apply(tx, by, content, enclosed)
  }
}

async function lockedRoute(tx: Tx, person: Person, id: string): Promise<StaffRoute> {
  const isFound = await lockRoute(tx, { id, environment: person.environment })
  if (!isFound) throw refuse(transportErrors.not_found)
  return getRoute(tx, person, id)
}

async function getRoute(tx: Tx, { environment }: Person, id: string): Promise<StaffRoute> {
  const route = await findStaffRoute(tx, { id, environment })
  assert(route !== undefined, `route ${id} is there`)
  return route
}

const actOn = (person: Person, id: string) => ({
  merchant_id: platformMerchant[person.environment],
  environment: person.environment,
  actor: actorOfPerson(person),
  target_kind: 'route' as const,
  target_id: id,
})
