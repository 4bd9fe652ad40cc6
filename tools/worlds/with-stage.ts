// A PostgreSQL, a database and a stage of its own for as long as worlds are played; nothing is left
// behind.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedCatalogue } from '../../server/src/app/seed.ts'
import { startEmbedded } from '../../server/src/platform/embedded/start-embedded.ts'
import { migrate } from '../../server/src/platform/migrate.ts'
import { connectTo, type DatabaseOptions } from '../../server/test/setup/database.ts'
import { openStage, type Stage } from '../../server/test/worlds/stage.ts'

/** What is lost in a crash of the machine is not missed. */
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  shared_buffers: '256MB',
  max_connections: '100',
}

export async function withStage<T>(work: (stage: Stage) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'pirogue-worlds-'))
  const server = await startEmbedded({ dir, settings })
  const { host, port, user } = server
  const options: DatabaseOptions = { host, port, user, database: 'postgres' }
  const owner = connectTo(options, 8)
  try {
    await migrate(owner)
    await seedCatalogue(owner)
    const stage = await openStage(owner, options)
    try {
      return await work(stage)
    } finally {
      await stage.close()
    }
  } finally {
    await owner.end({ timeout: 5 })
    await server.stop()
    for (const path of new Set([dir, server.directory, host])) {
      await rm(path, { recursive: true, force: true })
    }
  }
}
