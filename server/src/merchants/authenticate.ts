// Who calls, and how much of the minute is left: one round trip reads the key and counts the call,
// so a key revoked a moment ago is refused everywhere at once, and the limit of contract 3.6 is
// exact over all processes. Above `block_from` calls a minute a process claims them in blocks.

import type { FeeChargeMode } from '../money/fee-charge-mode.ts'
import { readSession } from '../people/sessions/session.ts'
import { looksLikeSession } from '../people/sessions/session-token.ts'
import type { Db } from '../platform/db.ts'
import { type Refusal, refuse, type Text } from '../platform/errors.ts'
import type { Authenticate, AuthenticatePerson, RequestFacts } from '../platform/http/admission.ts'
import type { Caller, Rate } from '../platform/http/route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { Allowance, block_from, type Draw, RateLimited } from './allowance.ts'
import { authenticateMember, authenticatePerson, openedByBrowser } from './authenticate-session.ts'
import { countOne, findKeyAndCount, type KeyFound } from './call-count-store.ts'
import { hashKey, looksLikeKey } from './keys/api-key.ts'
import type { NoteUse } from './keys/last-uses.ts'
import { isInside } from './whitelist/ip-network.ts'

/** By `<network id> COLLECT` or `… DISBURSE`: the dialect that it speaks in the sandbox. */
export type DialectChoices = Readonly<Record<string, string>>

declare module '../platform/http/route.ts' {
  interface MerchantFacts {
    /** When set, a request's other `fee_charge_mode` is refused (contract 2.3). */
    readonly fee_charge_mode_locked: FeeChargeMode | null
    /** Countries (alpha-2) that the merchant limits itself to; null: every one that we serve. */
    readonly allowed_countries: readonly string[] | null
    /** In the sandbox, what its networks speak. Absent: the plain sandbox operator, everywhere. */
    readonly sandbox_dialects?: DialectChoices
    /** Grows with each change of the catalogue, to show which cached copy may be used. */
    readonly catalogue_version: bigint
  }
}

/**
 * `db` should be one without durable commits: the counter is an unlogged row. `noteUse` is called
 * for every key that may be used, counted or not.
 */
export function authenticator(db: Db, noteUse: NoteUse = () => undefined): Authenticate {
  const allowance = new Allowance()

  return async (facts) => {
    const opened = await openedByBrowser(db, facts)
    if (opened !== undefined) return authenticateMember(db, opened.session, opened.facts)
    const token = bearerToken(facts.authorization)
    if (looksLikeSession(token)) {
      return authenticateMember(db, await readSession(db, token, facts), facts)
    }
    const hash = hashKey(token)
    const draw = allowance.draw(hash.toString('base64'))
    try {
      const key = await findUsable(db, { token, hash }, draw).catch((error: unknown) => {
        allowance.giveBack(draw)
        throw error
      })
      const isHere = key.ip_whitelist.length === 0 || isInside(key.ip_whitelist, facts.ip)
      if (isHere) noteUse(key.api_key_id, facts.ip)
      const rate = await countCall(db, allowance, draw, key)
      if (!isHere) throw notFromHere(rate)
      return { caller: callerOf(key, facts), rate }
    } finally {
      allowance.end(draw)
    }
  }
}

/** For what is a person's own, or staff's: a good credential of another kind is answered 403. */
export function personAuthenticator(db: Db, authenticate: Authenticate): AuthenticatePerson {
  return async (facts, kind) => {
    const opened = await openedByBrowser(db, facts)
    if (opened !== undefined) {
      return authenticatePerson(db, opened.session, { facts: opened.facts, kind })
    }
    const token = bearerToken(facts.authorization)
    if (looksLikeSession(token)) {
      return authenticatePerson(db, await readSession(db, token, facts), { facts, kind })
    }
    const { rate } = await authenticate(facts)
    const { permission_denied, dashboard_only } = accessErrors
    // The call was counted: its answer shows what is left (contract 1.4).
    throw Object.assign(refuse(kind === 'STAFF' ? permission_denied : dashboard_only), { rate })
  }
}

type Sent = Readonly<{ token: string; hash: Buffer }>

/** Throws unless the key may be used; then nothing was counted. */
async function findUsable(db: Db, { token, hash }: Sent, { block, take }: Draw): Promise<KeyFound> {
  const leased_minute_s = block?.minute_s ?? 0
  const key = await findKeyAndCount(db, { hash, leased_minute_s, block_from, block: take })
  if (key === undefined) throw unknownKey(token)
  refuseUnusable(key)
  return key
}

function bearerToken(authorization: string | undefined): string {
  // A scheme alone is what a client sends whose key was never set: nothing was there to be wrong.
  if (authorization === undefined || /^(?:Bearer)?$/i.test(authorization.trim())) {
    throw refuse(accessErrors.not_authenticated)
  }
  const [, secret = ''] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  if (looksLikeKey(secret) || looksLikeSession(secret)) return secret
  if (isWithoutBearer(authorization)) {
    throw refuse(accessErrors.invalid_api_key, { message: bearerMissing })
  }
  throw secret.startsWith('sk_') ? unknownKey(secret) : refuse(accessErrors.invalid_api_key)
}

/** What was sent, by its beginning and its environment: the caller sees which key it is. */
function unknownKey(token: string): Refusal {
  const [begins] = /^sk_(?:test|live)_[\w-]{4}/.exec(token) ?? []
  if (begins === undefined) return refuse(accessErrors.invalid_api_key, { message: notAKey })
  const which = `${begins}…, ${begins.startsWith('sk_live_') ? 'LIVE' : 'SANDBOX'}`
  return refuse(accessErrors.invalid_api_key, {
    message: {
      en:
        `There is no such API key (${which}). Copy it again from where you keep it, ` +
        'or create a new one in the dashboard.',
      fr:
        `Cette clé API n’existe pas (${which}). Copiez-la à nouveau de là où vous la gardez, ` +
        'ou créez-en une dans le tableau de bord.',
    },
  })
}

const notAKey: Text = {
  en: 'This is not an API key: one begins with sk_test_ (sandbox) or sk_live_.',
  fr: 'Ce n’est pas une clé API : elle commence par sk_test_ (bac à sable) ou sk_live_.',
}

/** A key by itself, or where Basic has its user name, as some other services want it. */
function isWithoutBearer(authorization: string): boolean {
  const [, basic] = /^Basic +([A-Za-z0-9+/=_-]{1,400}) *$/i.exec(authorization) ?? []
  const text = basic === undefined ? authorization : Buffer.from(basic, 'base64').toString('latin1')
  return /^(?:(?:Token|Key|ApiKey) +)?(?:sk_(?:test|live)|sess)_[\w-]{1,100}:? *$/i.test(
    text.trim(),
  )
}

const bearerMissing: Text = {
  en: 'Put "Bearer " before the key or token: "Authorization: Bearer sk_test_…".',
  fr:
    'Mettez « Bearer » et une espace devant la clé ou le jeton : « Authorization: ' +
    'Bearer sk_test_… ».',
}

function refuseUnusable(key: KeyFound): void {
  if (key.is_revoked) throw refuse(accessErrors.revoked_api_key)
  if (key.is_expired) throw refuse(accessErrors.expired_api_key)
  if (key.environment === 'LIVE' && !key.live_enabled) {
    throw refuse(accessErrors.live_mode_not_enabled)
  }
}

/** A key that has a list of its own opens nothing anywhere else. The call counts all the same. */
const notFromHere = (rate: Rate) => Object.assign(refuse(accessErrors.ip_not_whitelisted), { rate })

async function countCall(db: Db, allowance: Allowance, draw: Draw, key: KeyFound): Promise<Rate> {
  const { merchant_id, minute_s, rate_limit_per_minute: limit, reset_s } = key
  const rate = (used: number): Rate => ({ limit, remaining: Math.max(0, limit - used), reset_s })
  // Paid from the block: what is left in it is still this merchant's to use.
  if (!key.touched && draw.block !== undefined) {
    const place = draw.block.used - draw.block.left
    // Staff have lowered the limit since the block was claimed.
    if (place > limit) throw new RateLimited(rate(limit))
    return rate(place)
  }
  const wanted = limit > block_from ? draw.take : 1
  const whole = key.used
  const mayFitAlone = wanted > 1 || key.with_others
  const used = whole ?? (mayFitAlone ? await countOne(db, merchant_id, limit) : undefined)
  if (used === undefined) throw new RateLimited(rate(limit))
  const taken = whole === null ? 1 : wanted
  allowance.keep(draw, { merchant_id, minute_s, used, taken, limit })
  return rate(used - taken + 1)
}

function callerOf(key: KeyFound, facts: RequestFacts): Caller {
  return {
    merchant_id: key.merchant_id,
    environment: key.environment,
    via: 'KEY',
    scope: key.scope,
    read_only: key.read_only,
    api_key_id: key.api_key_id,
    member_id: null,
    session: null,
    ip: facts.ip,
    request_id: facts.request_id,
    locale: facts.locale,
    suspended: key.is_suspended,
    fee_charge_mode_locked: key.fee_charge_mode_locked,
    allowed_countries: key.allowed_countries,
    sandbox_dialects: key.sandbox_dialects,
    catalogue_version: key.catalogue_version,
  }
}
