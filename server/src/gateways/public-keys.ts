// Public keys of operators that sign their callbacks. Each process has them in memory, as their
// table shows them; a job reads them from the operator, every six hours, and after a callback that
// names a key which is not known. Law: an operator is asked at most once a minute, over all
// processes, whoever sends what.

import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Db } from '../platform/db.ts'
import type { KeyStore } from './adapter.ts'
import { type Gateways, type PublishedKey, publishesKeys } from './gateway.ts'
import { claimKeyReading, saveKeys, updateKeysWanted } from './public-key-store.ts'

export type KeyDeps = Readonly<{
  db: Db
  gateways: Gateways & Readonly<{ refresh(): Promise<void> }>
  /** The row of each gateway, by its code. */
  row_ids: ReadonlyMap<string, string>
  log: Readonly<{ warn: (about: object, message: string) => void }>
}>

const often = { every_s: 6 * 3600, soonest_s: 60 } as const

/** Reads what is due, or wanted, and not read within the last minute. */
export async function refreshKeys({ db, gateways, row_ids, log }: KeyDeps): Promise<void> {
  const all = gateways.all().filter(publishesKeys)
  const ids = all.flatMap(({ code }) => row_ids.get(code) ?? [])
  if (ids.length === 0) return
  const claimed = new Set(await claimKeyReading(db, ids, often))
  for (const gateway of all) {
    const gateway_id = row_ids.get(gateway.code) ?? ''
    if (!claimed.has(gateway_id)) continue
    const published = await gateway.publishedKeys()
    const keys = published?.filter(isKey)
    if (keys === undefined || keys.length === 0) {
      log.warn({ gateway: gateway.code }, 'its public keys could not be read')
      await updateKeysWanted(db, gateway_id)
    } else await saveKeys(db, gateway_id, keys)
  }
  if (claimed.size > 0) await gateways.refresh()
}

/** A callback names a key that is not known: it is read soon, and the callback judged again. */
export const wantKeys = (db: Db, gateway_id: string): Promise<void> =>
  updateKeysWanted(db, gateway_id)

const isKey = ({ pem }: PublishedKey): boolean => keyIn(pem) !== undefined

function keyIn(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem)
  } catch {
    return undefined
  }
}

/** By id, opened once. */
export function keyStore(pems: Readonly<Record<string, string>>): KeyStore {
  const opened = new Map(
    Object.entries(pems).flatMap(([id, pem]) => {
      const key = keyIn(pem)
      return key === undefined ? [] : [[id, key] as const]
    }),
  )
  return { get: (key_id) => opened.get(key_id) }
}
