// PROCESSES: several processes behind one port are one service: one banner, one sandbox operator,
// metrics of all, one end; and one that dies takes nothing with it.

import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { requireFreePort } from '../../src/app/port.ts'
import { eventually, newPayer, type Shop, shopWith, softpay } from '../harness.ts'
import { freePort } from '../setup/loopback.ts'
import { type ServiceProcess, startProcess } from '../setup/own-process.ts'
import { commandOf, familyOf } from '../setup/process-tree.ts'

// Whole processes are started: a busy machine takes its time.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 })

let dir: string
let service: ServiceProcess
let shop: Shop

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pirogue-several-'))
  // PostgreSQL runs under its own account: where that can enter, all data is in here.
  spawnSync('chmod', ['755', dir])
  service = await startProcess({ data_dir: dir, port: await freePort(), env: { PROCESSES: '3' } })
  const { merchant, api_keys } = JSON.parse(
    await readFile(path.join(dir, 'credentials.json'), 'utf8'),
  )
  shop = shopWith(service.url, merchant.id, api_keys.BOTH)
})

afterAll(async () => {
  await service?.stop()
  await rm(dir, { recursive: true, force: true })
})

/** The processes that serve: children of the start that run its own program. */
function serving(of: ServiceProcess = service): number[] {
  const [start = 0, ...others] = of.pids()
  const program = commandOf(start).split('\0').at(-2)
  return others.filter((pid) => commandOf(pid).split('\0').at(-2) === program)
}

const pay = async (): Promise<string> => {
  const order = softpay({ customer: newPayer() })
  const { body } = await shop.post('/payments/softpay/initialize/', order)
  return body.data.id
}

/** One call on a connection of its own, so that any of the processes may get it. */
const alone = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}${url}`, { headers: { ...headers, connection: 'close' } })

describe('three processes behind one port', () => {
  it('say once where everything is, and share one sandbox operator', () => {
    expect(serving()).toHaveLength(3)
    expect(service.output().match(/Pirogue is ready/g)).toHaveLength(1)
    const operators = service.pids().filter((pid) => commandOf(pid).includes('simulator'))
    expect(operators).toHaveLength(1)
  })

  it('count what they refuse together', async () => {
    const key = { authorization: 'Bearer sk_test_not-one-of-ours' }
    for (let n = 0; n < 6; n += 1) {
      expect((await alone('/api/v1/transactions/', key)).status).toBe(401)
    }
    const text = await (await alone('/metrics')).text()
    expect(text).toMatch(/^pirogue_security_events_total\{kind="credential_refused"\} 6$/m)
    // What is read from the database is there once, not once for each process.
    expect(text.match(/^pirogue_open_incidents\{environment="LIVE"\} /gm)).toHaveLength(1)
  })

  it('go on with every payment when one of them is killed, and another takes its place', async () => {
    const before = serving()
    const ids = await Promise.all(Array.from({ length: 12 }, pay))
    process.kill(before[0] ?? Number.NaN, 'SIGKILL')
    await eventually(async () => {
      for (const id of ids) {
        const { body } = await shop.get(`/transactions/${id}/`)
        expect(body.data.status).toBe('SUCCESS')
      }
    }, 60_000)
    await eventually(async () => {
      const now = serving()
      expect(now).toHaveLength(3)
      expect(now).not.toContain(before[0])
      expect((await alone('/readyz')).status).toBe(200)
    }, 60_000)
    expect(service.output()).toContain('another takes its place')
  })

  it('end together, one that is only starting too, and leave nothing running', async () => {
    const before = serving()
    process.kill(before[0] ?? Number.NaN, 'SIGKILL')
    await eventually(async () => {
      expect(serving().filter((pid) => !before.includes(pid))).toHaveLength(1)
    }, 60_000)
    const all = service.pids()
    expect(await service.stop()).toBe(0)
    await eventually(async () => {
      expect(all.map(commandOf).filter(Boolean)).toEqual([])
    }, 30_000)
    expect(
      familyOf(all[0] ?? 0)
        .map(commandOf)
        .filter(Boolean),
    ).toEqual([])
  })
})

it('end when what started them is killed', async () => {
  const other = await mkdtemp(path.join(tmpdir(), 'pirogue-several-'))
  spawnSync('chmod', ['755', other])
  const env = { PROCESSES: '2' }
  const started = await startProcess({ data_dir: other, port: await freePort(), env })
  const all = started.pids()
  process.kill(all[0] ?? Number.NaN, 'SIGKILL')
  await eventually(async () => {
    const left = all.map(commandOf).filter(Boolean)
    expect(left).toEqual([])
  }, 60_000)
  await rm(other, { recursive: true, force: true })
})

it('end though one of them hangs, and leave the port', async () => {
  const other = await mkdtemp(path.join(tmpdir(), 'pirogue-several-'))
  spawnSync('chmod', ['755', other])
  const port = await freePort()
  const started = await startProcess({ data_dir: other, port, env: { PROCESSES: '2' } })
  const all = started.pids()
  const [hung = Number.NaN] = serving(started)
  try {
    process.kill(hung, 'SIGSTOP')
    expect(await started.stop()).toBe(0)
    await eventually(async () => expect(all.map(commandOf).filter(Boolean)).toEqual([]))
    await expect(requireFreePort(port, '127.0.0.1')).resolves.toBeUndefined()
  } finally {
    if (commandOf(hung) !== '') process.kill(hung, 'SIGKILL')
    await rm(other, { recursive: true, force: true })
  }
})
