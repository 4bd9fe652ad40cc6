// `npm start` prints a link, and whoever started it is at Home by opening it: signed in, with no
// trace of it in the address bar. It works once, and says so; with a second factor it asks for the
// code, and an answer that is lost loses nothing.

import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { demoMerchant, seedDemoMerchant } from '../../src/app/seed.ts'
import { newSignInLink } from '../../src/app/sign-in-link.ts'
import { type Json, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { enrol } from '../setup/authenticator.ts'
import { freePort } from '../setup/loopback.ts'
import { type ServiceProcess, startProcess } from '../setup/own-process.ts'
import { type Browsing, borrowBrowser } from './browser.ts'
import { expectNotKept, expectSound, press } from './dashboard-hands.ts'
import { heading } from './hands.ts'

const patience_ms = 120_000

const used = {
  fr: /a déjà servi, a expiré ou est inconnu/,
  en: /was used, has expired or is unknown/,
} as const

/** At Home of the demo, with nothing of the link left to read or to go back to. */
async function expectHome(page: Page, url: string, link: string): Promise<void> {
  await page.waitForURL(`${url}/dashboard/${demoMerchant.id}/test`)
  const token = link.split('#')[1] ?? ''
  expect(token).toMatch(/^[\w-]{43}$/)
  await expectNotKept(page, new RegExp(token))
}

describe('a start', () => {
  let dir: string
  let service: ServiceProcess
  let browsing: Browsing

  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'pirogue-link-'))
    // As root the database runs under another account, which must be able to enter.
    await chmod(dir, 0o755)
    await startIt()
  }, patience_ms)
  afterAll(async () => {
    await browsing?.close()
    await service?.stop()
    await rm(dir, { recursive: true, force: true })
  })

  async function startIt(env: Record<string, string> = {}): Promise<void> {
    const port = await freePort()
    service = await startProcess({ data_dir: dir, port, env: { LOG_LEVEL: 'info', ...env } })
    browsing = await borrowBrowser([service.url])
  }

  const file = () => path.join(dir, 'credentials.json')
  const credentials = async (): Promise<Json> => JSON.parse(await readFile(file(), 'utf8'))

  it(
    'prints a link by which its owner is at Home, once',
    async () => {
      const { sign_in_url: link, dashboard_url, dashboard } = await credentials()
      expect(link.split('#')[0]).toBe(`${dashboard_url}/sign-in-link`)
      expect((await stat(file())).mode & 0o777).toBe(0o600)
      expect(service.output()).toContain(`Sign in    ${link}  (once, within 10 minutes)\n`)
      const asked: string[] = []
      await browsing.visit({ language: 'fr', width: 360 }, async (page) => {
        page.on('request', (request) => asked.push(request.url()))
        await page.goto(link)
        await heading(page, 'Accueil')
        await expectHome(page, service.url, link)
        await page.goto(`${service.url}/dashboard/me`)
        await page.getByText(dashboard.email).first().waitFor()
      })
      const [, token = ''] = link.split('#')
      // A request names its page up to `#`, and what follows is sent in a body alone.
      expect(asked.filter((url) => url !== link && url.includes(token))).toEqual([])
      for (const language of ['fr', 'en'] as const) {
        await browsing.visit({ language, width: 320 }, async (page) => {
          await page.goto(link)
          await page.getByRole('alert').filter({ hasText: used[language] }).waitFor()
          expect(new URL(page.url()).hash).toBe('')
          await expectSound(page)
          await page.locator('p.after a').click()
          await page.locator('input[name=password]').waitFor()
        })
      }
      // In the start's own line, and in no line of the log.
      expect(service.output().split(token)).toHaveLength(2)
    },
    patience_ms,
  )

  it(
    'prints another the next time, and none where others may call',
    async () => {
      const before = (await credentials()).sign_in_url
      await service.stop()
      await startIt({ PROCESSES: '2' })
      const { sign_in_url: link } = await credentials()
      expect(link).not.toBe(before)
      await browsing.visit({ language: 'en', width: 1280 }, async (page) => {
        await page.goto(link)
        await heading(page, 'Home')
      })
      await service.stop()
      await startIt({ PUBLIC_URL: 'https://pay.example.org' })
      expect((await credentials()).sign_in_url).toBeUndefined()
      expect(service.output()).not.toContain('Sign in')
    },
    patience_ms,
  )
})

describe('the link’s page', () => {
  let app: TestApp
  let browsing: Browsing

  beforeAll(async () => {
    app = await startApp()
    await seedDemoMerchant(app.owner)
    browsing = await borrowBrowser([app.url])
  }, patience_ms)
  afterAll(async () => {
    await browsing?.close()
    await app?.stop()
  })

  const newOwner = () => app.member({ merchant_id: demoMerchant.id })
  const linkFor = async ({ email }: SignedInCaller): Promise<string> =>
    (await newSignInLink(app.service.db, { email, dashboard_url: app.url })) ?? ''

  it(
    'says that it is over after ten minutes, and that a part of it is none',
    async () => {
      const owner = await newOwner()
      const link = await linkFor(owner)
      await app.owner`
        update person_tokens set expires_at = expires_at - interval '10 minutes'
         where person_id = ${owner.person_id}`
      await browsing.visit({ language: 'en', width: 1280, dark: true }, async (page) => {
        await page.goto(link)
        await page.getByRole('alert').filter({ hasText: used.en }).waitFor()
        await page.goto('about:blank')
        await page.goto(link.split('#')[0] ?? '')
        await page.getByText('Open the whole link that the start printed').waitFor()
        await expectSound(page)
        // What was copied in part may be no encoded text at all.
        await page.goto('about:blank')
        await page.goto(`${link.split('#')[0]}#%`)
        await page.getByRole('alert').filter({ hasText: used.en }).waitFor()
      })
    },
    patience_ms,
  )

  it(
    'asks for the code of whoever has a second factor',
    async () => {
      const owner = await newOwner()
      const { code } = await enrol(app, owner)
      const link = await linkFor(owner)
      await browsing.visit({ language: 'fr', width: 360 }, async (page) => {
        await page.goto(link)
        const field = page.locator('input[name=totp]')
        await field.fill('000000')
        await expectSound(page)
        await press(page, 'Se connecter')
        await page.locator('.field').getByText('Ce code n’est pas le bon').waitFor()
        await field.fill(code())
        await press(page, 'Se connecter')
        await heading(page, 'Accueil')
        await expectHome(page, app.url, link)
      })
    },
    patience_ms,
  )

  it(
    'leads to Home whoever it has signed in, though the answer was lost',
    async () => {
      const link = await linkFor(await newOwner())
      await browsing.visit({ language: 'en', width: 1280 }, async (page) => {
        await page.route('**/auth/login/link/', async (route) => {
          const answer = await route.fetch()
          expect(answer.status()).toBe(200)
          const cookies = answer.headersArray().filter(({ name }) => /^set-cookie$/i.test(name))
          const [name = '', value = ''] = cookies[0]?.value.split(/[=;]/) ?? []
          await page.context().addCookies([{ name, value, url: app.url, httpOnly: true }])
          await route.abort()
        })
        await page.goto(link)
        await press(page, 'Try again')
        await heading(page, 'Home')
        await expectHome(page, app.url, link)
      })
    },
    patience_ms,
  )
})
