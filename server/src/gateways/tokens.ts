// Access tokens in memory, one for a product of an account. Law: however many ask at once, one is
// asked for; a token that was refused is left once, and is not asked for again and again.

import type { IssuedToken, TokenReading, TokenStore } from './adapter.ts'

/** Times in milliseconds since 1970, by this process's clock. */
export type KeptToken = Readonly<{
  value: string
  generation: bigint
  renew_at: number
  expires_at: number
}>

export type Renewal =
  | Readonly<{ is: 'kept'; token: KeptToken }>
  | Extract<TokenReading, { is: 'none' }>

/** Of a token's life, in percent, after which another is asked for. */
const renewPercent = 75
/** Tokens end a little before the operator says, so that none ends on its way. Milliseconds. */
const earlyMs = 30_000
/** After a failure nobody asks for so long: an operator that is down is not asked by each call. */
const restMs = 1_000

/** When a token is renewed: after three quarters of its life, or ten minutes early if sooner. */
export function timesOf(expires_in_s: number, now_ms: number) {
  const life_ms = expires_in_s * 1000
  const early = life_ms > 2 * 600_000 ? life_ms - 600_000 : life_ms
  return {
    renew_at: now_ms + Math.min((life_ms * renewPercent) / 100, early),
    expires_at: now_ms + Math.max(life_ms - earlyMs, life_ms / 2),
  }
}

const readingOf = ({ value, generation }: KeptToken): TokenReading => ({
  is: 'token',
  value,
  generation,
})

/** One denial is one: whoever asked for the token has it, and nobody who waited with them. */
const shared = (reading: TokenReading): TokenReading =>
  reading.is === 'none' ? { is: 'none', because: reading.because } : reading

/** `renew` is given the generation that was refused last; 0: none was. */
export function cachedTokens(
  now: () => number,
  renew: (product: string, refused: bigint) => Promise<Renewal>,
): TokenStore {
  const kept = new Map<string, KeptToken>()
  const refused = new Map<string, bigint>()
  const under_way = new Map<string, Promise<TokenReading>>()
  const resting = new Map<string, Readonly<{ until: number; reading: TokenReading }>>()

  async function renewed(product: string): Promise<TokenReading> {
    const before = refused.get(product)
    const renewal = await renew(product, before ?? 0n)
    // It was refused while it was on its way here: whoever waits for it wants another.
    const since = refused.get(product)
    const isLeft = renewal.is === 'kept' && renewal.token.generation === since
    if (isLeft && since !== before) return renewed(product)
    if (renewal.is === 'none') {
      resting.set(product, { until: now() + restMs, reading: shared(renewal) })
      return renewal
    }
    kept.set(product, renewal.token)
    resting.delete(product)
    return readingOf(renewal.token)
  }

  function renewOnce(product: string): Promise<TokenReading> {
    const current = under_way.get(product)
    if (current !== undefined) return current.then(shared)
    const renewal = renewed(product).finally(() => under_way.delete(product))
    under_way.set(product, renewal)
    return renewal
  }

  return {
    async get(product) {
      const token = kept.get(product)
      const rest = resting.get(product)
      const isResting = rest !== undefined && rest.until > now()
      if (token !== undefined && token.expires_at > now()) {
        // The old one is good until the new one is there.
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

/** For one process alone. `now`: milliseconds since 1970. */
export function memoryTokens(
  obtain: (product: string) => Promise<IssuedToken>,
  now: () => number,
): TokenStore {
  let generation = 0n
  return cachedTokens(now, async (product) => {
    const issued = await obtain(product)
    if (issued.is === 'none') return issued
    generation += 1n
    const { value, expires_in_s } = issued
    return { is: 'kept', token: { value, generation, ...timesOf(expires_in_s, now()) } }
  })
}
