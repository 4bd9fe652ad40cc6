// SECRET_KEY: given by the environment, or made once into DATA_DIR when the database is embedded.

import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../platform/config.ts'
import { type Keyring, openKeyring } from '../platform/crypto/seal.ts'
import { assert } from '../platform/errors.ts'

export async function keyringOf(config: Config): Promise<Keyring> {
  if (config.secret_key !== null) return openKeyring(config.secret_key)
  assert(config.embedded, 'SECRET_KEY is required with DATABASE_URL')
  const file = path.join(config.data_dir, 'secret.key')
  await mkdir(config.data_dir, { recursive: true })
  // `wx`: of two first starts one makes the key and both read it.
  await writeFile(file, randomBytes(32).toString('base64'), { mode: 0o600, flag: 'wx' }).catch(
    (error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    },
  )
  return openKeyring((await readFile(file, 'utf8')).trim())
}
