// A member's hands on the dashboard.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { overflowOf, runAxe } from './measure.ts'
import { comesToRest } from './rest.ts'

export type Login = Readonly<{ email: string; password: string }>

/** Fills in the form that is shown, with a code where one is asked for, until it is gone. */
export async function signInAs(
  page: Page,
  { email, password }: Login,
  { code }: { code?: string } = {},
): Promise<void> {
  await page.locator('input[name=email]').fill(email)
  await page.locator('input[name=password]').fill(password)
  await page.locator('button[type=submit]').last().click()
  if (code !== undefined) {
    await page.locator('input[name=totp]').fill(code)
    await page.locator('button[type=submit]').last().click()
  }
  await page.locator('nav.menu').waitFor()
  // By their names: a screen behind the form may have a field for another secret.
  await page.locator('input[name=password], input[name=totp]').waitFor({ state: 'detached' })
}

/** A screen of the dashboard, in test. */
export async function openFor(
  page: Page,
  url: string,
  merchant_id: string,
  path: string,
): Promise<void> {
  await page.goto(`${url}/dashboard/${merchant_id}/test${path}`)
  await page.locator('h1').first().waitFor()
}

const settles_ms = 5_000

/** No finding of axe, nothing beyond the right edge. */
export async function expectSound(page: Page): Promise<void> {
  // A test may hold an answer back, to see what is shown meanwhile.
  await comesToRest(page, settles_ms).catch(() => undefined)
  expect(await runAxe(page)).toEqual([])
  expect(await overflowOf(page)).toBeLessThanOrEqual(0)
}

/** Presses what is named so, first of all that is. */
export const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name }).first().click()

/** Each screen in turn: it has its heading, is sound, and has not failed. */
export async function walk(page: Page, at: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await page.goto(at + path)
    await page.locator('main h1').waitFor()
    await expectSound(page)
    expect(await page.locator('[role=alert]').count(), path).toBe(0)
  }
}

/** What a script that was smuggled in could carry off: neither a session nor this. */
export async function expectNotKept(page: Page, secret: RegExp): Promise<void> {
  const kept = await page.evaluate<string>(
    'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, location.href])',
  )
  expect(kept).not.toMatch(secret)
  expect(kept).not.toMatch(/sess_|pirogue_member/)
}

/** Asked again and again: by the pages' policy the browser makes no script of a text to wait by. */
export const until = (page: Page, condition: string): Promise<void> =>
  expect
    .poll(() => page.evaluate<boolean>(condition).catch(() => false), { timeout: 30_000 })
    .toBe(true)
