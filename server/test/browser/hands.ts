// A payer's hands on the pages.

import type { Locator, Page } from 'playwright-core'

const lines = {
  mtn_bj: '01970000',
  moov_bj: '01950000',
  orange_ci: '07070001',
  mtn_ci: '05050001',
  wave_sn: '7700000',
  freemoney_sn: '7600000',
  wizall_sn: '7800000',
} as const

export type NetworkCode = keyof typeof lines

/** A number as its owner writes it at home; its last two digits tell the operator what to play. */
export const nationalNumber = (network: NetworkCode, magic = '10'): string =>
  `${lines[network]}${magic}`

/** All of its card is its label. */
export const tap = (page: Page, network: NetworkCode): Promise<void> =>
  page.locator(`label[for=network-${network}]`).click()

export type Choice = Readonly<{ network: NetworkCode; magic?: string; code?: string }>

/** A script goes on by itself; without one, the button beside the list is pressed. */
export async function chooseCountry(page: Page, code: string): Promise<void> {
  const fold = page.locator('.place summary')
  if ((await fold.count()) > 0) await fold.click()
  const scripts = (await page.locator('html.js').count()) > 0
  await page.locator('#country').selectOption(code)
  if (!scripts) await page.locator('#change').click()
  await page.locator(`.tiles, #link-form option[value=${code}]:checked`).first().waitFor()
}

/** Fills in the form of a session whose country is chosen. */
export async function fillIn(page: Page, { network, magic, code }: Choice): Promise<void> {
  await tap(page, network)
  if (code !== undefined) await page.locator(`#otp_${network}`).fill(code)
  await page.locator('#phone').fill(nationalNumber(network, magic))
}

export async function pay(page: Page, choice: Choice): Promise<void> {
  await fillIn(page, choice)
  await page.locator('#pay').click()
}

/** Waits for the page of this heading. */
export const heading = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

/** Gives a code, again when the operator was busy, until this is shown. */
export async function giveCode(page: Page, code: string, shown: Locator): Promise<void> {
  const busy = page.locator('#otp-error').getByText(/pas été accepté|not accepted/)
  do {
    await page.locator('#otp').fill(code)
    await page.locator('#confirm').click()
    await shown.or(busy).first().waitFor()
  } while (await busy.isVisible())
}
