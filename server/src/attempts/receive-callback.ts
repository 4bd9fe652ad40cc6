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
  /** False: found by what the body calls it, so it can mean no other. */
  by_address: boolean
  gateway: Gateway
  reading: CallbackReading
  hash: Buffer
  request_id: string
  callback: Omit<CallbackRow, 'gate'>
}>

type Applied = Readonly<{ kept: boolean; ask: boolean }>

export type CallbackDeps = Readonly<{
  db: Db
  gateways: Gateways
  gateway_ids: GatewayIds
  macs: Macs
  /**
   * Settles by the evidence. `kept`: the raw callback went into its commit; `nobody`: it found no
   * attempt that this gateway may speak of.
   */
  apply: (signed: SignedCallback) => Promise<Applied | 'nobody'>
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
  const key = await addressee(deps, { gateway_id: row.id, request, reading })
  if (key === 'nobody') return 404
  const hash = createHash('sha256').update(request.body).digest()
  if (key === undefined) {
    await keepUnmatched(deps.db, { row, request, reading, hash })
    return 200
  }
  const callback = {
    merchant_id: key.merchant_id,
    id: idFromHash(timeOfId(key.id), hash),
    environment: row.environment,
    gateway_id: row.id,
    attempt_id: key.id,
    proof: reading.proof,
    body: storable(request.body),
    body_hash: hash.toString('base64'),
  }
  const { request_id } = request
  const by_address = request.token !== ''
  return hear(deps, { key, by_address, gateway, reading, hash, request_id, callback })
}

/** Text cannot hold a NUL; the hash is of the body as it came. */
const storable = (body: string): string => body.replaceAll('\0', '\uFFFD')

async function hear(deps: CallbackDeps, signed: SignedCallback): Promise<200 | 404> {
  const { key, gateway, reading, hash, callback } = signed
  const isEvidence =
    reading.proof === 'SIGNED' &&
    (reading.answer.is === 'confirmed' || reading.answer.is === 'refused')
  const heard = isEvidence ? await deps.apply(signed) : 'nobody'
  if (heard === 'nobody' && !(await isTheirs(deps, signed))) return 404
  const applied = heard === 'nobody' ? { kept: false, ask: true } : heard
  if (!applied.kept) {
    await keepCallback(deps.db, {
      ...callback,
      body_hash: hash,
      outcome: applied.ask ? 'WOKE' : 'APPLIED',
      due_after_s: null,
    })
  }
  if (applied.ask) {
    await wakeAttempt(deps.db, key)
    deps.wakePoller(gateway.code)
  }
  return 200
}

/** Is there such an attempt, and is it one of this operator's? */
async function isTheirs({ db }: CallbackDeps, signed: SignedCallback): Promise<boolean> {
  const attempt = await findAttempt(db, signed.key)
  return attempt !== undefined && whomItMeans(attempt, signed) !== 'nobody'
}

/**
 * An operator vouches for its own payments only, whoever's address it got hold of; and the body may
 * name another payment than the address does.
 */
export function whomItMeans(
  attempt: Attempt,
  { gateway, by_address, reading: { key } }: SignedCallback,
): 'this' | 'another' | 'nobody' {
  if (attempt.gateway_code !== gateway.code) return 'nobody'
  const isNamed = key === '' || key === attempt.our_key || key === attempt.external_reference
  return isNamed || !by_address ? 'this' : 'another'
}

type Address = { gateway_id: string; request: CallbackRequest; reading: CallbackReading }

/** `nobody`: the address is not ours. Undefined: a fixed address, and the body names nobody yet. */
async function addressee(
  deps: CallbackDeps,
  { gateway_id, request: { token }, reading }: Address,
): Promise<AttemptKeyOf | 'nobody' | undefined> {
  if (token === '') return findDirectoryRow(deps.db, gateway_id, reading.key)
  return readCallbackToken(deps.macs, token) ?? 'nobody'
}

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
