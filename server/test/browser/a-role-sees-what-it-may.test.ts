// Each role in each place of the dashboard where something is done, in a real browser: the act is
// there exactly where the server's own table gives the right; elsewhere its reason stands instead.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needed } from '../../../dashboard/src/data/rights.ts'
import { mayAs, type Role, roles } from '../../src/merchants/roles.ts'
import type { SignedInCaller } from '../harness.ts'
import { sized } from '../setup/proof-size.ts'
import { openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
const patience_ms = 480_000

type Right = (typeof mayAs)['OWNER'][number]
type PlaceOfAct = Readonly<{
  path: string
  right: Right
  /** What is there only for whoever may; by default, a form or what is asked for first. */
  act?: string
  /** Where its reason would be; by default anywhere. Beside an act another may be refused. */
  reasons?: string
}>

const filledForm = 'main form, main .empty a'

/** `{payment}`, `{payout}` and so on are ids of what was made. */
const places: readonly PlaceOfAct[] = [
  { path: '/links/new', right: 'links' },
  { path: '/checkouts/new', right: 'checkout' },
  { path: '/payments/{payment}/refund', right: 'payouts' },
  { path: '/payments/new', right: 'payins' },
  { path: '/payouts/new', right: 'payouts' },
  { path: '/customers/new', right: 'customers' },
  { path: '/payouts/limits', right: 'settings', act: 'main .guarded button' },
  { path: '/balances/top-up', right: 'top_ups' },
  // What is missing comes first, and who may add it after that.
  { path: '/settlements/new', right: 'settlements', reasons: '.empty p:first-of-type' },
  { path: '/settlements/methods/new', right: 'payout_methods' },
  { path: '/transfers/new', right: 'transfers' },
  {
    path: '/customers/{customer}',
    right: 'customers',
    act: 'main .guarded button:not([aria-disabled])',
  },
  { path: '/developers/webhooks/new', right: 'webhooks' },
  { path: '/developers/keys/new', right: 'keys' },
  { path: '/developers/addresses', right: 'whitelist' },
  { path: '/developers/sandbox', right: 'payins', reasons: 'main p:not(.columns p)' },
  { path: '/team', right: 'members' },
  { path: '/settings', right: 'settings' },
  { path: '/settings/verification', right: 'settings', act: 'main .outcome' },
  { path: '/audit', right: 'audit', act: 'main details.card, main .empty' },
]

/** They are no place of their own: everyone reads; owners among members; nobody closes here yet. */
const elsewhere: readonly string[] = ['read', 'owners', 'closing']

const ids = { payment: '', customer: '' }

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  const { data } = await shop.pay({ amount: '10000' })
  await shop.becomes(data.id, 'SUCCESS')
  const owner = await app.member({ merchant_id: shop.merchant_id })
  const { data: customers } = await owner.get('/customers/')
  Object.assign(ids, { payment: data.id, customer: customers.results[0].id })
}, patience_ms)
afterAll(() => fixture?.stop())

const refused = /Your role does not allow|not_in_your_role/

/** Whether the act is there; that it is or its reason is, and not both, is what is held. */
async function isOffered(page: Page, place: PlaceOfAct): Promise<boolean> {
  const { act = filledForm, reasons = 'main *' } = place
  const reason = page.locator(reasons).filter({ hasText: refused }).first()
  const offered = page.locator(act).first()
  await reason.or(offered).first().waitFor()
  const [isThere, isExplained] = [await offered.isVisible(), await reason.isVisible()]
  if (isThere === isExplained) throw new Error(`${page.url()}: act ${isThere}, reason as well`)
  return isThere
}

/** The places that are nothing but a refusal to whoever lacks the right. */
const apart = Object.entries(needed)

/** Those of them that stand in the menu, where an address is a name. */
const apartInMenu = apart.filter(([path]) => /^\/\w+$/.test(path))

/** Each place that the menu leads to, and whether it is a refusal and nothing else. */
async function menuOf(page: Page): Promise<[href: string, isRefused: boolean][]> {
  const links = page.locator('.menu-all a')
  const seen: [string, boolean][] = []
  for (const href of await links.evaluateAll((all) => all.map((one) => Object(one).href))) {
    await page.goto(href)
    await page.locator('main h1').waitFor()
    await comesToRest(page)
    const first = page.locator('main > .heading + p', { hasText: refused })
    seen.push([href, (await first.count()) > 0])
  }
  return seen
}

/** What the palette finds under a name. */
async function inPalette(page: Page, name: string): Promise<boolean> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^A screen/ }).fill(name)
  const found = page.locator('.palette').getByRole('option', { name, exact: true })
  // What the search finds comes last, and by then all else has.
  await page.getByRole('option', { name: /^Search everywhere for/ }).waitFor()
  const count = await found.count()
  await page.keyboard.press('Escape')
  return count > 0
}

describe('a role', () => {
  it('has a place in the dashboard for each right of the server’s table', () => {
    const held = new Set<string>([...places.map(({ right }) => right), ...elsewhere])
    expect([...held].sort()).toEqual([...mayAs.OWNER].sort())
  })

  // Nothing leads there without the right: so the page itself refuses it to whoever has its address.
  it('is refused, by its address too, each place that nothing leads it to', () => {
    const refusing = new Map(places.map(({ path, right }) => [path, right]))
    expect(apart.map(([path]) => [path, refusing.get(path)])).toEqual(apart)
  })

  it.each(sized<readonly Role[]>(['FINANCE'], roles))(
    '%s is offered what it may do, and told of the rest who may',
    async (role) => {
      const { app, shop } = fixture
      const member: SignedInCaller = await app.member({ merchant_id: shop.merchant_id, role })
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await openFor(page, app.url, shop.merchant_id, '')
        await signInAs(page, member)
        const seen: [string, boolean][] = []
        for (const place of places) {
          const path = place.path.replace(/\{(\w+)\}/, (_, name) => Object(ids)[name])
          await openFor(page, app.url, shop.merchant_id, path)
          seen.push([place.path, await isOffered(page, place)])
        }
        const may = ({ right }: Pick<PlaceOfAct, 'right'>) => mayAs[role].includes(right)
        expect(seen).toEqual(places.map((place) => [place.path, may(place)]))
        const menu = await menuOf(page)
        expect(menu.filter(([, isRefused]) => isRefused)).toEqual([])
        for (const [path, right = 'read'] of apartInMenu) {
          const isThere = menu.some(([href]) => href.endsWith(path))
          expect([path, isThere]).toEqual([path, may({ right })])
        }
        expect(await inPalette(page, 'Audit log')).toBe(may({ right: 'audit' }))
        expect(await inPalette(page, 'Verification')).toBe(may({ right: 'settings' }))
      })
    },
    patience_ms,
  )

  it(
    'is what the API says that it may do: the dashboard knows no rights of its own',
    async () => {
      const { app, shop } = fixture
      const member = await app.member({ merchant_id: shop.merchant_id, role: 'FINANCE' })
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await page.route('**/api/v1/auth/me/', async (route) => {
          const response = await route.fetch()
          const body = await response.text()
          await route.fulfill({ response, body: body.replace('"payouts"', '"links"') })
        })
        await openFor(page, app.url, shop.merchant_id, '')
        await signInAs(page, member)
        for (const [path, isThere] of [
          ['/links/new', true],
          ['/payouts/new', false],
        ] as const) {
          await openFor(page, app.url, shop.merchant_id, path)
          expect([path, await isOffered(page, { path, right: 'read' })]).toEqual([path, isThere])
        }
      })
    },
    patience_ms,
  )
})
