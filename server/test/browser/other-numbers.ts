// Each count and percentage of the API told as another number, so that a screen which works one
// out, or has one of its own, is seen: what it shows then is in no answer.

import type { Page } from 'playwright-core'
import type { Json } from '../harness.ts'

/** Three digits, told apart from what a screen says by itself: none of these is in its words. */
const numberOf = (nth: number): number => 211 + 7 * (nth % 100)

const isShare = (name: string): boolean => name.endsWith('_percent')

/** Other whole numbers in place of those that there are, and shares where there are none yet. */
function withOthers(value: Json, name: string, next: () => number): Json {
  if (typeof value === 'number' && Number.isInteger(value)) return next()
  if (value === null && isShare(name)) return next()
  if (Array.isArray(value)) return value.map((one) => withOthers(one, name, next))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, withOthers(one, key, next)]),
  )
}

/** Every answer from now on; what returns is whether one of them had this number. */
export async function tellOthers(page: Page): Promise<(number: string) => boolean> {
  const told = new Set<string>()
  let nth = 0
  const next = () => {
    const number = numberOf(nth)
    nth += 1
    told.add(`${number}`)
    return number
  }
  await page.route('**/api/v1/**', async (route) => {
    if (/\/events\/stream\//.test(route.request().url())) return route.abort()
    const response = await route.fetch().catch(() => undefined)
    const text = await response?.text().catch(() => undefined)
    // The visit is over: nobody waits for it.
    if (response === undefined || text === undefined) return
    const json: Json = JSON.parse(text || 'null')
    for (const number of plainIn(json)) told.add(number)
    await route.fulfill({ response, json: withOthers(json, '', next) })
  })
  return (number) => told.has(number)
}

/** Not sums: shares of prices, rates, and what the audit log says of any change. */
const plain = /^(before|after)$|percent$|rate$/

/** What stands there, as French people write it: "1.50" is "1,5". */
function plainIn(value: Json, isPlain = false): string[] {
  if (typeof value === 'string') {
    const isNumber = isPlain && /^\d+(\.\d+)?$/.test(value)
    return isNumber ? [value.replace(/\.0+$|(\.\d*?)0+$/, '$1').replace('.', ',')] : []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => plainIn(one, isPlain || plain.test(key)))
}

/** What no screen counts: choices, code, and what somebody typed or named. */
const apart = 'select, option, code, pre, textarea, svg, script, style, bdi, time'

const textsOn = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`
    (() => {
      const texts = []
      const walker = document.createTreeWalker(document.querySelector('main'), 4)
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        if (node.parentElement.closest('${apart}') === null) texts.push(node.textContent)
      }
      return texts
    })()`)

/** Sums, moments and days, numbers of telephones and of computers: no counts. */
const others = [
  /\d[\d\u00a0,]*\u00a0(?:FCFA|[A-Z]{3})/g,
  /\d{4}-\d\d-\d\d|\d{1,2}:\d\d(?::\d\d)?|UTC[+-]\d+(?::\d\d)?/g,
  /\d{1,2}(?:er)? (?:janv|févr|mars|avril|mai|juin|juil|août|sept|oct|nov|déc)\S*(?: \d{4})?/g,
  /\+?\d{1,3}(?:[ \u00a0\u202f]\d{1,4}){3,}|\+?\d*\*+\d*/g,
  /\d{1,3}(?:\.\d{1,3}){3}/g,
]

/** Ids, of which one in forty begins with eight digits: taken out whole, before all others. */
const id = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g

/** The counts and percentages that `main` shows, without what its own words say. */
export async function numbersOn(page: Page, own: readonly RegExp[]): Promise<string[]> {
  const texts = await textsOn(page)
  return texts.flatMap((text) => {
    const left = [id, ...own, ...others].reduce((rest, one) => rest.replace(one, ' '), text)
    return [...left.matchAll(/(?<![\p{L}\d.,:/_-])\d+(?:,\d+)?(?![\p{L}\d:/_])/gu)].map(
      ([number]) => number,
    )
  })
}

/** What each of these sentences says of itself, its holes left out: `10 minutes`. */
export const piecesWithDigits = (sentences: readonly string[]): RegExp[] =>
  sentences
    .flatMap((sentence) => sentence.split(/\{\w+\}/))
    .filter((piece) => /\d/.test(piece))
    .sort((one, other) => other.length - one.length)
    .map((piece) => new RegExp(piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'g'))
