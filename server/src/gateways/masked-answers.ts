// What an operator repeats of our own secrets is masked before anybody reads its answer, so no row,
// log or finding can keep one. Law: an answer that brings an access token stays as it is, because a
// token may be made of what it was asked for with; nothing of such an answer is kept.

import type { Outbound, SendResult } from '../platform/outbound/outbound.ts'
import type { Account } from './adapter.ts'

const mask = '[secret]'
/** Anything shorter may stand in an answer by chance; no operator gives one so short. */
const lengthMin = 8

/** A secret as a text may have it: plain, in JSON, in an address, in hexadecimal, in base 64. */
function formsOf(secret: string): string[] {
  // Base 64 of a text depends on how many bytes stand before it.
  const within64 = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
    const from = Math.ceil((before * 4) / 3)
    const whole = Math.floor((bytes.length * 8) / 6)
    return (['base64', 'base64url'] as const).map((way) => bytes.toString(way).slice(from, whole))
  })
  const inJson = JSON.stringify(secret).slice(1, -1)
  const plain = [secret, secret.replaceAll('-', ''), inJson, inJson.replaceAll('/', '\\/')]
  return [...plain, encodeURIComponent(secret), Buffer.from(secret).toString('hex'), ...within64]
}

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** Matches any form of any of them; undefined where there is none. */
function matcherOf(secrets: readonly string[]): RegExp | undefined {
  const long = secrets.filter(({ length }) => length >= lengthMin)
  const forms = [...new Set(long.flatMap(formsOf))].sort((a, b) => b.length - a.length)
  return forms.length === 0 ? undefined : new RegExp(forms.map(literally).join('|'), 'gi')
}

const masked = (result: SendResult, any: RegExp): SendResult =>
  result.is === 'answered' ? { ...result, body: result.body.replace(any, mask) } : result

/** The client of one account: what comes back over it holds none of the account's secrets. */
export function maskedOutbound(
  outbound: Outbound,
  { secrets, former_secrets = {} }: Pick<Account, 'secrets' | 'former_secrets'>,
): Outbound {
  const any = matcherOf([...Object.values(secrets), ...Object.values(former_secrets)])
  if (any === undefined) return outbound
  return {
    ...outbound,
    async send(request) {
      const result = await outbound.send(request)
      return request.pace === 'other' ? result : masked(result, any)
    },
  }
}
