// A receipt as a signed statement that proves itself: a compact JWS (RFC 7515) by Ed25519 (RFC
// 8037), so that any JOSE library verifies it offline with the published key. It states what was
// true at `iat`; only the page knows what has become of it since.

import { sign } from 'node:crypto'
import type { Receipt } from './receipt.ts'
import type { SigningKey } from './signing-key.ts'
import { viewReceipt } from './view.ts'

export type SigningDeps = Readonly<{
  signing: SigningKey
  public_url: string
  clock: () => number
}>

export async function signReceipt(deps: SigningDeps, receipt: Receipt): Promise<string> {
  const { kid, key } = await deps.signing()
  const iat = Math.floor(deps.clock() / 1000)
  const claims = { iss: deps.public_url, iat, ...viewReceipt(receipt) }
  const text = `${part({ alg: 'EdDSA', kid, typ: 'JWT' })}.${part(claims)}`
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
