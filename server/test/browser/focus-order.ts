// The way of the focus through a page, by Tab from wherever it is until it comes there again: it
// holds no place, leaves none out, and goes as the reading does.

import type { Page } from 'playwright-core'

const presses_max = 320
/** So many presses between two looks: to look after each took as long again. */
const batch = 8

/** What is asked of the page each time; its places stand in `globalThis.way`. */
const watch = `(() => {
  const root = document.documentElement
  globalThis.way = []
  if (root.isWatched) return
  root.isWatched = true
  root.addEventListener('focusin', ({ target }) => globalThis.way.push(target))
})()`
const isRound = 'globalThis.way.indexOf(globalThis.way[0], 1) > 0'

/** One line for each fault; of what is shown: what is folded up or closed is not reached. */
export async function faultsOfFocus(page: Page): Promise<string[]> {
  await page.evaluate(watch)
  for (let pressed = 0; pressed < presses_max; pressed += batch) {
    for (let nth = 0; nth < batch; nth += 1) await page.keyboard.press('Tab')
    if (await page.evaluate<boolean>(isRound)) return page.evaluate<string[]>(judge)
  }
  const last = await page.evaluate<string[]>(
    'globalThis.way.slice(-3).map((one) => one.outerHTML.slice(0, 120))',
  )
  return [`the focus does not come round; it was last at ${last.join(' then ')}`]
}

/**
 * Of the round: two neighbours are the wrong way round where the later one stands before the other
 * in the page, which happens once, where the round begins again; or is drawn above it in the same
 * column. A radio button stands for its group, a part that is scrolled only where it has more than
 * it shows, and what is out of use is not reached.
 */
const judge = `(() => {
  const way = globalThis.way.slice(0, globalThis.way.indexOf(globalThis.way[0], 1))
  const told = (one) => one.outerHTML.slice(0, 120)
  const isBefore = (one, other) => (one.compareDocumentPosition(other) & 4) > 0
  const begin = way.findIndex((one) => way.every((other) => other === one || isBefore(one, other)))
  const round = [...way.slice(begin), ...way.slice(0, begin)]
  const faults = round
    .filter(({ tabIndex }) => tabIndex !== 0)
    .map((one) => 'tabindex: ' + told(one))
  for (let at = 1; at < round.length; at += 1) {
    const [before, now] = [round[at - 1], round[at]]
    if (!isBefore(before, now)) faults.push('too late: ' + told(now))
    if (before.closest('main') === null || now.closest('main') === null) continue
    const [above, below] = [before.getBoundingClientRect(), now.getBoundingClientRect()]
    const isSameColumn = below.left < above.right && above.left < below.right
    if (isSameColumn && below.bottom <= above.top) faults.push('drawn above: ' + told(now))
  }
  const all = document.querySelectorAll(
    'a[href], button, input, select, textarea, summary, iframe, [tabindex="0"]',
  )
  const isIn = (one) => round.some((other) => other === one
    || (one.type === 'radio' && other.type === 'radio' && one.name === other.name))
  for (const one of all) {
    if (one.disabled || one.tabIndex < 0 || one.closest('[inert]') !== null) continue
    const isSeen = one.checkVisibility({ visibilityProperty: true })
    if (isSeen && !isIn(one)) faults.push('left out: ' + told(one))
  }
  return faults
})()`
