// How this operator signs a callback (RFC 9421, as its page on signatures has it): digest of the
// body, date, the list of what is covered, and an ECDSA signature over all of it.

import { createHash, sign } from 'node:crypto'
import type { SigningKey } from './books.ts'

export type SigningForm = Readonly<{
  /** How the signature is written: its samples have DER, the standard has r and s. */
  signature: 'der' | 'raw'
  digest: 'sha-256' | 'sha-512'
}>

const hashes = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const
const type = 'application/json; charset=UTF-8'

/** Headers of a POST to `url`. `at_ms`: unix milliseconds of the signing. */
export function signedHeaders(
  key: SigningKey,
  form: SigningForm,
  request: Readonly<{ url: URL; body: string; at_ms: number }>,
): Record<string, string> {
  const { url, body, at_ms } = request
  const hash = createHash(hashes[form.digest]).update(body).digest('base64')
  const created = Math.floor(at_ms / 1000)
  const covered: [string, string][] = [
    ['@method', 'POST'],
    ['@authority', url.host],
    ['@path', url.pathname],
    ['signature-date', new Date(at_ms).toISOString()],
    ['content-digest', `${form.digest}=:${hash}:`],
    ['content-type', type],
  ]
  const names = covered.map(([name]) => `"${name}"`).join(' ')
  const params =
    `(${names});alg="ecdsa-p256-sha256";keyid="${key.id}"` +
    `;created=${created};expires=${created + 60}`
  const base = [
    ...covered.map(([name, value]) => `"${name}": ${value}`),
    `"@signature-params": ${params}`,
  ].join('\n')
  const dsaEncoding = form.signature === 'der' ? 'der' : 'ieee-p1363'
  const signature = sign('sha256', Buffer.from(base), { key: key.private_key, dsaEncoding })
  return {
    'content-type': type,
    'content-digest': `${form.digest}=:${hash}:`,
    'signature-date': new Date(at_ms).toISOString(),
    signature: `sig-pp=:${signature.toString('base64')}:`,
    'signature-input': `sig-pp=${params}`,
    'accept-signature': 'rsa-pss-sha512,ecdsa-p256-sha256,rsa-v1_5-sha256,ecdsa-p384-sha384',
    'accept-digest': 'sha-256,sha-512',
  }
}

export const unsignedHeaders = (): Record<string, string> => ({ 'content-type': type })
