// The data directory: made once, atomically, and placed where the account can reach it. Law:
// `data/` exists whole or not at all, whatever is killed while it is made.

import { execFile } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { programPath, systemDirectory } from './native-binary.ts'
import {
  type Account,
  canEnter,
  insteadUse,
  isCode,
  namesOf,
  ownPrivateDirectory,
  shortNameOf,
} from './unprivileged.ts'

/** A draft older than this was left by a killed process: an initdb takes about a second. */
const draft_age_max_ms = 120_000

export type ClusterPlan = Readonly<{
  directory: string
  native: string
  account: Account
  /** False only for throw-away clusters: a new one is then not flushed to the disk. */
  durable: boolean
}>

/** The environment of every program we start: nothing of the caller's locale or PG* settings. */
export function cleanEnvironment(): Record<string, string> {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
}

/**
 * The directory to use for `wanted`: itself, or one by the same hash that the account can enter.
 */
export function placeFor(wanted: string, account: Account, log: (line: string) => void): string {
  const path = resolve(wanted)
  mkdirSync(path, { recursive: true })
  // The parent decides: the directory itself is about to become the account's own.
  if (account.uid === undefined || canEnter(dirname(path), account)) {
    ownPrivateDirectory(path, account)
    return realpathSync(path)
  }
  const path_there = join(systemDirectory(), `data-${shortNameOf(realpathSync(path))}`)
  ownPrivateDirectory(path_there, account)
  log(`${path} cannot be entered by the account that runs PostgreSQL: the data is in ${path_there}`)
  return path_there
}

/** The path of `data/`, made with initdb where it is missing. */
export async function ensureCluster(plan: ClusterPlan): Promise<string> {
  const data = join(plan.directory, 'data')
  sweepDrafts(plan.directory)
  if (isCluster(data)) return data
  const draft = join(plan.directory, `init.${process.pid}.${Date.now()}`)
  try {
    await initialise(plan, draft)
    renameSync(draft, data)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!isCluster(data)) throw error // else another process made it while we did
  }
  return data
}

function isCluster(data: string): boolean {
  return existsSync(join(data, 'PG_VERSION'))
}

/**
 * Bytewise order and builtin case rules, so a cluster sorts the same on every machine. The system's
 * C.UTF-8 is asked for its letters only: under plain C pg_trgm takes "é" for a space (measured).
 */
async function initialise(plan: ClusterPlan, draft: string): Promise<void> {
  const common = [
    '-D',
    draft,
    '-U',
    'postgres',
    // Who may really connect is in `accessSettings`, written anew at each start.
    '--auth-local=peer',
    '--auth-host=reject',
    '-E',
    'UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(plan.durable ? [] : ['--no-sync']),
  ]
  try {
    await initdb(plan, [...common, '--lc-ctype=C.UTF-8'])
  } catch (error) {
    if (!/invalid locale name/.test(String(error))) throw error // old systems lack C.UTF-8
    await initdb(plan, common)
  }
}

async function initdb(plan: ClusterPlan, args: string[]): Promise<void> {
  const options = { ...plan.account, cwd: plan.directory, env: cleanEnvironment() }
  try {
    await promisify(execFile)(programPath(plan.native, 'initdb'), args, options)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `A new database could not be created in ${plan.directory}: ${reason} ${insteadUse}`,
    )
  }
}

function sweepDrafts(directory: string): void {
  for (const name of readdirSync(directory).filter((entry) => entry.startsWith('init.'))) {
    const path = join(directory, name)
    try {
      if (Date.now() - statSync(path).mtimeMs < draft_age_max_ms) continue
    } catch (error) {
      if (isCode(error, 'ENOENT')) continue // finished or swept by another process just now
      throw error
    }
    rmSync(path, { recursive: true, force: true })
  }
}

// Who may connect to the embedded PostgreSQL: the account of this process and the account of the
// server, as the system reports them (peer), and nobody else. Law: written anew at each start, so
// that a cluster of an older version, which trusted every connection, is closed as well.

/** The settings that make the server obey; both files are beside the data. */
export function accessSettings(directory: string, account: Account): Record<string, string> {
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
  const ident = namesOf(account).map((name) => `pirogue ${quoted(name)} all\n`)
  return {
    hba_file: writeBeside(join(directory, 'hba.conf'), 'local all all peer map=pirogue\n', account),
    ident_file: writeBeside(join(directory, 'ident.conf'), ident.join(''), account),
  }
}

/** Written beside and renamed, so that a server that starts meanwhile reads a whole file. */
function writeBeside(file: string, text: string, { uid, gid }: Account): string {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, text, { mode: 0o600 })
  chmodSync(draft, 0o600)
  if (uid !== undefined && gid !== undefined) chownSync(draft, uid, gid)
  renameSync(draft, file)
  return file
}

/**
 * A directory in /tmp for the socket: the one that every process with this data finds, or a fresh
 * one when a stranger made that first. A process that joins reads the place from the server's pid
 * file.
 */
export function sharedSocketDirectory(path: string, account: Account): string {
  try {
    ownPrivateDirectory(path, account)
    return path
  } catch {
    const fresh = mkdtempSync('/tmp/pirogue-')
    ownPrivateDirectory(fresh, account)
    return fresh
  }
}
