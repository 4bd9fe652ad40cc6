// A supervisor that knows npm's process alone sends its signal there: npm hands it on to a shell,
// which must have become the service, or it would go and leave the service running for nobody.

import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { eventually } from '../harness.ts'
import { freePort } from '../setup/loopback.ts'
import { commandOf, familyOf } from '../setup/process-tree.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const started: number[] = []
const groups: number[] = []
const dirs: string[] = []

const isRunning = (pid: number) => commandOf(pid) !== ''

afterAll(async () => {
  for (const group of groups) {
    try {
      process.kill(-group, 'SIGTERM')
    } catch {
      // All of it has ended.
    }
  }
  await eventually(async () => expect(started.filter(isRunning)).toEqual([]))
  for (const dir of dirs) await rm(dir, { recursive: true, force: true })
})

it('npm start that is told to end ends the service, its database and its sandbox operator', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'pirogue-npm-'))
  // PostgreSQL runs under its own account: where that can enter, all data is in here.
  await chmod(dir, 0o755)
  dirs.push(dir)
  const { PATH = '', HOME = dir } = process.env
  const npm = spawn('npm', ['start'], {
    cwd: root,
    env: { PATH, HOME, DATA_DIR: dir, PORT: String(await freePort()) },
    // A group of its own: nobody but npm hears the signal.
    detached: true,
  })
  groups.push(npm.pid ?? 0)
  let said = ''
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk
    })
  }
  const ended = new Promise<void>((resolve) => npm.once('exit', () => resolve()))
  await Promise.race([
    ended,
    eventually(async () => expect(said).toContain('Idempotency-Key'), 80_000),
  ])
  expect(npm.exitCode, said).toBeNull()
  started.push(...familyOf(npm.pid ?? 0))
  const servers = started.filter((pid) => /postgres\0-D/.test(commandOf(pid)))
  expect(servers).not.toEqual([])
  npm.kill('SIGTERM')
  await ended
  await eventually(async () => expect(started.filter(isRunning)).toEqual([]), 20_000)
}, 120_000)
