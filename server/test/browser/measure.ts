// What a page costs and how it is built, as the browser itself counts it.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

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
  await devtools.detach()
  return { requests, bytes }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Finding = { id: string; nodes: { html: string; failureSummary: string }[] }

/** Every finding of axe, one line each; it needs a visitor with scripts. */
export async function runAxe(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const found = await page.evaluate<Finding[]>('axe.run().then(({ violations }) => violations)')
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
  )
}

/** How many pixels of the page lie beyond the right edge of the screen. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
