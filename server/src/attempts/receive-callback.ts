// Receives gateways' callbacks. Each is stored as it came before it is answered 2xx. A signature
// that the adapter verified makes it evidence; anything else is only a wake-up to query the
// gateway. What strangers send is bounded: nothing of theirs is stored unless it is signed.

import { createHash } from 'node:crypto'
import type { CallbackReading, Gateway, Gateways } from '../gateways/gateway.ts'
import { platformMerchant } from '../ledger/account.ts'
import type { Db } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { idFromHash, timeOfId } from '../platform/ids.ts'
import { countOrRefuse, networkOf, type Tally } from '../platform/throttle/throttle.ts'
import type { Attempt, AttemptKeyOf } from './attempt.ts'
import { findAttempt, findDirectoryRow, keepCallback, wakeAttempt } from './attempt-statements.ts'
import { type Macs, readCallbackToken } from './callback-token.ts'
import type { CallbackRow } from './statements.ts'

export type GatewayIds = ReadonlyMap<string, Readonly<{ id: string; environment: Environment }>>

/** What a verified callback says, for the code that ends payments. */
export type SignedCallback = Readonly<{
  key: AttemptKeyOf
  /** False when it was found by what the body calls it, so it can mean no other attempt. */
  by_address: boolean
  gateway: Gateway
  reading: CallbackReading
  hash: Buffer
  request_id: string
  callback: Omit<CallbackRow, 'gate_id'>
}>

export type CallbackApplied = Readonly<{ kept: boolean; ask: boolean }>

export type CallbackDeps = Readonly<{
  db: Db
  gateways: Gateways
  gateway_ids: GatewayIds
  macs: Macs
  /**
   * Applies the evidence. `kept`: the raw callback went into the same commit; `nobody`: there is no
   * attempt that this gateway may speak of.
   */
  apply: (signed: SignedCallback) => Promise<CallbackApplied | 'nobody'>
  /** Wakes the poller of this process, because something is due. */
  wakePoller: (gateway_code: string) => void
  limits: Readonly<{
    unmatched_callbacks_per_ip_hour: number
    unmatched_callbacks_per_gateway_hour: number
  }>
  /** Counts unsigned callbacks to addresses that match no attempt. */
  tally: Tally
}>

export type CallbackRequest = Readonly<{
  gateway_code: string
  /** From the address; empty for a gateway that has one fixed address. */
  token: string
  body: string
  headers: Readonly<Record<string, string>>
  request_id: string
  /** Where it came from: the operator, or somebody who claims to be it. */
  ip: string
}>

/** More than any operator sends; what is longer is refused before it is read. */
export const callback_bytes_max = 65_536
const unmatchedRetryS = 30
/** The most unsigned callbacks per network address and per gateway, in a minute and a process. */
const unsignedMost = { address: 600, gateway: 6_000 }

type CallbackAddress = Readonly<{
  gateway: Gateway
  row: { id: string; environment: Environment }
  /** Undefined when only the body says which attempt it means. */
  key: AttemptKeyOf | undefined
}>

/**
 * Which gateway and attempt an address names; undefined for an address that is not ours. Only a
 * gateway with one fixed address may call without a token: every other was given its own. It reads
 * neither the database nor the body.
 */
export function readAddress(
  deps: Pick<CallbackDeps, 'gateways' | 'gateway_ids' | 'macs'>,
  { gateway_code, token }: Pick<CallbackRequest, 'gateway_code' | 'token'>,
): CallbackAddress | undefined {
  const gateway = deps.gateways.get(gateway_code)
  const row = deps.gateway_ids.get(gateway_code)
  if (gateway === undefined || row === undefined) return undefined
  if (token === '') {
    return gateway.facts.callback_address === 'STATIC'
      ? { gateway, row, key: undefined }
      : undefined
  }
  const key = readCallbackToken(deps.macs, token)
  return key && { gateway, row, key }
}

/**
 * The status to answer: 200 when the callback is kept or has woken a poller, 404 for an address
 * that is not ours and for an unsigned callback that matches nothing. Past a budget it throws
 * `rate_limited`.
 */
export async function receiveCallback(
  deps: CallbackDeps,
  request: CallbackRequest,
): Promise<200 | 404> {
  const address = readAddress(deps, request)
  if (address === undefined) return 404
  const { gateway, row } = address
  const reading = gateway.readCallback(request.body, request.headers)
  if (address.key === undefined && reading.proof === 'UNSIGNED') countUnsigned(deps, request)
  const key = address.key ?? (await findDirectoryRow(deps.db, row.id, reading.key))
  const hash = createHash('sha256').update(request.body).digest()
  if (key === undefined) return keepUnmatched(deps, { row, request, reading, hash })
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
  return applyOrWake(deps, { key, by_address, gateway, reading, hash, request_id, callback })
}

/** A signed callback is never slowed, because it is the operator's. */
function countUnsigned({ tally }: CallbackDeps, { gateway_code, ip }: CallbackRequest): void {
  const fits =
    tally.take(`address ${networkOf(ip)}`, unsignedMost.address) &&
    tally.take(`gateway ${gateway_code}`, unsignedMost.gateway)
  if (!fits) throw refuse(accessErrors.rate_limited, { retry_after_s: 60 })
}

/** A text column cannot hold a NUL; the hash is of the body as it came. */
const storable = (body: string): string => body.replaceAll('\0', '\uFFFD')

async function applyOrWake(deps: CallbackDeps, signed: SignedCallback): Promise<200 | 404> {
  const { key, gateway, reading, hash, callback } = signed
  const isEvidence =
    reading.proof === 'SIGNED' &&
    (reading.answer.is === 'confirmed' || reading.answer.is === 'refused')
  const outcome = isEvidence ? await deps.apply(signed) : 'nobody'
  if (outcome === 'nobody' && !(await isTheirs(deps, signed))) return 404
  const applied = outcome === 'nobody' ? { kept: false, ask: true } : outcome
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

/** Whether there is such an attempt, and whether it is one of this operator's. */
async function isTheirs({ db }: CallbackDeps, signed: SignedCallback): Promise<boolean> {
  const attempt = await findAttempt(db, signed.key)
  return attempt !== undefined && matchAttempt(attempt, signed) !== 'nobody'
}

/**
 * An operator vouches for its own payments only, whatever address it has got hold of; and the body
 * may name another payment than the address does.
 */
export function matchAttempt(
  attempt: Attempt,
  { gateway, by_address, reading: { key } }: SignedCallback,
): 'this' | 'another' | 'nobody' {
  if (attempt.gateway_code !== gateway.code) return 'nobody'
  const isNamed = key === '' || key === attempt.our_key || key === attempt.external_reference
  return isNamed || !by_address ? 'this' : 'another'
}

type Unmatched = {
  row: { id: string; environment: Environment }
  request: CallbackRequest
  reading: CallbackReading
  hash: Buffer
}

/**
 * A signed callback without a match is kept under the platform merchant and retried for a quarter
 * of an hour. Only so many are kept in an hour; the operator sends the others again.
 */
async function keepUnmatched(
  deps: CallbackDeps,
  { row, request, reading, hash }: Unmatched,
): Promise<200 | 404> {
  if (reading.proof === 'UNSIGNED') return 404
  await countUnmatched(deps, request)
  const day_ms = 24 * 3600 * 1000
  await keepCallback(deps.db, {
    merchant_id: platformMerchant[row.environment],
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
  return 200
}

async function countUnmatched(
  { db, macs, limits }: CallbackDeps,
  { gateway_code, ip }: CallbackRequest,
): Promise<void> {
  const within_s = 3600
  await countOrRefuse(
    { db, macs },
    {
      act: 'unmatched-ip',
      target: networkOf(ip),
      most: limits.unmatched_callbacks_per_ip_hour,
      within_s,
    },
  )
  await countOrRefuse(
    { db, macs },
    {
      act: 'unmatched-gateway',
      target: gateway_code,
      most: limits.unmatched_callbacks_per_gateway_hour,
      within_s,
    },
  )
}
