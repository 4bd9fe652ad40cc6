// A service of our own to be fuzzed: `main.ts` as a process, on a data directory that goes with it.

import type { Ends } from '../../server/test/setup/ends.ts'
import { freePort } from '../../server/test/setup/loopback.ts'
import { openOwnDatabase } from '../../server/test/setup/open-merchant.ts'
import { startProcess } from '../../server/test/setup/own-process.ts'
import { dropDirectory, makeDataDirectory } from '../processes/data-directory.ts'
import type { Ground } from './world.ts'

/** The database is shared with the process that runs it; it is left before that one ends. */
export async function startServer(ends: Ends): Promise<Ground> {
  const data_dir = await makeDataDirectory('fuzz')
  ends.add(() => dropDirectory(data_dir))
  const { url, stop } = await startProcess({ data_dir, port: await freePort() })
  ends.add(stop)
  const { db, keyring } = await ends.keep(openOwnDatabase(data_dir))
  return { url, db, keyring }
}
