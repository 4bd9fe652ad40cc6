// Staff see incidents (contract 5.14), of the environment that they look at.

import { Type } from 'typebox'
import { findAttempt } from '../../attempts/attempt-statements.ts'
import { listCallbacksOf } from '../../attempts/callback-statements.ts'
import type { Db } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import {
  enumFilter,
  newestFirst,
  singleSort,
  uuidFilter,
  uuidParam,
} from '../../platform/http/filters.ts'
import { listByNumber } from '../../platform/http/lists.ts'
import { type Input, ok, type Reply, type Route } from '../../platform/http/route.ts'
import { numberList, orderingBy, reads, routesWith } from '../../platform/http/route-list.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { incidentTypes } from '../incident.ts'
import { findIncident, findTransactionFacts, listIncidents } from './store.ts'
import {
  IncidentDetailView,
  IncidentView,
  incidentDetailExample,
  incidentExample,
  incidentStatuses,
  viewIncident,
  viewIncidentDetail,
} from './view.ts'

export type Deps = Readonly<{ db: Db }>

const sortFields = ['created_at'] as const

export const incidentAdminRoutes = (deps: Deps): Route[] =>
  routesWith({ tag: 'Staff', access: 'staff' }, [
    {
      path: '/admin/incidents/',
      staff: 'read',
      ...numberList(IncidentView, incidentExample, {
        status: Type.Optional(Type.Enum([...incidentStatuses])),
        type: Type.Optional(Type.Enum([...incidentTypes])),
        merchant: Type.Optional(Type.String({ format: 'uuid' })),
        ordering: orderingBy(sortFields),
      }),
      summary: 'List incidents',
      description: 'Of all merchants in the environment given by `X-Environment`, newest first.',
      handler: answerIncidents(deps),
    },
    {
      path: '/admin/incidents/:id/',
      staff: 'read',
      summary: 'Retrieve an incident',
      description: 'Includes its transaction, its attempt and the callbacks that named it.',
      ...reads(IncidentDetailView, incidentDetailExample),
      handler: (input) => answerIncident(deps, input),
    },
  ])

const answerIncidents = ({ db }: Deps) =>
  listByNumber(viewIncident, ({ query, person }, cut) =>
    listIncidents(db, {
      environment: person.environment,
      status: enumFilter(query, 'status', incidentStatuses),
      type: enumFilter(query, 'type', incidentTypes),
      merchant: uuidFilter(query, 'merchant'),
      descending: singleSort(query, sortFields, newestFirst).descending,
      ...cut,
    }),
  )

async function answerIncident({ db }: Deps, input: Input): Promise<Reply> {
  const { environment } = input.person
  const incident = await findIncident(db, { id: uuidParam(input, 'id'), environment })
  if (incident === undefined) throw refuse(transportErrors.not_found)
  const { merchant_id, transaction_id, attempt_id } = incident
  const [transaction, attempt, callbacks] = await Promise.all([
    transaction_id === null
      ? undefined
      : findTransactionFacts(db, { merchant_id, id: transaction_id }),
    attempt_id === null ? undefined : findAttempt(db, { merchant_id, id: attempt_id }),
    listCallbacksOf(db, incident),
  ])
  return ok(viewIncidentDetail({ incident, transaction, attempt, callbacks }))
}
