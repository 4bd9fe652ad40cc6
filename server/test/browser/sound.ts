// Whether what a page shows is sound: as wide as a small telephone, a telephone, a tablet and a
// desk, light and dark, axe finds nothing, nothing lies beyond the edge, no text is cut.

import type { Page } from 'playwright-core'
import { colourRules, cutTexts, overflowOf, runAxe } from './measure.ts'

export type Language = 'fr' | 'en'

/** The answer to whatever a screen asks of a service that has failed. */
export const broken = {
  status: 500,
  contentType: 'application/json',
  headers: { 'x-request-id': 'req-0123456789abcdef0123456789abcdef' },
  body: JSON.stringify({
    code: 'internal_error',
    message: 'Une erreur est survenue. Réessayez plus tard.',
    retryable: false,
  }),
}

export const allWidths: readonly number[] = [320, 360, 768, 1280]
/** One of those of a telephone and a tablet, which are laid out alike (60rem), and a desk's. */
export const layouts: readonly number[] = [320, 1280]

export type Looking = Readonly<{ language: Language; widths: readonly number[] }>

/** A page is drawn anew for another width: what lies beyond the edge until then is no fault. */
export async function overflowThatStays(page: Page): Promise<number> {
  let over_px = await overflowOf(page)
  for (let look = 0; over_px > 0 && look < 10; look += 1) {
    await page.waitForTimeout(100)
    over_px = await overflowOf(page)
  }
  return over_px
}

/**
 * In each width, layout and theme: one line for each finding. What axe finds depends on what is
 * there and how it is laid out, so it looks once at each layout; dark and at a desk in one
 * language, as no word has a colour, and what a desk shows besides is a telephone's menu.
 */
export async function findUnsound(page: Page, { language, widths }: Looking): Promise<string[]> {
  const faults: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: width < 600 ? 640 : 800 })
    const over_px = await overflowThatStays(page)
    if (over_px > 0) faults.push(`${width}: ${over_px} px beyond the edge`)
    for (const one of await cutTexts(page)) faults.push(`${width}: cut ${one}`)
    const is_looked_at = language === 'fr' ? layouts.includes(width) : width === layouts[0]
    if (!is_looked_at) continue
    for (const one of await runAxe(page)) faults.push(`${width}: ${one}`)
    if (language !== 'fr') continue
    // The same page but for its colours.
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const one of await runAxe(page, colourRules)) faults.push(`${width}, dark: ${one}`)
    await page.emulateMedia({ colorScheme: 'light' })
  }
  return faults
}
