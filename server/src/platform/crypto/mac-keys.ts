// The keys of MACs, kept in the database and sealed under SECRET_KEY, so that rotating SECRET_KEY
// changes no MAC: a replay stays a replay, a counter continues, a callback finds its attempt. Law:
// the newest key that has begun signs, and every kept key is accepted.

import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Db, Sql } from '../db.ts'
import type { Keyring } from './seal.ts'
import { deleteOldMacKeys, insertMacKey, listMacKeys, type MacKeyRow } from './store.ts'

/** Every purpose without a row derives its key from this one; it was random from the start. */
const root = 'root'

export const macKeyBinding = ([purpose, number]: readonly (string | number)[]): string =>
  `mac_keys:${purpose}:${number}`

type MacKey = Readonly<{ number: number; signs_from_ms: number; key: Buffer }>

/**
 * The keyring whose MACs are those of the database. Throws when a key cannot be opened. `first`:
 * purposes whose keys came from SECRET_KEY before there were rows; these are stored as they were.
 */
export async function keyringWithMacKeys(
  db: Db,
  keyring: Keyring,
  first: readonly string[],
): Promise<Keyring> {
  const rows = await listMacKeys(db)
  // Before any is written: a key that does not open these seals none beside them.
  const opened = withKeys(keyring, rows)
  const known = new Set(rows.map(({ purpose }) => purpose))
  const missing = [...first, root].filter((purpose) => !known.has(purpose))
  if (missing.length === 0) return opened
  await writeFirst(db, keyring, missing)
  return withKeys(keyring, await listMacKeys(db))
}

/** Oldest key of SECRET_KEY first, so that the one which seals now also signs. */
async function writeFirst(db: Db, keyring: Keyring, missing: readonly string[]): Promise<void> {
  for (const purpose of missing) {
    const keys = purpose === root ? [randomBytes(32)] : keyring.macKeysOf(purpose).toReversed()
    for (const [at, key] of keys.entries()) {
      await insertMacKey(db, sealedRow(keyring, { purpose, number: at + 1, key }, new Date(0)))
    }
  }
}

type Plain = Readonly<{ purpose: string; number: number; key: Buffer }>

function sealedRow(keyring: Keyring, { purpose, number, key }: Plain, signs_from: Date): MacKeyRow {
  const sealed_key = keyring.seal(key.toString('base64'), macKeyBinding([purpose, number]))
  return { purpose, number, sealed_key, signs_from }
}

/** A new key for each purpose, which signs from then on; every process must be restarted before. */
export async function renewMacKeys(db: Sql, keyring: Keyring, signs_from: Date): Promise<number> {
  const rows = await listMacKeys(db)
  const numbers = new Map(rows.map(({ purpose, number }) => [purpose, number]))
  for (const [purpose, number] of numbers) {
    const key = randomBytes(32)
    await insertMacKey(db, sealedRow(keyring, { purpose, number: number + 1, key }, signs_from))
  }
  return numbers.size
}

function withKeys(keyring: Keyring, rows: readonly MacKeyRow[]): Keyring {
  const kept = new Map<string, MacKey[]>()
  for (const { purpose, number, sealed_key, signs_from } of rows) {
    const text = keyring.unseal(sealed_key, macKeyBinding([purpose, number]))
    const one = { number, signs_from_ms: signs_from.getTime(), key: Buffer.from(text, 'base64') }
    // Newest first.
    kept.set(purpose, [one, ...(kept.get(purpose) ?? [])])
  }
  const keysOf = (purpose: string): readonly MacKey[] => {
    const found = kept.get(purpose)
    if (found !== undefined) return found
    const derived = (kept.get(root) ?? []).map((one) => ({ ...one, key: derive(one.key, purpose) }))
    kept.set(purpose, derived)
    return derived
  }
  return {
    ...keyring,
    mac(purpose, data) {
      const keys = keysOf(purpose)
      const now = Date.now()
      const signing = keys.find(({ signs_from_ms }) => signs_from_ms <= now) ?? keys.at(-1)
      return signing === undefined ? keyring.mac(purpose, data) : macOf(signing.key, data)
    },
    macs(purpose, data) {
      const keys = keysOf(purpose)
      return keys.length === 0
        ? keyring.macs(purpose, data)
        : keys.map(({ key }) => macOf(key, data))
    },
    macMatches(purpose, data, tag) {
      let matches = false
      for (const { key } of keysOf(purpose)) {
        const expected = macOf(key, data)
        // No early end: which key matched must not show in the time taken.
        if (tag.length === expected.length && timingSafeEqual(tag, expected)) matches = true
      }
      return matches
    },
  }
}

const macOf = (key: Buffer, data: string | Buffer): Buffer =>
  createHmac('sha256', key).update(data).digest()

const derive = (key: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `pirogue mac ${purpose}`, 32))

// Deletes old MAC keys, once nothing that matters was made under them: fingerprints last 30 days,
// callbacks of attempts and cursors less.

export const dropMacKeys = (sql: Sql, days: number): Promise<number> => deleteOldMacKeys(sql, days)
