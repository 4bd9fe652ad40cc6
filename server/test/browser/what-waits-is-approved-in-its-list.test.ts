// The first payout that waits is laid open in the list, so that it is approved without opening a
// page. Whatever comes meanwhile, it stays under its reader's finger; and who presses twice has
// approved one.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { receive, refused } from '../setup/incidents.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { readMetric } from '../setup/read-metric.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { enter, focused } from './keyboard.ts'

let fixture: BrowserFixture
let asker: SignedInCaller
let second: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  asker = await app.member({ merchant_id: shop.merchant_id })
  second = await app.member({ merchant_id: shop.merchant_id })
  await asker.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
  await asker.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '1000' })
}, patience_ms)
afterAll(() => fixture?.stop())

async function askFor(amount: string, more: object = {}): Promise<string> {
  const { status, data } = await asker.post('/payouts/initialize/', {
    ...{ amount, currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    ...{ recipient: { msisdn: '+2290197000010' }, description: 'Livraison' },
    ...more,
  })
  expect(status).toBe(201)
  return data.id
}

const approvalOf = async (id: string): Promise<string> =>
  (await asker.get(`/transactions/${id}/`)).data.approval
const sum = (page: Page) => page.locator('.laid-open .sum')

it(
  'says after which one of unknown outcome it comes, and what its recipient gets',
  async () => {
    const { app, shop } = fixture
    const { phone } = newPayer('04')
    const again = { recipient: { msisdn: phone }, fee_charge_mode: 'DEDUCTED' }
    const earlier = await askFor('700', again)
    await app.owner`
      update attempts set status = 'UNKNOWN', due_at = now() + interval '1 day'
       where transaction_id = ${earlier}`
    const other = await askFor('2500')
    const later = await askFor('700', again)
    const { amounts } = (await asker.get(`/transactions/${later}/`)).data
    expect(amounts.net).not.toBe(amounts.charged)
    const net = `FCFA\u00a0${Number(amounts.net)}`
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await openFor(page, app.url, shop.merchant_id, '/payouts/approvals')
      await signInAs(page, second)
      await page.locator('.laid-open').getByText(`${net} will be sent to`).waitFor()
      await page.locator('.laid-open dd', { hasText: net }).waitFor()
      // Where the money goes, as on the payout's own page.
      await page.locator('.laid-open dd', { hasText: 'MTN' }).waitFor()
      await page.locator('main .cards > li').first().getByText('MTN').waitFor()
      const way = page.locator('.laid-open').getByRole('link', { name: 'See the earlier' })
      expect(await way.getAttribute('href')).toMatch(new RegExp(`/payments/${earlier}$`))
      await expectSound(page)
      // The one with the focus is gone once it is decided, and the next one is there.
      for (const [id, said] of [
        [later, '700'],
        [other, '2,500'],
      ] as const) {
        if (id === other) await enter(page, /^BUTTON Approve$/)
        await enter(page, new RegExp(`^BUTTON Approve FCFA.${said}$`))
        await page.getByRole('status').getByText(`Approved: FCFA\u00a0${said}`).waitFor()
        await expect.poll(() => focused(page)).toBe('H2 Payouts')
        expect(await approvalOf(id)).toBe('APPROVED')
      }
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'stays while others come, and the next one waits to be opened',
  async () => {
    const first = await askFor('2000')
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await openFor(page, fixture.app.url, fixture.shop.merchant_id, '/payouts/approvals')
      await signInAs(page, second)
      await page.getByRole('button', { name: 'Approve FCFA\u00a02,000' }).waitFor()
      await page.locator('.laid-open').getByText('Test Person').waitFor()
      await expectSound(page)
      await expect.poll(() => readMetric(fixture.app.url, 'pirogue_event_streams')).toBe(1)
      // The stream says where it begins within a second or two.
      await page.waitForTimeout(3_000)
      const later = await askFor('3000')
      await page.getByText('FCFA\u00a03,000').waitFor()
      await expect.poll(() => sum(page).innerText()).toBe('FCFA\u00a02,000')
      await page.getByRole('button', { name: 'Approve FCFA\u00a02,000' }).dblclick()
      await expect.poll(() => sum(page).innerText()).toBe('FCFA\u00a03,000')
      await press(page, 'Approve')
      await page.getByRole('button', { name: 'Approve FCFA\u00a03,000' }).waitFor()
      expect(await approvalOf(first)).toBe('APPROVED')
      expect(await approvalOf(later)).toBe('REQUIRED')
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'is not offered to whoever asked for it',
  async () => {
    await fixture.visit({ language: 'fr', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, fixture.shop.merchant_id, '/payouts/approvals')
      await signInAs(page, asker)
      await page.getByText('Vous l’avez demandé : un autre membre doit l’approuver').waitFor()
      expect(await page.locator('.confirm').count()).toBe(0)
      // Until when, and whom to ask: not the reader.
      await page.getByText(/Sans approbation, ce versement échouera dans 3.jours \(/).waitFor()
      await page.getByText('À qui le demander ?').click()
      await expect
        .poll(() => page.locator('.guarded li').allInnerTexts())
        .toEqual(['Test Person (Propriétaire)'])
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'says so where there is nobody else to ask',
  async () => {
    const { app } = fixture
    const shop = await app.shop()
    const alone = await app.member({ merchant_id: shop.merchant_id })
    await alone.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
    await alone.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '1000' })
    const { data } = await alone.post('/payouts/initialize/', {
      ...{ amount: '2000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: '+2290197000010' },
    })
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await openFor(page, app.url, shop.merchant_id, `/payouts/${data.id}`)
      await signInAs(page, alone)
      await page.getByText(/Without an approval, this payout will fail in 3 days \(/).waitFor()
      await page.getByText('Who can do this?').click()
      await page.getByText('Nobody else in your team.').waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'is not offered to whoever asked for it where it is a refund, and is to another member',
  async () => {
    const { app, shop } = fixture
    const paid = await shop.pay({ amount: '10000' })
    const { id } = await shop.becomes(paid.data.id, 'SUCCESS', 20_000)
    const made = await asker.post(`/payments/${id}/refunds/`, { amount: '2000' })
    expect(made.data?.waiting_for, JSON.stringify(made.body)).toBe('SECOND_MEMBER')
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await openFor(page, app.url, shop.merchant_id, `/payments/${id}`)
      await signInAs(page, asker)
      await page.getByText('You asked for it: another member must approve it').waitFor()
      await page.getByText('Who can do this?').click()
      await expect
        .poll(() => page.locator('.guarded li').allInnerTexts())
        .toEqual(['Test Person (Owner)'])
      await page.getByRole('button', { name: 'Approve', exact: true }).click({ force: true })
      expect(await page.getByRole('button', { name: 'Approve FCFA' }).count()).toBe(0)
      await expectSound(page)
    })
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, app.url, shop.merchant_id, `/payments/${id}`)
      await signInAs(page, second)
      await press(page, 'Approve')
      await press(page, 'Approve FCFA\u00a02,000')
      await page.locator('.confirm').waitFor({ state: 'detached' })
    })
    const { data } = await asker.get(`/refunds/${made.data.id}/`)
    expect(data.waiting_for).toBe(null)
  },
  patience_ms,
)

it(
  'is not offered where people look into the payment of a refund, which can still be refused',
  async () => {
    const { app, shop } = fixture
    const paid = await shop.pay({ amount: '10000' })
    const { id, attempts } = await shop.becomes(paid.data.id, 'SUCCESS', 20_000)
    const made = await asker.post(`/payments/${id}/refunds/`, { amount: '2000' })
    expect(made.data?.waiting_for, JSON.stringify(made.body)).toBe('SECOND_MEMBER')
    await receive(app, { shop, attempt_id: attempts[0].id }, refused)
    const told = await second.post(`/refunds/${made.data.id}/approve/`)
    expect(told.error?.code, JSON.stringify(told.body)).toBe('not_refundable')
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await openFor(page, app.url, shop.merchant_id, `/payments/${id}`)
      await signInAs(page, second)
      await page
        .locator('.guarded')
        .filter({ hasText: /^Approve\s*Our team is checking/ })
        .waitFor()
      await expectSound(page)
      await press(page, 'Reject')
      await page.getByLabel('Reason').fill('Looked into')
      await press(page, 'Reject FCFA\u00a02,000')
      await page.locator('.confirm').waitFor({ state: 'detached' })
    })
    expect((await asker.get(`/refunds/${made.data.id}/`)).data.status).toBe('FAILED')
  },
  patience_ms,
)

it(
  'has every refund that waits, a page after the other',
  async () => {
    const { app, shop } = fixture
    const paid = await shop.pay({ amount: '60000' })
    const { id } = await shop.becomes(paid.data.id, 'SUCCESS', 20_000)
    for (let part = 1; part <= 27; part += 1) {
      const made = await asker.post(`/payments/${id}/refunds/`, {
        ...{ amount: String(1100 + part), reason: `Part ${part}` },
      })
      expect(made.data?.waiting_for, JSON.stringify(made.body)).toBe('SECOND_MEMBER')
    }
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, app.url, shop.merchant_id, '/payouts/approvals')
      await signInAs(page, second)
      await page.getByText('Part 27', { exact: true }).waitFor()
      expect(await page.getByText('Part 2', { exact: true }).count()).toBe(0)
      await page.getByRole('button', { name: 'Older ›' }).click()
      await page.getByText('Part 2', { exact: true }).waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

wholeIt(
  'is there within a minute, though it came before its reader was told of what happens',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, fixture.shop.merchant_id, '/payouts/approvals')
      await signInAs(page, second)
      await page.locator('.laid-open').waitFor()
      await askFor('4000')
      await page.getByText('FCFA\u00a04,000').first().waitFor({ timeout: 75_000 })
    })
  },
  patience_ms,
)

it(
  'is all behind the link of Home, where more of it waits than Home shows',
  async () => {
    for (let nth = 1; nth <= 6; nth += 1) await askFor(String(2000 + nth))
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, fixture.shop.merchant_id, '')
      await signInAs(page, second)
      await page.getByRole('link', { name: 'All waiting payouts' }).click()
      await page.waitForURL(/\/payouts\?status=PENDING$/)
      await page.getByText('FCFA\u00a02,001').waitFor()
      await page.goBack()
      await page.getByRole('link', { name: 'All waiting payouts' }).waitFor()
      expect(await page.getByRole('link', { name: 'All waiting payments' }).count()).toBe(0)
      await expectSound(page)
    })
  },
  patience_ms,
)
