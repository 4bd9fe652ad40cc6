// A secret that a merchant supplies (contract 8.2): who may set one, and its form. Anybody who
// knows it can speak in our name, so in LIVE a stolen key of few rights must not choose it.

import { isWhitelisted } from '../../merchants/whitelist/is-whitelisted.ts'
import type { Sql } from '../../platform/db.ts'
import { type FieldErrors, refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { webhookErrors } from '../errors.ts'

export const secret_length_min = 32
export const secret_length_max = 255

/** No control or format sign, no line end, nothing that Unicode has not assigned. */
const printable = /^[^\p{C}\p{Zl}\p{Zp}]*$/u

const notPrintable = {
  en: 'Must contain only printable characters, without line breaks or control characters.',
  fr:
    'Ne doit contenir que des caractères imprimables, sans saut de ligne ni caractère de ' +
    'contrôle.',
}

/** What its schema cannot express. */
export function secretErrors({ signing_secret }: Readonly<Record<string, unknown>>): FieldErrors {
  if (typeof signing_secret !== 'string' || printable.test(signing_secret)) return {}
  return { signing_secret: [notPrintable] }
}

/** In LIVE a key needs scope BOTH and a listed address; a session has its second factor. */
export async function requireMaySetSecret(sql: Sql, caller: Caller): Promise<void> {
  const { session, environment, scope, merchant_id, ip } = caller
  if (session !== null || environment !== 'LIVE') return
  if (scope !== 'BOTH') throw refuse(accessErrors.api_key_scope_forbidden)
  if (await isWhitelisted(sql, merchant_id, ip)) return
  throw refuse(webhookErrors.ip_not_whitelisted)
}
