// What the operator remembers: payments, what was done to them, and the keys that it signs with, by
// a JSON line each in a file, where there is one, written before it is answered.

import { createECDH, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { linesOf } from '../kept-lines.ts'
import type { Source } from '../source.ts'
import type { Payment } from './payment.ts'

type Line = { payment: Payment } | { key: Readonly<{ id: string; pem: string }> }

export type SigningKey = Readonly<{ id: string; private_key: KeyObject; public_pem: string }>

export type Books = Readonly<{
  payments: ReadonlyMap<string, Payment>
  /** Oldest first; it signs with the last. */
  keys(): readonly SigningKey[]
  keep(payment: Payment): void
  /** A further key: from now on it signs with this one. */
  addKey(): SigningKey
}>

/** `file`: where it is remembered; undefined: it is forgotten with the process. */
export function openBooks(file: string | undefined, { random }: Source): Books {
  const payments = new Map<string, Payment>()
  const keys: SigningKey[] = []
  const take = (line: Line): void => {
    if ('payment' in line) payments.set(line.payment.id, line.payment)
    else keys.push(keyOf(line.key))
  }
  const write = (line: Line): void => {
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
    take(line)
  }
  for (const line of file === undefined ? [] : linesOf<Line>(file)) take(line)
  const addKey = (): SigningKey => {
    const pem = pemOf(random('signing key', 32))
    const key = { id: `HTTP_EC_P256_KEY:${keys.length + 1}`, pem }
    write({ key })
    return keyOf(key)
  }
  if (keys.length === 0) addKey()
  return { payments, keys: () => keys, keep: (payment) => write({ payment }), addKey }
}

/** A key of P-256, of 32 bytes: below 2^255 each but nought is one. */
function pemOf(bytes: Buffer): string {
  bytes.writeUInt8(bytes.readUInt8(0) & 0x7f, 0)
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(bytes)
  const point = pair.getPublicKey()
  const text = (part: Buffer) => part.toString('base64url')
  const [x, y] = [text(point.subarray(1, 33)), text(point.subarray(33))]
  const jwk = { kty: 'EC', crv: 'P-256', d: text(bytes), x, y }
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  return String(key.export({ type: 'pkcs8', format: 'pem' }))
}

function keyOf({ id, pem }: Readonly<{ id: string; pem: string }>): SigningKey {
  const private_key = createPrivateKey(pem)
  const public_key = createPublicKey(private_key)
  return { id, private_key, public_pem: String(public_key.export({ type: 'spki', format: 'pem' })) }
}
