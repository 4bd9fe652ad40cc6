// A temporary directory for one run. Everything in it goes with the run.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** As root PostgreSQL runs under another account, which must be able to enter. */
export async function makeDataDirectory(name: string): Promise<string> {
  const data_dir = await mkdtemp(path.join(tmpdir(), `pirogue-${name}-`))
  await chmod(data_dir, 0o755)
  return data_dir
}

export const dropDirectory = (directory: string): Promise<void> =>
  rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
