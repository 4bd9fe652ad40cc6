// What befalls a screen that is there: the network goes, the session ends, a newer version is
// served; and what a call is answered that comes too soon after others.

import type { Page } from 'playwright-core'
import { eventually } from '../harness.ts'
import { comesToRest } from './rest.ts'

/** What happens to a page while it is looked at, and how the next one begins without it. */
export type Befalling = Readonly<{
  /** Once for a page, before its first screen. */
  ready?: (page: Page) => Promise<unknown>
  /** Once a screen has what it asked for. */
  happen: (page: Page) => Promise<unknown>
  /** Before the next screen is opened. */
  pass?: (page: Page) => Promise<unknown>
}>

const bandOf = (page: Page, said: RegExp) =>
  page.locator('.band').filter({ hasText: said }).first().waitFor()

export const goesOffline: Befalling = {
  async happen(page) {
    await page.context().setOffline(true)
    await bandOf(page, /Pas de connexion|No connection/)
  },
  pass: (page) => page.context().setOffline(false),
}

export const isOutgrown: Befalling = {
  ready: (page) =>
    page.route(
      ({ pathname }) => pathname === '/dashboard/',
      (route) => route.fulfill({ body: '<script src="/dashboard/assets/index-other.js">' }),
    ),
  async happen(page) {
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    await bandOf(page, /nouvelle version|new version/)
  },
}

/** After so long, in `data/session.ts`, and a little. */
const given_up_ms = 6_000

/** As a page that the browser has kept is shown again, after its session has ended. */
export function losesItsSession(): Befalling {
  let isOver = false
  return {
    ready: (page) =>
      page.route('**/api/v1/auth/me/', (route) =>
        isOver ? route.fulfill(over) : route.continue(),
      ),
    async happen(page) {
      isOver = true
      const dialog = page.locator('dialog.over[open] input[name=password]')
      // A page gives up to ask who is there after a while, and stays as it is.
      await eventually(async () => {
        await page.evaluate(
          'dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))',
        )
        await dialog.waitFor({ timeout: given_up_ms })
      })
      await page.locator('body:not(.kept)').waitFor()
    },
    async pass() {
      isOver = false
    },
  }
}

const over = {
  status: 401,
  json: { code: 'session_expired', message: 'Session terminée.', retryable: false },
}

/** The longest that a screen waits for altogether. */
const wait_s = 60

/** Whatever is asked for comes too soon after others; that it waits is said. */
export function asksToWait(): Befalling {
  let refusals = 0
  return {
    ready: (page) =>
      page.route(isRead, (route) => {
        refusals += 1
        return route.fulfill({
          status: 429,
          headers: { 'Retry-After': String(wait_s) },
          json: { code: 'rate_limited', message: 'Trop de requêtes.', retryable: true },
        })
      }),
    async happen(page) {
      // A page that reads nothing has nothing to wait for.
      if (refusals > 0) await bandOf(page, /Trop de demandes|Too many requests/)
    },
    async pass() {
      refusals = 0
    },
  }
}

/** Who is there, and the stream of hints, are asked for by the frame. */
const isRead = ({ pathname }: URL): boolean =>
  pathname.startsWith('/api/v1/') && !/\/(auth\/me|events\/stream)\/$/.test(pathname)

/** All that is folded is seen, also whom to ask for what one may not do. */
export async function unfolds(page: Page): Promise<void> {
  await page.evaluate(
    `for (const one of document.querySelectorAll('main details')) one.open = true`,
  )
  await comesToRest(page)
}

/** A number is of no country until it is typed, and what is frozen is a country's. */
export async function choosesBenin(page: Page): Promise<void> {
  const country = page.locator('main form select[name=country]').first()
  if ((await country.count()) === 0 || (await country.inputValue()) === 'BJ') return
  await country.selectOption('BJ')
  await comesToRest(page)
}
