// What was sent to the merchant's endpoints (contract 6.5): the list, the detail, and resending.

import { checkTimes, uuidParam } from '../../platform/http/filters.ts'
import { listByCursor } from '../../platform/http/lists.ts'
import type { CursorSecret } from '../../platform/http/pages.ts'
import { ok, type Route } from '../../platform/http/route.ts'
import { cursorList, reads, routesWith } from '../../platform/http/route-list.ts'
import { webhookErrors } from '../errors.ts'
import { logQuery, readLogFilters } from './filters.ts'
import { type ResendDeps, resendDelivery } from './resend-delivery.ts'
import { getLog, listLogs } from './store.ts'
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
    cursor_secret: CursorSecret
  }>

export const logRoutes = (deps: LogRouteDeps): Route[] =>
  routesWith({ tag: 'Webhooks', access: 'any' }, [
    {
      path: '/webhook-logs/',
      ...cursorList(LogSchema, logExample, logQuery),
      check_query: checkTimes,
      summary: 'List webhook deliveries',
      description: 'One log per delivery, with its last try; newest first.',
      handler: answerLogs(deps),
    },
    {
      path: '/webhook-logs/:id/',
      summary: 'Retrieve a delivery with its request and response',
      description: 'Includes every try and its result, oldest first.',
      ...reads(LogDetailSchema, logDetailExample),
      handler: async (input) =>
        ok(viewLogDetail(await getLog(deps.db, input.caller, uuidParam(input, 'id')))),
    },
    {
      method: 'POST',
      path: '/webhook-logs/:id/resend/',
      permission: 'webhooks',
      second_factor: 'environment',
      summary: 'Resend a delivery',
      description:
        'Whatever its outcome: same id and payload, to the current address, after new events. ' +
        'Its retry schedule starts again.',
      responses: { 200: LogDetailSchema },
      errors: [webhookErrors.webhook_inactive, webhookErrors.webhook_deleted],
      example: { reply: { ...logDetailExample, status: 'PENDING', next_retry_at: null } },
      handler: async (input) =>
        ok(viewLogDetail(await resendDelivery(deps, input.caller, uuidParam(input, 'id')))),
    },
  ])

const answerLogs = ({ db, cursor_secret }: LogRouteDeps) =>
  listByCursor(cursor_secret, viewLog, ({ caller, query }, stretch) =>
    listLogs(db, {
      merchant_id: caller.merchant_id,
      environment: caller.environment,
      ...readLogFilters(query),
      ...stretch,
    }),
  )
