// A reader's keyboard: Tab to what is named so, Enter, and what is typed. Nothing is pressed by a
// mouse.

import type { Page } from 'playwright-core'
import type { SignedInCaller } from '../harness.ts'
import { until } from './dashboard-hands.ts'
import { comesToRest } from './rest.ts'

/** What has the focus, as it is read out: its name, else its text. */
export const focused = (page: Page) =>
  page.evaluate<string>(`(() => {
    const { activeElement: at } = document
    const label = at.labels?.[0]?.textContent ?? ''
    const name = at.getAttribute('aria-label') ?? (label === '' ? at.textContent : label)
    return (at.tagName + ' ' + name).replace(/\\s+/g, ' ').trim()
  })()`)

const tabs_max = 80

/** Presses Tab until what is named so has the focus. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = []
  for (const lap of [1, 2]) {
    while (passed.length < lap * tabs_max) {
      await page.keyboard.press('Tab')
      const at = await focused(page)
      if (name.test(at)) return
      passed.push(at)
    }
    // On a busy machine what it leads to may not be there yet.
    if (lap === 1) await comesToRest(page).catch(() => undefined)
  }
  throw new Error(`${name} is not reached by keys; passed:\n${passed.join('\n')}`)
}

export async function typeInto(page: Page, name: RegExp, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.type(text)
  // A form that is drawn anew meanwhile may have lost a part of it: a person types it once more.
  for (let again = 0; again < 2 && (await isCutShort(page, text)); again += 1) {
    await tabTo(page, name)
    await page.keyboard.press('Control+A')
    await page.keyboard.type(text)
  }
}

/** Whatever marks a field puts between what was typed. */
async function isCutShort(page: Page, text: string): Promise<boolean> {
  const value: unknown = await page.evaluate('document.activeElement.value')
  const bare = (of: string) => of.replaceAll(/[^\p{L}\p{N}]/gu, '')
  return typeof value !== 'string' || bare(value).length < bare(text).length
}

export async function enter(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

/** A new screen: its heading has the focus, and the window its title. */
export async function arrive(page: Page, title: string): Promise<void> {
  await until(
    page,
    `document.activeElement.tagName === 'H1' && document.activeElement.textContent === '${title}'`,
  )
  // The heading is drawn before the title is set.
  await until(page, `document.title === ${JSON.stringify(`TEST · ${title} · Pirogue`)}`)
}

/** With a code where one is asked for. */
export async function signInByKeys(
  page: Page,
  { email, password }: SignedInCaller,
  { code }: { code?: string } = {},
): Promise<void> {
  await page.locator('input[name=email]').waitFor()
  await typeInto(page, /^INPUT (E-mail|Adresse e-mail)/, email)
  await typeInto(page, /^INPUT (Password|Mot de passe)/, password)
  await page.keyboard.press('Enter')
  if (code !== undefined) {
    await page.locator('input[name=totp]').waitFor()
    await typeInto(page, /^INPUT (Security code|Code de sécurité)/, code)
    await page.keyboard.press('Enter')
  }
  await page.locator('nav.menu').waitFor()
}

/** A screen of the dashboard, once what it shows is there: as who looks before they press. */
export async function openSettled(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.locator('main h1').waitFor()
  await comesToRest(page)
  await page.locator('main .loading:visible').first().waitFor({ state: 'detached' })
}

/** The first that is seen of what says so. */
export const seen = (page: Page, words: string | RegExp): Promise<void> =>
  page.getByText(words).filter({ visible: true }).first().waitFor()

/** In a list that has the focus, by the beginning of its name, as people choose by keys. */
export async function choose(page: Page, list: RegExp, name: string): Promise<void> {
  await tabTo(page, list)
  await page.keyboard.type(name)
}

/** The second step has come: its heading has the focus. */
export const secondStep = (page: Page): Promise<unknown> =>
  until(page, `document.activeElement.tagName === 'H2'`)
