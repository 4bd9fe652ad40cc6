// When a page has what it asked for. The browser's own word for it, `networkidle`, comes once for a
// document and never while an answer is still open, as the stream of hints is for as long as
// somebody looks: on a slow machine that is opened before all else is there.

import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, Page, Request } from 'playwright-core'

type Asked = { open: Set<Request>; changed_at: number }
const asked = new WeakMap<Page, Asked>()

/** Called with each context before its first page, so that no request is missed. */
export function countRequests(context: BrowserContext): void {
  const ended = (request: Request) => {
    const of = askedBy(request)
    if (of?.open.delete(request) === true) of.changed_at = performance.now()
  }
  context.on('request', (request) => {
    const of = askedBy(request)
    if (of === undefined || request.url().includes('/events/stream/')) return
    // Who leaves a page gives up what it asked for, and is not told of each.
    if (request.isNavigationRequest() && request.frame().parentFrame() === null) of.open.clear()
    of.open.add(request)
    of.changed_at = performance.now()
  })
  context.on('requestfinished', ended)
  context.on('requestfailed', ended)
}

/** Undefined for what no page asked for: a worker, or a page that is gone. */
function askedBy(request: Request): Asked | undefined {
  try {
    return of(request.frame().page())
  } catch {
    return undefined
  }
}

function of(page: Page): Asked {
  const known = asked.get(page) ?? { open: new Set(), changed_at: performance.now() }
  asked.set(page, known)
  return known
}

const quiet_ms = 300
const look_ms = 25

/** Nothing was asked for, and nothing came, for a while. Fails with what is still open. */
export async function comesToRest(page: Page, within_ms = 30_000): Promise<void> {
  const began = performance.now()
  const { open } = of(page)
  for (;;) {
    const now = performance.now()
    const since = Math.max(of(page).changed_at, began)
    if (open.size === 0 && now - since >= quiet_ms) return
    if (now - began > within_ms) {
      const paths = [...open].map((request) => new URL(request.url()).pathname)
      throw new Error(`after ${within_ms} ms still open: ${paths.join(', ')}`)
    }
    await sleep(look_ms)
  }
}
