// A migrated PostgreSQL of its own for what is generated from a database; in a run of tests a copy
// of the run's. Nothing of it is flushed to disk, and nothing of it stays.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Db, openDb } from '../../server/src/platform/db.ts'
import { startEmbedded } from '../../server/src/platform/embedded/start-embedded.ts'
import { migrate } from '../../server/src/platform/migrate.ts'
import { layReadyCluster } from '../../server/test/setup/ready-cluster.ts'

export type Fresh = Readonly<{
  /** As the server's superuser. */
  db: Db
  options: Readonly<{ host: string; port: number; user: string; database: string }>
}>

export async function withFreshDatabase<T>(work: (fresh: Fresh) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'pirogue-generate-'))
  const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }
  await layReadyCluster(dir)
  const server = await startEmbedded({ dir, settings })
  const { host, port, user } = server
  const options = { host, port, user, database: 'postgres' }
  const name = { application_name: 'generate' }
  const db = openDb({ ...options, ...name, connections_max: 2, durable: false })
  try {
    await migrate(db)
    return await work({ db, options })
  } finally {
    await db.end({ timeout: 5 })
    await server.stop()
    for (const path of new Set([dir, server.directory, host])) {
      await rm(path, { recursive: true, force: true })
    }
  }
}
