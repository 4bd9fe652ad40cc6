// Receives gateways' callbacks. Each is stored as it came before it is answered 2xx. A signature
// that the adapter verified makes it evidence; a token of ours that came back wakes the poller at
// once, and anything else is a hint that does so at most every ten seconds. What strangers send is
// bounded: nothing of theirs is stored where it means no attempt.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { CallbackReading, Gateway, Gateways, Received } from '../gateways/gateway.ts'
import { platformMerchant } from '../ledger/account.ts'
import type { Db } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { idFromHash, timeOfId } from '../platform/ids.ts'
import { countOrRefuse, networkOf, type Tally } from '../platform/throttle/throttle.ts'
import type { Attempt, AttemptKeyOf } from './attempt.ts'
import { wakeAttempt } from './attempt-statements.ts'
import { readProbe } from './callback-probe.ts'
import type { SenderSeen } from './callback-sender.ts'
import {
  type CallbackRow,
  findDirectoryRow,
  insertDirectoryRow,
  type KeptRequest,
  keepCallback,
} from './callback-statements.ts'
import { type Macs, readCallbackToken } from './callback-token.ts'
import { takeHint } from './hint-statements.ts'
import { findMemo, type Seals } from './memo-statements.ts'

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
  /** Opens what an operator gave us to know its callbacks by. */
  seals?: Seals
  /**
   * Applies the evidence. `kept`: the raw callback went into the same commit; `nobody`: there is no
   * attempt that this gateway may speak of.
   */
  apply: (signed: SignedCallback) => Promise<CallbackApplied | 'nobody'>
  /** A callback was signed by a key that is not known yet: it is read soon, and judged again. */
  wantKeys?: (gateway_id: string) => Promise<void>
  /** When a callback comes, by the database's clock. Milliseconds since 1970; default our own. */
  now_ms?: () => number
  /** A callback of our own has come (`callback-probe.ts`), with this nonce. */
  probed?: (nonce: string) => Promise<void>
  /** Counts where callbacks come from; whoever called does not wait. */
  senderSeen?: (sender: SenderSeen) => void
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
  received: Received
  request_id: string
  /** Where it came from: the operator, or somebody who claims to be it. */
  ip: string
}>

/** More than any operator sends; what is longer is refused before it is read. */
export const callback_bytes_max = 65_536
const unmatchedRetryS = 30
/** A key is read within seconds where it was not read a moment ago. */
const unknownKeyRetryS = 5
/** Anybody may send a hint: the operator is asked because of one no more often. Seconds. */
const hintRestS = 10
/** No signature is longer; what is longer proves nothing, cut or whole. Characters. */
const headerMost = 4_096
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

/** The nonce of a callback of our own, to an account that this process knows. */
export function probeIn(
  { gateways, macs, now_ms = Date.now }: Pick<CallbackDeps, 'gateways' | 'macs' | 'now_ms'>,
  named: Pick<CallbackRequest, 'gateway_code' | 'token'>,
): string | undefined {
  if (gateways.get(named.gateway_code) === undefined) return undefined
  return readProbe(macs, named, now_ms())
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
  const { received, request_id } = request
  const read = gateway.readCallback(received)
  if (read.is_other === true && read.proof !== 'UNSIGNED') return 200
  if (address.key === undefined && read.proof === 'UNSIGNED') countUnsigned(deps, request)
  const key = address.key ?? (await findDirectoryRow(deps.db, row.id, read.key))
  const hash = hashOf(received.body)
  if (key === undefined) return keepUnmatched(deps, { gateway, row, request, reading: read, hash })
  const reading = await judgeNotice(deps, key, read)
  await keepAliases(deps, row.id, key, reading)
  const by_address = request.token !== ''
  const callback = callbackOf({ key, gateway, row, received, reading, hash })
  const about = { key, by_address, gateway, reading, hash, request_id, callback }
  const status = await applyOrWake(deps, about)
  // Of its own attempt, and from whoever was given an address or a secret for it: a stranger who
  // knows a payment's number says nothing of whether the operator's come.
  const isTheirs = by_address || reading.proof !== 'UNSIGNED'
  if (status === 200 && isTheirs) deps.gateways.noteCallback?.(gateway.code)
  return status
}

const hashOf = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest()

/** What only the operator was given makes it `BEARER`; the comparison leaks nothing by its time. */
async function judgeNotice(
  deps: CallbackDeps,
  key: AttemptKeyOf,
  reading: CallbackReading,
): Promise<CallbackReading> {
  if (reading.notice === undefined) return reading
  const { notice } = (await findMemo(deps, key)) ?? {}
  const isTheirs = notice !== undefined && timingSafeEqual(hashOf(notice), hashOf(reading.notice))
  return { ...reading, proof: isTheirs ? 'BEARER' : 'UNSIGNED' }
}

/** The first to come under a name is what it means; there are few, and each is kept once. */
async function keepAliases(
  { db }: CallbackDeps,
  gateway_id: string,
  { merchant_id, id: attempt_id }: AttemptKeyOf,
  { proof, aliases = [] }: CallbackReading,
): Promise<void> {
  if (proof !== 'SIGNED') return
  for (const key of aliases) {
    await insertDirectoryRow(db, { gateway_id, key, merchant_id, attempt_id })
  }
}

type OfAttempt = Readonly<{
  key: AttemptKeyOf
  gateway: Gateway
  row: Readonly<{ id: string; environment: Environment }>
  received: Received
  reading: CallbackReading
  hash: Buffer
}>

/** The callback as a row of the attempt that it is about. */
export function callbackOf(of: OfAttempt): SignedCallback['callback'] {
  const { key, gateway, row, received, reading, hash } = of
  return {
    merchant_id: key.merchant_id,
    id: idFromHash(timeOfId(key.id), hash),
    environment: row.environment,
    gateway_id: row.id,
    attempt_id: key.id,
    proof: reading.proof,
    raw: received.body.toString('base64'),
    body_hash: hash.toString('base64'),
    request: keptRequest(gateway, received),
  }
}

/** What the proof rests on beside the body: no header that no proof is read from is kept. */
function keptRequest(gateway: Gateway, received: Received): KeptRequest | null {
  const { signature_headers } = gateway.facts
  if (signature_headers === undefined) return null
  const { body: _, ...request } = received
  const kept = Object.entries(request.headers).filter(([name]) => signature_headers.includes(name))
  const headers = Object.fromEntries(kept.map(([name, value]) => [name, storable(value)]))
  return { ...request, path: storable(request.path), query: storable(request.query), headers }
}

/** A signed callback is never slowed, because it is the operator's. */
function countUnsigned({ tally }: CallbackDeps, { gateway_code, ip }: CallbackRequest): void {
  const fits =
    tally.take(`address ${networkOf(ip)}`, unsignedMost.address) &&
    tally.take(`gateway ${gateway_code}`, unsignedMost.gateway)
  if (!fits) throw refuse(accessErrors.rate_limited, { retry_after_s: 60 })
}

/** A text column cannot hold a NUL, nor half of a pair. */
const storable = (text: string): string =>
  Buffer.from(text).toString().slice(0, headerMost).replaceAll('\0', '\uFFFD')

export const isEvidence = ({ proof, answer }: CallbackReading): boolean =>
  proof === 'SIGNED' && (answer.is === 'confirmed' || answer.is === 'refused')

async function applyOrWake(deps: CallbackDeps, signed: SignedCallback): Promise<200 | 404> {
  const { key, gateway, reading, hash, callback } = signed
  const outcome = isEvidence(reading) ? await deps.apply(signed) : 'nobody'
  if (outcome === 'nobody') return takeAsHint(deps, signed)
  if (!outcome.kept) {
    await keepCallback(deps.db, {
      ...callback,
      raw: Buffer.from(callback.raw, 'base64'),
      body_hash: hash,
      outcome: outcome.ask ? 'WOKE' : 'APPLIED',
      due_after_s: null,
    })
  }
  if (outcome.ask) {
    await wakeAttempt(deps.db, key)
    deps.wakePoller(gateway.code)
  }
  return 200
}

/** It decides nothing: its attempt, if it is one of this operator's, is asked about. */
async function takeAsHint(deps: CallbackDeps, signed: SignedCallback): Promise<200 | 404> {
  const { key, gateway, reading, callback } = signed
  const is_read_again = reading.unknown_key !== undefined
  const isTheirs = await takeHint(deps.db, {
    ...callback,
    attempt_id: key.id,
    gateway_code: gateway.code,
    outcome: is_read_again ? 'WAITING' : 'WOKE',
    due_after_s: is_read_again ? unknownKeyRetryS : null,
    rest_s: reading.proof === 'UNSIGNED' ? hintRestS : 0,
  })
  if (!isTheirs) return 404
  if (is_read_again) await deps.wantKeys?.(callback.gateway_id)
  deps.wakePoller(gateway.code)
  return 200
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
  gateway: Gateway
  row: { id: string; environment: Environment }
  request: CallbackRequest
  reading: CallbackReading
  hash: Buffer
}

/**
 * A callback that proves something and has no match is kept under the platform merchant and retried
 * for a quarter of an hour. Only so many are kept in an hour; the operator sends the others again.
 */
async function keepUnmatched(
  deps: CallbackDeps,
  { gateway, row, request, reading, hash }: Unmatched,
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
    raw: request.received.body,
    body_hash: hash,
    request: keptRequest(gateway, request.received),
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
