// Access tokens that all processes share: each keeps its own copy in memory, one at a time renews
// under a lease, the others go on with the old one. Law: nothing is asked of the database for a call
// while the copy is good; a token that was refused is left once.

import type { Keyring } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db.ts'
import { claimToken, findToken, releaseToken, saveToken, type TokenRow } from './account-store.ts'
import type { IssuedToken, TokenReading, TokenStore } from './gateway.ts'
import { timesOf } from './tokens.ts'

export type SharedTokenDeps = Readonly<{
  db: Db
  keyring: Keyring
  gateway_id: string
  /** Milliseconds since 1970. */
  now: () => number
}>

type Kept = Readonly<{ value: string; generation: bigint; renew_at: number; expires_at: number }>

/** A process that dies while it renews holds the others up for no longer. Seconds. */
const leaseS = 12
const waitMs = 100
const waitMostMs = 4_000
const restMs = 1_000

/** What a token is bound to, by the primary key of its row. */
export const tokenBinding = ([gateway_id = '', product = '']: readonly string[]): string =>
  `gateway_tokens:${gateway_id}:${product}`

export function sharedTokens(
  deps: SharedTokenDeps,
  issue: (product: string) => Promise<IssuedToken>,
): TokenStore {
  const { now } = deps
  const kept = new Map<string, Kept>()
  const refused = new Map<string, bigint>()
  const under_way = new Map<string, Promise<TokenReading>>()
  const resting = new Map<string, Readonly<{ until: number; reading: TokenReading }>>()

  const readingOf = ({ value, generation }: Kept): TokenReading => ({
    is: 'token',
    value,
    generation,
  })

  function adopt(product: string, row: TokenRow | undefined): Kept | undefined {
    if (row === undefined || row.sealed === null || row.expires_in_ms <= 0) return undefined
    if (row.generation <= (refused.get(product) ?? 0n)) return undefined
    const value = deps.keyring.unseal(row.sealed, tokenBinding([deps.gateway_id, product]))
    const token = {
      value,
      generation: row.generation,
      renew_at: now() + row.renew_in_ms,
      expires_at: now() + row.expires_in_ms,
    }
    kept.set(product, token)
    return token
  }

  async function renew(product: string): Promise<TokenReading> {
    const of = { gateway_id: deps.gateway_id, product }
    const give_up = now() + waitMostMs
    for (;;) {
      const token = adopt(product, await findToken(deps.db, of))
      if (token !== undefined && token.renew_at > now()) return readingOf(token)
      const fence = await claimToken(deps.db, of, leaseS)
      if (fence !== undefined) return askFor(product, fence, token)
      // Another renews: the old one is good meanwhile.
      if (token !== undefined) return readingOf(token)
      if (now() > give_up) return { is: 'none', because: 'token: another process asks for it' }
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }

  async function askFor(
    product: string,
    fence: bigint,
    old: Kept | undefined,
  ): Promise<TokenReading> {
    const of = { gateway_id: deps.gateway_id, product }
    // Whoever had the lease a moment ago may have renewed it.
    const fresh = adopt(product, await findToken(deps.db, of))
    if (fresh !== undefined && fresh.renew_at > now()) {
      await releaseToken(deps.db, of, fence)
      return readingOf(fresh)
    }
    const issued = await issue(product)
    if (issued.is === 'none') {
      await releaseToken(deps.db, of, fence)
      const reading = old === undefined ? issued : readingOf(old)
      resting.set(product, { until: now() + restMs, reading })
      return reading
    }
    const { value, expires_in_s } = issued
    const { renew_at, expires_at } = timesOf(expires_in_s, 0)
    const sealed = deps.keyring.seal(value, tokenBinding([deps.gateway_id, product]))
    const times = { renew_s: renew_at / 1000, expires_s: expires_at / 1000 }
    const generation = await saveToken(deps.db, { ...of, fence, sealed, ...times })
    if (generation === undefined) return { is: 'none', because: 'token: renewed by another' }
    const token = { value, generation, ...timesOf(expires_in_s, now()) }
    kept.set(product, token)
    return readingOf(token)
  }

  function renewOnce(product: string): Promise<TokenReading> {
    const current = under_way.get(product)
    if (current !== undefined) return current
    const renewal = renew(product).finally(() => under_way.delete(product))
    under_way.set(product, renewal)
    return renewal
  }

  return {
    async get(product) {
      const token = kept.get(product)
      const rest = resting.get(product)
      const isResting = rest !== undefined && rest.until > now()
      if (token !== undefined && token.expires_at > now()) {
        if (token.renew_at <= now() && !isResting) void renewOnce(product).catch(() => undefined)
        return readingOf(token)
      }
      return isResting ? rest.reading : renewOnce(product)
    },
    refuse(product, generation) {
      refused.set(product, generation)
      if (kept.get(product)?.generation === generation) kept.delete(product)
    },
  }
}
