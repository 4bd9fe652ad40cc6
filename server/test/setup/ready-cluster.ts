// A database cluster with the whole schema and the catalogue, made once for a run and stopped. The
// run's own server begins on a copy of it, and so does a service that a test starts as a process:
// to make one anew takes a second and more of processor time. Tests of the first start use none.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { placeFor } from '../../src/platform/embedded/cluster.ts'
import { unprivilegedAccount } from '../../src/platform/embedded/unprivileged.ts'

/** Tells every process of a run where the stopped cluster is. */
export const readyVariable = 'PIROGUE_TEST_CLUSTER'

/**
 * Gives `dir`, where `startEmbedded` will look, a copy. Nothing happens outside of a run, on a
 * server of your own, and where there is a cluster already.
 */
export async function layReadyCluster(dir: string): Promise<void> {
  const ready = process.env[readyVariable]
  if (ready === undefined) return
  const directory = placeFor(dir, unprivilegedAccount(), () => undefined)
  if (!existsSync(join(directory, 'data'))) await copyCluster(ready, directory)
}

/** Its files keep their owner: PostgreSQL reads only what is its account's own. */
export async function copyCluster(from: string, to: string): Promise<void> {
  const draft = join(to, 'copied')
  await promisify(execFile)('cp', ['-a', join(from, 'data'), draft])
  await rename(draft, join(to, 'data'))
}
