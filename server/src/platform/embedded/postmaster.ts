// Reads what a PostgreSQL server shows of itself: its pid file, its command line, its socket. Law:
// this file only looks. A stale pid file is never deleted here, since between the look and the
// deletion a rival may have started; PostgreSQL itself replaces it, under its own locks.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { isCode } from './unprivileged.ts'

export type Postmaster = Readonly<{
  pid: number
  port: number
  socket_directory: string
  status: string
}>

/** A setting that exists only to write `<pid>.<random>` of the starter into `postmaster.opts`. */
export const owner_setting = 'pirogue.owner'

/**
 * The pid file's content (its line order is PostgreSQL's); undefined when absent or half-written.
 */
export function readPostmaster(data: string): Postmaster | undefined {
  const lines = readIfThere(join(data, 'postmaster.pid'))?.split('\n')
  const [pid, port, socket_directory] = [Number(lines?.[0]), Number(lines?.[3]), lines?.[4]]
  if (!(pid > 0)) return undefined
  return { pid, port, socket_directory: socket_directory ?? '', status: lines?.[7]?.trim() ?? '' }
}

/** True while the postmaster of exactly this data directory runs under this pid. */
export function isRunning(postmaster: Postmaster, data: string): boolean {
  return isAlive(postmaster.pid) && commandLine(postmaster.pid).includes(data)
}

/** How long a server that serves may take to answer, on a machine busy with other work. */
const answers_within_ms = 5_000
/** The protocol's SSLRequest: its length, then its code; answered with one byte, `S` or `N`. */
const ssl_request = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/**
 * True when the server reports that it is ready and answers on its socket. A connection alone shows
 * nothing: the kernel still makes them for a postmaster that was killed and is not yet gone.
 * https://www.postgresql.org/docs/18/protocol-message-formats.html (SSLRequest)
 */
export async function isServing(postmaster: Postmaster): Promise<boolean> {
  if (postmaster.status !== 'ready') return false
  const path = join(postmaster.socket_directory, `.s.PGSQL.${postmaster.port}`)
  return new Promise((done) => {
    const socket = connect({ path }, () => socket.write(ssl_request))
    const end = (serves: boolean) => {
      socket.destroy()
      done(serves)
    }
    socket.setTimeout(answers_within_ms, () => end(false))
    socket.once('data', () => end(true))
    socket.once('error', () => end(false))
    socket.once('close', () => end(false))
  })
}

/** The process that started the server holding the data's lock, as recorded at its start. */
export function ownerOf(data: string): string | undefined {
  const options = readIfThere(join(data, 'postmaster.opts')) ?? ''
  return /pirogue\.owner=(\d+\.\w+)/.exec(options)?.[1]
}

/**
 * False when the process that started the server is dead: the server is then about to stop, even if
 * it still answers. True when unknown (somebody started it by hand).
 */
export function hasLivingOwner(data: string): boolean {
  const owner = ownerOf(data)
  return owner === undefined || isAlive(Number.parseInt(owner, 10))
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isCode(error, 'EPERM') // it lives, under another account
  }
}

function commandLine(pid: number): string {
  const text = process.platform === 'linux' ? readIfThere(`/proc/${pid}/cmdline`) : undefined
  return (
    text ?? spawnSync('ps', ['-ww', '-p', String(pid), '-o', 'args='], { encoding: 'utf8' }).stdout
  )
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ESRCH')) return undefined
    throw error
  }
}
