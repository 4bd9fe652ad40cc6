// The bounds of a key beside its scope, read from a body: its own addresses, and reading only.

import type { Text } from '../../platform/errors.ts'
import { refuse } from '../../platform/errors.ts'
import type { Environment, Scope, SessionFacts } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { readNetwork } from '../whitelist/ip-network.ts'
import type { ApiKey } from './api-key.ts'

/** The errors of a body's `ip_whitelist`; what the schema reports already is not repeated. */
export function checkAddresses(body: Readonly<Record<string, unknown>>): Record<string, Text[]> {
  const texts: unknown = body['ip_whitelist']
  if (!Array.isArray(texts)) return {}
  for (const text of texts) {
    const reading = typeof text === 'string' ? readNetwork(text) : undefined
    if (reading?.is === 'refused') return { ip_whitelist: [named(String(text), reading.why)] }
  }
  return {}
}

const named = (text: string, why: Text): Text => ({
  en: `${text}: ${why.en}`,
  fr: `${text} : ${why.fr}`,
})

/** Each once, in the form of `readNetwork`: what it refuses was refused before. */
export function networksOf(texts: readonly string[]): string[] {
  const networks = texts.flatMap((text) => {
    const reading = readNetwork(text)
    return reading.is === 'network' ? [reading.network] : []
  })
  return [...new Set(networks)].sort()
}

type Bounds = Pick<ApiKey, 'ip_whitelist' | 'read_only'>

/** Whether the key gets an address, or a method, that it does not have now. */
export function opensMore(was: Bounds, next: Bounds): boolean {
  if (was.read_only && !next.read_only) return true
  if (was.ip_whitelist.length === 0) return false
  if (next.ip_whitelist.length === 0) return true
  return next.ip_whitelist.some((network) => !was.ip_whitelist.includes(network))
}

const noPayouts: Text = {
  en:
    'Creating a live key with scope PAYOUT or BOTH requires the right to make payouts. Request ' +
    'scope PAYIN instead.',
  fr:
    'En mode réel, une clé PAYOUT ou BOTH exige le droit de faire des versements. ' +
    'Demandez une clé PAYIN.',
}

/**
 * A member who may not pay out in LIVE may not obtain a key that does (contract 8.11): neither make
 * one, nor get the secret of its successor, nor widen one that they know.
 */
export function requireMayHold(
  session: SessionFacts | null,
  { environment, scope }: Readonly<{ environment: Environment; scope: Scope }>,
): void {
  if (environment !== 'LIVE' || scope === 'PAYIN') return
  if (session?.permissions.includes('payouts') === true) return
  throw refuse(accessErrors.permission_denied, { message: noPayouts })
}
