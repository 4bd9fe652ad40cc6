// SECRET_KEY: given by the environment, or made once into DATA_DIR when the database is embedded.

import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { keyringWithMacKeys } from '../platform/crypto/mac-keys.ts'
import { type Keyring, openKeyring, readSecretKey } from '../platform/crypto/seal.ts'
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
  try {
    // Loaded here only: the commands that seal need nothing of the running service.
    const { macPurposes } = await import('./wire.ts')
    return await keyringWithMacKeys(db, keyring, macPurposes)
  } catch (error) {
    if (!(error instanceof Error) || !/^(sealed under|the sealed text)/.test(error.message)) {
      throw error
    }
    const line =
      'SECRET_KEY: is not the key of this database: what is encrypted in it cannot be opened. ' +
      'Add the previous key (SECRET_KEY=new,old) and run `npm run cli -- secrets reseal`.'
    if (config.safety.posture === 'production') throw new Error(line)
    warn(line)
    return keyring
  }
}
