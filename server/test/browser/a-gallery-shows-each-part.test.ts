// The gallery of what screens are made of, as development serves it: each page in both languages
// and themes, on a telephone and at a desk. A part of `ui/` without a place in it fails, and what
// is served to merchants has nothing of it. Beside it the dashboard itself, on a service at an
// address of its own, below the policy that production has.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { createServer, type ViteDevServer } from 'vite'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startApp, type TestApp } from '../harness.ts'
import { sized } from '../setup/proof-size.ts'
import { type Browsing, borrowBrowser } from './browser.ts'
import { signInAs, until } from './dashboard-hands.ts'
import { heading } from './hands.ts'
import { comesToRest } from './rest.ts'
import { findUnsound, layouts } from './sound.ts'

const dashboard = path.resolve(import.meta.dirname, '../../../dashboard')

let app: TestApp
let development: ViteDevServer
let browsing: Browsing
let cacheDir = ''
let kit = ''

beforeAll(async () => {
  app = await startApp()
  vi.stubEnv('SERVICE_URL', app.url)
  cacheDir = await mkdtemp(path.join(tmpdir(), 'pirogue-gallery-'))
  development = await createServer({
    ...{ configFile: path.join(dashboard, 'vite.config.ts'), cacheDir, logLevel: 'error' },
    server: { host: '127.0.0.1', port: 0, watch: null },
  })
  await development.listen()
  const { origin } = new URL(development.resolvedUrls?.local[0] ?? '')
  kit = `${origin}/dashboard/kit`
  browsing = await borrowBrowser([origin])
}, 180_000)
afterAll(async () => {
  await browsing?.close()
  await development?.close()
  await app?.stop()
  vi.unstubAllEnvs()
  if (cacheDir !== '') await rm(cacheDir, { recursive: true, force: true })
})

async function open(page: Page, name: string): Promise<void> {
  await page.goto(`${kit}/${name}`)
  await page.locator('main section').first().waitFor()
  await comesToRest(page)
}

/** At both layouts and in both themes, whatever the language. */
const look = (page: Page) => findUnsound(page, { language: 'fr', widths: layouts })

const opening = '[data-opens] button'

async function faultsOf(page: Page, name: string): Promise<string[]> {
  await open(page, name)
  const faults = await look(page)
  await page.locator('header button[lang=en]').click()
  await until(page, `document.documentElement.lang === 'en'`)
  await page.locator('main section').first().waitFor()
  faults.push(...(await look(page)))
  const count = await page.locator(opening).count()
  for (let nth = 0; nth < count; nth += 1) {
    await open(page, name)
    await page.locator(opening).nth(nth).click()
    await page.locator('dialog[open]').waitFor()
    faults.push(...(await look(page)))
  }
  return faults.map((fault) => `${name}: ${fault}`)
}

it(
  'each page is sound in both languages and themes, and asks the API nothing',
  () =>
    browsing.visit({ width: 320 }, async (page) => {
      const faults: string[] = []
      page.on('request', (request) => {
        if (request.url().includes('/api/v1')) faults.push(`asked for ${request.url()}`)
      })
      await page.goto(kit)
      const ways = page.locator('nav a')
      await ways.first().waitFor()
      const names = await ways.allInnerTexts()
      expect(names.length).toBeGreaterThan(20)
      for (const name of names.filter((_, nth) => nth % sized(4, 1) === 0)) {
        faults.push(...(await faultsOf(page, name)))
      }
      expect(faults).toEqual([])
    }),
  180_000,
)

it('beside it one signs in to the dashboard itself, below the policy of production', async () => {
  const { merchant_id } = await app.shop()
  const owner = await app.member({ merchant_id })
  const served = await fetch(`${app.url}/dashboard`)
  const strict = served.headers.get('content-security-policy') ?? ''
  await browsing.visit({ language: 'en', width: 1280 }, async (page) => {
    const reply = await page.goto(new URL('/', kit).href)
    const policy = (await reply?.headerValue('content-security-policy')) ?? ''
    // Vite puts styles into the page, and marks them.
    expect(policy.replace(/ 'nonce-\w+'/, '')).toBe(strict)
    await signInAs(page, owner)
    await heading(page, 'Home')
    await page.getByRole('link', { name: 'Payments', exact: true }).first().click()
    await heading(page, 'Payments')
    await comesToRest(page)
  })
}, 180_000)

async function textsOf(folder: string, named: RegExp): Promise<string> {
  const files = (await readdir(folder)).filter((name) => named.test(name))
  expect(files.length).toBeGreaterThan(0)
  const texts = await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')))
  return texts.join('\n')
}

// What a file of `ui/` exports as its default is loaded by another one there, which shows it.
it('each part of ui/ has a place in it', async () => {
  const source = await textsOf(path.join(dashboard, 'src/ui'), /\.tsx$/)
  const exported = /^export (?:const|function|class) ([A-Z]\w+)/gm
  const parts = [...source.matchAll(exported)].map(([, name = '']) => name)
  expect(parts.length).toBeGreaterThan(20)
  const shown = await textsOf(path.join(dashboard, 'kit'), /\.tsx$/)
  expect(parts.filter((name) => !new RegExp(`<${name}\\b`).test(shown))).toEqual([])
})

it('what is built has nothing of it', async () => {
  const built = await textsOf(path.join(dashboard, 'built/assets'), /\.(js|css)$/)
  expect(built).not.toContain('dashboard/kit')
})
