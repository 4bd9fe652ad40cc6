// A log as JSON, field by field (decisions 6.5): in lists the record, alone also the request and
// the answer as they went over the wire.

import { type Static, Type } from 'typebox'
import { eventTypes } from '../../events/event.ts'
import { deliveryStatuses } from '../states.ts'
import { bodyOf, type Log, subjectOf } from './log.ts'

const moment = Type.String({ format: 'date-time' })
const uuid = Type.String({ format: 'uuid' })
const maybe = <T extends ReturnType<typeof Type.String>>(schema: T) =>
  Type.Union([schema, Type.Null()])
const headers = Type.Record(Type.String(), Type.String())

const fields = {
  id: Type.String({ format: 'uuid', description: 'The X-Webhook-Id of every try.' }),
  webhook: uuid,
  event_id: Type.String({ format: 'uuid', description: 'Of the event, as `/events/` shows it.' }),
  event_type: Type.Enum([...eventTypes]),
  environment: Type.Enum(['SANDBOX', 'LIVE']),
  transaction: maybe(uuid),
  settlement: maybe(uuid),
  wallet_transfer: maybe(uuid),
  checkout_session: maybe(uuid),
  url: Type.String({ description: 'Of the last try.' }),
  payload: Type.Union([Type.Object({}), Type.Null()], {
    description: 'What was sent; null when the event is no longer kept.',
  }),
  status: Type.Enum([...deliveryStatuses]),
  attempt: Type.Integer({ minimum: 0, description: 'Tries made so far.' }),
  http_status: Type.Union([Type.Integer(), Type.Null()]),
  response_body: Type.String({
    description: 'At most 8 kB of the answer; in parentheses why there was none.',
  }),
  sent_at: maybe(moment),
  next_retry_at: maybe(moment),
  exhausted_at: maybe(moment),
  created_at: moment,
}

export const LogSchema = Type.Object(fields, { title: 'WebhookLog' })

const request = Type.Object({
  method: Type.Enum(['POST']),
  url: Type.String(),
  headers,
  body: Type.String({ description: 'The very text that was signed.' }),
})
const response = Type.Object({
  status: Type.Integer(),
  headers,
  body: Type.String({ description: 'At most 8 kB.' }),
})

export const LogDetailSchema = Type.Object(
  {
    ...fields,
    request: Type.Union([request, Type.Null()], { description: 'Of the last try; null: none.' }),
    response: Type.Union([response, Type.Null()], { description: 'Null: nothing came back.' }),
    took_ms: Type.Union([Type.Integer(), Type.Null()]),
  },
  { title: 'WebhookLogDetail' },
)

export function viewLog(log: Log): Static<typeof LogSchema> {
  const body = bodyOf(log)
  return {
    id: log.id,
    webhook: log.webhook_id,
    event_id: log.event_id,
    event_type: log.event_type,
    environment: log.environment,
    transaction: log.transaction_id,
    ...subjectOf(log),
    url: log.url,
    payload: body === null ? null : JSON.parse(body),
    status: log.status,
    attempt: log.attempt,
    http_status: log.http_status,
    response_body: log.response_body,
    sent_at: log.sent_at?.toISOString() ?? null,
    next_retry_at: log.status === 'FAILED' ? (log.due_at?.toISOString() ?? null) : null,
    exhausted_at: log.exhausted_at?.toISOString() ?? null,
    created_at: log.created_at.toISOString(),
  }
}

export const viewLogDetail = (log: Log): Static<typeof LogDetailSchema> => ({
  ...viewLog(log),
  request: requestOf(log),
  response: responseOf(log),
  took_ms: log.took_ms,
})

function requestOf(log: Log) {
  const { request_headers, url } = log
  if (request_headers === null) return null
  return { method: 'POST' as const, url, headers: request_headers, body: bodyOf(log) ?? '' }
}

function responseOf({ http_status, response_headers, response_body }: Log) {
  if (http_status === null) return null
  return { status: http_status, headers: response_headers ?? {}, body: response_body }
}

const id = '01981f3a-0000-7000-8000-00000000e101'

/** For OpenAPI. */
export const logExample: Static<typeof LogSchema> = {
  id,
  webhook: '01981f3a-0000-7000-8000-000000000001',
  event_id: '01981f3a-0000-7000-8000-00000000e001',
  event_type: 'transaction.success',
  environment: 'SANDBOX',
  transaction: '01981f3a-0000-7000-8000-000000007001',
  settlement: null,
  wallet_transfer: null,
  checkout_session: null,
  url: 'https://shop.example.com/hooks/pirogue',
  payload: {
    id,
    event: 'transaction.success',
    created_at: '2026-11-21T09:30:00.000Z',
    environment: 'SANDBOX',
    data: { reference: 'TXN-20261121-7K2MPQ4RWX', status: 'SUCCESS', version: 2 },
  },
  status: 'FAILED',
  attempt: 1,
  http_status: 503,
  response_body: 'busy',
  sent_at: '2026-11-21T09:30:00.120Z',
  next_retry_at: '2026-11-21T09:30:31.004Z',
  exhausted_at: null,
  created_at: '2026-11-21T09:30:00.050Z',
}

export const logDetailExample: Static<typeof LogDetailSchema> = {
  ...logExample,
  request: {
    method: 'POST',
    url: logExample.url,
    headers: { 'X-Webhook-Id': id, 'X-Webhook-Timestamp': '1795253400' },
    body: JSON.stringify(logExample.payload),
  },
  response: { status: 503, headers: { 'content-type': 'text/plain' }, body: 'busy' },
  took_ms: 64,
}
