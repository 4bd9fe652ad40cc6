// What this operator answers: objects and errors, in the forms that its documents and clients show
// (docs/operators/stripe.md).

import type { PageReply } from '../../page-frame.ts'

export type Reply =
  | Readonly<{ is: 'json'; status: number; body: unknown; headers?: Record<string, string> }>
  | PageReply
  /** A 2xx that nobody can read; `made` is what it was to show. */
  | Readonly<{ is: 'garbled'; status: number; made: unknown }>
  /** No answer at all: the connection is kept open, then broken. `made`: what was made before. */
  | Readonly<{ is: 'lost'; made?: unknown }>

export const json = (status: number, body: unknown): Reply => ({ is: 'json', status, body })

type Fault = Readonly<{ type?: string; code?: string; message: string; param?: string }>

export const fault = (status: number, { type = 'invalid_request_error', ...others }: Fault) =>
  json(status, { error: { ...others, type } })

export const missing = (what: string, id: string): Reply =>
  fault(404, { code: 'resource_missing', message: `No such ${what}: '${id}'`, param: 'id' })

export const invalid = (param: string, message: string, code?: string): Reply =>
  fault(400, { ...(code === undefined ? {} : { code }), message, param })

export const serverError = (): Reply =>
  fault(500, { type: 'api_error', message: 'An unknown error occurred' })

export const tooMany = (): Reply => ({
  ...{ is: 'json', status: 429, headers: { 'stripe-rate-limited-reason': 'global-rate' } },
  body: {
    error: {
      code: 'rate_limit',
      message: 'Request rate limit exceeded. Learn more about rate limits.',
      type: 'invalid_request_error',
    },
  },
})

export const listOf = (url: string, data: readonly unknown[], has_more = false): Reply =>
  json(200, { object: 'list', data, has_more, url })
