// One Chromium for the files of a worker, one visitor for each test: own cookies, language, screen.
// Law: a visit in which the page asks another host for anything, or a script or the policy
// complains, fails; nothing of a visit outlives it.

import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { findChromium, missingLibraries } from './chromium.ts'
import { countRequests } from './rest.ts'

export type Visitor = Readonly<{
  /** Default true. */
  scripts?: boolean
  /** As the browser asks for it; default French, which most payers read. */
  language?: 'fr' | 'en'
  /** A telephone below 600. Default 360. */
  width?: 320 | 360 | 1280
  dark?: boolean
  /** Sees a page of somebody else too: what the browser refuses it is said on the console. */
  hostile?: boolean
  /** The distant end of a 2G network: 50 kbit/s, 400 ms. */
  slow?: boolean
}>

export type Browsing = Readonly<{
  visit<T>(visitor: Visitor, look: (page: Page) => Promise<T>): Promise<T>
  close(): Promise<void>
}>

const switches = [
  '--no-sandbox', // root has none, and a container seldom; it reads pages of ours only
  '--disable-dev-shm-usage',
  // The second is another site than the first, on this machine too.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE 127.0.0.2',
]

/** `origins`: the addresses that pages may lead to. */
export async function openBrowser(origins: readonly string[]): Promise<Browsing> {
  const browser = await launch()
  return {
    visit: (visitor, look) => visit({ browser, origins }, visitor, look),
    close: () => browser.close(),
  }
}

let shared: Promise<Browser> | undefined

/**
 * For tests: the worker's one browser, which ends with the worker. To start it took as long as a
 * few visits.
 */
export async function borrowBrowser(origins: readonly string[]): Promise<Browsing> {
  const known = await shared?.catch(() => undefined)
  if (known?.isConnected() !== true) shared = launch()
  const browser = await (shared ?? launch())
  return {
    visit: (visitor, look) => visit({ browser, origins }, visitor, look),
    close: async () => undefined,
  }
}

async function launch(): Promise<Browser> {
  const found = await findChromium()
  const env = { ...process.env, ...found.env }
  try {
    return await chromium.launch({ executablePath: found.program, args: switches, env })
  } catch (error) {
    const missing = await missingLibraries(found)
    throw missing === undefined ? error : new Error(missing, { cause: error })
  }
}

/** A busy machine is no failure. */
const patience_ms = 30_000

type Where = Readonly<{ browser: Browser; origins: readonly string[] }>

async function visit<T>(
  { browser, origins }: Where,
  visitor: Visitor,
  look: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext(optionsOf(visitor))
  try {
    const faults = watch(context, origins, visitor)
    countRequests(context)
    const page = await context.newPage()
    page.setDefaultTimeout(patience_ms)
    if (visitor.slow === true) await slowDown(page)
    const seen = await look(page).catch(async (cause) => {
      throw new Error([String(cause), ...faults, await stateOf(page)].join('\n'), { cause })
    })
    if (faults.length > 0) throw new Error(faults.join('\n'))
    return seen
  } finally {
    await context.close()
  }
}

/** For whoever reads why a test failed. */
async function stateOf(page: Page): Promise<string> {
  const shown = await page
    .locator('body')
    .innerText({ timeout: 1_000 })
    .catch(() => 'nothing')
  return `at ${page.url()}, which shows:\n${shown}`
}

function optionsOf(visitor: Visitor): BrowserContextOptions {
  const { scripts = true, language = 'fr', width = 360, dark = false } = visitor
  const is_phone = width < 600
  return {
    javaScriptEnabled: scripts,
    locale: language === 'fr' ? 'fr-FR' : 'en-GB',
    viewport: { width, height: is_phone ? 640 : 800 },
    isMobile: is_phone,
    hasTouch: is_phone,
    colorScheme: dark ? 'dark' : 'light',
  }
}

/** What must not happen in any visit. */
function watch(
  context: BrowserContext,
  origins: readonly string[],
  { hostile = false }: Visitor,
): string[] {
  const faults: string[] = []
  context.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol === 'data:' || origins.includes(origin)) return
    faults.push(`asked for ${request.url()}`)
  })
  context.on('weberror', (error) => faults.push(`script: ${error.error().message}`))
  context.on('console', (message) => {
    // A refusal's status is told there too, and is for the test to judge.
    if (hostile || message.type() !== 'error' || /^Failed to load resource/.test(message.text()))
      return
    faults.push(`console: ${message.text()}`)
  })
  return faults
}

async function slowDown(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: 50_000 / 8,
    uploadThroughput: 50_000 / 8,
  })
}
