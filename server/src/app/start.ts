// One process of the service: API, worker, or both, on one database, with the sandbox operator
// beside it. Used by `npm start` and by the tests that need the whole thing over real HTTP.

import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { listFoundGateways } from '../gateways/account-store.ts'
import { setBatchPools } from '../platform/batch-calls.ts'
import type { Db } from '../platform/db.ts'
import { readBuilt } from '../platform/http/serve-built.ts'
import { buildServer, type HttpServer } from '../platform/http/server.ts'
import { createWaker, startWakeups } from '../platform/jobs/notify.ts'
import { startWorker, type Worker } from '../platform/jobs/worker.ts'
import { aloneAtHome } from '../platform/places/alone-at-home.ts'
import { listGroups } from '../platform/places/map-store.ts'
import { type PlacedPool, placePools } from '../platform/places/place-pools.ts'
import { defaultPublicUrl } from '../platform/settings/addresses.ts'
import { referencePages } from '../reference/routes.ts'
import type { Config } from './config.ts'
import { type Connection, connect, type OpenOptions } from './connect.ts'
import type { Lasting } from './lasting.ts'
import { countJobFault, countSecurityEvent, metricsOn } from './metrics.ts'
import { addOriginRoutes } from './origin-routes.ts'
import { reservePort } from './port.ts'
import { readinessOf, requireOnTime } from './readiness.ts'
import { followOperator, startSandboxOperator } from './sandbox-operator.ts'
import { keyringIn } from './secret-key.ts'
import { type Wired, wire } from './wire.ts'

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
/** A file can take minutes: what has not ended by then is cut off, and seen to be. */
const cutFilesAfterMs = 10_000

/** What has been started for it: the rest it starts itself, and ends it. */
export type Given = Readonly<{
  connection?: Connection
  /** Not ended by the service: another process runs it, for several. */
  operator?: Readonly<{ url: string; own: boolean }>
  /** The metrics of all processes, where this is one of several. */
  metrics?: () => Promise<string>
}>

/** Starts everything; when a part cannot start, what was started is ended and the error thrown. */
export async function startService(
  config: Config,
  log: Logger,
  given: Given = {},
): Promise<Service> {
  const base = given.connection ?? (await connect(config, log))
  const ends: Ends = [() => base.stop()]
  try {
    return await startOn({ ...given, connection: base }, config, log, ends)
  } catch (error) {
    await endAll(ends).catch((second: unknown) => log.error({ err: second }, 'not ended well'))
    throw error
  }
}

/** The functions that end each part, in the order in which the parts were started. */
type Ends = (() => Promise<unknown>)[]

async function startOn(
  { connection: base, operator, metrics }: Given & Readonly<{ connection: Connection }>,
  config: Config,
  log: Logger,
  ends: Ends,
) {
  // Reserved until it is listened on: what starts meanwhile would be given it too.
  const reserved = config.port === 0 ? await reservePort(0, config.host) : undefined
  if (reserved !== undefined) ends.push(reserved.release)
  const port = reserved?.port ?? config.port
  const local = defaultPublicUrl(config.host, port)
  const public_url = config.public_url_is_set ? config.public_url : local
  const { db, quick, reads } = await openPools(base, ends, log)
  await requireOnTime(db)
  const keyring = await keyringIn(config, quick, (line) => log.warn(line))
  const simulator = await findOperator(operator, { config, db: quick, keyring, log }, ends)
  const waker = createWaker()
  const wakeups = await startWakeups({
    db: base.open('pirogue_app', { connections_max: 1, durable: false, name: 'pirogue-wake' }),
    onWake: waker.wake,
    log,
  })
  ends.push(() => wakeups.stop())
  const wired = wire({
    config,
    db,
    quick,
    reads,
    openAlone: (merchant_id) =>
      aloneAtHome(
        { control: db, open: (group) => base.openAlone('pirogue_app', 'pirogue-export', group) },
        merchant_id,
      ),
    keyring,
    waker,
    wakeOthers: (name) => wakeups.wakeOthers(name),
    simulator_url: simulator.url,
    // Our own sandbox operator is on this machine, wherever the public address leads.
    callback_base: (code) => (simulator.own() && code.startsWith('simulator') ? local : public_url),
    own_ports: () => [port, Number(new URL(simulator.url()).port)],
    gateways: await listFoundGateways(db),
    public_url,
    dashboard_url: config.dashboard_url ?? public_url,
    log,
  })
  ends.push(() => wired.close())
  const server = await serve(wired, {
    ...{ config, public_url, db, log },
    metrics: metricsOn(db, metrics),
  })
  ends.push(inBackground(wired.resumeDialects(), log))
  simulator.onMoved(() => inBackground(wired.resumeDialects(), log))
  const working: Working = { ...wired.lasting, server, worker: undefined }
  ends.push(() => endWork(working))
  await reserved?.release()
  await server.listen(port, config.host)
  if (config.role !== 'api') {
    const worker = startWorker({
      ...{ db: quick, jobs: wired.jobs, log, wake: waker },
      countFault: countJobFault,
    })
    wired.onNewJob(worker.add)
    working.worker = worker
  }
  const simulator_url = simulator.url()
  const stop = () => endAll(ends)
  return { public_url, port, simulator_url, db, connection: base, stop }
}

/** Nobody's start waits for it; its end does. */
function inBackground(work: Promise<void>, log: Logger): () => Promise<void> {
  const done = work.catch((err: unknown) => log.warn({ err }, 'dialects were not resumed'))
  return () => done
}

/** Of each pool to each shard group, on a distributed database: groups share its server. */
const group_connections = 3

/**
 * Connections, by what may keep them busy: nothing that waits for a row, or reads for long, takes
 * one from payments (docs/decisions/0011). They are opened as they are needed.
 */
async function openPools(base: Connection, ends: Ends, log: Logger) {
  const pools: PlacedPool[] = []
  const open = (options: OpenOptions) => {
    const pool = base.open('pirogue_app', options)
    ends.push(() => pool.end({ timeout: 5 }))
    const connections_max = Math.min(options.connections_max, group_connections)
    const onGroup = { ...options, connections_max }
    pools.push({ control: pool, open: (group) => base.open('pirogue_app', { ...onGroup, group }) })
    return pool
  }
  const usual = { connections_max: 10, durable: true, name: 'pirogue', lock_timeout_ms: 3_000 }
  const db = open(usual)
  const line = { durable: true, lock_timeout_ms: 500 }
  setBatchPools(db, {
    LIVE: open({ ...line, connections_max: 8, name: 'pirogue-live' }),
    SANDBOX: open({ ...line, connections_max: 4, name: 'pirogue-sandbox' }),
  })
  const quick = open({
    connections_max: 6,
    durable: false,
    name: 'pirogue-q',
    lock_timeout_ms: 1_000,
  })
  const reads = open({
    connections_max: 6,
    durable: true,
    name: 'pirogue-read',
    statement_timeout_ms: 8_000,
  })
  const onAway = (err: unknown) => log.error({ err }, 'a shard group cannot be read')
  ends.push(await placePools({ readMap: () => listGroups(db), onAway, looks: reads }, pools))
  return { db, quick, reads }
}

type Served = Readonly<{
  config: Config
  public_url: string
  metrics: () => Promise<string>
  db: Db
  log: Logger
}>

/** The embedded default: with an address that others can call, the inside needs its token. */
const isWatchedByAll = ({ embedded, safety }: Config): boolean => embedded && safety.is_alone

/** Read once, however many services a process starts. Its files are committed (decision 0044). */
const builtDashboard = readBuilt(
  fileURLToPath(new URL('../../../dashboard/built', import.meta.url)),
)

async function serve(wired: Wired, { config, public_url, metrics, db, log }: Served) {
  const readiness = await readinessOf(config.role, db)
  return buildServer({
    routes: config.role === 'worker' ? [] : wired.routes,
    authenticate: wired.authenticate,
    authenticatePerson: wired.authenticatePerson,
    once: wired.once,
    path_reference: wired.path_reference,
    openapi: wired.openapi,
    config: {
      default_locale: config.default_locale,
      envelope: config.response_envelope,
      public_url,
      dashboard_url: config.dashboard_url,
      trust_proxy: config.trust_proxy,
      public_forms_per_ip_minute: config.limits.public_forms_per_ip_minute,
    },
    log,
    onSecurityEvent: countSecurityEvent,
    ...(config.role === 'worker' ? {} : { pages: wired.pages, dashboard: await builtDashboard }),
    documentPages: referencePages,
    extra: (app) =>
      addOriginRoutes(app, {
        callbacks: wired.callbacks,
        callback_authority: new URL(public_url).host,
        readiness,
        metrics,
        watching: { open: isWatchedByAll(config), token: config.metrics_token },
        security: { contact: config.security_contact, public_url },
      }),
  })
}

type Looking = {
  config: Config
  db: Db
  keyring: Awaited<ReturnType<typeof keyringIn>>
  log: Logger
}

async function findOperator(
  given: Given['operator'],
  { config, db, keyring, log }: Looking,
  ends: Ends,
) {
  const found =
    given === undefined
      ? await startSandboxOperator(config, { db, keyring, log })
      : followOperator(config, given, { db, log })
  ends.push(() => found.stop())
  return found
}

type Working = Lasting & { server: HttpServer; worker: Worker | undefined }

/** Calls and due work end side by side: one after the other they could take longer than we have. */
async function endWork({ server, exports, streams, worker }: Working): Promise<void> {
  streams.stop()
  await Promise.all([server.close(), exports.stop(cutFilesAfterMs), worker?.stop(stopWithinMs)])
}

/** The last first; one that does not end well keeps none of the others, and is thrown at last. */
async function endAll(ends: Ends): Promise<void> {
  const errors: unknown[] = []
  for (const end of ends.splice(0).reverse()) {
    await end().catch((error: unknown) => errors.push(error))
  }
  if (errors.length > 0) throw errors[0]
}
