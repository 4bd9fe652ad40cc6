// "Who sent this, who agreed, and why did it take two tries?" is read from the page of the payment
// or payout itself: one story in one order, with names and not ids, that goes on under its reader.
// Without it the owner asks the team on the telephone, or reads four lists.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, newPayer, type SignedInCaller, shopWith } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { refund, refundEnds } from '../setup/refunds.ts'
import { startReceiver } from '../setup/webhook-receiver.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
let admin: SignedInCaller
let finance: SignedInCaller
let receiver: Awaited<ReturnType<typeof startReceiver>>
const patience_ms = 120_000

const rename = ({ person_id }: SignedInCaller, first_name: string, last_name: string) =>
  fixture.app.owner`
    update people set first_name = ${first_name}, last_name = ${last_name} where id = ${person_id}`

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  const { merchant_id } = shop
  owner = await app.member({ merchant_id, second_factor: 'FRESH' })
  admin = await app.member({ merchant_id, role: 'ADMIN' })
  finance = await app.member({ merchant_id, role: 'FINANCE' })
  await rename(admin, 'Kofi', 'Mensah')
  await rename(finance, 'Awa', 'Diop')
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
  await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '1000' })
  receiver = await startReceiver()
  await owner.post('/merchant-webhooks/', { url: receiver.url, events: ['transaction.success'] })
}, patience_ms)
afterAll(async () => {
  await receiver?.close()
  await fixture?.stop()
})

async function askForPayout(): Promise<string> {
  const { status, body, data } = await finance.post('/payouts/initialize/', {
    ...{ amount: '25000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: newPayer('10').phone },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return data.id
}

const end = (id: string, body: Record<string, string>) =>
  fixture.shop.post(`/sandbox/transactions/${id}/resolve/`, body)

/** Asked for with a key of the till, refused once, asked for again by a colleague, and paid. */
async function payAtTheSecondTry(): Promise<string> {
  const { app, shop } = fixture
  const key = { name: 'Caisse 2', scope: 'BOTH', environment: 'SANDBOX' }
  const { data: made } = await owner.post('/merchant-api-keys/', key)
  const till = shopWith(app.url, shop.merchant_id, made.secret)
  const { data } = await till.pay({ amount: '12500', customer: newPayer('04') })
  await end(data.id, { outcome: 'FAILED', failure_code: 'INSUFFICIENT_FUNDS' })
  await shop.becomes(data.id, 'FAILED')
  expect((await finance.post(`/payments/${data.id}/retry/`)).status).toBe(200)
  await end(data.id, { outcome: 'SUCCESS' })
  await shop.becomes(data.id, 'SUCCESS')
  await eventually(async () => expect(receiver.received.length).toBeGreaterThan(0), 20_000)
  return data.id
}

/** Some of it; together they are more than one person may give back. */
async function giveBack(id: string): Promise<void> {
  const { status, body, data } = await refund(owner, { id }, { amount: '500' })
  expect(status, JSON.stringify(body)).toBe(201)
  if (data.waiting_for !== null) await admin.post(`/refunds/${data.id}/approve/`)
  await owner.post(`/sandbox/refunds/${data.id}/resolve/`, { outcome: 'SUCCESS' })
  await refundEnds(fixture.shop, data.id, 'SUCCESS')
}

const story = (page: Page) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: /^(What h|Dér)/ }) })

/** What is said of each step, in the order of the screen; the names of networks come later. */
async function said(page: Page): Promise<string[]> {
  const steps = story(page).locator('li')
  await expect.poll(async () => (await steps.allInnerTexts()).join('|')).not.toContain('…')
  return steps.allInnerTexts()
}

/** Each of these is said, in this order, whatever else is said between them. */
function expectInOrder(steps: readonly string[], sought: readonly RegExp[]): void {
  let from = 0
  for (const one of sought) {
    const at = steps.findIndex((step, nth) => nth >= from && one.test(step))
    expect(at, `${one} after the first ${from} of:\n${steps.join('\n')}`).toBeGreaterThan(-1)
    from = at + 1
  }
}

describe('a payout', () => {
  wholeIt(
    'tells a colleague on a telephone who asked for it and who agreed, while they look',
    async () => {
      const id = await askForPayout()
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await openFor(page, fixture.app.url, fixture.shop.merchant_id, `/payouts/${id}`)
        await signInAs(page, finance)
        await page.getByText('Sans approbation, ce versement échouera').waitFor()
        await expect
          .poll(() => page.locator('main').innerText())
          .toContain('Vous, depuis le tableau de bord')
        expectInOrder(await said(page), [/Awa Diop.? \(vous\) a demandé 25.000.FCFA/])
        await expectSound(page)

        expect((await admin.post(`/payouts/${id}/approve/`)).status).toBe(200)
        await story(page).getByText('Kofi Mensah').waitFor()
        await story(page).getByText('L’opération est réussie').waitFor()
        expectInOrder(await said(page), [
          /a demandé 25.000.FCFA/,
          /Kofi Mensah.? a approuvé ce versement/,
          /Envoyé à MTN/,
          /MTN.* a confirmé/,
          /L’opération est réussie/,
        ])
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'names a colleague who has left to whoever reads it later, at a desk',
    async () => {
      const { merchant_id } = fixture.shop
      const second = await fixture.app.member({ merchant_id, role: 'ADMIN' })
      await rename(second, 'Ibrahim', 'Sow')
      const id = await askForPayout()
      expect((await second.post(`/payouts/${id}/approve/`)).status).toBe(200)
      await fixture.shop.becomes(id, 'SUCCESS')
      const gone = await owner.call('DELETE', `/merchant-members/${second.person_id}/`)
      expect(gone.status).toBe(204)
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await openFor(page, fixture.app.url, merchant_id, `/payouts/${id}`)
        await signInAs(page, admin)
        await story(page).getByText('Ibrahim Sow').waitFor()
        await page
          .getByText(/Awa Diop.?, in the dashboard/)
          .first()
          .waitFor()
        expect(await page.locator('main').innerText()).not.toContain(second.person_id)
        expectInOrder(await said(page), [
          /Awa Diop.? requested FCFA.25,000/,
          /Ibrahim Sow.? approved this payout/,
          /It has succeeded/,
        ])
        await expectSound(page)
      })
    },
    patience_ms,
  )
})

describe('a payout that cannot be sent', () => {
  wholeIt(
    'says until when that is tried',
    async () => {
      const staff = await fixture.app.staff({ role: 'OPERATIONS' })
      const floats = async (is_empty: boolean) => {
        for (const gateway of ['simulator_a', 'simulator_b']) {
          const body = JSON.stringify({ gateway, country: 'bj', is_empty, note: 'a story' })
          const headers = { 'content-type': 'application/json' }
          const marked = await staff.call('PUT', '/admin/gateway-floats/', { body, headers })
          expect(marked.status).toBe(200)
        }
      }
      await floats(true)
      const id = await askForPayout()
      expect((await admin.post(`/payouts/${id}/approve/`)).status).toBe(200)
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await openFor(page, fixture.app.url, fixture.shop.merchant_id, `/payouts/${id}`)
        await signInAs(page, finance)
        const waits = 'S’il ne peut partir d’ici là, ce versement échouera.'
        await story(page).getByText(waits).waitFor()
        await expectSound(page)
        await floats(false)
        await story(page).getByText('L’opération est réussie').waitFor()
        await expect.poll(() => story(page).getByText(waits).count()).toBe(0)
      })
    },
    patience_ms,
  )
})

describe('a payment', () => {
  let id: string
  beforeAll(async () => {
    id = await payAtTheSecondTry()
  }, patience_ms)

  it(
    'that was refused once tells both tries, who asked again, and what the shop was told',
    async () => {
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await openFor(page, fixture.app.url, fixture.shop.merchant_id, `/payments/${id}`)
        await signInAs(page, finance)
        await story(page).getByText('Your server was notified').waitFor()
        await expect.poll(() => page.locator('main').innerText()).toMatch(/The key “.?Caisse 2.?”/)
        expectInOrder(await said(page), [
          /The key “.?Caisse 2.?” requested/,
          /Sent to MTN/,
          /MTN.* refused[\s\S]*does not have enough money/,
          /It has failed/,
          /It was resumed[\s\S]*By: .?Awa Diop.? \(you\)/,
          /Sent to MTN/,
          /MTN.* confirmed/,
          /It has succeeded/,
          /added to your balance[\s\S]*Balance after/,
          /Your server was notified[\s\S]*transaction\.success[\s\S]*Answer 200/,
        ])
        await expectSound(page)
        await story(page).getByRole('link', { name: 'Your server was notified' }).click()
        await page.waitForURL('**/developers/deliveries/*')
      })
    },
    patience_ms,
  )

  it(
    'is read by one group of its steps, or from its end, and the address holds both',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await openFor(page, fixture.app.url, fixture.shop.merchant_id, `/payments/${id}`)
        await signInAs(page, finance)
        await story(page).getByText('Caisse 2').waitFor()
        // The names of networks come after the steps.
        await expect.poll(async () => (await said(page)).join()).not.toContain('…')
        const whole = await said(page)
        const only = async (group: string, each: RegExp) => {
          await press(page, group)
          await story(page).getByText('Caisse 2').waitFor({ state: 'detached' })
          const steps = await said(page)
          expect(steps.length, group).toBeGreaterThan(0)
          for (const step of steps) expect(step, group).toMatch(each)
          await expectSound(page)
          await press(page, 'Tout')
          await expect.poll(() => said(page)).toEqual(whole)
        }
        await only('Tentatives', /Envoyé à|a refusé|a confirmé|interrogé/)
        await only('Avis de l’opérateur', /prévenus?|preuve/)
        await only('Webhooks', /Votre serveur/)
        await press(page, 'Solde')
        await expect.poll(async () => (await said(page)).length).toBe(1)
        expect((await said(page))[0]).toMatch(/ajoutés à votre solde/)
        await press(page, 'Plus récents d’abord')
        await press(page, 'Tout')
        await expect.poll(() => said(page)).toEqual(whole.toReversed())
        await expectSound(page)
        await page.reload()
        await expect.poll(() => said(page)).toEqual(whole.toReversed())
        expect(new URL(page.url()).search).toBe('?order=newest')
      })
    },
    patience_ms,
  )

  it(
    'whose outcome is not known says how long ago the operator was asked',
    async () => {
      const { app, shop } = fixture
      const { data } = await shop.pay({ customer: newPayer('04') })
      await app.owner`
        update attempts set status = 'UNKNOWN', asked_at = now() - interval '3 minutes', asks = 1,
               due_at = now() + interval '1 hour'
         where transaction_id = ${data.id}`
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await openFor(page, app.url, shop.merchant_id, `/payments/${data.id}`)
        await signInAs(page, finance)
        const outcome = page.locator('section.outcome')
        await outcome.getByText('Nous avons interrogé l’opérateur il y a 3 minutes.').waitFor()
        await app.owner`update attempts set asked_at = now() where transaction_id = ${data.id}`
        await page.reload()
        await outcome.getByText(/interrogé l’opérateur il y a \d+ secondes?\./).waitFor()
        await expectSound(page)
      })
      await end(data.id, { outcome: 'SUCCESS' })
    },
    patience_ms,
  )

  wholeIt(
    'with a long story is read page by page, and the address holds the page',
    async () => {
      for (const _ of [1, 2, 3, 4]) await giveBack(id)
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await openFor(page, fixture.app.url, fixture.shop.merchant_id, `/payments/${id}`)
        await signInAs(page, finance)
        await story(page).getByText('Caisse 2').waitFor()
        expect(await said(page)).toHaveLength(25)
        await press(page, 'Voir la suite')
        await story(page).getByText('Caisse 2').waitFor({ state: 'detached' })
        const later = await said(page)
        expect(later.join('\n')).toMatch(/Remboursement de 500.FCFA réussi/)
        await page.reload()
        await expect.poll(() => said(page)).toEqual(later)
        await expectSound(page)
        await press(page, 'Voir avant')
        await story(page).getByText('Caisse 2').waitFor()
        expect(await said(page)).toHaveLength(25)
      })
    },
    patience_ms,
  )
})
