// The service killed with `kill -9` under an open page, and started again: the page says that nobody
// answers, keeps what was typed, shows no page of errors, and what was confirmed is done once.

import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import type { Json } from '../harness.ts'
import { freePort } from '../setup/loopback.ts'
import { type ServiceProcess, startProcess } from '../setup/own-process.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { readMetric } from '../setup/read-metric.ts'
import { type Browsing, borrowBrowser } from './browser.ts'
import { type Login, press, signInAs } from './dashboard-hands.ts'

let data_dir: string | undefined
let service: ServiceProcess | undefined
let browsing: Browsing | undefined
const patience_ms = 300_000

afterAll(async () => {
  await browsing?.close()
  await service?.stop()
  if (data_dir !== undefined) await rm(data_dir, { recursive: true, force: true })
})

type Demo = Readonly<{ merchant_id: string; key: string; login: Login }>

/** The demo merchant's owner, as a first start hands them over. */
async function demoIn(dir: string): Promise<Demo> {
  const found = JSON.parse(await readFile(path.join(dir, 'credentials.json'), 'utf8'))
  const { merchant, api_keys, dashboard } = found
  return { merchant_id: merchant.id, key: api_keys.BOTH, login: dashboard }
}

const unreached = 'The service does not answer.'

async function makeALink(page: Page, at: string, crash: Crash): Promise<void> {
  await page.goto(`${at}/links/new`)
  await page.getByLabel('What for?').fill('Order 1042')
  await page.getByLabel('How much?').fill('12500')
  await crash.kill()
  await press(page, 'Create the link')
  await page.getByText(unreached).first().waitFor()
  await expect.poll(() => page.getByLabel('What for?').inputValue()).toBe('Order 1042')
  await expect.poll(() => page.getByLabel('How much?').inputValue()).toBe('12500')
  await crash.start()
  await press(page, 'Create the link')
  await page.getByRole('heading', { name: 'Order 1042' }).waitFor()
}

/** The payout reaches the service, which dies before its answer is out. */
async function payOut(page: Page, at: string, crash: Crash): Promise<void> {
  await page.goto(`${at}/payouts/new`)
  await page.locator('input[name=msisdn]').fill('+2290197000010')
  await page.locator('select[name=country]').selectOption('BJ')
  await page.locator('select[name=method]').selectOption('mtn_bj')
  await page.locator('input[name=amount]').fill('3100')
  await press(page, 'Continue')
  await page.locator('.confirm').waitFor()
  let is_dying = true
  await page.route('**/payouts/initialize/', async (route) => {
    if (!is_dying) return route.continue()
    is_dying = false
    await route.fetch()
    await crash.kill()
    return route.abort()
  })
  await press(page, /^Pay out/)
  await page.getByText('nothing will be done twice').waitFor()
  await crash.start()
  await press(page, 'Ask again')
  await page.waitForURL(/\/payouts\/[0-9a-f-]{36}$/)
}

type Crash = Readonly<{ kill(): Promise<void>; start(): Promise<void> }>

wholeIt(
  'a link is made and a payout paid once, though the service is killed under both',
  async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'pirogue-page-'))
    // As root the database runs under another account, which must be able to enter.
    await chmod(dir, 0o755)
    data_dir = dir
    const port = await freePort()
    service = await startProcess({ data_dir: dir, port })
    const { merchant_id, key, login } = await demoIn(dir)
    const { url } = service
    const api = (address: string, init: RequestInit = {}) =>
      fetch(`${url}/api/v1${address}`, {
        ...init,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
        },
      })
    const crash: Crash = {
      kill: async () => {
        await service?.killHard()
        service = undefined
      },
      start: async () => {
        service = await startProcess({ data_dir: dir, port })
      },
    }
    const body = JSON.stringify({ country: 'BJ', amount: '500000' })
    expect((await api('/sandbox/balances/', { method: 'POST', body })).status).toBe(201)
    browsing = await borrowBrowser([url])
    await browsing.visit({ language: 'en', width: 360, hostile: true }, async (page) => {
      const at = `${url}/dashboard/${merchant_id}/test`
      await page.goto(at)
      await signInAs(page, login)
      await makeALink(page, at, crash)
      await payOut(page, at, crash)

      // A screen that is only read: what it shows stays, and it comes back by itself when asked.
      await page.goto(`${at}/links`)
      await page.getByText('Order 1042').first().waitFor()
      await crash.kill()
      await page
        .getByRole('link', { name: /Order 1042/ })
        .first()
        .click()
      await page.getByText(unreached).first().waitFor()
      await crash.start()
      await press(page, /again/i)
      await page.getByRole('heading', { name: 'Order 1042' }).waitFor()

      // Its stream of hints has broken off, and is found again by nobody's press.
      const streams = () => readMetric(url, 'pirogue_event_streams').catch(() => undefined)
      await expect.poll(streams, { timeout: 60_000 }).toBe(1)
      await crash.kill()
      await crash.start()
      await expect.poll(streams, { timeout: 90_000 }).toBe(1)
    })
    const links: Json = await (await api('/payment-links/')).json()
    expect(links.data.results).toHaveLength(1)
    const payouts: Json = await (await api('/transactions/?transaction_type=RETRAIT')).json()
    expect(payouts.data.results).toMatchObject([{ requested_amount: '3100.00' }])
  },
  patience_ms,
)
