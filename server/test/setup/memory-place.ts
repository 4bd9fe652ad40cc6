// Where a run makes its databases and files: in memory, on a machine that has it to spare. A clone
// of the template is nearly a thousand small files, and to make those on a disk was half the work
// of the database. Whoever sets TMPDIR has chosen a place, and keeps it.

import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
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

function sweepLeftBehind(): void {
  for (const found of readdirSync(memory).filter((entry) => entry.startsWith(name))) {
    const place = path.join(memory, found)
    const { uid, mtimeMs } = statSync(place)
    if (uid !== userInfo().uid || Date.now() - mtimeMs < left_behind_ms) continue
    rmSync(place, { recursive: true, force: true })
  }
}

/** Vitest's global set-up, before all others: every process of the run makes its files there. */
export default function setUp(): (() => void) | undefined {
  if (process.env['TMPDIR'] !== undefined || !hasRoom()) return undefined
  sweepLeftBehind()
  process.env[machineVariable] = tmpdir()
  const place = mkdtempSync(path.join(memory, name))
  // Open as /tmp is: as root PostgreSQL, and some of what tests start, runs under another account.
  chmodSync(place, 0o1777)
  process.env['TMPDIR'] = place
  return () => {
    delete process.env['TMPDIR']
    delete process.env[machineVariable]
    rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}
