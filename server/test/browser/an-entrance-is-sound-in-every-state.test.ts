// What opens to whoever comes (signing in and up, what e-mails lead to, an invitation, the second
// factor) in each of its states: with its link and without, refused, failed, waiting. In each it is
// as sound as the screens within, and fits who reads larger letters or uses a finger.

import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type TestApp } from '../harness.ts'
import { type MailFolder, openMailFolder, tokenIn } from '../mail-server.ts'
import { authenticatorOf, enrol } from '../setup/authenticator.ts'
import { newEmail } from '../setup/membership.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'
import { type Browsing, borrowBrowser } from './browser.ts'
import { signInAs } from './dashboard-hands.ts'
import { findUnfit } from './fits.ts'
import { entrances } from './full-shop.ts'
import { comesToRest } from './rest.ts'
import { allWidths, broken, findUnsound, type Language, layouts } from './sound.ts'

let app: TestApp
let browsing: Browsing
let mail: MailFolder
/** Of somebody new, and of one who is a member elsewhere. */
let invitations: readonly string[]
const patience_ms = 480_000

beforeAll(async () => {
  mail = await openMailFolder()
  app = await startApp({ env: { DATA_DIR: mail.data_dir } })
  browsing = await borrowBrowser([app.url])
  const owner = await app.member()
  const known = await app.member()
  const invite = async (email: string) => {
    await owner.post('/merchant-invitations/', { email, role: 'FINANCE' })
    return `/invitation#${tokenIn(await mail.emailTo(email, /Invitation/))}`
  }
  invitations = [await invite(newEmail()), await invite(known.email)]
}, patience_ms)
afterAll(async () => {
  await browsing?.close()
  await app?.stop()
  await mail?.remove()
})

type State = Readonly<{
  name: string
  addresses: () => readonly string[]
  /** What becomes of what is sent. */
  meet?: (route: Route) => Promise<void>
  /** The form is sent, and this is seen then. */
  shown?: string
}>

/** Signing in, and all that have an address. Few: the first, and one that an e-mail leads to. */
const bare = () => sized(['', '/reset-password'], ['', ...entrances])

/** By the link of an e-mail: of what wants a token, all but an invitation take any at first. */
const linked = () => [
  ...bare()
    .filter((path) => path !== '/invitation')
    .map((path) => `${path}#${'k'.repeat(43)}`),
  ...sized([], invitations),
]

const alert = '[role=alert], [aria-invalid=true], [role=status]'

const states: readonly State[] = [
  { name: 'without its link', addresses: bare },
  { name: 'by its link', addresses: linked },
  { name: 'refused', addresses: () => linked().slice(0, -sized(0, 2) || undefined), shown: alert },
  {
    name: 'failed',
    addresses: linked,
    meet: (route) => route.fulfill(broken),
    shown: '[role=alert]',
  },
  {
    name: 'waiting',
    addresses: linked,
    meet: async () => undefined,
    shown: 'button[aria-disabled=true], .bone',
  },
]

/** All but the question who is there. */
const isSent = ({ pathname }: URL): boolean =>
  pathname.startsWith('/api/v1/auth/') && !pathname.endsWith('/auth/me/')

/** Whatever the form asks for, so that what is sent is not refused for that. */
async function fillAndSend(page: Page): Promise<void> {
  const form = page.locator('main form')
  if ((await form.count()) === 0) return
  for (const field of await form.locator('input').all()) {
    const type = await field.getAttribute('type')
    await field.fill(type === 'email' ? 'nobody@shop.example' : 'a long pass phrase')
  }
  await form.locator('button[type=submit]').click()
}

const widths = sized(layouts, allWidths)

/** For those who need it otherwise in one language: French is the longer. */
async function faultsOf(page: Page, language: Language): Promise<string[]> {
  const unsound = await findUnsound(page, { language, widths })
  return language === 'fr' ? [...unsound, ...(await findUnfit(page))] : unsound
}

const cases = sized<readonly Language[]>(['fr'], ['fr', 'en']).flatMap((language) =>
  states.map((state) => ({ language, name: state.name, state })),
)

describe('every entrance', () => {
  it.each(cases)(
    'is sound: $name, $language',
    async ({ language, state: { addresses, meet, shown } }) => {
      await browsing.visit({ language, width: 1280 }, async (page) => {
        const faults: string[] = []
        for (const address of addresses()) {
          // Another token at the same address would load nothing.
          await page.goto('about:blank')
          if (meet !== undefined) await page.route(isSent, meet)
          await page.goto(`${app.url}/dashboard${address}`)
          await page.locator('main h1').waitFor()
          if (meet === undefined) await comesToRest(page)
          if (shown !== undefined) {
            await fillAndSend(page)
            await page.locator(shown).first().waitFor()
          }
          for (const fault of await faultsOf(page, language)) faults.push(`${address}: ${fault}`)
          await page.unrouteAll({ behavior: 'ignoreErrors' })
        }
        expect(faults).toEqual([])
      })
    },
    patience_ms,
  )
})

describe('the second factor', () => {
  it(
    'is sound where it is asked for, and where a recovery code stands in for it',
    async () => {
      const member = await app.member()
      const { code } = await enrol(app, member)
      await browsing.visit({ language: 'fr', width: 1280 }, async (page) => {
        await page.goto(`${app.url}/dashboard`)
        await page.locator('input[name=email]').fill(member.email)
        await page.locator('input[name=password]').fill(member.password)
        await page.locator('button[type=submit]').click()
        await page.locator('input[name=totp]').waitFor()
        expect(await faultsOf(page, 'fr')).toEqual([])
        await page.locator('button.as-link').click()
        expect(await faultsOf(page, 'fr')).toEqual([])
        await page.locator('input[name=totp]').fill(code())
        await page.locator('button[type=submit]').click()
        await page.locator('nav.menu').waitFor()
        await page.goto(`${app.url}/dashboard/me/security`)
        await page.locator('main details').first().waitFor()
        await unfold(page)
        expect(await faultsOf(page, 'fr')).toEqual([])
      })
    },
    patience_ms,
  )

  wholeIt(
    'is sound while it is enrolled: the square, a wrong code, the recovery codes',
    async () => {
      const member = await app.member()
      await browsing.visit({ language: 'fr', width: 1280 }, async (page) => {
        await page.goto(`${app.url}/dashboard`)
        await signInAs(page, member)
        await page.goto(`${app.url}/dashboard/me/security`)
        await unfold(page)
        const form = page.locator('main form').first()
        await form.locator('input[name=password]').fill(member.password)
        await form.locator('button[type=submit]').click()
        await page.locator('main form img').waitFor()
        expect(await faultsOf(page, 'fr')).toEqual([])
        await form.locator('input[name=code]').fill('000000')
        await form.locator('button[type=submit]').click()
        await page.locator(alert).filter({ visible: true }).first().waitFor()
        expect(await faultsOf(page, 'fr')).toEqual([])
        const secret = await form.locator('code').innerText()
        const { code } = authenticatorOf(app, member, { secret, recovery_codes: [] })
        await form.locator('input[name=code]').fill(code())
        await form.locator('button[type=submit]').click()
        await page.locator('.recovery').waitFor()
        expect(await faultsOf(page, 'fr')).toEqual([])
      })
    },
    patience_ms,
  )
})

const unfold = (page: Page) =>
  page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`)
