// A change of what a network and direction can do, and what merchants that have asked for it are
// sent of it. Pure. Law: what may be over before anybody has read of it is no change.

import { type Static, Type } from 'typebox'
import type { NewEvent } from '../../events/event.ts'
import type { Availability } from '../../gateways/availability.ts'
import type { Environment } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'

type Status = Availability['status']

/** What changes are announced of: a network in one direction, in one environment. */
export type StateKey = Pick<Availability, 'network_code' | 'direction'> &
  Readonly<{ environment: Environment }>

/** As it was last announced, or first seen. */
export type KnownState = StateKey & Readonly<{ status: Status }>

/** As it is seen now. */
export type SeenState = KnownState &
  Pick<Availability, 'country_code' | 'source'> &
  Readonly<{
    /** The id of its change, where it makes one. */
    id: string
    /** Null: since it was seen. */
    since: string | null
    message_en: string
    message_fr: string
  }>

/** One that is being announced. `change_no` counts those of its key. */
export type Change = Omit<SeenState, 'since'> &
  Readonly<{ previous_status: Status; since: Date; change_no: bigint }>

/** What is observed must have lasted for so long: a breaker often closes again before. */
const lastsMs = 120_000

const nameOf = ({ environment, network_code, direction }: StateKey): string =>
  `${environment} ${network_code} ${direction}`

/** Those of `rows` that nobody knows yet, or that differ from what is known and have lasted. */
export function newsOf(
  rows: readonly Availability[],
  known: readonly KnownState[],
  { environment, now_ms }: Readonly<{ environment: Environment; now_ms: number }>,
): SeenState[] {
  const before = new Map(known.map((one) => [nameOf(one), one.status]))
  return rows.flatMap(({ message, since, ...row }) => {
    const { country_code, network_code, direction, status, source } = row
    const key = { environment, network_code, direction }
    const isYoung = source === 'OBSERVED' && since !== null && now_ms - Date.parse(since) < lastsMs
    const last = before.get(nameOf(key))
    if (last === status || (isYoung && last !== undefined)) return []
    // Of one that is ill when it is first seen, its end will be news.
    const shown = { country_code, source, since, message_en: message.en, message_fr: message.fr }
    return [{ id: newId(), ...key, status, ...shown }]
  })
}

const statuses = ['OPERATIONAL', 'DELAYED', 'CLOSED'] as const

export const ChangeEventSchema = Type.Object(
  {
    country_code: Type.String({ description: 'ISO 3166 alpha-2.' }),
    network_code: Type.String({ description: 'As in `GET /availability/`.' }),
    direction: Type.Enum(['COLLECT', 'DISBURSE'], {
      description: '`COLLECT`: payments; `DISBURSE`: payouts.',
    }),
    status: Type.Enum([...statuses], {
      description: 'As in `GET /availability/`, whose newest answer is what holds now.',
    }),
    previous_status: Type.Enum([...statuses], { description: 'As it was announced before.' }),
    since: Type.String({
      format: 'date-time',
      description: 'Since when; where nothing earlier is known, when we saw it.',
    }),
    source: Type.Enum(['OPERATOR', 'OBSERVED', 'STAFF', 'SCHEDULE'], {
      description: 'Whose word it is: the operator’s, ours, our staff’s, or that of its hours.',
    }),
    message: Type.Object(
      { en: Type.String(), fr: Type.String() },
      { description: 'For people, in English and French.' },
    ),
  },
  { title: 'AvailabilityEventData' },
)

/** The event's `data`. */
const changeData = (change: Omit<Change, 'id' | 'environment' | 'change_no'>) => {
  const { country_code, network_code, direction, status, previous_status } = change
  return {
    ...{ country_code, network_code, direction, status, previous_status },
    ...{ since: change.since.toISOString(), source: change.source },
    message: { en: change.message_en, fr: change.message_fr },
  } satisfies Static<typeof ChangeEventSchema>
}

/** For one merchant: it lets through the event of the merchant whose mark was moved. */
export const changeEvent = (change: Change, merchant_id: string) =>
  ({
    ...{ merchant_id, environment: change.environment, gate_id: merchant_id, id: newId() },
    ...{ type: 'availability.changed', transaction_id: null, subject_id: change.id },
    data: changeData(change),
  }) satisfies NewEvent & Readonly<{ merchant_id: string; environment: Environment }>

export const changeExample = changeData({
  ...{ country_code: 'BJ', network_code: 'mtn_bj', direction: 'COLLECT' },
  ...{ status: 'CLOSED', previous_status: 'OPERATIONAL', source: 'SCHEDULE' },
  since: new Date('2026-11-21T09:29:57.000Z'),
  message_en: 'MTN Mobile Money is closed until 22 November 2026 at 06:30 (Porto-Novo, UTC+1).',
  message_fr: 'MTN Mobile Money est fermé jusqu’au 22 novembre 2026 à 06:30 (Porto-Novo, UTC+1).',
})
