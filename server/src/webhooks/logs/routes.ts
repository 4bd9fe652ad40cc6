// What was sent to the merchant's endpoints (decisions 6.5): the list, one, and one once more.

import { Type } from 'typebox'
import { eventTypes } from '../../events/event.ts'
import type { Db } from '../../platform/db.ts'
import { enumFilter, uuidFilter, uuidParam } from '../../platform/http/filters.ts'
import {
  cursorPageSchema,
  cursorQuery,
  keysetPage,
  readCursorRequest,
} from '../../platform/http/pages.ts'
import { type Input, ok, type Reply, type Route } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { webhookErrors } from '../errors.ts'
import { deliveryStatuses } from '../states.ts'
import { getLog } from './get-log.ts'
import { type ResendDeps, resendDelivery } from './resend-delivery.ts'
import { type LogFound, listLogs } from './store.ts'
import {
  LogDetailSchema,
  LogSchema,
  logDetailExample,
  logExample,
  viewLog,
  viewLogDetail,
} from './view.ts'

export type LogRouteDeps = ResendDeps &
  Readonly<{
    /** Signs the cursors of lists. */
    cursor_secret: Uint8Array
  }>

const tag = 'Webhooks'

export const logRoutes = (deps: LogRouteDeps): Route[] => [
  {
    method: 'GET',
    path: '/webhook-logs/',
    access: 'any',
    query: Type.Object({
      ...cursorQuery,
      webhook: Type.Optional(Type.String({ format: 'uuid' })),
      status: Type.Optional(Type.Enum([...deliveryStatuses])),
      event_type: Type.Optional(Type.Enum([...eventTypes])),
      transaction: Type.Optional(Type.String({ format: 'uuid' })),
    }),
    summary: 'List what was sent to your webhooks',
    description: 'One log a delivery, with its last try; the newest first.',
    tag,
    responses: { 200: cursorPageSchema(LogSchema) },
    example: { reply: { next: null, previous: null, results: [logExample] } },
    handler: (input) => answerLogs(deps, input),
  },
  {
    method: 'GET',
    path: '/webhook-logs/:id/',
    access: 'any',
    summary: 'Read a delivery, with request and answer',
    description: 'With every try of it: what each one got, the oldest first.',
    tag,
    responses: { 200: LogDetailSchema },
    errors: [transportErrors.permission_denied],
    example: { reply: logDetailExample },
    handler: async (input) =>
      ok(viewLogDetail(await getLog(deps.db, input.caller, uuidParam(input, 'id')))),
  },
  {
    method: 'POST',
    path: '/webhook-logs/:id/resend/',
    access: 'any',
    permission: 'webhooks',
    second_factor: 'environment',
    summary: 'Send a delivery once more',
    description:
      'Whatever came of it: the same id and payload, to the address of now, after what is new. ' +
      'Its schedule of retries begins anew.',
    tag,
    responses: { 200: LogDetailSchema },
    errors: [
      transportErrors.permission_denied,
      webhookErrors.webhook_inactive,
      webhookErrors.webhook_deleted,
    ],
    example: { reply: { ...logDetailExample, status: 'PENDING', next_retry_at: null } },
    handler: async (input) =>
      ok(viewLogDetail(await resendDelivery(deps, input.caller, uuidParam(input, 'id')))),
  },
]

async function answerLogs(
  { db, cursor_secret: secret }: Readonly<{ db: Db; cursor_secret: Uint8Array }>,
  { caller, query, url }: Input,
): Promise<Reply> {
  const { page_size, cursor } = readCursorRequest(query, secret)
  const rows = await listLogs(db, {
    merchant_id: caller.merchant_id,
    environment: caller.environment,
    webhook: uuidFilter(query, 'webhook'),
    status: enumFilter(query, 'status', deliveryStatuses),
    event_type: enumFilter(query, 'event_type', eventTypes),
    transaction: uuidFilter(query, 'transaction'),
    cursor,
    limit: page_size + 1,
  })
  const keyOf = ({ place, id }: LogFound) => ({ created_at: place, id })
  const page = keysetPage({ rows, page_size, cursor, url, secret, keyOf })
  return ok({ ...page, results: page.results.map(viewLog) })
}
