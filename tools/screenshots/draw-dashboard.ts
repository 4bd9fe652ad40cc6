// The dashboard's main screens as a merchant sees them: on a telephone in French, light and dark,
// and on a desk in English. What differs by the hour is as it was when they were drawn.

import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowser, type Visitor } from '../../server/test/browser/browser.ts'
import { signInAs } from '../../server/test/browser/dashboard-hands.ts'
import { comesToRest } from '../../server/test/browser/rest.ts'
import { savePicture } from './shrink-png.ts'
import type { OwnDesk } from './start-desk.ts'

type Screen = Readonly<{
  name: string
  path: string
  /** A number typed into the form, whose network is guessed then. */
  number?: string
  /** Of the person, at no merchant. */
  isOwn?: boolean
}>

type View = Readonly<{ name: string; visitor: Visitor; isAll?: boolean }>

const number = '+229 01 97 00 00 10'

const main: readonly string[] = [
  ...['home', 'payments', 'payment', 'payouts', 'links', 'link'],
  ...[
    'settlements',
    'transfers',
    'customers',
    'checkouts',
    'payment-new',
    'limits',
    'search',
    'balance',
    'day-sheet',
    'series',
    'prices',
    'networks',
    'keys',
    'webhooks',
    'deliveries',
    'sandbox',
    'team',
    'audit',
  ],
  ...['settings', 'verification', 'security'],
]

const views: readonly View[] = [
  { name: 'phone-fr', visitor: { language: 'fr', width: 360 }, isAll: true },
  { name: 'dark-fr', visitor: { language: 'fr', width: 360, dark: true } },
  { name: 'desktop-en', visitor: { language: 'en', width: 1280 } },
]

type Shop = Awaited<ReturnType<OwnDesk['openShop']>>

const screensOf = (shop: Shop): readonly Screen[] => [
  { name: 'home', path: '' },
  { name: 'payments', path: '/payments' },
  { name: 'payment', path: `/payments/${shop.paid}` },
  { name: 'payment-failed', path: `/payments/${shop.failed}` },
  { name: 'payment-waiting', path: `/payments/${shop.waiting}` },
  { name: 'payment-new', path: '/payments/new', number },
  { name: 'search', path: '/search?q=awa' },
  { name: 'payouts', path: '/payouts' },
  { name: 'limits', path: '/payouts/limits' },
  { name: 'approvals', path: '/payouts/approvals' },
  { name: 'payout', path: `/payouts/${shop.payout}` },
  { name: 'refund', path: `/payments/${shop.paid}/refund` },
  { name: 'payout-new', path: '/payouts/new', number },
  { name: 'balance', path: '/balances/BJ' },
  { name: 'settlements', path: '/settlements' },
  { name: 'settlement', path: `/settlements/${shop.settlement}` },
  { name: 'settlement-new', path: '/settlements/new' },
  { name: 'transfers', path: '/transfers' },
  { name: 'transfer', path: `/transfers/${shop.transfer}` },
  { name: 'transfer-new', path: '/transfers/new' },
  { name: 'customers', path: '/customers' },
  { name: 'checkouts', path: '/checkouts' },
  { name: 'checkout', path: `/checkouts/${shop.checkout}` },
  { name: 'checkout-new', path: '/checkouts/new' },
  { name: 'day-sheet', path: '/reports' },
  { name: 'links', path: '/links' },
  { name: 'link-new', path: '/links/new' },
  { name: 'link', path: `/links/${shop.link}` },
  { name: 'prices', path: '/prices' },
  { name: 'keys', path: '/developers/keys' },
  { name: 'webhooks', path: '/developers/webhooks' },
  { name: 'sandbox', path: '/developers/sandbox' },
  { name: 'deliveries', path: '/developers/deliveries' },
  { name: 'series', path: '/reports/series' },
  { name: 'files', path: '/reports/files' },
  { name: 'networks', path: '/networks' },
  { name: 'settings', path: '/settings' },
  { name: 'verification', path: '/settings/verification' },
  { name: 'team', path: '/team' },
  { name: 'audit', path: '/audit' },
  { name: 'security', path: '/me/security', isOwn: true },
]

/** The files it has written. */
export async function drawDashboard(desk: OwnDesk, folder: string): Promise<string[]> {
  const old = (await readdir(folder)).filter((file) => /^dashboard-.*\.png$/.test(file))
  await Promise.all(old.map((file) => rm(path.join(folder, file))))
  const shop = await desk.openShop()
  const screens = screensOf(shop)
  const browsing = await openBrowser(desk.origins)
  const drawn: string[] = []
  const draw = async (page: Page, name: string) => {
    const file = path.join(folder, `dashboard-${name}.png`)
    await fitHeight(page)
    await savePicture(page, file)
    drawn.push(file)
  }
  try {
    for (const view of views) {
      await browsing.visit(view.visitor, async (page) => {
        await page.goto(`${desk.url}/dashboard`)
        await page.locator('h1').waitFor()
        const size = page.viewportSize() ?? { width: 360, height: 640 }
        if (view.isAll === true) await draw(page, `sign-in-${view.name}`)
        await signInAs(page, shop.owner)
        for (const screen of screens) {
          if (view.isAll !== true && !main.includes(screen.name)) continue
          await page.setViewportSize(size)
          const place = screen.isOwn === true ? '' : `/${shop.merchant_id}/test`
          await page.goto(`${desk.url}/dashboard${place}${screen.path}`)
          await page.locator('main h1').waitFor()
          await comesToRest(page)
          await hasCome(page)
          if (screen.number !== undefined) await typeNumber(page, screen.number)
          await draw(page, `${screen.name}-${view.name}`)
        }
      })
    }
  } finally {
    await browsing.close()
  }
  return drawn
}

/** On a busy machine the network is quiet for a while before the last answer is asked for. */
async function hasCome(page: Page): Promise<void> {
  while ((await page.locator('.loading').count()) > 0) await page.waitForTimeout(100)
}

async function typeNumber(page: Page, number: string): Promise<void> {
  await page.locator('input[name=msisdn]').fill(number)
  await page.locator('input[name=msisdn]').blur()
  // The guess adds a line: the picture is as high as the page with it.
  await page.getByText(/^(Deviné d’après|Guessed from)/).waitFor()
  await page.locator('select[name=country]').locator('option:checked[value=BJ]').waitFor({
    state: 'attached',
  })
}

/** A long list shows what it is by its beginning: on a desk, and on a telephone. */
const height_max = { wide: 1_000, narrow: 1_600 } as const

/** As high as the page: a bar at the foot of the screen would lie in the middle of the picture. */
async function fitHeight(page: Page): Promise<void> {
  const { width = 0, height: least = 0 } = page.viewportSize() ?? {}
  const height = await page.evaluate<number>('document.documentElement.scrollHeight')
  const most = width < 600 ? height_max.narrow : height_max.wide
  await page.setViewportSize({ width, height: Math.min(Math.max(least, height), most) })
}
