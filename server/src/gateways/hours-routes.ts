// `/admin/gateway-hours/` and `/admin/gateway-closings/`: when an account is open, in one country
// and direction, and when it is closed by hand.

import { type Static, Type } from 'typebox'
import type { Db } from '../platform/db.ts'
import type { Text } from '../platform/errors.ts'
import { uuidParam } from '../platform/http/filters.ts'
import { dateOf } from '../platform/http/formats.ts'
import { sortedPage } from '../platform/http/lists.ts'
import { created, type Input, ok, type Route } from '../platform/http/route.ts'
import {
  type Listed,
  numberList,
  orderingBy,
  removes,
  routesWith,
} from '../platform/http/route-list.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { type ClosingRow, type HoursRow, listClosings, listHours } from './hours-store.ts'
import { readClock, writeClock } from './opening-hours.ts'
import type { OnRoom } from './read-balances.ts'
import { authorOf, closeAccount, liftClosing, setHours } from './set-hours.ts'

export type HoursDeps = Readonly<{
  db: Db
  onRoom: OnRoom
}>

const clock_form = '^([01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$'
const clockText: Text = {
  en: 'Must be a time such as 06:30, up to 24:00.',
  fr: 'Doit être une heure comme 06:30, jusqu’à 24:00.',
}
const clock = Type.String({ pattern: clock_form, 'x-message': clockText })
const directions = ['COLLECT', 'DISBURSE'] as const
const gateway = Type.String({ minLength: 1, maxLength: 100, description: 'Gateway code.' })
const country = Type.String({ pattern: '^[A-Za-z]{2}$' })
const moment = Type.String({ format: 'date-time' })

const Window = Type.Object(
  {
    weekday: Type.Integer({ minimum: 1, maximum: 7, description: '1: Monday … 7: Sunday.' }),
    opens: clock,
    closes: clock,
  },
  { title: 'GatewayWindow', description: 'In the country’s own time.' },
)
const windowsOf = Type.Array(Window, {
  maxItems: 50,
  description: 'None: open at every hour.',
})

const HoursView = Type.Object(
  {
    gateway: Type.String(),
    country: Type.String(),
    direction: Type.Enum([...directions]),
    windows: windowsOf,
  },
  { title: 'GatewayHours' },
)
const HoursBody = Type.Object(
  { gateway, country, direction: Type.Enum([...directions]), windows: windowsOf },
  { title: 'GatewayHoursSet' },
)

const both = Type.Union([Type.Enum([...directions]), Type.Null()], {
  description: 'Null: both directions.',
})
const ClosingView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    gateway: Type.String(),
    country: Type.String(),
    direction: both,
    from_at: moment,
    ends_at: Type.Union([moment, Type.Null()], { description: 'Null: until it is lifted.' }),
    note: Type.String(),
    set_by: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
    created_at: moment,
  },
  { title: 'GatewayClosing' },
)
const ClosingBody = Type.Object(
  {
    gateway,
    country,
    direction: Type.Optional(both),
    from_at: Type.Optional(Type.String({ format: 'date-time', description: 'Defaults to now.' })),
    ends_at: Type.Optional(moment),
    note: Type.Optional(Type.String({ maxLength: 255 })),
  },
  { title: 'GatewayClosingCreate' },
)

const viewHours = ({ gateway_code, windows, ...row }: HoursRow): Static<typeof HoursView> => ({
  gateway: gateway_code,
  country: row.country,
  direction: row.direction,
  windows: windows.map(({ weekday, opens_min, closes_min }) => ({
    weekday,
    opens: writeClock(opens_min),
    closes: writeClock(closes_min),
  })),
})

const viewClosing = (row: ClosingRow): Static<typeof ClosingView> => ({
  id: row.id,
  gateway: row.gateway_code,
  country: row.country,
  direction: row.direction,
  from_at: row.from_at.toISOString(),
  ends_at: row.ends_at?.toISOString() ?? null,
  note: row.note,
  set_by: row.set_by,
  created_at: row.created_at.toISOString(),
})

const hoursExample = {
  gateway: 'simulator_a',
  country: 'BJ',
  direction: 'DISBURSE' as const,
  windows: [{ weekday: 1, opens: '06:00', closes: '22:00' }],
}
const closingExample = {
  id: '01981f3a-0000-7000-8000-00000000ad01',
  gateway: 'simulator_a',
  country: 'BJ',
  direction: 'DISBURSE',
  from_at: '2026-11-21T22:00:00.000Z',
  ends_at: '2026-11-22T02:00:00.000Z',
  note: 'Maintenance that the operator announced.',
  set_by: '01981f3a-0000-7000-8000-00000000b001',
  created_at: '2026-11-21T08:00:00.000Z',
}
const { from_at, ends_at, note } = closingExample

export const hoursRoutes = (deps: HoursDeps): Route[] =>
  routesWith({ tag: 'Staff', access: 'staff' }, [
    {
      path: '/admin/gateway-hours/',
      staff: 'read',
      ...numberList(HoursView, hoursExample, { ordering: orderingBy(['country']) }),
      summary: 'List the opening hours of gateways',
      description: 'What is not listed is open at every hour.',
      handler: async (input) => {
        const rows = await listHours(deps.db, input.person.environment)
        return ok(sortedPage(input, { rows, fields: ['country'], view: viewHours }))
      },
    },
    setHoursRoute(deps),
    {
      path: '/admin/gateway-closings/',
      staff: 'read',
      ...numberList(ClosingView, closingExample, { ordering: orderingBy(['from_at']) }),
      summary: 'List the closings of gateways',
      description: 'Those in force, and those still to come.',
      handler: async (input) => {
        const rows = await listClosings(deps.db, input.person.environment)
        return ok(sortedPage(input, { rows, fields: ['from_at'], view: viewClosing }))
      },
    },
    closeRoute(deps),
    {
      path: '/admin/gateway-closings/:id/',
      staff: 'gateways',
      summary: 'Lift a closing',
      description: 'It ends now; one that has not begun never does.',
      errors: [transportErrors.not_found],
      ...removes(async (input) => {
        const { environment } = input.person
        const country = await liftClosing(deps.db, authorOf(input.person), uuidParam(input, 'id'))
        await deps.onRoom({ environment, country, waited_for: 'GATEWAY_CLOSED' })
      }),
    },
  ])

const setHoursRoute = ({ db, onRoom }: HoursDeps): Listed => ({
  method: 'PUT',
  path: '/admin/gateway-hours/',
  staff: 'gateways',
  body: HoursBody,
  summary: 'Set the opening hours of a gateway',
  description:
    'Of one country and direction, replaced as a whole. Outside them payouts wait ' +
    '(`GATEWAY_CLOSED`) and payments take another route or are refused.',
  responses: { 200: HoursView },
  errors: [transportErrors.not_found],
  example: { body: hoursExample, reply: hoursExample },
  handler: async ({ person, body }: Input<Static<typeof HoursBody>>) => {
    const { windows, direction } = body
    const country = body.country.toUpperCase()
    const row = await setHours(db, authorOf(person), {
      ...{ gateway: body.gateway, country, direction },
      windows: windows.map(({ weekday, opens, closes }) => ({
        weekday,
        opens_min: readClock(opens) ?? 0,
        closes_min: readClock(closes) ?? 0,
      })),
    })
    await onRoom({ environment: person.environment, country, waited_for: 'GATEWAY_CLOSED' })
    return ok(viewHours(row))
  },
})

const closeRoute = ({ db }: HoursDeps): Listed => ({
  method: 'POST',
  path: '/admin/gateway-closings/',
  staff: 'gateways',
  body: ClosingBody,
  summary: 'Close a gateway for a time',
  description:
    'In one country, in one direction or both: for what an operator announces, or as a switch. ' +
    'What it already has is queried until it ends.',
  responses: { 201: ClosingView },
  errors: [transportErrors.not_found],
  example: {
    body: { gateway: 'simulator_a', country: 'BJ', direction: 'DISBURSE', from_at, ends_at, note },
    reply: closingExample,
  },
  handler: async ({ person, body }: Input<Static<typeof ClosingBody>>) => {
    const at = (text: string | undefined) => (text === undefined ? null : dateOf(text))
    const row = await closeAccount(db, authorOf(person), {
      ...{ gateway: body.gateway, country: body.country.toUpperCase() },
      direction: body.direction ?? null,
      ...{ from_at: at(body.from_at), ends_at: at(body.ends_at), note: body.note ?? '' },
    })
    return created(viewClosing(row))
  },
})
