// Law: a run leaves nothing behind, however it ends: no folder, no process that it has started, not
// even one that asks not to be ended; and nobody else's process is touched.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, expect, it } from 'vitest'
import { isAlive } from '../../src/platform/embedded/postmaster.ts'
import { eventually } from '../harness.ts'

/** A run of nothing but its place, in which four have been started that would go on for ever. */
const program = `
  import { spawn } from 'node:child_process'
  import { writeFileSync } from 'node:fs'
  import { tmpdir } from 'node:os'
  import setUp from ${JSON.stringify(path.join(import.meta.dirname, 'memory-place.ts'))}
  const tearDown = setUp()
  const place = tmpdir()
  writeFileSync(place + '/left.txt', '')
  const deaf = "process.on('SIGTERM', () => {}); console.log(1); setInterval(() => {}, 1000)"
  const start = (env, cwd, ...words) =>
    spawn(process.execPath, ['-e', deaf, ...words], { env, cwd, detached: true })
  const members = [
    start({ DATA_DIR: place + '/a' }, '/'),
    start({}, place),
    start({}, '/', place + '/main.mjs'),
  ]
  const stranger = start({}, '/')
  const all = [...members, stranger]
  await Promise.all(all.map((one) => new Promise((up) => one.stdout.once('data', up))))
  const pids = members.map(({ pid }) => pid)
  console.log(JSON.stringify({ place, members: pids, stranger: stranger.pid }))
  process.stdin.once('data', () => {
    tearDown()
    process.exit()
  })
`

type Run = Readonly<{ child: ChildProcess; place: string; members: number[]; stranger: number }>

const strangers: number[] = []
afterEach(() => {
  for (const pid of strangers.splice(0)) process.kill(pid, 'SIGKILL')
})

async function startRun(): Promise<Run> {
  const words = ['--import', 'tsx', '--input-type=module', '-e', program]
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(child.stdout), 'line')
  const told = JSON.parse(String(line))
  strangers.push(told.stranger)
  expect(existsSync(told.place)).toBe(true)
  return { child, ...told }
}

/** Elsewhere nobody is told whose a process is. */
const signals = process.platform === 'linux' ? (['SIGKILL', 'SIGINT', 'SIGTERM'] as const) : []

it.each(signals)(
  'a run that ends by %s leaves no folder and none of its processes, and strangers alone',
  async (signal) => {
    const { child, place, members, stranger } = await startRun()
    child.kill(signal)
    await eventually(async () => expect(existsSync(place)).toBe(false), 40_000)
    // Orphans stay until the first process of the machine has asked how they ended.
    await eventually(async () => expect(members.filter(isAlive)).toEqual([]))
    expect(isAlive(stranger)).toBe(true)
  },
)

it('a run that ends by itself removes its folder', async () => {
  const { child, place, members } = await startRun()
  strangers.push(...members)
  child.stdin?.write('end\n')
  await once(child, 'exit')
  expect(existsSync(place)).toBe(false)
})
