// Staff steer gateways: one is named, limited or switched off, its float marked as used up. Each
// takes effect in every process on the next request.

import { actorOfPerson, changedFields } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { publishCatalogue } from '../catalogue/extend-catalogue.ts'
import { requireServed } from '../catalogue/read-catalogue.ts'
import { platformMerchant } from '../ledger/account.ts'
import { formatAmount } from '../money/format.ts'
import { type Apply, propose } from '../people/proposals/decide-proposal.ts'
import { proposalErrors } from '../people/proposals/errors.ts'
import type { Content, Proposal } from '../people/proposals/proposal.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { assert, invalid, refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { readPrice } from '../pricing/admin/read-price.ts'
import { fasterIn, pacesIn, pacesOnly, proposedPaces, slowerIn } from './account-paces.ts'
import { listSecrets } from './account-store.ts'
import { assertChecked, promoteIn } from './accounts.ts'
import { type FloatRow, upsertFloat } from './float-store.ts'
import {
  type AccountLimits,
  type AccountPaces,
  findGatewayId,
  findStaffGateway,
  type GatewaySettings,
  lockGateway,
  type StaffGateway,
  updateAccountLimits,
  updateAccountPaces,
  updateGateway,
} from './store.ts'

/** The gateway as it is now, or what waits for another member of staff. */
export type GatewayOutcome =
  | Readonly<{ is: 'done'; gateway: StaffGateway }>
  | Readonly<{ is: 'proposed'; proposal: Proposal }>

type GatewayChange = Partial<GatewaySettings & AccountLimits & AccountPaces> &
  Readonly<{
    id: string
    /** The fingerprint of the secrets that are to count. */
    promote_secrets?: string
    /** And which set of that fingerprint. Absent: the one that waits. */
    secrets_version?: number
  }>

const limitNames = [
  'exposure_limit_collect',
  'exposure_limit_disburse',
  'payment_limit_collect',
  'payment_limit_disburse',
] as const

/** The account is trusted with more than before. */
const raisedIn = (was: AccountLimits, request: Partial<AccountLimits>) =>
  limitNames.filter((name) => {
    const [from, to] = [was[name], request[name]]
    return to !== undefined && from !== null && (to === null || to > from)
  })

/** What of a request one person may do: switch off, and trust an account with less. */
function oneMayDo(was: StaffGateway, request: GatewayChange): GatewayChange {
  const { id, is_active } = request
  const raised = raisedIn(was, request)
  const others = limitNames.filter((name) => !raised.includes(name))
  const off = is_active === false ? { is_active } : {}
  return { id, ...off, ...limitsOnly(request, others), ...slowerIn(was, request) }
}

const limitsOnly = (
  request: Partial<AccountLimits>,
  names: readonly (typeof limitNames)[number][],
): Partial<AccountLimits> =>
  Object.fromEntries(
    names.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]])),
  )

/** Empty where there is no limit. */
const limitsIn = (of: Partial<AccountLimits>): Record<string, string> =>
  Object.fromEntries(
    limitNames.flatMap((name) => {
      const limit = of[name]
      return limit === undefined ? [] : [[name, limit === null ? '' : formatAmount(limit)]]
    }),
  )

/**
 * Refuses a gateway of the other environment as unknown. LIVE is switched on, its limits are
 * raised and its secrets promoted by two people; off and lower, by one, and at once, whatever else
 * is asked for with it. It is switched off even where the rest is refused.
 */
export async function changeGateway(
  { db }: Readonly<{ db: Db }>,
  person: Person,
  request: GatewayChange,
): Promise<GatewayOutcome> {
  const { environment } = person
  const { id, is_active } = request
  if (environment === 'LIVE' && is_active === false) {
    await inTransaction(db, (tx) => change(tx, person, { id, is_active }))
  }
  return inTransaction(db, async (tx) => {
    const gateway = await lockGateway(tx, { id, environment })
    if (gateway === undefined) throw refuse(transportErrors.not_found)
    const isOpening = environment === 'LIVE' && is_active === true && !gateway.is_active
    const raised = raisedIn(gateway, request)
    const faster = fasterIn(gateway, request)
    const isTrusted = environment === 'LIVE' && raised.length + Object.keys(faster).length > 0
    const { promote_secrets } = request
    const isRekeyed = environment === 'LIVE' && promote_secrets !== undefined
    const keys = isRekeyed ? await waitingKeys(tx, id, promote_secrets) : {}
    if (isOpening) await assertChecked(tx, gateway, promote_secrets)
    if (!isOpening && !isTrusted && !isRekeyed) {
      return { is: 'done', gateway: await change(tx, person, request) }
    }
    await change(tx, person, oneMayDo(gateway, request))
    // What is not asked for is not said: until it is confirmed, it may be changed.
    const name = request.name === undefined ? {} : { name: request.name }
    // A raise says nothing of the switch: it may be thrown before it is confirmed.
    const on = isOpening ? { is_active: true } : {}
    const trust = { ...limitsIn(limitsOnly(request, raised)), ...pacesIn(faster) }
    const former = formerIn(gateway, Object.keys(trust))
    const content = { code: gateway.code, ...name, ...on, ...keys, ...trust, ...former }
    const proposed = { kind: 'GATEWAY_ACCOUNT', subject: id, content } as const
    return { is: 'proposed', proposal: await propose(tx, person, proposed) }
  })
}

/** As staff see it in a proposal: empty where there is no limit, or the pace is as usual. */
const trustIn = (of: AccountLimits & AccountPaces) => ({ ...limitsIn(of), ...pacesIn(of) })

/** What is proposed to be raised, as it was when it was. */
const formerIn = (was: StaffGateway, raised: readonly string[]): Content =>
  Object.fromEntries(
    Object.entries(trustIn(was)).flatMap(([name, now]) =>
      raised.includes(name) ? [[`former_${name}`, now]] : [],
    ),
  )

/** Who has lowered it since, alone and at once, is not overruled by what was proposed before. */
function assertAsShown(was: StaffGateway, content: Content): void {
  const isAsShown = Object.entries(trustIn(was)).every(
    ([name, now]) => (content[`former_${name}`] ?? now) === now,
  )
  if (!isAsShown) throw refuse(proposalErrors.proposal_outdated)
}

/** What another has confirmed: of what it was when it was shown, or not at all. */
export const applyGateway: Apply = async (tx, person, content) => {
  const { code, name, is_active, promote_secrets, secrets_version, ...limits } = content
  const of = { code: String(code), environment: 'LIVE' } as const
  const id = await findGatewayId(tx, of)
  const was = id === undefined ? undefined : await lockGateway(tx, { id, environment: 'LIVE' })
  if (id === undefined || was === undefined) throw refuse(transportErrors.not_found)
  assertAsShown(was, content)
  const on = is_active === true ? { is_active } : {}
  const version = secrets_version === undefined ? {} : { secrets_version: Number(secrets_version) }
  const keys =
    promote_secrets === undefined ? {} : { promote_secrets: String(promote_secrets), ...version }
  const named = name === undefined ? {} : { name: String(name) }
  const to = { id, ...named, ...on, ...keys, ...limitsOf(limits), ...proposedPaces(limits) }
  await change(tx, { ...person, environment: 'LIVE' }, to)
}

/** As they were proposed; what was not is left. */
function limitsOf(content: Readonly<Record<string, unknown>>): Partial<AccountLimits> {
  const proposed = limitNames.filter((name) => Object.hasOwn(content, name))
  return Object.fromEntries(
    proposed.map((name) => {
      const text = content[name]
      const reading = text === '' ? undefined : readPrice(text, undefined)
      return [name, reading?.is === 'price' ? reading.hundredths : null]
    }),
  )
}

async function change(
  tx: Tx,
  person: Person,
  { id, promote_secrets: fingerprint, secrets_version: version, ...request }: GatewayChange,
): Promise<StaffGateway> {
  const { environment } = person
  const gateway = await lockGateway(tx, { id, environment })
  if (gateway === undefined) throw refuse(transportErrors.not_found)
  const { name, is_active, exposure_limit_collect, exposure_limit_disburse } = gateway
  const { payment_limit_collect, payment_limit_disburse } = gateway
  const exposed = { exposure_limit_collect, exposure_limit_disburse }
  const limits = { ...exposed, payment_limit_collect, payment_limit_disburse }
  const was = { name, is_active, ...limits, ...pacesOnly(gateway) }
  const to = { ...was, ...request }
  const shown = (of: typeof was) => ({
    ...{ name: of.name, is_active: of.is_active },
    ...limitsIn(of),
    ...pacesIn(of),
  })
  const changes = changedFields(shown(was), shown(to))
  const isRekeyed = fingerprint !== undefined
  if (isRekeyed) await promote(tx, person, { id, fingerprint, version })
  // With the secrets that count from now on.
  if (to.is_active && !is_active) await assertChecked(tx, gateway)
  if (changes === undefined && !isRekeyed) return gateway
  if (changes !== undefined) await keep(tx, person, { id, to, changes })
  await publishCatalogue(tx)
  const changed = await findStaffGateway(tx, { id, environment })
  assert(changed !== undefined, `gateway ${id} is locked`)
  return changed
}

type Kept = Readonly<{
  id: string
  to: GatewaySettings & AccountLimits & AccountPaces
  changes: NonNullable<ReturnType<typeof changedFields>>
}>

async function keep(tx: Tx, person: Person, { id, to, changes }: Kept): Promise<void> {
  const { environment } = person
  await updateGateway(tx, id, to)
  await updateAccountLimits(tx, id, to)
  await updateAccountPaces(tx, id, to)
  await recordAct(tx, {
    merchant_id: platformMerchant[environment],
    environment,
    actor: actorOfPerson(person),
    action: 'gateway.changed',
    target_kind: 'gateway',
    target_id: id,
    ...changes,
  })
}

/** Under the account's lock: what waits now is what is promoted, or nothing is. */
async function promote(
  tx: Tx,
  person: Person,
  { id, ...meant }: Readonly<{ id: string; fingerprint: string; version: number | undefined }>,
): Promise<void> {
  const { environment } = person
  const actor = actorOfPerson(person)
  const promoted = await promoteIn(tx, { id, environment }, { actor, ...meant })
  if (promoted === undefined) throw notWaiting()
}

/**
 * What a second person is shown of secrets that wait. A fingerprint is short, and whoever chooses
 * both can make two sets that have the same: the version says which of them was meant.
 */
async function waitingKeys(tx: Tx, id: string, fingerprint: string) {
  const all = await listSecrets(tx, id)
  const waits = all.find((one) => one.state === 'NEXT' && one.fingerprint === fingerprint)
  if (waits === undefined) throw notWaiting()
  return { promote_secrets: fingerprint, secrets_version: String(waits.version) }
}

const notWaiting = () =>
  invalid('promote_secrets', {
    en: 'No new secrets with this fingerprint are waiting for this account.',
    fr: 'Aucun nouveau secret portant cette empreinte n’est en attente ici.',
  })

// Staff mark an operator's float as used up. Payouts then take another route or wait; it takes
// effect in every process on the next request, because the catalogue's version moves.

export type FloatRequest = Readonly<{
  gateway: string
  country: string
  is_empty: boolean
  note: string
}>

/**
 * Refuses a gateway that is not there, or of the other environment, as unknown; and a country that
 * is not served, of which no payout would ever wait; what was set of any can be taken away.
 */
export function setFloat(db: Db, person: Person, request: FloatRequest): Promise<FloatRow> {
  const { environment, person_id } = person
  return inTransaction(db, async (tx) => {
    const gateway_id = await findGatewayId(tx, { code: request.gateway, environment })
    if (gateway_id === undefined) throw refuse(transportErrors.not_found)
    const { country, is_empty, note } = request
    if (is_empty) await requireServed(tx, country)
    const row = await upsertFloat(tx, { gateway_id, country, is_empty, note, set_by: person_id })
    await publishCatalogue(tx)
    await recordAct(tx, {
      merchant_id: platformMerchant[environment],
      environment,
      actor: actorOfPerson(person),
      action: is_empty ? 'gateway_float.emptied' : 'gateway_float.filled',
      target_kind: 'gateway',
      target_id: gateway_id,
      after: { country, is_empty, note },
    })
    return row
  })
}
