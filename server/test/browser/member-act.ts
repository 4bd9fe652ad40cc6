// The hand of a member on the dashboard, with a mouse: it goes where an act is, looks whether it is
// offered, and does it. What there is to be done is data (`acts-of-members.ts`).

import type { Locator, Page } from 'playwright-core'
import { openFor } from './dashboard-hands.ts'
import { fillPath } from './full-shop.ts'
import { comesToRest } from './rest.ts'
import type { ShopForActs } from './shop-for-acts.ts'

/**
 * A button's name, within brackets in the dialog that asks, or what fields are filled in with, by
 * their names (`{site}`: the shop's own), or a hand of its own.
 */
type Step =
  | string
  | RegExp
  | readonly [string]
  | Readonly<Record<string, string>>
  | ((page: Page) => Promise<unknown>)

export type Act = Readonly<{
  /** As the API names its operations. */
  call: string
  /** `{paid}` and so on are ids of what a full shop has. */
  at: string
  /** In a shop of theirs in which nothing has happened yet. */
  isElsewhere?: true
  /** The call of the first step, whose act leads to this one on the same screen. */
  after?: string
  /** Pressed first by whoever comes: what is offered, or not, stands behind it. */
  behind?: string
  /** The first that is pressed is what is offered, or not, unless `offer` is. */
  steps: readonly Step[]
  offer?: (page: Page) => Locator
}>

const isPress = (step: Step): step is string | RegExp =>
  typeof step === 'string' || step instanceof RegExp

const isInDialog = (step: Step): step is readonly [string] => Array.isArray(step)

const buttonIn = (page: Page, name: string | RegExp, place = 'main'): Locator =>
  page
    .locator(place)
    .getByRole('button', typeof name === 'string' ? { name, exact: true } : { name })
    .first()

/** What is folded up, by what stands on it. */
export const foldIn = (page: Page, name: string): Locator =>
  page.locator('main summary').filter({ hasText: new RegExp(`^${name}$`) })

export const fileIn = (page: Page): Locator => page.locator('main input[type=file]')

type Where = Readonly<{ url: string; filled: ShopForActs }>

/** Acts of one screen share a visit, as long as none of them leads elsewhere. */
export async function standAt(page: Page, { url, filled }: Where, act: Act): Promise<void> {
  const merchant = act.isElsewhere === true ? filled.elsewhere : filled.owner.merchant_id
  const path = fillPath(act.at, filled.ids)
  if (page.url() !== `${url}/dashboard/${merchant}/test${path}`) {
    await openFor(page, url, merchant, path)
  }
  if (act.behind === undefined) return
  await isDrawn(page)
  await buttonIn(page, act.behind).click()
}

const settles_ms = 5_000

async function isDrawn(page: Page): Promise<void> {
  // A screen that follows what happens may never come to rest on a busy machine.
  await comesToRest(page, settles_ms).catch(() => undefined)
  // The network may rest for a moment before a screen's own file asks for what it shows.
  await page.locator('main .loading:visible').first().waitFor({ state: 'detached' })
}

const refused = /Your role does not allow/

/** Whether what begins the act can be pressed, once the screen is there. */
export async function isOffered(page: Page, { steps, offer }: Act): Promise<boolean> {
  await isDrawn(page)
  const offered = (offer?.(page) ?? buttonIn(page, steps.find(isPress) ?? '')).first()
  const isSettled = offered.or(page.locator('main').getByText(refused)).first()
  await isSettled.waitFor({ timeout: 3 * settles_ms }).catch(() => undefined)
  if ((await offered.count()) === 0) return false
  return (await offered.getAttribute('aria-disabled')) !== 'true'
}

type Filling = Readonly<{ fields: Readonly<Record<string, string>>; site: string }>

async function fill(page: Page, { fields, site }: Filling): Promise<void> {
  for (const [name, value] of Object.entries(fields)) {
    const field = page.locator(`main [name="${name}"]`).first()
    if ((await field.evaluate((at) => String(Object(at).tagName))) === 'SELECT') {
      await field.selectOption(value)
    } else await field.fill(fillPath(value, { site }))
  }
}

/** The status of the call that the act makes, or why there is none. `site`: the shop's own. */
export async function perform(page: Page, act: Act, site: string): Promise<number | string> {
  const { call, steps } = act
  const [method, path = ''] = call.split(' ')
  const address = new RegExp(`/api/v1${path.replace(/\{\w+\}/g, '[^/]+')}(\\?.*)?$`)
  const answered = page
    .waitForResponse((answer) => answer.request().method() === method && address.test(answer.url()))
    .then((answer) => answer.status(), String)
  for (const step of steps) {
    if (isPress(step)) await buttonIn(page, step).click()
    else if (isInDialog(step)) await buttonIn(page, step[0], 'dialog[open]').click()
    else if (typeof step === 'function') await step(page)
    else await fill(page, { fields: step, site })
  }
  return answered
}
