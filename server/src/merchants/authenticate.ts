// Who calls, and how much of the minute is left: one round trip reads the key and counts the call,
// so a key revoked a moment ago is refused everywhere at once, and the limit of decisions 3.6 is
// exact over all processes. Above `block_from` calls a minute a process takes them in blocks.

import type { Db } from '../platform/db.ts'
import { type Locale, Refusal, refuse } from '../platform/errors.ts'
import type { Authenticated, Caller, Rate } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { Allowance, block_from, type Draw } from './allowance.ts'
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

/** `db` should be one without durable commits: the counter is an unlogged row. */
export function authenticator(db: Db): (facts: RequestFacts) => Promise<Authenticated> {
  const allowance = new Allowance()

  return async (facts) => {
    const hash = hashKey(bearerToken(facts.authorization))
    const draw = allowance.draw(hash.toString('base64'))
    try {
      const key = await findUsable(db, hash, draw).catch((error: unknown) => {
        allowance.giveBack(draw)
        throw error
      })
      const rate = await countCall(db, allowance, draw, key)
      return { caller: callerOf(key, facts), rate }
    } finally {
      allowance.end(draw)
    }
  }
}

/** Throws unless the key may be used; then nothing was counted. */
async function findUsable(db: Db, hash: Buffer, { held, take }: Draw): Promise<KeyFound> {
  const leased_minute_s = held?.minute_s ?? 0
  const key = await findKeyAndCount(db, { hash, leased_minute_s, block_from, block: take })
  if (key === undefined) throw refuse(transportErrors.invalid_api_key)
  refuseUnusable(key)
  return key
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

async function countCall(db: Db, allowance: Allowance, draw: Draw, key: KeyFound): Promise<Rate> {
  const { merchant_id, minute_s, rate_limit_per_minute: limit, reset_s } = key
  const rate = (used: number): Rate => ({ limit, remaining: Math.max(0, limit - used), reset_s })
  // Paid from the block: what is left in it is still this merchant's to use.
  if (!key.touched && draw.held !== undefined) return rate(draw.held.used - draw.held.left)
  const asked = limit > block_from ? draw.take : 1
  const whole = key.used
  const mayFitAlone = asked > 1 || key.with_others
  const used = whole ?? (mayFitAlone ? await countOne(db, merchant_id, limit) : undefined)
  if (used === undefined) throw new RateLimited(rate(limit))
  const taken = whole === null ? 1 : asked
  allowance.keep(draw, { merchant_id, minute_s, used, taken, limit })
  return rate(used - taken + 1)
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
