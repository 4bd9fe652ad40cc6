// Every list of the dashboard is narrowed by a form whose choices the address holds: what it shows
// is what the API answers to the same filters, and a copied address shows it again.

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Json, newPayer, type SignedInCaller } from '../harness.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'
import { plantMethod } from '../setup/settling.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
  const method = await plantMethod(app, shop.merchant_id)
  const settlement = { country: 'BJ', requested_amount: '10000', payout_method: method }
  const made = await owner.post('/settlements/', settlement)
  const transfer = { from_country: 'BJ', to_country: 'CI', from_amount: '1000' }
  const moved = await owner.post('/wallet-transfers/', transfer)
  expect([made.status, moved.status]).toEqual([201, 201])
  for (const name of ['On', 'Off']) {
    const { data } = await owner.post('/payment-links/', { name, currency: 'XOF', amount: '500' })
    const is_active = { body: JSON.stringify({ is_active: false }) }
    const headers = { 'content-type': 'application/json' }
    if (name === 'Off') {
      await owner.call('PATCH', `/payment-links/${data.id}/`, { ...is_active, headers })
    }
  }
  const session = { amount: '5000', currency: 'XOF', description: 'Rice' }
  const payer = { customer_email: 'awa@example.com', customer_name: 'Awa' }
  await owner.post('/checkout-sessions/', { ...session, ...payer })
  const paid = await shop.pay({ customer: newPayer() })
  await shop.becomes(paid.data.id, 'SUCCESS')
}, patience_ms)
afterAll(() => fixture?.stop())

/** An act of the audit log has a table of its own. */
const rows = (page: Page) =>
  page.locator(page.url().includes('/audit') ? 'main ol.cards > li' : 'main tbody tr')

type Narrowed = Readonly<{
  path: string
  /** Fields by label, and what is chosen or typed there. */
  finds: Readonly<Record<string, string>>
  address: string
  found: number
  misses: Readonly<Record<string, string>>
}>

/** Those that are on, each with its own end. */
const chips = (page: Page) =>
  page.locator('main').getByRole('button', { name: /^Remove the filter/ })

const before = { From: '2020-01-01', To: '2020-01-02' }
const lists: readonly Narrowed[] = [
  {
    ...{ path: '/balances/BJ', finds: { 'What it was for': 'Settlement' } },
    ...{ address: 'kind=SETTLEMENT', found: 1, misses: { 'What it was for': 'Refund' } },
  },
  {
    ...{ path: '/settlements', finds: { Status: 'Requested' } },
    ...{ address: 'status=PENDING', found: 1, misses: before },
  },
  {
    ...{ path: '/transfers', finds: { Country: 'Côte d’Ivoire' } },
    ...{ address: 'country=CI', found: 1, misses: { Country: 'Togo' } },
  },
  {
    ...{ path: '/transfers', finds: { From: '2020-01-01' } },
    ...{ address: 'from=2020-01-01', found: 1, misses: before },
  },
  {
    ...{ path: '/links', finds: { Status: 'Off' } },
    ...{ address: 'is_active=false', found: 1, misses: { Search: 'nobody' } },
  },
  {
    ...{ path: '/checkouts', finds: { Search: 'Rice' } },
    ...{ address: 'search=Rice', found: 1, misses: before },
  },
  {
    ...{ path: '/audit', finds: { Search: 'payment_link.changed' } },
    ...{ address: 'search=payment_link.changed', found: 1, misses: { Search: 'nobody' } },
  },
  {
    ...{ path: '/audit', finds: { Action: '… changed a payment link', Target: 'Payment link' } },
    ...{ address: 'action=payment_link.changed&target_kind=payment_link', found: 1 },
    misses: { Action: '… erased a customer' },
  },
]

async function fill(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  // On a telephone the fold is closed again once a list was narrowed.
  const fold = page.locator('form.filters details:not([open]) > summary')
  if ((await fold.count()) > 0) await fold.click()
  for (const [label, value] of Object.entries(fields)) {
    const field = page.locator('form.filters').getByLabel(label, { exact: true })
    const isList = await field.evaluate((element) => element.tagName === 'SELECT')
    await (isList ? field.selectOption({ label: value }) : field.fill(value))
  }
  await press(page, 'Show')
}

wholeIt(
  'by each of its filters, which stand in the address and can be taken away',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '/settlements')
      await signInAs(page, owner)
      for (const { path, finds, address, found, misses } of lists) {
        await openFor(page, fixture.app.url, owner.merchant_id, path)
        await rows(page).first().waitFor()
        await page.getByText('Filter', { exact: true }).click()
        await fill(page, finds)
        await expect.poll(() => page.url()).toContain(address)
        await expect.poll(() => rows(page).count()).toBe(found)
        await expectSound(page)
        await page.reload()
        await expect.poll(() => rows(page).count()).toBe(found)
        await expect.poll(() => chips(page).count()).toBe(Object.keys(finds).length)
        await fill(page, misses)
        await page.getByText('Nothing matches these filters.').waitFor()
        await press(page, 'Clear all')
        await expect.poll(() => new URL(page.url()).search).toBe('')
        await rows(page).first().waitFor()
      }
    })
  },
  patience_ms,
)

const nobody = '00000000-0000-7000-8000-000000000000'

/** An address with filters that find nothing, and what is said of each of them. */
const addressed: readonly (readonly [address: string, ...names: string[]])[] = [
  [`/checkouts?payment_link=${nobody}`, 'By one payment link'],
  [`/developers/deliveries?transaction=${nobody}`, 'Of one payment or payout'],
  [`/audit?search=nobody&target_id=${nobody}`, 'Search: nobody', 'Done to one record'],
  [`/payments?payment_link=${nobody}`, 'By one payment link'],
  ['/balances/BJ?kind=REFUND', 'What it was for: Refund'],
  ['/payments/refunds?status=FAILED', 'Status: Failed'],
  ['/settlements?country=TG', 'Country: Togo'],
  ['/transfers?from=2020-01-01&to=2020-01-02', 'From: 2020-01-01', 'To: 2020-01-02'],
  ['/links?search=nobody', 'Search: nobody'],
  ['/customers?search=nobody', 'Search: nobody'],
]

it.each(sized(addressed.slice(0, 3), addressed))(
  'a filter that comes with an address is named, and goes with its chip: %s',
  async (address, ...said) => {
    const names = said.filter((name) => typeof name === 'string')
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, address)
      await signInAs(page, owner)
      const nothing = page.getByText('Nothing matches these filters.')
      await nothing.waitFor()
      await expect.poll(() => chips(page).count()).toBe(names.length)
      await expectSound(page)
      for (const name of names) await press(page, `Remove the filter ${name}`)
      await expect.poll(() => new URL(page.url()).search).toBe('')
      await nothing.waitFor({ state: 'detached' })
      expect(await chips(page).count()).toBe(0)
    })
  },
  patience_ms,
)

it(
  'an event that an address names is asked for though the list of events has not come',
  async () => {
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      const event = 'event_type=transaction.success'
      await page.route('**/merchant-webhook-events/**', () => undefined)
      await openFor(page, fixture.app.url, owner.merchant_id, `/developers/deliveries?${event}`)
      await signInAs(page, owner)
      await page.getByText('Nothing matches these filters.').waitFor()
      await expect.poll(() => chips(page).count()).toBe(1)
      await page
        .getByRole('button', { name: 'Remove the filter Event: transaction.success' })
        .waitFor()
      await openFor(
        page,
        fixture.app.url,
        owner.merchant_id,
        `/developers/events?${event}&since=2020-01-01`,
      )
      await page.locator('main ol.cards code').first().waitFor()
      const shown = await page.locator('main ol.cards code').allInnerTexts()
      expect(new Set(shown)).toEqual(new Set(['transaction.success']))
      // What is no state narrows nothing, and is not said to.
      await openFor(page, fixture.app.url, owner.merchant_id, '/developers/deliveries?status=SENT')
      await page.getByText('No deliveries yet').waitFor()
      expect(await chips(page).count()).toBe(0)
    })
  },
  patience_ms,
)

it(
  'the feed’s day is read once it is sent, and not while it is being typed',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '/developers/events')
      await signInAs(page, owner)
      const since = page.getByLabel('Since', { exact: true })
      await since.focus()
      const entries = await page.evaluate<number>('history.length')
      await since.fill('')
      await since.pressSequentially('03052026')
      expect(await since.inputValue()).toMatch(/^2026-/)
      expect(await page.evaluate<number>('history.length')).toBe(entries)
      await press(page, 'Show')
      await expect.poll(() => page.url()).toMatch(/since=2026-0[35]-0[35]$/)
      await page.locator('main ol.cards code').first().waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'payments are narrowed to a currency and to top-ups, the audit log to whose act it was',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '/payments')
      await signInAs(page, owner)
      await rows(page).first().waitFor()
      await page.getByText('More filters', { exact: true }).click()
      await fill(page, { Currency: 'FCFA (XOF)', Operation: 'Payment' })
      await expect.poll(() => page.url()).toContain('type=PAIEMENT&currency=XOF')
      await rows(page).first().waitFor()
      await expectSound(page)
      await page.getByRole('button', { name: 'Remove the filter Payment' }).waitFor()
      await fill(page, { Operation: 'Top-up' })
      await page.getByText('Nothing matches these filters.').waitFor()
      await press(page, 'Remove the filter Top-up')
      await rows(page).first().waitFor()
      expect(new URL(page.url()).search).toBe('?currency=XOF')
      await openFor(page, fixture.app.url, owner.merchant_id, '/audit')
      await page.getByText('Filter', { exact: true }).click()
      const { data } = await owner.get('/merchant-members/')
      const me = data.results.find(({ email }: Json) => email === owner.email)
      const name = `${me.first_name} ${me.last_name}`.trim() || me.email
      await page.getByLabel('Person or key').getByText(name).waitFor({ state: 'attached' })
      await fill(page, { 'Person or key': name })
      await expect.poll(() => page.url()).toContain(`actor=${me.id}`)
      await page.getByRole('button', { name: `Remove the filter Person or key: ${name}` }).waitFor()
      await rows(page).first().waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'a period is drawn, shown as a table, and stands in the address',
  async () => {
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '/reports/series')
      await signInAs(page, owner)
      const drawing = page.getByRole('figure', {
        name: /^XOF: FCFA\s5,000 · successful payments: 1$/,
      })
      await drawing.waitFor()
      await expect.poll(() => drawing.locator('rect[height="100"]').count()).toBe(1)
      await page.getByText('Show as table').click()
      await page.getByRole('row', { name: /not over.*1 0 FCFA\s5,000/ }).waitFor()
      await expectSound(page)
      await press(page, 'Last 12 months')
      await expect.poll(() => page.url()).toContain('step=month')
      await expect.poll(() => drawing.locator('rect').count()).toBeGreaterThan(11)
      await page.getByRole('row', { name: /^\w+ 20\d\d \(not over\) 1 1 0 FCFA\s5,000/ }).waitFor()
      await fill(page, { Step: 'By week' })
      await page.getByRole('row', { name: /^week of Monday .* \(not over\) 1 1 0/ }).waitFor()
      await fill(page, { 'Broken down by': 'Network' })
      await page
        .getByRole('figure', { name: /^MTN.*: FCFA\s5,000 · successful payments: 1$/ })
        .waitFor()
      await page.reload()
      await page
        .getByRole('figure', { name: /^MTN.*: FCFA\s5,000 · successful payments: 1$/ })
        .waitFor()
      await expectSound(page)
      await fill(page, { 'Broken down by': 'Payment link' })
      // A year of links is drawn as any other.
      await page.getByText('Nothing ended in this period.').waitFor()
      await press(page, 'Yesterday and today')
      await page.getByText('Nothing ended in this period.').waitFor()
      expect(page.url()).toContain('step=hour&group_by=payment_link')
      await fill(page, { 'Broken down by': 'All together' })
      await drawing.waitFor()
      await page.getByText('Show as table').click()
      // Its hour may be over by now.
      await page
        .getByRole('row', { name: /^\d\d:00( \(not over\))? [01] 1 0 FCFA\s5,000/ })
        .waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

wholeIt(
  'to the days that are wanted most by one press, which loses nothing that was typed',
  async () => {
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      const { merchant_id } = owner
      await openFor(page, fixture.app.url, merchant_id, '/payments')
      await signInAs(page, owner)
      const cards = page.locator('main ul.cards > li')
      await cards.first().waitFor()
      const count = await cards.count()
      await page.getByText('More filters', { exact: true }).click()
      await page.getByRole('button', { name: 'Today', exact: true }).click()
      await page.waitForURL(/from=([\d-]{10})&to=\1$/)
      await expect.poll(() => cards.count()).toBe(count)
      await expectSound(page)
      await openFor(page, fixture.app.url, merchant_id, '/settlements')
      await page.getByText('Filter', { exact: true }).click()
      await page.locator('form.filters').getByLabel('Reference').fill('nobody')
      await page.getByRole('button', { name: 'Last month', exact: true }).click()
      await page.waitForURL(/search=nobody&from=[\d-]{8}01&to=[\d-]{10}$/)
      await page.getByText('Nothing matches these filters.').waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

const backed = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** What the address asks for, what is said of it, what mends it. */
const tooMuch = [
  [`from=${backed(20)}&step=hour`, 'Par heure, au plus 7 jours', 'Par jour'],
  [`from=${backed(1_600)}`, 'Par jour, au plus 1500 jours', 'Par semaine'],
  ['from=1900-01-01&step=week', 'Cette période est trop longue', ''],
  ['from=2999-01-01', 'Doit être aujourd’hui ou un jour passé.', ''],
  [`from=${backed(2)}&to=${backed(3)}`, 'Ne doit pas précéder le premier jour.', ''],
] as const

wholeIt(
  'a period that is none, or too long to be drawn, is refused in words, with what mends it',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      const { merchant_id } = owner
      await openFor(page, fixture.app.url, merchant_id, '/reports/series')
      await signInAs(page, owner)
      const refused: string[] = []
      page.on('response', (reply) => {
        if (reply.status() >= 400) refused.push(reply.url())
      })
      for (const [query, words, mend] of tooMuch) {
        await openFor(page, fixture.app.url, merchant_id, `/reports/series?${query}`)
        const alert = page.locator('main').getByRole('alert')
        await alert.getByText(words).waitFor()
        await expectSound(page)
        if (mend === '') continue
        await alert.getByRole('button', { name: mend }).click()
        await page.getByRole('figure').waitFor()
        await page.goBack()
        await alert.getByRole('button', { name: /^Ses \d+ derniers jours$/ }).click()
        await page.getByRole('figure').waitFor()
      }
      expect(refused).toEqual([])
    })
  },
  patience_ms,
)

wholeIt(
  'payments by their amount and by how they were made, which their own page says too',
  async () => {
    const mine = await owner.pay({ amount: '7300', customer: newPayer() })
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      const cards = page.locator('main ul.cards > li')
      await openFor(page, fixture.app.url, owner.merchant_id, '/payments')
      await signInAs(page, owner)
      await expect.poll(() => cards.count()).toBe(2)
      await page.getByText('More filters', { exact: true }).click()
      await expectSound(page)
      await fill(page, { 'Amount, at least': '7 000', 'Amount, at most': '7 300' })
      await expect.poll(() => page.url()).toContain('least=7000.00&most=7300.00')
      await expect.poll(() => cards.count()).toBe(1)
      await page.getByText('FCFA\u00a07,300').waitFor()
      await expectSound(page)
      await fill(page, { 'Requested by': 'API' })
      await page.getByText('Nothing matches these filters.').waitFor()
      await fill(page, { 'Requested by': 'Dashboard' })
      await expect.poll(() => cards.count()).toBe(1)
      await cards.getByRole('link').click()
      await page.waitForURL(new RegExp(`/payments/${mine.data.id}$`))
      await page.getByText('You, in the dashboard').waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'whoever is led to some payments on a telephone sees them first, and what they are narrowed by',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '/payments?status=SUCCESS')
      await signInAs(page, owner)
      await page.locator('main ul.cards > li').first().waitFor()
      await page.getByRole('button', { name: 'Retirer le filtre Réussis' }).waitFor()
      expect(await page.locator('form.filters details[open]').count()).toBe(0)
      await expectSound(page)
      // What is folded away counts in the next search too.
      await page.getByLabel('Rechercher').fill('nobody')
      await press(page, 'Afficher')
      await expect.poll(() => page.url()).toMatch(/search=nobody&status=SUCCESS$/)
    })
  },
  patience_ms,
)

wholeIt(
  'payments are narrowed to a customer, a member and a key, each said by its name',
  async () => {
    const { app, shop } = fixture
    const paid = (await owner.get('/transactions/?transaction_type=PAIEMENT')).data.results
    const keys = (await owner.get('/merchant-api-keys/')).data.results
    const one = paid.find(({ api_key }: Json) => api_key !== null)
    const key = keys.find(({ id }: Json) => id === one.api_key)
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await openFor(page, app.url, shop.merchant_id, `/customers/${one.customer}`)
      await signInAs(page, owner)
      await page.getByRole('link', { name: 'Show in payments' }).click()
      await heading(page, 'Payments')
      expect(new URL(page.url()).search).toBe(`?customer=${one.customer}`)
      await page.locator('main ul.cards > li').first().waitFor()
      await page.getByText('More filters').click()
      await page.getByLabel('API key').selectOption({ label: key.name })
      await press(page, 'Show')
      const off = (name: string) => page.getByRole('button', { name: `Remove the filter ${name}` })
      await off(`API key: ${key.name}`).waitFor()
      expect(new URL(page.url()).searchParams.get('customer')).toBe(one.customer)
      await expect.poll(() => page.locator('main ul.cards > li').count()).toBe(1)
      await expectSound(page)
      await page.getByText('More filters').click()
      await page.getByLabel('Member').selectOption({ index: 1 })
      await press(page, 'Show')
      await page.locator('main .empty').waitFor()
      await page.reload()
      await page.locator('main .empty').waitFor()
      await off(`API key: ${key.name}`).click()
      await off('Of one customer').click()
      await expect.poll(() => new URL(page.url()).search).toMatch(/^\?member=[^&]+$/)
    })
  },
  patience_ms,
)

wholeIt(
  'what a file of a list has is said before it is saved: which rows, which columns, whose clocks',
  async () => {
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      const path = '/payments?status=SUCCESS&from=2026-01-01'
      await openFor(page, fixture.app.url, owner.merchant_id, path)
      await signInAs(page, owner)
      await page.getByText('Save the list', { exact: true }).click()
      const form = page.getByRole('form', { name: 'Save the list' })
      await form.getByText(/^The file has only: Succe\w+ · From: 2026-01-01$/).waitFor()
      await form.getByText('Times in the file are in UTC.').waitFor()
      await form.getByLabel('For a spreadsheet').selectOption('fr')
      await form.getByText('Times in the file are those of UTC.').waitFor()
      await form.getByLabel('Columns').selectOption('all')
      await expectSound(page)
      const saved = page.waitForEvent('download')
      await press(page, /CSV/)
      const file = await readFile(await (await saved).path(), 'utf8')
      const [head = '', ...lines] = file.trim().split('\n')
      expect(head).toContain('merchant_reference')
      const paid = await owner.get('/transactions/?flow_direction=INBOUND&status=SUCCESS')
      expect(lines).toHaveLength(paid.data.results.length)
      await openFor(page, fixture.app.url, owner.merchant_id, '/settlements')
      await page.getByText('Save the list', { exact: true }).click()
      await page.getByText('No filter is on: the file has the whole list.').waitFor()
      // Of any list some columns, and not none.
      await form.getByLabel('Columns', { exact: true }).selectOption('own')
      await press(page, 'Untick all columns')
      await press(page, /CSV/)
      await form.getByRole('link', { name: 'Columns: Tick at least one column.' }).waitFor()
      await expectSound(page)
      for (const name of ['Amount asked for requested_amount', 'Reference reference']) {
        await form.getByRole('checkbox', { name, exact: true }).check()
      }
      const chosen = page.waitForEvent('download')
      await press(page, /CSV/)
      const text = await readFile(await (await chosen).path(), 'utf8')
      const { results } = (await owner.get('/settlements/')).data
      const rows = results.map((one: Json) => `${one.reference},${one.requested_amount}\n`)
      expect(rows.length).toBeGreaterThan(0)
      expect(text).toBe(`\ufeffreference,requested_amount\n${rows.join('')}`)
    })
  },
  patience_ms,
)

it(
  'payouts over time are said to be payouts, together and broken down',
  async () => {
    const made = await owner.post('/payouts/initialize/', {
      ...{ amount: '2000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: '+2290197000010' },
    })
    await fixture.shop.becomes(made.data.id, 'SUCCESS')
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      const path = '/reports/series?transaction_type=RETRAIT'
      await openFor(page, fixture.app.url, owner.merchant_id, path)
      await signInAs(page, owner)
      const found = (name: string) =>
        page.getByRole('figure', {
          name: new RegExp(`^${name}: FCFA\\s2,000 · successful payouts: 1$`),
        })
      await found('XOF').waitFor()
      await expectSound(page)
      await fill(page, { 'Broken down by': 'Network' })
      await found('MTN.*').waitFor()
      expect(await page.getByText('successful payments').count()).toBe(0)
      await fill(page, { 'Broken down by': 'Operation' })
      await found('Payouts').waitFor()
      // By operation, all of them are shown unless one is chosen.
      await fill(page, { Operation: 'All' })
      await page.getByRole('figure', { name: /^Payments: .* successful payments: \d+$/ }).waitFor()
      await found('Payouts').waitFor()
      await page.getByText('Show as table').first().click()
      await page.getByRole('columnheader', { name: 'Begun' }).waitFor()
      await expectSound(page)
      await fill(page, { Operation: 'Top-ups' })
      await page.getByText('Nothing ended in this period.').waitFor()
    })
  },
  patience_ms,
)
