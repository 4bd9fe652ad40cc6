// What holds on every screen of the dashboard: no finding of axe, nothing beyond the right edge, and
// nothing kept that would open anything.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { overflowOf, runAxe } from './measure.ts'

export async function expectSound(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  expect(await runAxe(page)).toEqual([])
  expect(await overflowOf(page)).toBeLessThanOrEqual(0)
}

/** What a script that was smuggled in could carry off: neither a session nor this. */
export async function expectNotKept(page: Page, secret: RegExp): Promise<void> {
  const kept = await page.evaluate<string>(
    'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, location.href])',
  )
  expect(kept).not.toMatch(secret)
  expect(kept).not.toMatch(/sess_|pirogue_member/)
}
