// SECRET_KEY: given by the environment, or made once into DATA_DIR when the database is embedded.

import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { keyringWithMacKeys } from '../platform/crypto/mac-keys.ts'
import { type Keyring, openKeyring, readSecretKey } from '../platform/crypto/seal.ts'
import { listMacKeys } from '../platform/crypto/store.ts'
import type { Db } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import type { Config } from './config.ts'
import { createWhole } from './whole-file.ts'

/** The keys of this configuration. Of two first starts at once both get the same. */
export async function keyringOf(
  config: Pick<Config, 'secret_key' | 'embedded' | 'data_dir'>,
): Promise<Keyring> {
  if (config.secret_key !== null) return openKeyring(config.secret_key)
  assert(config.embedded, 'SECRET_KEY is required with DATABASE_URL')
  const file = path.join(config.data_dir, 'secret.key')
  await mkdir(config.data_dir, { recursive: true })
  await createWhole(file, randomBytes(32).toString('base64'))
  const text = (await readFile(file, 'utf8')).trim()
  if (readSecretKey(text).is === 'mistake') {
    // Never replaced by a new one: with the old one go all sealed secrets.
    throw new Error(`${file} holds no key: restore the one that was there.`)
  }
  return openKeyring(text)
}

type KeyConfig = Pick<Config, 'secret_key' | 'embedded' | 'data_dir' | 'safety'>

/**
 * The keys with the MAC keys of this database. In production a SECRET_KEY that does not open them
 * is the wrong one, and is refused before anything is sealed under it; elsewhere it is warned of.
 */
export async function keyringIn(
  config: KeyConfig,
  db: Db,
  warn: (line: string) => void,
): Promise<Keyring> {
  const keyring = await keyringOf(config)
  const opened = await withMacKeys(keyring, db)
  if (opened !== undefined) return opened
  const line =
    'SECRET_KEY: is not the key of this database: what is encrypted in it cannot be opened. ' +
    'Add the previous key (SECRET_KEY=new,old) and run `npm run cli -- secrets reseal`.'
  if (config.safety.posture === 'production') throw new Error(line)
  warn(line)
  return keyring
}

/** Undefined where these keys do not open them. */
async function withMacKeys(keyring: Keyring, db: Db): Promise<Keyring | undefined> {
  try {
    // Loaded here only: the commands that seal need nothing of the running service.
    const { macPurposes } = await import('./wire.ts')
    return await keyringWithMacKeys(db, keyring, macPurposes)
  } catch (error) {
    if (error instanceof Error && /^(sealed under|the sealed text)/.test(error.message)) return
    throw error
  }
}

/** For a command. No substitute: one made for it alone would seal what the service cannot open. */
export async function sealingKeyring(config: KeyConfig): Promise<Keyring> {
  if (config.secret_key === null && !config.embedded) {
    throw new Error('Set SECRET_KEY to the service’s value: secrets are encrypted under it.')
  }
  return keyringOf(config)
}

/**
 * The same, and what seals has sealed in this database before: what another key seals opens in this
 * shell and in no process of the service. The refusal advises no resealing: the key of a shell is
 * mostly the wrong one, and everything would be under it then.
 */
export async function sealingKeyringIn(config: KeyConfig, db: Db): Promise<Keyring> {
  const keyring = await sealingKeyring(config)
  const opened = await withMacKeys(keyring, db)
  if (opened === undefined) {
    throw new Error(
      'SECRET_KEY: is not the key of this database. Set it to the service’s value; nothing was ' +
        'written.',
    )
  }
  const rows = await listMacKeys(db)
  if (rows.some(({ sealed_key }) => keyring.isCurrent(sealed_key))) return opened
  throw new Error(
    'SECRET_KEY: its first key is not the one that encrypts in this database. Set it to the ' +
      'service’s value; nothing was written. Where the service itself has this value, end its ' +
      'rotation first (docs/runbooks/leaked-secret-key.md).',
  )
}
