// A member's hands on the dashboard.

import type { Page } from 'playwright-core'

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
  await page.locator('input[type=password], input[name=totp]').waitFor({ state: 'detached' })
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
