// A callback of our own, sent to the address that operators call: whether it comes is what `gateway
// check --probe-callback` looks at. Sealed by a MAC and good for a minute, so that nobody else can
// send one; it means no attempt, and nothing of it is stored.

import type { Db } from '../platform/db.ts'
import type { Macs } from './callback-token.ts'

export type Probe = Readonly<{
  gateway_code: string
  /** 16 random bytes. */
  nonce: Buffer
  /** Milliseconds since 1970. */
  expires_ms: number
}>

/** Whoever receives one says so here, in the database: its payload is the nonce, in hex. */
export const probe_channel = 'pirogue_probe'

export async function noteProbe(db: Db, nonce: string): Promise<void> {
  await db.notify(probe_channel, nonce)
}

const purpose = 'callback-probe'
const nonceBytes = 16
const headBytes = nonceBytes + 8
const macBytes = 32

const bound = (gateway_code: string, head: Buffer): Buffer =>
  Buffer.concat([head, Buffer.from(gateway_code)])

export function probeToken(macs: Macs, { gateway_code, nonce, expires_ms }: Probe): string {
  const head = Buffer.alloc(headBytes)
  nonce.copy(head)
  head.writeBigUInt64BE(BigInt(expires_ms), nonceBytes)
  const tag = macs.mac(purpose, bound(gateway_code, head))
  return Buffer.concat([head, tag]).toString('base64url')
}

/** The nonce of one that we made for this account and that is still good, in hex. */
export function readProbe(
  macs: Macs,
  { gateway_code, token }: Readonly<{ gateway_code: string; token: string }>,
  now_ms: number,
): string | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== headBytes + macBytes) return undefined
  const head = bytes.subarray(0, headBytes)
  const isOurs = macs.macMatches(purpose, bound(gateway_code, head), bytes.subarray(headBytes))
  if (!isOurs || head.readBigUInt64BE(nonceBytes) < BigInt(now_ms)) return undefined
  return head.subarray(0, nonceBytes).toString('hex')
}
