// The address that a gateway calls back names the merchant and the attempt, sealed by a MAC: a
// callback finds its row without a search, and nobody else can forge an address.

import { uuidFromBytes, uuidToBytes } from '../platform/ids.ts'
import type { AttemptKeyOf } from './attempt.ts'

export type Macs = Readonly<{
  mac(purpose: string, data: string | Buffer): Buffer
  macMatches(purpose: string, data: string | Buffer, tag: Buffer): boolean
}>

const purpose = 'callback-address'
const macBytes = 32

export function callbackToken(macs: Macs, key: AttemptKeyOf): string {
  const ids = Buffer.concat([uuidToBytes(key.merchant_id), uuidToBytes(key.id)])
  const tag = macs.mac(purpose, ids)
  return Buffer.concat([ids, tag]).toString('base64url')
}

/** Undefined for a token that we did not make. */
export function readCallbackToken(macs: Macs, token: string): AttemptKeyOf | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== 32 + macBytes) return undefined
  const ids = bytes.subarray(0, 32)
  if (!macs.macMatches(purpose, ids, bytes.subarray(32))) return undefined
  return { merchant_id: uuidFromBytes(ids.subarray(0, 16)), id: uuidFromBytes(ids.subarray(16)) }
}
