// Staff give accounts their opening hours, close them for a time and open them again. Each takes
// effect in every process on its next request, because the catalogue's version moves. A closing
// stops what is new; what the operator has already is asked about until it ends.

import type { AuditAction } from '../audit/actions.ts'
import { type Actor, actorOfPerson, changedFields } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { publishCatalogue } from '../catalogue/extend-catalogue.ts'
import { requireServed } from '../catalogue/read-catalogue.ts'
import { platformMerchant } from '../ledger/account.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { invalid, refuse, type Text } from '../platform/errors.ts'
import type { Environment, Person } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { newId } from '../platform/ids.ts'
import { lockAccount } from './account-store.ts'
import type { Direction } from './gateway.ts'
import {
  type ClosingRow,
  endClosing,
  type HoursRow,
  insertClosing,
  listWindows,
  replaceWindows,
} from './hours-store.ts'
import { faultIn, type OpenWindow, writeClock } from './opening-hours.ts'
import { findGatewayId } from './store.ts'

/** A member of staff, or the command line. */
export type Author = Readonly<{ environment: Environment; actor: Actor; person_id: string | null }>

export const authorOf = (person: Person): Author => ({
  environment: person.environment,
  actor: actorOfPerson(person),
  person_id: person.person_id,
})

type Place = Readonly<{ gateway: string; country: string }>

export type HoursRequest = Place &
  Readonly<{ direction: Direction; windows: readonly OpenWindow[] }>

/** `Mon 06:00-22:00` as the audit log shows it. */
const describeWindows = (windows: readonly OpenWindow[]) =>
  windows.map(
    ({ weekday, opens_min, closes_min }) =>
      `${weekday} ${writeClock(opens_min)}-${writeClock(closes_min)}`,
  )

/**
 * Replaces them; none: always open. Refuses an unknown gateway, a country that is not served, and
 * hours that meet.
 */
export function setHours(db: Db, by: Author, request: HoursRequest): Promise<HoursRow> {
  const { gateway, country, direction, windows } = request
  const fault = faultIn(windows)
  if (fault !== undefined) throw invalid('windows', windowTexts[fault])
  return inTransaction(db, async (tx) => {
    const gateway_id = await requireGateway(tx, by, gateway)
    // What was set of any can be taken away.
    if (windows.length > 0) await requireServed(tx, country)
    await lockAccount(tx, gateway_id)
    const of = { gateway_id, country, direction }
    const was = await listWindows(tx, of)
    const changes = changedFields(
      { windows: describeWindows(was) },
      { windows: describeWindows(windows) },
    )
    if (changes !== undefined) {
      await replaceWindows(tx, of, windows)
      const { before, after } = changes
      const place = { country, direction }
      await recordChange(tx, by, {
        ...{ action: 'gateway_hours.changed', target_id: gateway_id },
        ...{ before: { ...place, ...before }, after: { ...place, ...after } },
      })
      await publishCatalogue(tx)
    }
    return { gateway_code: gateway, country, direction, windows: await listWindows(tx, of) }
  })
}

export type ClosingRequest = Place &
  Readonly<{
    /** Null: both. */
    direction: Direction | null
    /** Null: now. */
    from_at: Date | null
    /** Null: until it is lifted. */
    ends_at: Date | null
    note: string
  }>

/** Refuses an unknown gateway, a country that is not served, and an end before the beginning. */
export function closeAccount(db: Db, by: Author, request: ClosingRequest): Promise<ClosingRow> {
  const { gateway, ...closing } = request
  return inTransaction(db, async (tx) => {
    const gateway_id = await requireGateway(tx, by, gateway)
    await requireServed(tx, closing.country)
    const made = await insertClosing(tx, {
      ...{ ...closing, gateway_id, id: newId() },
      set_by: by.person_id,
    })
    if (made === undefined) throw invalid('ends_at', endsBeforeText)
    const { country, direction, from_at, ends_at, note } = made
    const after = { closing: made.id, country, direction, from_at, ends_at, note }
    await recordChange(tx, by, { action: 'gateway.closed', target_id: gateway_id, after })
    await publishCatalogue(tx)
    return made
  })
}

/** Refuses one that is not there, or has ended. Answers the country where it opens again. */
export function liftClosing(db: Db, by: Author, id: string): Promise<string> {
  return inTransaction(db, async (tx) => {
    const ended = await endClosing(tx, { id, environment: by.environment })
    if (ended === undefined) throw refuse(transportErrors.not_found)
    const { gateway_code, country, direction } = ended
    const target_id = await requireGateway(tx, by, gateway_code)
    const after = { closing: id, country, direction }
    await recordChange(tx, by, { action: 'gateway.opened', target_id, after })
    await publishCatalogue(tx)
    return country
  })
}

async function requireGateway(tx: Tx, { environment }: Author, code: string): Promise<string> {
  const gateway_id = await findGatewayId(tx, { code, environment })
  if (gateway_id === undefined) throw refuse(transportErrors.not_found)
  return gateway_id
}

type Recorded = Readonly<{
  action: AuditAction
  target_id: string
  before?: Readonly<Record<string, unknown>>
  after: Readonly<Record<string, unknown>>
}>

const recordChange = (tx: Tx, { environment, actor }: Author, act: Recorded): Promise<void> =>
  recordAct(tx, {
    ...{ merchant_id: platformMerchant[environment], environment, actor },
    ...{ target_kind: 'gateway', ...act },
  })

const windowTexts = {
  backwards: {
    en: 'Each period must end after it begins; split one that passes midnight in two.',
    fr: 'Chaque plage doit finir après son début ; coupez en deux celle qui passe minuit.',
  },
  overlap: {
    en: 'Two periods of the same day must not overlap.',
    fr: 'Deux plages d’un même jour ne doivent pas se chevaucher.',
  },
} as const satisfies Record<'backwards' | 'overlap', Text>

const endsBeforeText: Text = {
  en: 'Must be after from_at.',
  fr: 'Doit être après from_at.',
}
