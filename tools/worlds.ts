// `npm run worlds -- --count 50000`: the property test of event orders, at length, on a PostgreSQL
// of its own. A broken world is shrunk and told; `--seed` and `--path` play that world alone.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SingleBar } from 'cli-progress'
import postgres from 'postgres'
import { seedCatalogue } from '../server/src/app/seed.ts'
import { verifyLedger } from '../server/src/ledger/verify.ts'
import { startEmbedded } from '../server/src/platform/embedded/start-embedded.ts'
import { migrate } from '../server/src/platform/migrate.ts'
import type { DatabaseOptions, OwnerSql } from '../server/test/setup/database.ts'
import { hunt, sayFound } from '../server/test/worlds/hunt.ts'
import { openStage, type Stage } from '../server/test/worlds/stage.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '2000' },
    seed: { type: 'string' },
    path: { type: 'string' },
    lanes: { type: 'string' },
  },
})

const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)
process.exitCode = await withStage(run)

async function run(stage: Stage): Promise<0 | 1> {
  const count = values.path === undefined ? Number(values.count) : 1
  console.log(`${count} worlds from seed ${seed}`)
  const bar = new SingleBar({
    format: '{bar} {value}/{total} worlds, {rate}/s, {eta_formatted} left',
  })
  const started = Date.now()
  let played = 0
  bar.start(count, 0, { rate: '0' })
  const found = await hunt(stage, {
    count,
    seed,
    ...(values.path === undefined ? {} : { path: values.path }),
    ...(values.lanes === undefined ? {} : { lanes: Number(values.lanes) }),
    tick: () => {
      played += 1
      bar.update(played, { rate: ((played * 1000) / (Date.now() - started)).toFixed(1) })
    },
  })
  bar.stop()
  const seconds = (Date.now() - started) / 1000
  console.log(
    `${played} worlds in ${seconds.toFixed(1)} s: ${(played / seconds).toFixed(1)} a second`,
  )
  if (found !== undefined) {
    console.log(sayFound(found))
    return 1
  }
  const wrong = (await verifyLedger(stage.owner)).filter(({ ok }) => !ok)
  for (const { check, examples } of wrong) console.log(`ledger verify: ${check}: ${examples}`)
  return wrong.length === 0 ? 0 : 1
}

/** A server, a database and a stage for as long as `work` takes; nothing is left behind. */
async function withStage<T>(work: (stage: Stage) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'pirogue-worlds-'))
  const settings = {
    fsync: 'off',
    full_page_writes: 'off',
    synchronous_commit: 'off',
    shared_buffers: '256MB',
    max_connections: '100',
  }
  const server = await startEmbedded({ dir, settings })
  const { host, port, user } = server
  const options: DatabaseOptions = { host, port, user, database: 'postgres' }
  const owner: OwnerSql = postgres({
    ...options,
    max: 8,
    onnotice: () => undefined,
    types: { bigint: postgres.BigInt },
  })
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
