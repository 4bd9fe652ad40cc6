// Other processes hear a ring quickly and once; a lost connection is taken up again.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import { openDb } from '../db.ts'
import { nameAbout, readName, startWakeups, type Wakeups } from './notify.ts'

let database: TestDatabase
const processes: { wakeups: Wakeups; received: string[] }[] = []

async function startProcess(name: string) {
  const role = { role: 'pirogue_app', application_name: name, durable: false } as const
  const db = openDb({ ...database.options, ...role, connections_max: 1 })
  const received: string[] = []
  const log = pino({ level: 'silent' })
  const wakeups = await startWakeups({ db, onWake: (name) => received.push(name), log })
  const process = { wakeups, received }
  processes.push(process)
  return process
}

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  await Promise.all(processes.map(({ wakeups }) => wakeups.stop()))
  await database.drop()
})

it('tells the others, each name once for all rings within the moment, and not oneself', async () => {
  const one = await startProcess('one')
  const two = await startProcess('two')
  const three = await startProcess('three')
  for (let i = 0; i < 100; i += 1) one.wakeups.wakeOthers(i % 2 === 0 ? 'send' : 'count')
  await expect.poll(() => two.received).toEqual(['send', 'count'])
  await expect.poll(() => three.received).toEqual(['send', 'count'])
  await sleep(60)
  expect(two.received).toHaveLength(2)
  expect(one.received).toEqual([])
})

it('tells of more than a notice can hold in several, and about what', async () => {
  const teller = await startProcess('teller')
  const told = await startProcess('told')
  const names = Array.from({ length: 250 }, () => nameAbout('count', `${randomUUID()}/LIVE`))
  for (const name of names) teller.wakeups.wakeOthers(name)
  await expect.poll(() => told.received).toEqual(names)
  const [, about = ''] = names[0]?.split('count/') ?? []
  expect(readName(names[0] ?? '')).toEqual({ job: 'count', subject: about })
  expect(readName('count')).toEqual({ job: 'count', subject: undefined })
})

it('hears again after its connections were cut', async () => {
  const cut = await startProcess('cut')
  const waking = await startProcess('ringing')
  const [killed] = await database.owner<{ count: bigint }[]>`
    select count(pg_terminate_backend(pid)) as count
      from pg_stat_activity where application_name = 'cut'`
  expect(killed?.count).toBeGreaterThan(0n)
  await vi.waitFor(
    async () => {
      waking.wakeups.wakeOthers('again')
      await sleep(50)
      expect(cut.received).toContain('again')
    },
    { timeout: 30_000, interval: 50 },
  )
  cut.wakeups.wakeOthers('back')
  await expect.poll(() => waking.received).toContain('back')
})
