// Where a run makes its databases and files: in a folder of its own, in memory on a machine that
// has it to spare. A clone of the template is nearly a thousand small files, and to make those on a
// disk was half the work of the database. Whoever sets TMPDIR has chosen where that folder is. Law:
// a run leaves neither the folder nor a process behind, not even if it is killed (`end-run.mjs`).

import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'

const memory = '/dev/shm'
const name = 'pirogue-tests-'
/** A whole run takes less than half of this, and its processes as much again. */
const room_bytes = 2 * 2 ** 30
const spare_bytes = 4 * 2 ** 30
/** Of a run that was killed: a living one makes something in its place every few seconds. */
const left_behind_ms = 3 * 60 * 60 * 1000

const machineVariable = 'PIROGUE_TEST_MACHINE_TMPDIR'

/** The machine's own place, for what outlives the run: what `tmpdir()` says outside of one. */
export const machineDirectory = (): string => process.env[machineVariable] ?? tmpdir()

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > room_bytes && process.availableMemory() > spare_bytes
  } catch {
    return false // not Linux
  }
}

function sweepLeftBehind(base: string): void {
  for (const found of readdirSync(base).filter((entry) => entry.startsWith(name))) {
    const place = path.join(base, found)
    const facts = statSync(place, { throwIfNoEntry: false })
    if (facts?.uid !== userInfo().uid || Date.now() - facts.mtimeMs < left_behind_ms) continue
    rmSync(place, { recursive: true, force: true })
  }
}

/** Ends what this process started and removes its folder, however this process ends. */
function watchOver(place: string): () => void {
  const keeper = spawn(process.execPath, [path.join(import.meta.dirname, 'end-run.mjs')], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  keeper.on('error', () => undefined) // As if it were not there: the run itself is as good.
  keeper.stdin.on('error', () => undefined)
  keeper.stdin.write(`${place}\n`)
  keeper.unref()
  ;(keeper.stdin as Socket).unref()
  return () => keeper.stdin.end('ended\n')
}

const parent_look_ms = 1_000

/**
 * `npm test` may be killed so hard that it cannot pass the signal on: then nobody waits for this
 * process any more. Whoever started Vitest by hand may leave it running alone.
 */
function endWithNpm(): NodeJS.Timeout | undefined {
  const by_npm = ['test', 'proof'].includes(process.env['npm_lifecycle_event'] ?? '')
  const { ppid } = process
  const look = () => {
    if (process.ppid !== ppid) process.kill(process.pid, 'SIGTERM')
  }
  return by_npm ? setInterval(look, parent_look_ms).unref() : undefined
}

/** Vitest's global set-up, before all others: every process of the run makes its files there. */
export default function setUp(): () => void {
  const own = process.env['TMPDIR']
  const base = own === undefined && hasRoom() ? memory : tmpdir()
  sweepLeftBehind(base)
  if (process.env[machineVariable] === undefined) process.env[machineVariable] = tmpdir()
  const place = mkdtempSync(path.join(base, name))
  const letGo = process.platform === 'linux' ? watchOver(place) : () => undefined
  // Open as /tmp is: as root PostgreSQL, and some of what tests start, runs under another account.
  chmodSync(place, 0o1777)
  process.env['TMPDIR'] = place
  const looks = endWithNpm()
  return () => {
    clearInterval(looks)
    delete process.env[machineVariable]
    if (own === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = own
    rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    letGo()
  }
}
