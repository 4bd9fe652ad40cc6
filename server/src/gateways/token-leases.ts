// Access tokens that all processes share: each keeps its own copy in memory, one at a time renews
// under a lease, the others go on with the old one. Law: nothing is asked of the database for a
// call while the copy is good; a token that was refused is left once.

import type { Keyring } from '../platform/crypto/seal.ts'
import { type Db, isDatabaseAway, isLockTimeout, isTooSlow } from '../platform/db.ts'
import { claimToken, findToken, releaseToken, saveToken, type TokenRow } from './account-store.ts'
import type { IssuedToken, TokenStore } from './adapter.ts'
import { cachedTokens, type KeptToken, type Renewal, timesOf } from './tokens.ts'

export type SharedTokenDeps = Readonly<{
  db: Db
  keyring: Keyring
  gateway_id: string
  /** Milliseconds since 1970. */
  now: () => number
}>

type Obtain = (product: string) => Promise<IssuedToken>

/** A process that dies while it renews holds the others up for no longer. Seconds. */
const leaseS = 12
const waitMs = 100
const waitMostMs = 4_000

/** What a token is bound to, by the primary key of its row. */
export const tokenBinding = ([gateway_id = '', product = '']: readonly string[]): string =>
  `gateway_tokens:${gateway_id}:${product}`

export const sharedTokens = (deps: SharedTokenDeps, obtain: Obtain): TokenStore =>
  cachedTokens(deps.now, (product, refused) =>
    renew(deps, obtain, { product, refused }).catch(withoutDatabase),
  )

type Wanted = Readonly<{ product: string; refused: bigint }>

async function renew(deps: SharedTokenDeps, obtain: Obtain, wanted: Wanted): Promise<Renewal> {
  const { db, now, gateway_id } = deps
  const of = { gateway_id, product: wanted.product }
  const give_up = now() + waitMostMs
  for (;;) {
    const token = adopted(deps, wanted, await findToken(db, of))
    if (token !== undefined && token.renew_at > now()) return { is: 'kept', token }
    const fence = await claimToken(db, of, leaseS)
    if (fence !== undefined) return renewUnderLease(deps, obtain, { ...wanted, fence })
    // Another renews: the old one is good meanwhile.
    if (token !== undefined) return { is: 'kept', token }
    if (now() > give_up) return { is: 'none', because: 'token: another process asks for it' }
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}

/** What the row has, when it is good and not the one that was refused. */
function adopted(
  deps: SharedTokenDeps,
  { product, refused }: Wanted,
  row: TokenRow | undefined,
): KeptToken | undefined {
  if (row === undefined || row.sealed === null || row.expires_in_ms <= 0) return undefined
  if (row.generation <= refused) return undefined
  const value = opened(deps, product, row.sealed)
  if (value === undefined) return undefined
  const { generation, renew_in_ms, expires_in_ms } = row
  const now = deps.now()
  return { value, generation, renew_at: now + renew_in_ms, expires_at: now + expires_in_ms }
}

async function renewUnderLease(
  deps: SharedTokenDeps,
  obtain: Obtain,
  wanted: Wanted & Readonly<{ fence: bigint }>,
): Promise<Renewal> {
  const { db, keyring, gateway_id, now } = deps
  const { product, fence } = wanted
  const of = { gateway_id, product }
  // Whoever had the lease a moment ago may have renewed it.
  const there = adopted(deps, wanted, await findToken(db, of))
  if (there !== undefined && there.renew_at > now()) {
    await releaseToken(db, of, fence)
    return { is: 'kept', token: there }
  }
  const issued = await obtain(product)
  if (issued.is === 'none') {
    await releaseToken(db, of, fence)
    return there === undefined ? issued : { is: 'kept', token: there }
  }
  const { value, expires_in_s } = issued
  const life = timesOf(expires_in_s, 0)
  const generation = await saveToken(db, {
    ...{ ...of, fence, sealed: keyring.seal(value, tokenBinding([gateway_id, product])) },
    ...{ renew_s: life.renew_at / 1000, expires_s: life.expires_at / 1000 },
  })
  if (generation === undefined) return { is: 'none', because: 'token: renewed by another' }
  return { is: 'kept', token: { value, generation, ...timesOf(expires_in_s, now()) } }
}

/** One that does not open is none: another is asked for, and takes its place. */
function opened(deps: SharedTokenDeps, product: string, sealed: Buffer): string | undefined {
  try {
    return deps.keyring.unseal(sealed, tokenBinding([deps.gateway_id, product]))
  } catch {
    return undefined
  }
}

/** Then nothing is sent, which is an answer; a bug is none. */
function withoutDatabase(error: unknown): Renewal {
  if (!isDatabaseAway(error) && !isLockTimeout(error) && !isTooSlow(error)) throw error
  return { is: 'none', because: 'token: the database is away' }
}
