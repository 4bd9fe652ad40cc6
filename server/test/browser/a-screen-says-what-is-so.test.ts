// Single sentences of single screens: what is refused is not offered and says who may, what is said
// is in the reader's language and by the service's clock, and a choice of one thing is none of
// another.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, newPayer, type SignedInCaller } from '../harness.ts'
import { type Receiver, startReceiver } from '../setup/webhook-receiver.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
let receiver: Receiver
const patience_ms = 180_000
const day_ms = 86_400_000
const paidOut = newPayer('10').phone
const ids = { failed: '', paid: '' }

beforeAll(async () => {
  fixture = await startFixture()
  receiver = await startReceiver()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
  ids.failed = (await shop.pay({ customer: newPayer('01') })).data.id
  ids.paid = (await shop.pay({ customer: newPayer('10') })).data.id
  const { data } = await owner.post('/payouts/initialize/', {
    ...{ amount: '2500', currency: 'XOF', country: 'BJ', method: 'moov_bj' },
    recipient: { msisdn: paidOut },
  })
  await shop.becomes(data.id, 'SUCCESS')
  await shop.becomes(ids.failed, 'FAILED')
  await shop.becomes(ids.paid, 'SUCCESS')
}, patience_ms)
afterAll(async () => {
  await fixture?.stop()
  await receiver?.close()
})

async function open(page: Page, path: string, isFirst = true): Promise<void> {
  await openFor(page, fixture.app.url, owner.merchant_id, path)
  if (isFirst) await signInAs(page, owner)
}

/** The answer of an address, changed on its way. */
const changed = (page: Page, address: string, change: (data: Json) => unknown) =>
  page.route(address, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: change(await response.json()) })
  })

const network = (page: Page) => page.locator('select[name=method]')

describe('a network that was guessed of one number', () => {
  it(
    'is none of a recent recipient’s whose own is closed',
    async () => {
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await changed(page, '**/api/v1/pricing/my-rates/', (rates: Json[]) =>
          rates.map((one) =>
            one.network_code === 'moov_bj'
              ? { ...one, payout: { ...one.payout, available: false } }
              : one,
          ),
        )
        await open(page, '/payouts/new')
        await page.locator('input[name=msisdn]').fill('+2290197000110')
        await page.locator('input[name=msisdn]').blur()
        await page.getByText('Guessed from the number').waitFor()
        expect(await network(page).inputValue()).toBe('mtn_bj')
        await page.locator('fieldset .chips button').first().click()
        await expect.poll(() => network(page).inputValue()).toBe('')
        await page.unrouteAll({ behavior: 'ignoreErrors' })
      })
    },
    patience_ms,
  )

  it(
    'is a guess still after the way back, and none of the next number',
    async () => {
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, '/payouts/new')
        await page.locator('input[name=msisdn]').fill('+2290197000110')
        await page.locator('input[name=msisdn]').blur()
        await page.getByText('Guessed from the number').waitFor()
        await page.locator('input[name=amount]').fill('2500')
        await press(page, 'Continue')
        await page.locator('.confirm').waitFor()
        await press(page, 'Back')
        await page.getByText('Guessed from the number').waitFor()
        expect(await network(page).inputValue()).toBe('mtn_bj')
        await page.locator('input[name=msisdn]').fill('12')
        await page.locator('input[name=msisdn]').blur()
        await expect.poll(() => network(page).inputValue()).toBe('')
        await expectSound(page)
      })
    },
    patience_ms,
  )
})

it(
  'a limit of a day below the one of a payout is said before it is set, and is taken',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '/payouts/limits')
      await press(page, 'Fixer une limite')
      const below = page.getByText('La limite par jour est plus basse que celle par versement')
      await page.locator('main [name=country]').selectOption('BJ')
      await page.locator('main [name=per_payout]').fill('50 000')
      await page.locator('main [name=per_day]').fill('100 000')
      expect(await below.count()).toBe(0)
      await page.locator('main [name=per_day]').fill('9 000')
      await below.waitFor()
      await expectSound(page)
      await page.locator('.confirm button[type=submit]').click()
      const figures = { per_payout: '50000.00', per_day: '9000.00' }
      await expect
        .poll(async () => (await owner.get('/merchant-payout-limits/')).data.results)
        .toMatchObject([figures])
    })
  },
  patience_ms,
)

it(
  'what an outcome rests on, and the names of networks, are in the reader’s writing',
  async () => {
    await fixture.visit({ language: 'fr', width: 1280 }, async (page) => {
      const saidOf = async (id: string, isFirst: boolean) => {
        await open(page, `/payments/${id}`, isFirst)
        await page.locator('main summary', { hasText: 'Sur quoi repose' }).click()
        const said = page.locator('main .answers li bdi')
        await said.first().waitFor()
        return (await said.allInnerTexts()).at(-1)
      }
      expect(await saidOf(ids.failed, true)).toMatch(/^Refusé\s: Solde insuffisant$/)
      expect(await saidOf(ids.paid, false)).toBe('Confirmé')
      await open(page, '/prices', false)
      // Those of another country than the shop's are folded.
      const written = page.locator('main table', { hasText: 'MTN MoMo Côte d’Ivoire' })
      await written.first().waitFor({ state: 'attached' })
      expect(await page.locator('main').textContent()).not.toContain("d'Ivoire")
    })
  },
  patience_ms,
)

it(
  'a delivery of a webhook that was deleted is not offered to be resent, nor leads to it',
  async () => {
    const { app } = fixture
    const { data: hook } = await owner.post('/merchant-webhooks/', { url: receiver.url })
    const { data: sent } = await owner.post(`/merchant-webhooks/${hook.id}/test/`)
    const path = `/webhook-logs/${sent.webhook_log}/`
    await expect.poll(async () => (await owner.get(path)).data.status).toBe('SUCCESS')
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, `/developers/deliveries/${sent.webhook_log}`)
      const resend = page.getByRole('button', { name: 'Renvoyer' })
      await resend.waitFor()
      expect((await owner.call('DELETE', `/merchant-webhooks/${hook.id}/`)).status).toBe(204)
      await app.owner`
        update deliveries set status = 'EXHAUSTED', exhausted_at = now()
         where id = ${sent.webhook_log}`
      await page.reload()
      await page.getByText('Son webhook a été supprimé').waitFor()
      expect(await resend.count()).toBe(0)
      expect(await page.getByRole('link', { name: 'Voir le webhook' }).count()).toBe(0)
      await expectSound(page)
      await open(page, '/developers/deliveries', false)
      await page.locator('main .cards > li').first().waitFor()
      await expect.poll(() => page.locator('main .cards input[type=checkbox]').count()).toBe(0)
    })
  },
  patience_ms,
)

it(
  'who asked for a shorter cooling-off is told whom to ask to confirm it',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      const effective_at = new Date(Date.now() + day_ms).toISOString()
      await changed(page, '**/api/v1/merchant/', (data: Json) => ({
        ...data,
        cooling_off_change: {
          ...{ cooling_off_hours: 0, effective_at, requested_by: owner.person_id },
        },
      }))
      await open(page, '/settings')
      await page.getByText('Vous l’avez demandé').waitFor()
      await page.locator('.warned summary', { hasText: 'À qui le demander' }).click()
      await page.locator('.warned').getByText('Personne d’autre dans votre équipe.').waitFor()
      await expectSound(page)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    })
  },
  patience_ms,
)

it(
  'paper says when it was printed by the service’s clock, and the journal’s file whose it is',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await page.clock.install({ time: Date.now() - day_ms })
      await open(page, '/reports/files')
      const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
      // Drawn with what came before the first answer; another screen draws it anew.
      await page.locator('nav.menu a:visible').first().click()
      await expect
        .poll(() => page.locator('.on-paper').textContent())
        .toContain(today.format(new Date()))
      await open(page, '/reports/files', false)
      const form = page.getByRole('form', { name: 'Accounting journal' })
      const saved = page.waitForEvent('download')
      await form.locator('button[type=submit]').click()
      expect((await saved).suggestedFilename()).toMatch(
        /^journal-[a-z0-9-]+-test-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/,
      )
    })
  },
  patience_ms,
)

describe('numbers are hidden by one press in a browser that keeps nothing', () => {
  it.each([
    ['its storage is full', 'Storage.prototype.setItem = () => { throw new Error("full") }'],
    ['none is allowed', `Object.defineProperty(globalThis, 'localStorage', { get: () => null })`],
  ])(
    'until the page is left: %s',
    async (_, script) => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await page.addInitScript(script)
        await open(page, '/payments')
        const number = page.locator('main').getByText(/01(\s\d\d){4}/)
        await number.first().waitFor()
        await press(page, 'Masquer les numéros')
        await expect.poll(() => number.count()).toBe(0)
        await page.locator('main ul.cards > li > a').first().click()
        await page.getByText('Copier la référence').waitFor()
        expect(await number.count()).toBe(0)
        await page.goBack()
        await press(page, 'Masquer les numéros')
        await number.first().waitFor()
      })
    },
    patience_ms,
  )
})

it(
  'a page of a list that was gone is shown once it is there again',
  async () => {
    await Promise.all(
      Array.from({ length: 26 }, (_, nth) =>
        owner.post('/payment-links/', { name: `Link ${nth}`, currency: 'XOF', amount: '500' }),
      ),
    )
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      // The second page is asked for while there is none.
      await page.route(/payment-links\/\?.*\bpage=2\b/, async (route) => {
        const url = route.request().url().replace('page=2', 'page=9')
        await route.fulfill({ response: await route.fetch({ url }) })
      })
      await open(page, '/links?order=name&page=2')
      await expect.poll(() => new URL(page.url()).search).toBe('?order=name')
      await page.locator('main .cards > li').first().waitFor()
      await page.unrouteAll({ behavior: 'wait' })
      await page.getByRole('button', { name: /^Older/ }).click()
      await expect.poll(() => page.locator('main .cards > li').count()).toBe(1)
      expect(new URL(page.url()).searchParams.get('page')).toBe('2')
    })
  },
  patience_ms,
)
