// What the operator remembers: payments, what was done to them, and the keys that it signs with, by
// a JSON line each in a file, where there is one, written before it is answered.

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
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
export function openBooks(file: string | undefined): Books {
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
  for (const line of file === undefined ? [] : linesOf(file)) take(line)
  const addKey = (): SigningKey => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const key = { id: `HTTP_EC_P256_KEY:${keys.length + 1}`, pem }
    write({ key })
    return keyOf(key)
  }
  if (keys.length === 0) addKey()
  return { payments, keys: () => keys, keep: (payment) => write({ payment }), addKey }
}

function keyOf({ id, pem }: Readonly<{ id: string; pem: string }>): SigningKey {
  const private_key = createPrivateKey(pem)
  const public_key = createPublicKey(private_key)
  return { id, private_key, public_pem: String(public_key.export({ type: 'spki', format: 'pem' })) }
}

/** The last line may have been cut by a kill: it had not been answered yet. */
function linesOf(file: string): Line[] {
  if (!existsSync(file)) return []
  const texts = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return texts.flatMap((text, at): Line[] => {
    try {
      return [JSON.parse(text)]
    } catch {
      if (at === texts.length - 1) return []
      throw new Error(`${file}: line ${at + 1} is unreadable`)
    }
  })
}
