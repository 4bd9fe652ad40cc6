// Access tokens in memory, one for a product of an account. Law: however many ask at once, one asks
// the operator; a token that was refused is left once, and is not asked for again and again.

import type { IssuedToken, TokenReading, TokenStore } from './gateway.ts'

type Kept = Readonly<{ value: string; generation: bigint; renew_at: number; expires_at: number }>

/** Of a token's life, in percent, after which another is asked for. */
const renewPercent = 75
/** Tokens end a little before the operator says, so that none ends on its way. Milliseconds. */
const earlyMs = 30_000
/** After a failure nobody asks for so long: an operator that is down is not asked by each call. */
const restMs = 1_000

/** When a token is renewed: three quarters of its life, and ten minutes early where that is sooner. */
export function timesOf(expires_in_s: number, now_ms: number) {
  const life_ms = expires_in_s * 1000
  const early = life_ms > 2 * 600_000 ? life_ms - 600_000 : life_ms
  return {
    renew_at: now_ms + Math.min((life_ms * renewPercent) / 100, early),
    expires_at: now_ms + Math.max(life_ms - earlyMs, life_ms / 2),
  }
}

/** `now`: milliseconds since 1970. */
export function memoryTokens(
  issue: (product: string) => Promise<IssuedToken>,
  now: () => number,
): TokenStore {
  const kept = new Map<string, Kept>()
  const under_way = new Map<string, Promise<TokenReading>>()
  const failed = new Map<string, Readonly<{ until: number; reading: TokenReading }>>()
  let generations = 0n

  async function renew(product: string): Promise<TokenReading> {
    const issued = await issue(product)
    if (issued.is === 'none') {
      failed.set(product, { until: now() + restMs, reading: issued })
      return issued
    }
    generations += 1n
    const { value } = issued
    const token = { value, generation: generations, ...timesOf(issued.expires_in_s, now()) }
    kept.set(product, token)
    failed.delete(product)
    return { is: 'token', value, generation: token.generation }
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
      const rest = failed.get(product)
      const isResting = rest !== undefined && rest.until > now()
      if (token !== undefined && token.expires_at > now()) {
        // The old one is good until the new one is there.
        if (token.renew_at <= now() && !isResting) void renewOnce(product).catch(() => undefined)
        return { is: 'token', value: token.value, generation: token.generation }
      }
      return isResting ? rest.reading : renewOnce(product)
    },
    refuse(product, generation) {
      if (kept.get(product)?.generation === generation) kept.delete(product)
    },
  }
}
