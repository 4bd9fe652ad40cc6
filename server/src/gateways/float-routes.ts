// `/admin/gateway-floats/`: where an operator has nothing left to pay out with.

import { type Static, Type } from 'typebox'
import type { Db } from '../platform/db.ts'
import { sortedPage } from '../platform/http/lists.ts'
import { type Input, ok, type Route } from '../platform/http/route.ts'
import { numberList, orderingBy } from '../platform/http/route-list.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { listFloats } from './float-store.ts'
import { FloatView, floatExample, viewFloat } from './float-view.ts'
import { type OnRoom, reportFilled } from './read-balances.ts'
import { setFloat } from './steer-gateways.ts'

const FloatBody = Type.Object(
  {
    gateway: Type.String({ minLength: 1, maxLength: 100, description: 'Gateway code.' }),
    country: Type.String({ pattern: '^[A-Za-z]{2}$' }),
    is_empty: Type.Boolean(),
    note: Type.Optional(Type.String({ maxLength: 255 })),
  },
  { title: 'GatewayFloatSet' },
)

export type FloatDeps = Readonly<{
  db: Db
  onRoom: OnRoom
}>

export const floatRoutes = ({ db, onRoom }: FloatDeps): Route[] => [
  {
    path: '/admin/gateway-floats/',
    access: 'staff',
    staff: 'read',
    ...numberList(FloatView, floatExample, { ordering: orderingBy(['updated_at']) }),
    summary: 'List the known state of operators’ floats',
    tag: 'Staff',
    handler: async (input) => {
      const rows = await listFloats(db, input.person.environment)
      return ok(sortedPage(input, { rows, fields: ['updated_at'], view: viewFloat }))
    },
  },
  {
    method: 'PUT',
    path: '/admin/gateway-floats/',
    access: 'staff',
    staff: 'gateways',
    body: FloatBody,
    summary: 'Mark an operator’s float as empty or refilled',
    description: 'While it is empty, payouts take another route or wait: they do not fail.',
    tag: 'Staff',
    responses: { 200: FloatView },
    errors: [transportErrors.not_found],
    example: {
      body: { gateway: 'simulator_a', country: 'BJ', is_empty: true, note: floatExample.note },
      reply: floatExample,
    },
    handler: async ({ person, body }: Input<Static<typeof FloatBody>>) => {
      const { gateway, is_empty, note = '' } = body
      const country = body.country.toUpperCase()
      const row = await setFloat(db, person, { gateway, country, is_empty, note })
      if (!is_empty) await reportFilled(onRoom, person.environment, [country])
      return ok(viewFloat(row))
    },
  },
]
