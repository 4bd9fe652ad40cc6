// Whether a request that moves money is signed by the caller's own key, where the account demands
// that (RFC 9421, as the operator's page on signatures has it): six things are covered, for now.

import { createHash, createPublicKey, constants as keyUse, verify } from 'node:crypto'
import type { Reply } from './reply.ts'
import { type Incoming, technical } from './request.ts'

/** A public key as it is entered in the dashboard. */
export type CallerKey = Readonly<{ name: string; pem: string }>

const covered = '"@method" "@authority" "@path" "signature-date" "content-digest" "content-type"'
const skew_s = 60

export function refuseUnsigned(
  incoming: Incoming,
  key: CallerKey,
  now_ms: number,
): Reply | undefined {
  const because = faultOf(incoming, key, now_ms)
  return because === undefined ? undefined : technical(403, 'HTTP_SIGNATURE_ERROR', because)
}

function faultOf({ method, path, headers, body }: Incoming, key: CallerKey, now_ms: number) {
  const [, params = ''] = /^sig-pp=(\(.*)$/.exec(headers['signature-input'] ?? '') ?? []
  const [, signature = ''] = /^sig-pp=:([A-Za-z0-9+/=]+):$/.exec(headers['signature'] ?? '') ?? []
  if (params === '' || signature === '') return 'Signature is missing'
  const form = /^\((.*)\);alg="([\w-]+)";keyid="([^"]+)";created=(\d+);expires=(\d+)$/
  const [, names, alg = '', id, created, expires] = form.exec(params) ?? []
  if (names !== covered || id !== key.name) return 'Signature input is not supported'
  const digest = createHash('sha512').update(body).digest('base64')
  if (headers['content-digest'] !== `sha-512=:${digest}:`) return 'Content digest does not match'
  const now_s = now_ms / 1000
  const isNow = Number(created) <= now_s + skew_s && now_s <= Number(expires) + skew_s
  if (!isNow) return 'Signature has expired'
  const base = [
    `"@method": ${method}`,
    `"@authority": ${headers['host'] ?? ''}`,
    `"@path": ${path}`,
    ...['signature-date', 'content-digest', 'content-type'].map(
      (name) => `"${name}": ${headers[name] ?? ''}`,
    ),
    `"@signature-params": ${params}`,
  ].join('\n')
  const isTheirs = isSigned(alg, {
    pem: key.pem,
    base,
    signature: Buffer.from(signature, 'base64'),
  })
  return isTheirs ? undefined : 'Signature is invalid'
}

type Signed = Readonly<{ pem: string; base: string; signature: Buffer }>

function isSigned(alg: string, { pem, base, signature }: Signed): boolean {
  const key = createPublicKey(pem)
  const data = Buffer.from(base)
  switch (alg) {
    case 'ecdsa-p256-sha256':
      return verify('sha256', data, { key, dsaEncoding: 'der' }, signature)
    case 'ecdsa-p384-sha384':
      return verify('sha384', data, { key, dsaEncoding: 'der' }, signature)
    case 'rsa-v1_5-sha256':
      return verify('sha256', data, key, signature)
    case 'rsa-pss-sha512': {
      const padding = keyUse.RSA_PKCS1_PSS_PADDING
      return verify('sha512', data, { key, padding, saltLength: 64 }, signature)
    }
    default:
      return false
  }
}
