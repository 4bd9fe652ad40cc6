// The whole service as separate processes on one PostgreSQL: API and worker processes, the sandbox
// operator, the database. All are kept alive; where each one is stays the same.

import { randomBytes } from 'node:crypto'
import path from 'node:path'
import postgresDriver from 'postgres'
import { simulatorSecrets } from '../../server/src/app/wire.ts'
import { openKeyring } from '../../server/src/platform/crypto/seal.ts'
import { type Db, openDb } from '../../server/src/platform/db.ts'
import type { Ends } from '../../server/test/setup/ends.ts'
import { loopback } from '../../server/test/setup/loopback.ts'
import { operatorProgram } from '../../server/test/setup/main-program.ts'
import { dropDirectory, makeDataDirectory } from '../processes/data-directory.ts'
import { banner, launch } from '../processes/launch.ts'
import { type Member, signal, untilUp } from './member.ts'
import { steadyPort } from './ports.ts'
import { type SupervisedPostgres, supervisePostgres } from './supervised-postgres.ts'
import { superviseProcess } from './supervised-process.ts'

const starts_within_ms = 60_000

export type ChaosApp = Readonly<{
  members: readonly Member[]
  member(name: string): Member
  postgres: SupervisedPostgres
  /** Without a slash at the end; one for each process that serves the API. */
  api_urls: readonly string[]
  operator: Readonly<{ url: string; token: string }>
  /** As the owner of the database, while it is well. */
  db: Db
  /** The same for statements without arrays while the database is killed. */
  rough_db: Db
  /** Data, journal and logs are not removed at the end: where they are. */
  keepEvidence(): string
}>

export type ChaosAppOptions = Readonly<{ apis: number; workers: number }>

export async function startApp({ apis, workers }: ChaosAppOptions, ends: Ends): Promise<ChaosApp> {
  const data_dir = await makeDataDirectory('chaos')
  let is_kept = false
  const drop = async (directory: string) => (is_kept ? undefined : dropDirectory(directory))
  ends.add(() => drop(data_dir))
  const postgres = await supervisePostgres(path.join(data_dir, 'postgres'))
  ends.add(() => drop(postgres.directory))
  endOnExit(postgres, ends)
  const layout = await layOut(data_dir, postgres)
  const add = (member: Member) => {
    endOnExit(member, ends)
    return member
  }
  const desk = add(superviseOperator(layout))
  await untilUp([desk], starts_within_ms)
  // One after the other: the first one migrates, and the first worker takes what only one can hold.
  const names = [...numbered('api', apis), ...numbered('worker', workers)]
  const members: Member[] = [postgres, desk]
  const api_urls: string[] = []
  for (const name of names) {
    const port = await takePort(layout)
    if (name.startsWith('api')) api_urls.push(`http://${loopback}:${port}`)
    members.push(add(superviseService(layout, name, port)))
    await untilUp(members, starts_within_ms)
  }
  const { db, rough_db } = openOwner(postgres, ends)
  return {
    members,
    member: (name) => memberOf(members, name),
    postgres,
    api_urls,
    operator: { url: layout.operator_url, token: layout.secrets.token },
    db,
    rough_db,
    keepEvidence() {
      is_kept = true
      return data_dir
    },
  }
}

const numbered = (role: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${role}-${at + 1}`)

function memberOf(members: readonly Member[], name: string): Member {
  const found = members.find((member) => member.name === name)
  if (found === undefined) throw new Error(`nobody is called ${name}`)
  return found
}

/** Ended with the app, and, should we end in any other way, with us. */
function endOnExit(member: Member, ends: Ends): void {
  const atExit = () => signal(member.pid(), 'SIGKILL')
  process.once('exit', atExit)
  ends.add(async () => {
    await member.end()
    process.off('exit', atExit)
  })
}

type Layout = Readonly<{
  data_dir: string
  secret_key: string
  secrets: { token: string; callback_secret: string }
  operator_port: number
  operator_url: string
  postgres: SupervisedPostgres
  ports: number[]
}>

async function layOut(data_dir: string, postgres: SupervisedPostgres): Promise<Layout> {
  const secret_key = randomBytes(32).toString('base64')
  const operator_port = await steadyPort([])
  return {
    data_dir,
    secret_key,
    secrets: simulatorSecrets(openKeyring(secret_key)),
    operator_port,
    operator_url: `http://${loopback}:${operator_port}`,
    postgres,
    ports: [operator_port],
  }
}

async function takePort({ ports }: Layout): Promise<number> {
  const port = await steadyPort(ports)
  ports.push(port)
  return port
}

const superviseOperator = (layout: Layout): Member =>
  superviseProcess({
    name: 'simulator',
    ready: /"url"/,
    launch: () =>
      launch({
        program: operatorProgram(),
        env: {
          SIMULATOR_PORT: String(layout.operator_port),
          SIMULATOR_TOKEN: layout.secrets.token,
          SIMULATOR_CALLBACK_SECRET: layout.secrets.callback_secret,
          SIMULATOR_JOURNAL: path.join(layout.data_dir, 'simulator.jsonl'),
        },
        log_file: path.join(layout.data_dir, 'simulator.log'),
        detached: true,
      }),
  })

function superviseService(layout: Layout, name: string, port: number): Member {
  const { postgres } = layout
  const [role = ''] = name.split('-')
  const env = {
    // A socket cannot be in a URL: the driver takes it from PGHOST.
    DATABASE_URL: 'postgres:///postgres',
    PGHOST: postgres.host,
    PGPORT: String(postgres.port),
    PGUSER: postgres.user,
    SECRET_KEY: layout.secret_key,
    SIMULATOR_URL: layout.operator_url,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: 'warn',
    HOST: loopback,
    PORT: String(port),
    ROLE: role,
  }
  const log_file = path.join(layout.data_dir, `${name}.log`)
  const start = () => launch({ env, log_file, detached: true })
  return superviseProcess({ name, ready: banner, launch: start })
}

function openOwner({ host, port, user }: SupervisedPostgres, ends: Ends): { db: Db; rough_db: Db } {
  const address = { host, port, user, database: 'postgres' }
  const db = openDb({ ...address, connections_max: 4, durable: true, application_name: 'chaos' })
  // The driver queries a new connection for its array types without handling a failure: one that is
  // killed just then would end this process.
  const types = { bigint: postgresDriver.BigInt }
  const quiet = { fetch_types: false, onnotice: () => undefined, types }
  const rough_db = postgresDriver({ ...address, max: 1, ...quiet })
  for (const one of [db, rough_db]) ends.add(() => one.end({ timeout: 1 }))
  return { db, rough_db }
}
