// A gateway calls back. What it says is kept as it came before it is answered 2xx; a signature that
// the adapter verified makes it evidence, anything else is only a wake-up to ask the gateway.

import { createHash } from 'node:crypto'
import type { CallbackReading, Gateway, Gateways } from '../gateways/gateway.ts'
import { houseMerchant } from '../ledger/account.ts'
import type { Db } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { idFromHash, timeOfId } from '../platform/ids.ts'
import type { Attempt, AttemptKeyOf } from './attempt.ts'
import { type Macs, readCallbackToken } from './callback-token.ts'
import type { CallbackRow } from './statements.ts'
import { findAttempt, findDirectoryRow, keepCallback, wakeAttempt } from './store.ts'

export type GatewayIds = ReadonlyMap<string, Readonly<{ id: string; environment: Environment }>>

/** What a verified callback says, for whoever settles payments. */
export type SignedCallback = Readonly<{
  key: AttemptKeyOf
  gateway: Gateway
  reading: CallbackReading
  hash: Buffer
  request_id: string
  callback: Omit<CallbackRow, 'gate'>
}>

export type CallbackDeps = Readonly<{
  db: Db
  gateways: Gateways
  gateway_ids: GatewayIds
  macs: Macs
  /** Settles by the evidence. `kept`: the raw callback went into its commit. */
  apply: (signed: SignedCallback) => Promise<{ kept: boolean; ask: boolean }>
  /** Tells the poller of this process that something is due. */
  wakePoller: (gateway_code: string) => void
}>

export type CallbackRequest = Readonly<{
  gateway_code: string
  /** From the address; empty for a gateway that has one fixed address. */
  token: string
  body: string
  headers: Readonly<Record<string, string>>
  request_id: string
}>

const unmatchedRetryS = 30

/** The status to answer: 200 when it is kept (whatever it says), 404 for no address of ours. */
export async function receiveCallback(
  deps: CallbackDeps,
  request: CallbackRequest,
): Promise<200 | 404> {
  const gateway = deps.gateways.get(request.gateway_code)
  const row = deps.gateway_ids.get(request.gateway_code)
  if (gateway === undefined || row === undefined) return 404
  const reading = gateway.readCallback(request.body, request.headers)
  const found = await addressee(deps, { gateway_id: row.id, request, reading })
  if (found === 'nobody') return 404
  const hash = createHash('sha256').update(request.body).digest()
  if (found === undefined) {
    await keepUnmatched(deps.db, { row, request, reading, hash })
    return 200
  }
  const { key } = found
  const callback = {
    id: idFromHash(timeOfId(key.id), hash),
    environment: row.environment,
    gateway_id: row.id,
    attempt_id: key.id,
    proof: reading.proof,
    body: storable(request.body),
    body_hash: hash.toString('base64'),
  }
  const signed = { key, gateway, reading, hash, request_id: request.request_id, callback }
  await hear(deps, signed, found.is_meant)
  return 200
}

/** Text cannot hold a NUL; the hash is of the body as it came. */
const storable = (body: string): string => body.replaceAll('\0', '\uFFFD')

async function hear(deps: CallbackDeps, signed: SignedCallback, is_meant: boolean): Promise<void> {
  const { key, gateway, reading, hash, callback } = signed
  const isEvidence =
    is_meant &&
    reading.proof === 'SIGNED' &&
    (reading.answer.is === 'confirmed' || reading.answer.is === 'refused')
  const applied = isEvidence ? await deps.apply(signed) : { kept: false, ask: true }
  if (!applied.kept) {
    await keepCallback(deps.db, {
      ...callback,
      merchant_id: key.merchant_id,
      body_hash: hash,
      outcome: applied.ask ? 'WOKE' : 'APPLIED',
      due_after_s: null,
    })
  }
  if (applied.ask) {
    await wakeAttempt(deps.db, key)
    deps.wakePoller(gateway.code)
  }
}

type Address = { gateway_id: string; request: CallbackRequest; reading: CallbackReading }
/** `is_meant`: the body does not name another payment than the address does. */
type Addressee = { key: AttemptKeyOf; is_meant: boolean }

/** `nobody`: the address is not ours. Undefined: a fixed address, and the body names nobody yet. */
async function addressee(
  deps: CallbackDeps,
  { gateway_id, request: { token, gateway_code }, reading }: Address,
): Promise<Addressee | 'nobody' | undefined> {
  if (token === '') {
    const key = await findDirectoryRow(deps.db, gateway_id, reading.key)
    return key && { key, is_meant: true }
  }
  const key = readCallbackToken(deps.macs, token)
  if (key === undefined) return 'nobody'
  const attempt = await findAttempt(deps.db, key)
  // An operator vouches for its own payments only, whoever's address it got hold of.
  if (attempt === undefined || attempt.gateway_code !== gateway_code) return 'nobody'
  return { key, is_meant: names(reading.key, attempt) }
}

/** By our reference or by the gateway's own; a body without any is what its address says. */
const names = (key: string, attempt: Attempt): boolean =>
  key === '' || key === attempt.our_key || key === attempt.external_reference

type Unmatched = {
  row: { id: string; environment: Environment }
  request: CallbackRequest
  reading: CallbackReading
  hash: Buffer
}

/** Kept under the house merchant and looked at again for a quarter of an hour. */
async function keepUnmatched(db: Db, { row, request, reading, hash }: Unmatched): Promise<void> {
  const day_ms = 24 * 3600 * 1000
  await keepCallback(db, {
    merchant_id: houseMerchant[row.environment],
    // The same callback on the same day has the same id, so it is kept once.
    id: idFromHash(Math.floor(Date.now() / day_ms) * day_ms, hash),
    environment: row.environment,
    gateway_id: row.id,
    attempt_id: null,
    proof: reading.proof,
    body: storable(request.body),
    body_hash: hash,
    outcome: 'WAITING',
    due_after_s: unmatchedRetryS,
  })
}
