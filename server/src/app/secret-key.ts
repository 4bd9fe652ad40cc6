// SECRET_KEY: given by the environment, or made once into DATA_DIR when the database is embedded.

import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../platform/config.ts'
import { type Keyring, openKeyring, readSecretKey } from '../platform/crypto/seal.ts'
import { assert } from '../platform/errors.ts'
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
    throw new Error(`${file} holds no key: put back the one that was there.`)
  }
  return openKeyring(text)
}
