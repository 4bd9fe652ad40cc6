// One process of the service: API, worker, or both, on one database, with the sandbox operator
// beside it. Used by `npm start` and by the tests that need the whole thing over real HTTP.

import { createServer } from 'node:net'
import path from 'node:path'
import type { Logger } from 'pino'
import { gatewaysFound } from '../gateways/gateways-found.ts'
import { findServiceUrl, saveServiceUrl } from '../platform/addresses/address.ts'
import { type Config, defaultPublicUrl } from '../platform/config.ts'
import type { Db } from '../platform/db.ts'
import { buildServer } from '../platform/http/server.ts'
import { startWakeups, type Wakeups } from '../platform/jobs/notify.ts'
import { createWaker } from '../platform/jobs/waker.ts'
import { startWorker, type Worker, workerIsAlive } from '../platform/jobs/worker.ts'
import { type Connection, connect } from './connect.ts'
import { addDoors, type Readiness } from './doors.ts'
import { metricsOf } from './metrics.ts'
import { keyringOf } from './secret-key.ts'
import { type SimulatorProcess, startSimulatorProcess } from './simulator-process.ts'
import { simulatorSecrets, wire } from './wire.ts'

export type Service = Readonly<{
  public_url: string
  port: number
  simulator_url: string
  db: Db
  connection: Connection
  /** Stops accepting, finishes what is in flight, ends everything that was started. */
  stop(): Promise<void>
}>

const stopWithinMs = 15_000

export async function startService(
  config: Config,
  log: Logger,
  connection?: Connection,
): Promise<Service> {
  const base = connection ?? (await connect(config, log))
  const port = config.port === 0 ? await freePort(config.host) : config.port
  const public_url = config.public_url_is_set
    ? config.public_url
    : defaultPublicUrl(config.host, port)
  const keyring = await keyringOf(config)
  const db = base.open('pirogue_app', { connections_max: 16, durable: true, name: 'pirogue' })
  const quick = base.open('pirogue_app', { connections_max: 8, durable: false, name: 'pirogue-q' })
  const waker = createWaker()
  const wakeups = await startWakeups({
    db: base.open('pirogue_app', { connections_max: 1, durable: false, name: 'pirogue-wake' }),
    onWake: waker.wake,
    log,
  })
  const simulator = await sandboxOperator(config, quick, keyring, log)
  const local = `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${port}`
  const wired = wire({
    config,
    db,
    quick,
    keyring,
    waker,
    wakeOthers: (name) => wakeups.wakeOthers(name),
    simulator_url: simulator.url,
    // Our own sandbox operator is on this machine, wherever the public address leads.
    callback_base: (code) => (simulator.own && code.startsWith('simulator') ? local : public_url),
    own_ports: () => [port, Number(new URL(simulator.url()).port)],
    gateways: await gatewaysFound(db),
    log,
  })
  const worker =
    config.role === 'api'
      ? undefined
      : startWorker({ db: quick, jobs: wired.jobs, log, wake: waker })
  const server = await buildServer({
    routes: config.role === 'worker' ? [] : wired.routes,
    authenticate: wired.authenticate,
    once: wired.once,
    config: {
      default_locale: config.default_locale,
      envelope: config.response_envelope,
      public_url,
      trust_proxy: config.trust_proxy,
    },
    log,
    extra: (app) =>
      addDoors(app, {
        callbacks: wired.callbacks,
        readiness: readinessOf(config, db),
        metrics: () => metricsOf(db),
      }),
  })
  await server.listen(port, config.host)
  return {
    public_url,
    port,
    simulator_url: simulator.url(),
    db,
    connection: base,
    stop: () => stopAll({ server, worker, wakeups, simulator, wired, dbs: [db, quick], base }),
  }
}

type Started = {
  server: { close(): Promise<void> }
  worker: Worker | undefined
  wakeups: Wakeups
  simulator: { stop(): Promise<void> }
  wired: { close(): Promise<void> }
  dbs: readonly Db[]
  base: Connection
}

async function stopAll(started: Started): Promise<void> {
  await started.server.close()
  await started.worker?.stop(stopWithinMs)
  await started.wired.close()
  await started.wakeups.stop()
  await started.simulator.stop()
  await Promise.all(started.dbs.map((db) => db.end({ timeout: 5 })))
  await started.base.stop()
}

type Operator = { url: () => string; own: boolean; stop(): Promise<void> }

/** The configured one, one that another process runs already, or one of our own. */
async function sandboxOperator(
  config: Config,
  db: Db,
  keyring: Parameters<typeof simulatorSecrets>[0],
  log: Logger,
): Promise<Operator> {
  const elsewhere = config.simulator_url ?? (await aliveElsewhere(db))
  if (elsewhere !== null) return { url: () => elsewhere, own: false, stop: async () => undefined }
  const own: SimulatorProcess = await startSimulatorProcess({
    port: config.simulator_port,
    ...simulatorSecrets(keyring),
    dir: path.resolve(config.data_dir),
    log,
  })
  await saveServiceUrl(db, 'simulator', own.url())
  return { url: own.url, own: true, stop: own.stop }
}

async function aliveElsewhere(db: Db): Promise<string | null> {
  const url = await findServiceUrl(db, 'simulator')
  if (url === undefined) return null
  const answered = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1000) }).then(
    (reply) => reply.ok,
    () => false,
  )
  return answered ? url : null
}

/** A worker anywhere on this database counts; an API process alone only reports its absence. */
function readinessOf(config: Config, db: Db): Readiness {
  return async () => {
    const worker = await workerIsAlive(db).catch(() => undefined)
    if (worker === undefined) return { ready: false, report: { database: 'unreachable' } }
    return {
      ready: worker || config.role === 'api',
      report: { database: 'ok', worker: worker ? 'ok' : 'missing' },
    }
  }
}

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, host, () => {
      const address = probe.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}
