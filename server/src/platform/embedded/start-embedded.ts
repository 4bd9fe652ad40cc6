// The embedded PostgreSQL: `npm start` and the tests need no database of their own. It listens on a
// Unix socket only, starts and ends with the process that started it, and is shared with others on
// the same directory. NOT guaranteed: a sharer keeps its server when the starter stops.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  accessSettings,
  cleanEnvironment,
  ensureCluster,
  placeFor,
  sharedSocketDirectory,
} from './cluster.ts'
import { nativeDirectory, programPath } from './native-binary.ts'
import {
  hasLivingOwner,
  isAlive,
  isRunning,
  isServing,
  owner_setting,
  ownerOf,
  type Postmaster,
  readPostmaster,
} from './postmaster.ts'
import {
  type Account,
  insteadUse,
  isCode,
  ownPrivateDirectory,
  shortNameOf,
  unprivilegedAccount,
} from './unprivileged.ts'
import { startWatched, type Watched } from './watchdog.ts'

export type EmbeddedOptions = Readonly<{
  /** A directory for the database alone; it becomes private to the account that runs PostgreSQL. */
  dir: string
  /** Server settings by name, e.g. `{ fsync: 'off' }`; ignored when a running server is shared. */
  settings?: Readonly<Record<string, string>>
  /** One line of the server's own log at a time. */
  log?: (line: string) => void
}>

export type Embedded = Readonly<{
  /** The socket's directory, which the driver takes for a host. */
  host: string
  port: number
  user: 'postgres'
  /** True when another process started the server; `stop` then leaves it running. */
  reused: boolean
  pid?: number
  /** Where the data really is; not below `dir` when the account could not enter that. */
  directory: string
  stop(): Promise<void>
}>

type Site = Readonly<{
  directory: string
  data: string
  native: string
  account: Account
  settings: Readonly<Record<string, string>>
  log: (line: string) => void
}>

const tries_max = 5
/** A server that stops does so within the watchdog's ten seconds; recovery may take longer. */
const patience_ms = 60_000
/** How long the watchdog of a dead starter is left to do its work. */
const orphan_grace_ms = 2_000
/** Socket paths hold 104 bytes on macOS, 108 on Linux, the file's name and a zero included. */
const socket_directory_bytes_max = 86

/** Starts the server of `dir`, or joins the one that already serves it (contract 7.1, 7.4). */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dir, settings = {}, log = () => {} } = options
  const account = unprivilegedAccount()
  const native = nativeDirectory(account)
  const directory = placeFor(dir, account, log)
  const durable = settings.fsync !== 'off'
  const data = await ensureCluster({ directory, native, account, durable })
  const site: Site = { directory, data, native, account, settings, log }
  for (let tries = 0; tries < tries_max; tries++) {
    const found = (await joinRunning(site)) ?? (await startOwn(site))
    if (found !== undefined) return found
    await sleep(100) // lost a race: the winner's pid file is there by now
  }
  throw new Error(`The embedded PostgreSQL in ${directory} neither starts nor can be shared.`)
}

/** The server already on this data, once it serves; undefined when there is none. */
async function joinRunning(site: Site): Promise<Embedded | undefined> {
  const started = Date.now()
  while (Date.now() - started < patience_ms) {
    const postmaster = readPostmaster(site.data)
    if (postmaster === undefined) return undefined
    const running = isRunning(postmaster, site.data)
    const serving = await isServing(postmaster)
    // Serving but not seen running: it is in another container on the same volume.
    if (!running && !serving) return undefined
    if (serving && (!running || hasLivingOwner(site.data))) {
      return view(site, postmaster, { reused: true, stop: async () => {} })
    }
    // A server whose starter was killed still answers for a moment: that one must not be used. If
    // its watchdog was killed too, nothing else will ever stop it.
    if (!hasLivingOwner(site.data) && Date.now() - started > orphan_grace_ms) {
      signalIfAlive(postmaster.pid)
    }
    await sleep(20)
  }
  throw new Error(`A PostgreSQL runs in ${site.directory} but does not answer. ${insteadUse}`)
}

/** A server of our own; undefined when another process was quicker. */
async function startOwn(site: Site): Promise<Embedded | undefined> {
  const owner = `${process.pid}.${randomBytes(6).toString('hex')}`
  const watched = startWatched({
    command: [programPath(site.native, 'postgres'), ...serverArguments(site, owner)],
    account: site.account,
    directory: site.directory,
    environment: { ...cleanEnvironment(), ...disownedPid(site.data) },
    log: site.log,
  })
  const postmaster = await untilServing(site.data, owner, watched)
  if (postmaster !== undefined) {
    watched.letGo()
    return view(site, postmaster, { reused: false, stop: watched.stop })
  }
  const reason = watched.lastWords()
  if (/lock file .* already exists|shared memory block .* still in use/.test(reason))
    return undefined
  throw new Error(`The embedded PostgreSQL did not start: ${reason || 'no reason given'}`)
}

async function untilServing(
  data: string,
  owner: string,
  watched: Watched,
): Promise<Postmaster | undefined> {
  while (!watched.hasEnded()) {
    const postmaster = readPostmaster(data)
    // The process that won the data's lock wrote its owner there, which need not be us.
    if (postmaster && ownerOf(data) === owner && (await isServing(postmaster))) return postmaster
    await sleep(10)
  }
  return undefined
}

function serverArguments(site: Site, owner: string): string[] {
  const settings = {
    ...site.settings,
    ...accessSettings(site.directory, site.account),
    listen_addresses: '',
    unix_socket_directories: socketDirectory(site),
    [owner_setting]: owner,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', site.data, ...flags]
}

/**
 * After a crash the pid in the old pid file may belong to an unrelated process, and PostgreSQL then
 * believes its rival alive. This variable (made for start scripts) names a pid that is no rival,
 * and leaves the replacing of the file to PostgreSQL, which does it safely.
 */
function disownedPid(data: string): Record<string, string> {
  const stale = readPostmaster(data)
  if (stale === undefined || !isAlive(stale.pid) || isRunning(stale, data)) return {}
  return { PG_GRANDPARENT_PID: String(stale.pid) }
}

/** Inside the directory when the path is short and plain, else in /tmp under a hash of it. */
function socketDirectory({ directory, account }: Site): string {
  const inside = join(directory, 's')
  // Commas and colons separate hosts in a list, for the server and for the driver alike.
  const plain = /^[\w./-]+$/.test(inside)
  const short = Buffer.byteLength(inside) <= socket_directory_bytes_max
  if (!plain || !short) {
    return sharedSocketDirectory(join('/tmp', `pirogue-${shortNameOf(directory)}`), account)
  }
  ownPrivateDirectory(inside, account)
  return inside
}

function view(
  site: Site,
  postmaster: Postmaster,
  own: Pick<Embedded, 'reused' | 'stop'>,
): Embedded {
  return {
    host: postmaster.socket_directory,
    port: postmaster.port,
    user: 'postgres',
    pid: postmaster.pid,
    directory: site.directory,
    ...own,
  }
}

function signalIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    if (!isCode(error, 'ESRCH')) throw error
  }
}
