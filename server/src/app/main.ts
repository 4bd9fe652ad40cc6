// `npm start`: configuration, database, demo, service; prints where everything is; ends cleanly on
// SIGTERM and Ctrl-C within 20 seconds.

import cluster from 'node:cluster'
import type { Logger } from 'pino'
import { isDatabaseAway } from '../platform/db.ts'
import { logDestination, makeLog } from '../platform/log.ts'
import { migrate } from '../platform/migrate.ts'
import { defaultPublicUrl } from '../platform/settings/addresses.ts'
import { banner } from './banner.ts'
import { describeError } from './cli/describe-error.ts'
import { type Config, readConfig } from './config.ts'
import { type Connection, connect } from './connect.ts'
import {
  type Addresses,
  type Credentials,
  credentialsAt,
  type Handed,
  handOverDemo,
} from './credentials.ts'
import { judgeLogin } from './login.ts'
import { shareMetrics } from './metrics.ts'
import { requireFreePort } from './port.ts'
import { countProcesses } from './processes/count-processes.ts'
import { serveAsOne } from './processes/serve-as-one.ts'
import { startProcesses } from './processes/start-processes.ts'
import { seedCatalogue } from './seed.ts'
import { makeLink, printsLink } from './sign-in-link.ts'
import { type Service, startService } from './start.ts'

const giveUpMs = 19_000

/**
 * The driver reads the server's array types on each new connection and handles no error when that
 * fails (postgres 3.4.9, `fetchArrayTypes` in connection.js): the query that wanted the connection
 * has its own error. A process outlives its database's restart, once it has started.
 */
function outliveDatabase(hasStarted: () => boolean): void {
  process.on('unhandledRejection', (error: unknown) => {
    if (!isDatabaseAway(error)) throw error
    if (!hasStarted()) return giveUp(error)
    process.stderr.write(
      `A connection to the database ended while it was opening: ${describeError(error)}\n`,
    )
  })
}

function giveUp(error: unknown): void {
  process.stderr.write(`Pirogue could not start: ${describeError(error)}\n`)
  process.exit(1)
}

function main(): void {
  let hasStarted = false
  outliveDatabase(() => hasStarted)
  const reading = readConfig(process.env)
  if (reading.is === 'mistakes') {
    for (const line of reading.lines) process.stderr.write(`${line}\n`)
    process.exitCode = 1
    return
  }
  if (cluster.isWorker) {
    startOneOfMany(reading.config).then(() => {
      hasStarted = true
    }, giveUp)
    return
  }
  const starting = startProgram(reading.config)
  // From the first moment: a signal during the start waits for it and ends all of it.
  endOn(['SIGTERM', 'SIGINT'], async () => (await starting).stop())
  starting.then(() => {
    hasStarted = true
  }, giveUp)
}

/** Made by a start that has prepared everything (`processes/`), and that ends it in its order. */
async function startOneOfMany(config: Config): Promise<void> {
  // Ctrl-C reaches every process of a terminal: here the start's own word is waited for.
  process.on('SIGINT', () => {})
  shareMetrics()
  const log = makeLog(config.log_level, await logDestination(process.stderr.isTTY))
  await serveAsOne(config, log, makeEnd())
}

type Started = Pick<Service, 'public_url' | 'simulator_url' | 'stop'>

async function startProgram(config: Config): Promise<Started> {
  await requireFreePort(config.port, config.host)
  const log = makeLog(config.log_level, await logDestination(process.stderr.isTTY))
  const connection = await connect(config, log)
  const handed = await prepare(config, connection, log).catch(async (error: unknown) => {
    await connection.stop()
    throw error
  })
  for (const line of warningsOf(config)) log.warn(line)
  const service = await serve(config, log, connection)
  const { public_url, simulator_url } = service
  const { data_dir } = config
  const at = { public_url, dashboard_url: config.dashboard_url ?? public_url }
  const credentials = handed && (await finish(handed, { config, connection, log, at }))
  const first = handed?.fresh ?? false
  process.stdout.write(`${banner({ ...at, simulator_url, data_dir, credentials, first })}\n`)
  return service
}

type Finishing = Readonly<{ config: Config; connection: Connection; log: Logger; at: Addresses }>

/** What was handed over, as it is once the service takes calls: at its address, with a link. */
async function finish(
  { credentials }: Handed,
  { config, connection, log, at }: Finishing,
): Promise<Credentials> {
  const { dashboard_url } = at
  const { email } = credentials.dashboard
  const sign_in_url = printsLink(config)
    ? await makeLink(connection, { email, dashboard_url }).catch((err: unknown) => {
        log.warn({ err }, 'no link that signs in was made')
        return undefined
      })
    : undefined
  // It takes calls already: what cannot be written on a full disk ends no service.
  return credentialsAt(config.data_dir, { ...at, sign_in_url }, credentials).catch(
    (err: unknown) => {
      log.warn({ err }, 'credentials.json could not be written')
      const { sign_in_url: _, ...lasting } = credentials
      return lasting
    },
  )
}

/** In this process, or in several that it makes. */
async function serve(config: Config, log: Logger, connection: Connection): Promise<Started> {
  const db = connection.open('pirogue_app', {
    ...{ connections_max: 1, durable: false, name: 'pirogue-count' },
  })
  const { count, warning } = await countProcesses(config, db)
  await db.end({ timeout: 5 })
  if (warning !== null) log.warn(warning)
  if (count === 1) return startService(config, log, { connection })
  return startProcesses(count, config, log, connection)
}

/** Migrations and seeds; the demo's credentials when the database is our own. */
async function prepare(
  config: Config,
  connection: Connection,
  log: Logger,
): Promise<Handed | undefined> {
  if (!config.embedded && !(await mayMigrate(config, connection, log))) return undefined
  const owner = connection.open('superuser', { connections_max: 2, durable: true, name: 'setup' })
  try {
    await migrate(owner)
    await seedCatalogue(owner)
    if (!config.embedded) return undefined
    // With any free port the address is known later, and the file is written then.
    const public_url = config.public_url_is_set
      ? config.public_url
      : defaultPublicUrl(config.host, config.port)
    const at = { public_url, dashboard_url: config.dashboard_url ?? public_url }
    return await handOverDemo(owner, config.data_dir, at)
  } finally {
    await owner.end({ timeout: 5 })
  }
}

/** The warnings that every start repeats for as long as they hold. */
const warningsOf = ({ safety, retention }: Config): string[] => [
  ...safety.warnings,
  ...(retention.live_payers_said
    ? []
    : [
        'RETENTION_LIVE_PAYER_DAYS is not set: no customer who paid in LIVE can be erased. Set ' +
          'it to the number of days your country’s law requires payers’ identities to be kept; ' +
          '0 if it requires none',
      ]),
  ...(process.getuid?.() === 0
    ? [
        'This process runs as root: start it under an account of its own, the only owner of ' +
          'DATA_DIR.',
      ]
    : []),
]

async function mayMigrate(config: Config, connection: Connection, log: Logger): Promise<boolean> {
  const db = connection.open('login', { connections_max: 1, durable: false, name: 'pirogue-login' })
  try {
    // Reserved: a pool reconnects without end and without a pause where a database dies while the
    // connection opens (postgres 3.4.9, `closed` in connection.js).
    const reserved = await db.reserve()
    // Given back when it is refused as well: who ends would wait for it.
    const judged = judgeLogin(reserved, config).finally(() => reserved.release())
    const { may_migrate, warning } = await judged
    if (warning !== null) log.warn(warning)
    return may_migrate
  } finally {
    await db.end({ timeout: 5 })
  }
}

function endOn(signals: readonly NodeJS.Signals[], stop: () => Promise<void>): void {
  const end = makeEnd()
  for (const signal of signals) process.on(signal, () => end(stop))
}

/** Ends this process once, by whatever stop it is given first; it gives up after 19 seconds. */
function makeEnd(): (stop: () => Promise<void>) => void {
  let ending = false
  return (stop) => {
    if (ending) return
    ending = true
    setTimeout(() => process.exit(1), giveUpMs).unref()
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${describeError(error)}\n`)
        process.exit(1)
      },
    )
  }
}

main()
