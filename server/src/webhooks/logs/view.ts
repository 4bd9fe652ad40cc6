// A log as JSON, field by field (contract 6.5): the record in lists; in the detail also the request
// and the answer as they went over the wire.

import { type Static, Type } from 'typebox'
import { eventTypes } from '../../events/event.ts'
import { isAcknowledged } from '../delivery.ts'
import { sentHeaders } from '../request-headers.ts'
import { deliveryStatuses } from '../states.ts'
import {
  bodyOf,
  type EarlierTry,
  earlier_tries_max,
  type Log,
  type LogDetail,
  subjectOf,
} from './log.ts'

const moment = Type.String({ format: 'date-time' })
const uuid = Type.String({ format: 'uuid' })
const maybe = <T extends ReturnType<typeof Type.String>>(schema: T) =>
  Type.Union([schema, Type.Null()])
const headers = Type.Record(Type.String(), Type.String())

const fields = {
  id: Type.String({ format: 'uuid', description: 'The id of this log: one endpoint, one event.' }),
  webhook: uuid,
  event_id: Type.String({
    format: 'uuid',
    description: 'The id of the event: the X-Webhook-Id of every try, and its id in `/events/`.',
  }),
  event_type: Type.Enum([...eventTypes]),
  environment: Type.Enum(['SANDBOX', 'LIVE']),
  transaction: maybe(uuid),
  settlement: maybe(uuid),
  wallet_transfer: maybe(uuid),
  checkout_session: maybe(uuid),
  url: Type.String({ description: 'The endpoint’s address at the last try.' }),
  payload: Type.Union([Type.Object({}), Type.Null()], {
    description: 'The payload sent; null when the event is no longer kept.',
  }),
  status: Type.Enum([...deliveryStatuses]),
  attempt: Type.Integer({ minimum: 0, description: 'Tries made so far.' }),
  http_status: Type.Union([Type.Integer(), Type.Null()]),
  response_body: Type.String({
    description: 'At most 8 kB of the response; in parentheses, why there was none.',
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
  body: Type.String({ description: 'The exact text that was signed.' }),
})
const response = Type.Object({
  status: Type.Integer(),
  headers,
  body: Type.String({ description: 'At most 8 kB.' }),
})

const TrySchema = Type.Object(
  {
    attempt: Type.Integer({
      minimum: 1,
      description: 'The number of the try; resends continue the count.',
    }),
    sent_at: moment,
    url: Type.String(),
    succeeded: Type.Boolean({ description: 'Whether a 2xx response came in time.' }),
    http_status: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Null: no response.',
    }),
    response_headers: Type.Union([headers, Type.Null()]),
    response_body: fields.response_body,
    took_ms: Type.Union([Type.Integer(), Type.Null()]),
  },
  { title: 'WebhookTry' },
)

export const LogDetailSchema = Type.Object(
  {
    ...fields,
    request: Type.Union([request, Type.Null()], {
      description: 'What the last try sent; null: nothing was.',
    }),
    response: Type.Union([response, Type.Null()], { description: 'Null: no response.' }),
    took_ms: Type.Union([Type.Integer(), Type.Null()]),
    tries: Type.Array(TrySchema, {
      description:
        'Every try, oldest first; the last is the one described by the fields above. At most ' +
        `the newest ${earlier_tries_max + 1}.`,
    }),
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

export const viewLogDetail = (log: LogDetail): Static<typeof LogDetailSchema> => ({
  ...viewLog(log),
  request: requestOf(log),
  response: responseOf(log),
  took_ms: log.took_ms,
  tries: triesOf(log).map(viewTry),
})

/** The last try is the log's own; before it was made there is none. */
function triesOf(log: LogDetail): EarlierTry[] {
  const { earlier_tries, sent_at } = log
  return sent_at === null
    ? [...earlier_tries]
    : [...earlier_tries, { ...log, sent_at: sent_at.toISOString() }]
}

const viewTry = (one: EarlierTry): Static<typeof TrySchema> => ({
  attempt: one.attempt,
  sent_at: new Date(one.sent_at).toISOString(),
  url: one.url,
  succeeded: isAcknowledged(one),
  http_status: one.http_status,
  response_headers: one.response_headers,
  response_body: one.response_body,
  took_ms: one.took_ms,
})

function requestOf(log: Log) {
  const headers = sentHeaders(log)
  if (headers === null) return null
  return { method: 'POST' as const, url: log.url, headers, body: bodyOf(log) ?? '' }
}

function responseOf({ http_status, response_headers, response_body }: Log) {
  if (http_status === null) return null
  return { status: http_status, headers: response_headers ?? {}, body: response_body }
}

const id = '01981f3a-0000-7000-8000-00000000e101'
const event_id = '01981f3a-0000-7000-8000-00000000e001'

/** For OpenAPI. */
export const logExample: Static<typeof LogSchema> = {
  id,
  webhook: '01981f3a-0000-7000-8000-000000000001',
  event_id,
  event_type: 'transaction.success',
  environment: 'SANDBOX',
  transaction: '01981f3a-0000-7000-8000-000000007001',
  settlement: null,
  wallet_transfer: null,
  checkout_session: null,
  url: 'https://shop.example.com/hooks/pirogue',
  payload: {
    id: event_id,
    event: 'transaction.success',
    created_at: '2026-11-21T09:30:00.000Z',
    environment: 'SANDBOX',
    data: { reference: 'TXN-20261121-7K2MPQ4RWX', status: 'SUCCESS', version: 2 },
  },
  status: 'FAILED',
  attempt: 2,
  http_status: 503,
  response_body: 'busy',
  sent_at: '2026-11-21T09:30:45.120Z',
  next_retry_at: '2026-11-21T09:35:51.004Z',
  exhausted_at: null,
  created_at: '2026-11-21T09:30:00.050Z',
}

export const logDetailExample: Static<typeof LogDetailSchema> = {
  ...logExample,
  request: {
    method: 'POST',
    url: logExample.url,
    headers: { 'X-Webhook-Id': event_id, 'X-Webhook-Timestamp': '1795253445' },
    body: JSON.stringify(logExample.payload),
  },
  response: { status: 503, headers: { 'content-type': 'text/plain' }, body: 'busy' },
  took_ms: 64,
  tries: [
    {
      attempt: 1,
      sent_at: '2026-11-21T09:30:00.120Z',
      url: logExample.url,
      succeeded: false,
      http_status: null,
      response_headers: null,
      response_body: '(no answer: timeout)',
      took_ms: 15_000,
    },
    {
      attempt: 2,
      sent_at: '2026-11-21T09:30:45.120Z',
      url: logExample.url,
      succeeded: false,
      http_status: 503,
      response_headers: { 'content-type': 'text/plain' },
      response_body: 'busy',
      took_ms: 64,
    },
  ],
}
