// Who calls, and how much of the minute is left: one round trip reads the key and counts the call,
// so a key revoked a moment ago is refused everywhere at once, and the limit of decisions 3.6 is
// exact over all processes. Above `block_from` calls a minute a process takes allowance in blocks.

import type { Db } from '../platform/db.ts'
import { type Locale, Refusal, refuse } from '../platform/errors.ts'
import type { Authenticated, Caller, Rate } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { hashKey, looksLikeKey } from './api-key.ts'
import { countOne, findKeyAndCount, type KeyFound } from './store.ts'

export type RequestFacts = Readonly<{
  authorization: string | undefined
  ip: string
  request_id: string
  locale: Locale
}>

/** A 429 still tells the caller his limits. */
export class RateLimited extends Refusal {
  readonly rate: Rate

  constructor(rate: Rate) {
    super(transportErrors.rate_limited, { retry_after_s: rate.reset_s })
    this.rate = rate
  }
}

type Allowance = { minute_s: number; left: number; limit: number; used: number }

const blockFrom = 3000
const blocksInALimit = 60

/** `db` should be one without durable commits: the counter is an unlogged row. */
export function authenticator(db: Db): (facts: RequestFacts) => Promise<Authenticated> {
  // By key hash: allowance that this process took ahead and has not used yet.
  const held = new Map<string, Allowance>()

  return async (facts) => {
    const secret = bearerToken(facts.authorization)
    const hash = hashKey(secret)
    const name = hash.toString('base64')
    const allowance = held.get(name)
    const spare = allowance !== undefined && allowance.left > 0
    const key = await findKeyAndCount(db, {
      hash,
      leased_minute_s: spare ? allowance.minute_s : 0,
      block_from: blockFrom,
      block: blockFrom / blocksInALimit,
    })
    if (key === undefined) throw refuse(transportErrors.invalid_api_key)
    refuseUnusable(key)
    const rate = await countCall(db, held, name, key)
    return { caller: callerOf(key, facts), rate }
  }
}

function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) throw refuse(transportErrors.not_authenticated)
  const [, secret = ''] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  if (!looksLikeKey(secret)) throw refuse(transportErrors.invalid_api_key)
  return secret
}

function refuseUnusable(key: KeyFound): void {
  if (key.is_revoked) throw refuse(transportErrors.revoked_api_key)
  if (key.is_expired) throw refuse(transportErrors.expired_api_key)
  if (key.environment === 'LIVE' && !key.live_enabled) {
    throw refuse(transportErrors.live_mode_not_enabled)
  }
}

async function countCall(
  db: Db,
  held: Map<string, Allowance>,
  name: string,
  key: KeyFound,
): Promise<Rate> {
  const limit = key.rate_limit_per_minute
  const rate = (used: number): Rate => ({
    limit,
    remaining: Math.max(0, limit - used),
    reset_s: key.reset_s,
  })
  if (!key.touched) {
    const allowance = held.get(name)
    // Two calls may have raced for the last of the block; the loser counts itself.
    if (allowance !== undefined && allowance.minute_s === key.minute_s && allowance.left > 0) {
      allowance.left -= 1
      return rate(allowance.used - allowance.left)
    }
    return countSingly(db, key, rate)
  }
  if (limit <= blockFrom) {
    if (key.used === null) throw new RateLimited(rate(limit))
    return rate(key.used)
  }
  if (key.used === null) return countSingly(db, key, rate)
  const block = blockFrom / blocksInALimit
  takeBlock(held, name, { minute_s: key.minute_s, left: block - 1, limit, used: key.used })
  return rate(key.used - block + 1)
}

async function countSingly(db: Db, key: KeyFound, rate: (used: number) => Rate): Promise<Rate> {
  const used = await countOne(db, key.merchant_id, key.rate_limit_per_minute)
  if (used === undefined) throw new RateLimited(rate(key.rate_limit_per_minute))
  return rate(used)
}

function takeBlock(held: Map<string, Allowance>, name: string, block: Allowance): void {
  const old = held.get(name)
  if (old !== undefined && old.minute_s === block.minute_s) block.left += old.left
  held.set(name, block)
  for (const [other, allowance] of held) {
    if (allowance.minute_s < block.minute_s) held.delete(other)
  }
}

function callerOf(key: KeyFound, facts: RequestFacts): Caller {
  return {
    merchant_id: key.merchant_id,
    environment: key.environment,
    via: 'KEY',
    scope: key.scope,
    api_key_id: key.api_key_id,
    member_id: null,
    ip: facts.ip,
    request_id: facts.request_id,
    locale: facts.locale,
    suspended: key.is_suspended,
    fee_charge_mode_locked: key.fee_charge_mode_locked,
    catalogue_version: key.catalogue_version,
  }
}
