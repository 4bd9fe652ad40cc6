// `/.well-known/security.txt` (RFC 9116): where a weakness of this installation is reported. It is
// served only where the operator has set SECURITY_CONTACT: we cannot answer for an installation
// that others run.

import type { FastifyInstance } from 'fastify'
import { refuse } from '../platform/errors.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'

const path = '/.well-known/security.txt'
const day_ms = 86_400_000
/** RFC 9116, 2.5.5: less than a year ahead. */
const good_for_days = 180

export type SecurityTxtDeps = Readonly<{
  contact: string | null
  /** Without a slash at its end. */
  public_url: string
}>

export function securityTxt(
  { contact, public_url }: SecurityTxtDeps,
  now_ms: number,
): string | undefined {
  if (contact === null) return undefined
  // Rounded to the day, so that the answer stays the same for that long.
  const expires = new Date(Math.floor(now_ms / day_ms) * day_ms + good_for_days * day_ms)
  const lines = [
    `Contact: ${contact}`,
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en, fr',
    // RFC 9116, 2.5.2: https, or it is left out.
    ...(public_url.startsWith('https:') ? [`Canonical: ${public_url}${path}`] : []),
  ]
  return `${lines.join('\n')}\n`
}

export function addSecurityTxt(app: FastifyInstance, deps: SecurityTxtDeps): void {
  app.get(path, async (_request, reply) => {
    const text = securityTxt(deps, Date.now())
    if (text === undefined) throw refuse(transportErrors.not_found)
    return reply.type('text/plain; charset=utf-8').send(text)
  })
}
