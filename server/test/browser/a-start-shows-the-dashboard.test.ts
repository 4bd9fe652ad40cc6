// `npm start` in an empty directory: how long until its owner reads Home in a browser, and how much
// of a second start the dashboard is. Whoever tries the service waits for nothing else.

import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { afterAll, expect, it } from 'vitest'
import { readBuilt } from '../../src/platform/http/serve-built.ts'
import { crowd } from '../setup/by-the-clock.ts'
import { freePort } from '../setup/loopback.ts'
import { fromSource, serviceSource } from '../setup/main-program.ts'
import { startProcess } from '../setup/own-process.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { type Browsing, borrowBrowser } from './browser.ts'
import { signInAs } from './dashboard-hands.ts'

/** The bars of docs/dashboard.md, A25: the first on two cores with two tasks each. */
const home_within_ms = 15_000
/** Of processor time, which a busy machine changes little. */
const reading_within_ms = 50
const built = path.resolve(import.meta.dirname, '../../../dashboard/built')

let data_dir: string | undefined
let browsing: Browsing | undefined

afterAll(async () => {
  await browsing?.close()
  if (data_dir !== undefined) await rm(data_dir, { recursive: true, force: true })
})

wholeIt(
  'Home is read within fifteen seconds of the first start, by the words of credentials.json',
  { timeout: 300_000 },
  async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'pirogue-first-'))
    // As root the database runs under another account, which must be able to enter.
    await chmod(dir, 0o755)
    data_dir = dir
    const port = await freePort()
    browsing = await borrowBrowser([`http://127.0.0.1:${port}`])
    const began = performance.now()
    // As `npm start` runs it: nothing is bundled, and the database is made.
    const program = fromSource(serviceSource)
    const service = await startProcess({ data_dir: dir, port, from_nothing: true, program })
    try {
      const { dashboard } = JSON.parse(await readFile(path.join(dir, 'credentials.json'), 'utf8'))
      await browsing.visit({ language: 'fr', width: 360 }, async (page) => {
        await page.goto(`${service.url}/dashboard`)
        await signInAs(page, dashboard)
        await page.getByText('Rien pour l’instant. Essayez').waitFor()
      })
      const took_ms = performance.now() - began
      console.info(`Home after ${Math.round(took_ms)} ms, ${crowd().toFixed(1)} times the tasks`)
      expect(took_ms).toBeLessThan(home_within_ms * crowd())
    } finally {
      await service.stop()
    }
  },
)

it('is all that is built, read into memory: nothing is made at a start', async () => {
  const takes_ms: number[] = []
  for (let time = 0; time < 3; time += 1) {
    const before = process.cpuUsage()
    expect(await readBuilt(built)).toBeDefined()
    const { user, system } = process.cpuUsage(before)
    takes_ms.push((user + system) / 1000)
  }
  expect(Math.min(...takes_ms)).toBeLessThan(reading_within_ms)
})
