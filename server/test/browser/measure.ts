// What a page costs and how it is built, as the browser itself counts it.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

export type Weight = Readonly<{
  requests: readonly string[]
  /** Over the wire: compressed, headers included. */
  bytes: number
}>

/** What the last page that `load` leads to costs, with the form or the redirect that led there. */
export async function weigh(page: Page, load: () => Promise<unknown>): Promise<Weight> {
  const devtools = await page.context().newCDPSession(page)
  const requests: string[] = []
  let bytes = 0
  devtools.on('Network.requestWillBeSent', ({ request, type, redirectResponse }) => {
    if (type === 'Document' && redirectResponse === undefined) {
      requests.length = 0
      bytes = 0
    }
    if (!request.url.startsWith('data:')) requests.push(request.url)
  })
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await devtools.send('Network.enable')
  await load()
  // A click is over as soon as the next page is on its way.
  await page.waitForLoadState()
  await devtools.detach()
  return { requests, bytes }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Finding = { id: string; nodes: { html: string; failureSummary: string }[] }

/** What of axe depends on the colours. */
export const colourRules = ['color-contrast', 'link-in-text-block'] as const

/**
 * Every finding of axe, one line each; it needs a visitor with scripts. `rules`: those alone, where
 * the same page has been looked at by all of them.
 */
export async function runAxe(page: Page, rules: readonly string[] = []): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe)
  // Where each finding stands is told by its text: to reckon a selector for every part of the page
  // that passes was a quarter of the work.
  const told = { resultTypes: ['violations'], selectors: false }
  const options = JSON.stringify(rules.length === 0 ? told : { ...told, runOnly: rules })
  const found = await page.evaluate<Finding[]>(
    `axe.run(${options}).then(({ violations }) => violations)`,
  )
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
  )
}

/** How many pixels of the page lie beyond the right edge of the screen. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )

/** Text that its own box cuts off, or that sticks out of a box that shows no more. */
export const cutTexts = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll(
      'main *, header *, .menu-foot *, dialog[open] *')]
    .filter((at) => at.checkVisibility() && !at.matches('.unseen, .unseen *'))
    .filter((at) => !at.matches('input, select, textarea'))
    .filter((at) => [...at.childNodes].some((one) => one.nodeType === 3 && one.data.trim() !== ''))
    .filter((at) => {
      const { overflowX, overflowY, textOverflow, clipPath } = getComputedStyle(at)
      const isWide = at.scrollWidth > at.clientWidth + 1 && at.clientWidth > 0
      const isHigh = at.scrollHeight > at.clientHeight + 1 && at.clientHeight > 0
      return textOverflow === 'ellipsis' && isWide
        || (isWide && ['hidden', 'clip'].includes(overflowX))
        || (isHigh && ['hidden', 'clip'].includes(overflowY)) || clipPath !== 'none'
    })
    .map((at) => at.outerHTML.slice(0, 120))`)

/** The text that the first one shows, its spaces plain. */
export const textOf = async (page: Page, at: string): Promise<string> =>
  (await page.locator(at).first().innerText()).replace(/\s+/g, ' ').trim()

/** Those that are not whole on the first screen, or lie under something else. */
export async function hiddenOf(page: Page, selectors: readonly string[]): Promise<string[]> {
  expect(page.viewportSize()).toEqual({ width: 360, height: 640 })
  expect(await page.evaluate<number>('scrollY')).toBe(0)
  const look = (at: string) => `(() => {
    const all = [...document.querySelectorAll(${JSON.stringify(at)})]
    return all.length > 0 && all.every(one => {
      const { top, bottom, left, width, height } = one.getBoundingClientRect()
      const seen = document.elementFromPoint(left + width / 2, bottom - 2)
      return top >= 0 && bottom <= innerHeight && height > 0 && one.contains(seen)
    })
  })()`
  const seen = await Promise.all(
    selectors.map(async (at) => ((await page.evaluate<boolean>(look(at))) ? [] : [at])),
  )
  return seen.flat()
}

/** What a finger is to hit, and is smaller than 44 pixels either way. */
export const smallTargets = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll(
    'a.button,button:not(.first),summary,select,.tile,.tel,header a,#by-card')]
    .filter(one => one.checkVisibility() && one.getBoundingClientRect().height < 44)
    .map(one => one.id || one.className || one.outerHTML)`)

/** How wide a field is, in pixels, and whether it can be seen at all. */
export const sightOf = (page: Page, at: string) =>
  page.evaluate<{ width: number; opacity: string }>(`(() => {
    const found = document.querySelector(${JSON.stringify(at)})
    return {
      width: found.getBoundingClientRect().width,
      opacity: getComputedStyle(found).opacity,
    }
  })()`)
