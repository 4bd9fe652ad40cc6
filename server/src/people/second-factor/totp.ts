// Codes of an authenticator app (RFC 6238: SHA-1, six digits, 30 seconds). Law: a code of the step
// before or after is taken too, since telephones run early and late; no further one is.

import { generateSecret, generateURI, verifySync } from 'otplib'
import { toString as draw } from 'qrcode'

const issuer = 'Pirogue'
const secret_bytes = 20
const step_s = 30
const asApps = { algorithm: 'sha1', digits: 6, period: step_s } as const

/** In base32, as authenticator apps take it. */
export const newTotpSecret = (): string => generateSecret({ length: secret_bytes })

export const looksLikeTotp = (code: string): boolean => /^\d{6}$/.test(code)

/** The step (count of 30 seconds since 1970) that this code belongs to; undefined: a wrong code. */
export function stepOfCode(
  secret: string,
  code: string,
  { now_s }: Readonly<{ now_s: number }>,
): number | undefined {
  if (!looksLikeTotp(code)) return undefined
  const about = { secret, token: code, epoch: now_s, epochTolerance: step_s }
  const found = verifySync({ ...asApps, ...about })
  return found.valid && 'timeStep' in found ? found.timeStep : undefined
}

/** What an app reads from the QR code; `email` names the account there. */
export const otpauthUrl = (secret: string, email: string): string =>
  generateURI({ issuer, label: email, secret })

/** An SVG picture that loads nothing. */
export const qrSvg = (text: string): Promise<string> => draw(text, { type: 'svg' })
