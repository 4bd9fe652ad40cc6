// What this operator answers: JSON, an empty 200, an error with its code, a page for a payer.
// Bodies and codes are in the forms that its documents and clients show (docs/operators/wave.md).

import type { PageReply } from '../../page-frame.ts'

export type Reply =
  | Readonly<{ is: 'json'; status: number; body: unknown; headers?: Record<string, string> }>
  | Readonly<{ is: 'empty'; status: number }>
  | PageReply
  /** A 2xx that nobody can read. */
  | Readonly<{ is: 'garbled' }>
  /** No answer at all: the connection is kept open, then broken. */
  | Readonly<{ is: 'lost' }>

export const json = (status: number, body: unknown): Reply => ({ is: 'json', status, body })
export const done = (): Reply => ({ is: 'empty', status: 200 })

const messages: Readonly<Record<string, string>> = {
  'missing-auth-header': 'Your request should include an HTTP auth header.',
  'invalid-auth': "Your HTTP auth header can't be processed.",
  'api-key-not-provided': 'Your request should include an API key.',
  'no-matching-api-key': "The key you provided doesn't exist in our system.",
  'api-key-revoked': 'Your API key has been revoked.',
  'checkout-session-not-found': 'Checkout session not found.',
  'not-found': 'Not found.',
  'checkout-refund-failed': 'The checkout session cannot be refunded.',
  'insufficient-funds': 'The wallet does not have enough funds.',
  'idempotency-mismatch': 'The idempotency key was used with a different request.',
  'too-many-requests': 'Too many requests, try again later.',
  'internal-server-error': 'Internal server error.',
}

export const coded = (status: number, code: string): Reply =>
  json(status, { code, message: messages[code] ?? code })

export const invalid = (loc: string, msg: string): Reply =>
  json(400, {
    ...{ code: 'request-validation-error', message: 'Request invalid' },
    details: [{ loc: [loc], msg }],
  })
