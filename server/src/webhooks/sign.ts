// Signatures of a delivery (contract 6.6): our own headers and the Standard Webhooks ones, over the
// same raw body. While a secret is rotated the old one keeps signing, because receivers know only
// it.

import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/** `whsec_` and the base64 of 32 random bytes. Shown once, then kept sealed. */
export function newSigningSecret(): string {
  return prefix + randomBytes(32).toString('base64')
}

export type Signing = Readonly<{
  /** The event's id, by which a receiver drops repeats. */
  id: string
  event: string
  /** The raw bytes that are sent; a string is taken as UTF-8. */
  body: string | Buffer
  /** Unix seconds of this try. */
  timestamp_s: number
  secret: string
  /** Only during a rotation's overlap: the secret that will replace `secret`. */
  next_secret?: string
}>

/** All headers of contract 6.6 that identify and sign one try. */
export function signatureHeaders(signing: Signing): Record<string, string> {
  const { id, event, timestamp_s, secret, next_secret } = signing
  const timestamp = String(timestamp_s)
  const secrets = next_secret === undefined ? [secret] : [secret, next_secret]
  const headers: Record<string, string> = {
    'X-Webhook-Id': id,
    'X-Webhook-Event': event,
    'X-Webhook-Timestamp': timestamp,
    'X-Webhook-Signature': hexSignature(signing, secret),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((each) => standardSignature(signing, each)).join(' '),
  }
  if (next_secret !== undefined) {
    headers['X-Webhook-Signature-Next'] = hexSignature(signing, next_secret)
  }
  return headers
}

/** Our own scheme: the key is the whole secret text, `whsec_` included. */
function hexSignature({ timestamp_s, body }: Signing, secret: string): string {
  return createHmac('sha256', secret).update(`${timestamp_s}.`).update(body).digest('hex')
}

/** The last group of base64 may lack its padding, but never be a single character. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

/**
 * The base64 after `whsec_`; for a supplied secret without that prefix, its bytes (contract 8.2).
 */
function standardKey(secret: string): Buffer {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : ''
  return text !== '' && base64.test(text) ? Buffer.from(text, 'base64') : Buffer.from(secret)
}

/** Standard Webhooks: the id is signed too. */
function standardSignature({ id, timestamp_s, body }: Signing, secret: string): string {
  const mac = createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp_s}.`).update(body)
  return `v1,${mac.digest('base64')}`
}
