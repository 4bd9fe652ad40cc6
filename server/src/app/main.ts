// `npm start`: configuration, database, demo, service; prints where everything is; ends cleanly on
// SIGTERM and Ctrl-C within 20 seconds.

import { pino } from 'pino'
import { type Config, readConfig } from '../platform/config.ts'
import { migrate } from '../platform/migrate.ts'
import { banner } from './banner.ts'
import { type Connection, connect } from './connect.ts'
import { readCredentials, writeCredentials } from './credentials.ts'
import { seedCatalogue, seedDemoMerchant } from './seed.ts'
import { startService } from './start.ts'

const giveUpMs = 19_000

async function main(): Promise<void> {
  const reading = readConfig(process.env)
  if (reading.is === 'mistakes') {
    for (const line of reading.lines) process.stderr.write(`${line}\n`)
    process.exitCode = 1
    return
  }
  const { config } = reading
  const log = pino({ level: config.log_level, base: null }, pino.destination(2))
  const connection = await connect(config, log)
  const made = await prepare(config, connection)
  const service = await startService(config, log, connection)
  const { public_url, simulator_url } = service
  if (made !== null) await writeCredentials(config.data_dir, public_url, made)
  const credentials = config.embedded
    ? await readCredentials(config.data_dir, public_url)
    : undefined
  const { data_dir } = config
  const first = made !== null
  process.stdout.write(`${banner({ public_url, simulator_url, data_dir, credentials, first })}\n`)
  endOn(['SIGTERM', 'SIGINT'], () => service.stop())
}

/** Migrations and seeds; the demo merchant's secrets when it was made just now. */
async function prepare(config: Config, connection: Connection) {
  const owner = connection.open('superuser', { connections_max: 2, durable: true, name: 'setup' })
  try {
    await migrate(owner)
    await seedCatalogue(owner)
    if (!config.embedded) return null
    const { merchant, api_keys } = await seedDemoMerchant(owner)
    return api_keys === null ? null : { merchant, api_keys }
  } finally {
    await owner.end({ timeout: 5 })
  }
}

function endOn(signals: readonly NodeJS.Signals[], stop: () => Promise<void>): void {
  let ending = false
  const end = () => {
    if (ending) return
    ending = true
    setTimeout(() => process.exit(1), giveUpMs).unref()
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`)
        process.exit(1)
      },
    )
  }
  for (const signal of signals) process.on(signal, end)
}

main().catch((error: unknown) => {
  const line = error instanceof Error ? error.message : String(error)
  process.stderr.write(`Pirogue could not start: ${line}\n`)
  process.exit(1)
})
