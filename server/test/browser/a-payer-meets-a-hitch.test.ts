// The journeys that do not go straight to the end, on a small phone (360 × 640): a code before or
// after, a wrong code, a wrong number, another country, too late, a link whose sum the payer types,
// and the receipt. What has to be seen is seen without scrolling.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../harness.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'
import { plantIncident } from '../setup/transaction-rows.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { chooseCountry, fillIn, giveCode, heading, pay, tap } from './hands.ts'
import { hiddenOf, overflowOf, sightOf, smallTargets, textOf } from './measure.ts'

let fixture: BrowserFixture
let open: BrowserFixture['open']
let visit: BrowserFixture['visit']
const patience_ms = 90_000
const both: readonly boolean[] = [true, false]
/** With scripts and without; in a small run one story of two is played with them. */
const ways = (story: number) => sized([story % 2 === 0], both)

beforeAll(async () => {
  fixture = await startFixture()
  open = fixture.open
  visit = fixture.visit
})
afterAll(() => fixture.stop())

describe('a code', () => {
  it.concurrent.each(ways(0))(
    'that is dialled first has a field that can be seen: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'CI' })
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        expect(await page.locator('#otp_orange_ci').isVisible()).toBe(false)
        await fillIn(page, { network: 'orange_ci' })
        const { width, opacity } = await sightOf(page, '#otp_orange_ci')
        expect({ isWide: width > 300, opacity }).toEqual({ isWide: true, opacity: '1' })
        expect(await page.locator('.code a').getAttribute('href')).toBe('tel:%23144*82%23')
        await page.locator('#pay').click()
        await page.locator('#errors').waitFor()
        expect(await textOf(page, '#errors')).toContain('Obtenez un code')
        expect(await hiddenOf(page, ['#errors', 'h1', '#fee', '#phone'])).toEqual([])
        expect(await page.locator('#phone').inputValue()).toBe('0707000110')
        await page.locator('#otp_orange_ci').fill('123456')
        await page.locator('#pay').click()
        await heading(page, 'Paiement réussi')
      })
    },
    patience_ms,
  )

  wholeIt.concurrent.each(ways(1))(
    'that comes by SMS is asked for on the first screen, a wrong one again: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'SN' })
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        await pay(page, { network: 'wizall_sn' })
        await heading(page, 'Entrez le code reçu')
        const whole = ['.paying', 'h1', '#otp', '#confirm', '#once']
        expect(await hiddenOf(page, whole)).toEqual([])
        expect(await smallTargets(page)).toEqual([])
        const wrong = page.getByText('Ce code est incorrect ou a expiré.').first()
        await giveCode(page, '000000', wrong)
        expect(await hiddenOf(page, ['#errors', '#otp', '#confirm'])).toEqual([])
        await giveCode(page, '123456', page.locator('#reference'))
        await heading(page, 'Paiement réussi')
      })
    },
    patience_ms,
  )
})

describe('a wrong number', () => {
  it.concurrent.each(ways(2))(
    'is told beside its field, with an example; what was right stays: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'BJ' })
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        await page.locator('#phone').fill('01 97 00')
        await tap(page, 'mtn_bj')
        await page.locator('#pay').click()
        await page.locator('#phone-error').waitFor()
        expect(await hiddenOf(page, ['#errors', 'h1', '#phone-error', '#phone'])).toEqual([])
        expect(await textOf(page, '#phone-error')).toBe(
          'Ce n’est pas un numéro mobile de ce pays (Bénin). Exemple : 01 95 12 34 56',
        )
        expect(await page.locator('#phone').inputValue()).toBe('01 97 00')
        expect(await page.locator('#network-mtn_bj').isChecked()).toBe(true)
        await page.locator('#phone').fill('01 97 00 00 10')
        await page.locator('#pay').click()
        await heading(page, 'Paiement réussi')
      })
      expect(await fixture.transactionsOf(session)).toHaveLength(1)
    },
    patience_ms,
  )
})

describe('a payer who is somewhere else', () => {
  wholeIt.concurrent.each(ways(3))(
    'pays in their own country what was asked in another: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'BJ' })
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        await chooseCountry(page, 'CI')
        await page.locator('#network-mtn_ci').waitFor({ state: 'attached' })
        expect(await hiddenOf(page, ['h1', '#fee', '#phone', '.place summary', '#pay'])).toEqual([])
        await pay(page, { network: 'mtn_ci' })
        await heading(page, 'Paiement réussi')
        expect(await textOf(page, '#network')).toBe("MTN MoMo Côte d'Ivoire")
      })
      expect(await fixture.transactionsOf(session)).toMatchObject([{ network_code: 'mtn_ci' }])
    },
    patience_ms,
  )

  wholeIt.concurrent.each(ways(4))(
    'is understood by the prefix of their number, and sees what it costs there: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'BJ' })
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        await page.locator('#phone').fill('+228 90 11 22 33')
        await tap(page, 'mtn_bj')
        await page.locator('#pay').click()
        await page.locator('#network-togocel').waitFor({ state: 'attached' })
        const seen = ['#errors', 'h1', '#fee', '#phone', '.place summary', '.tile', '#pay']
        expect(await hiddenOf(page, seen)).toEqual([])
        expect(await textOf(page, '#errors')).toBe(
          'Ce numéro est d’un autre pays : Togo. Vérifiez réseau et frais, puis payez.',
        )
        expect(await page.locator('#phone').inputValue()).toBe('+228 90 11 22 33')
        expect(await page.locator('#network-togocel').isChecked()).toBe(true)
        expect(await fixture.transactionsOf(session)).toEqual([])
        await page.locator('#pay').click()
        await heading(page, 'Paiement réussi')
      })
      expect(await fixture.transactionsOf(session)).toMatchObject([{ network_code: 'togocel' }])
    },
    patience_ms,
  )
})

describe('too late', () => {
  it.concurrent.each(ways(4))(
    'nothing is asked for and nothing was taken: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'BJ' })
      await fixture.app.owner`
        update checkout_sessions set expires_at = now() - interval '1 minute'
         where id = ${session.id}`
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        await heading(page, 'Le délai de paiement est dépassé')
        expect(await hiddenOf(page, ['header', 'h1', '#reason', 'footer'])).toEqual([])
        expect(await textOf(page, '#reason')).toMatch(/^Rien n’a été débité\./)
        expect(await page.locator('form').count()).toBe(0)
      })
    },
    patience_ms,
  )
})

describe('a link whose sum the payer types', () => {
  wholeIt.concurrent.each(ways(5))(
    'is whole on the first screen, and reads “5 000 F”: scripts %s',
    async (scripts) => {
      const link: Json = await fixture.shop.post('/payment-links/', {
        ...{ name: 'Cotisation', currency: 'XOF', amount_type: 'FREE', min_amount: '1000' },
      })
      const own: Json = await fixture.shop.post('/payment-links/', {
        ...{ name: 'Cotisation', currency: 'XOF', amount_type: 'FREE', min_amount: '1000' },
        custom_fields: [{ name: 'year', label: 'Année scolaire', type: 'NUMBER' }],
      })
      await visit({ scripts }, async (page) => {
        await page.goto(link.data.url)
        const whole = ['h1', '#name-of-link', '#amount', '#phone', '#country', '#go-on']
        expect(await hiddenOf(page, whole)).toEqual([])
        expect(await smallTargets(page)).toEqual([])
        await page.goto(own.data.url)
        await page.locator('#amount').fill('500 F')
        await page.locator('#phone').fill('+229 01 97 00 00 10')
        await page.locator('#own-year').fill('bientôt')
        await page.locator('#go-on').click()
        await page.locator('#errors').waitFor()
        expect(await textOf(page, '#amount-error')).toBe('Entrez au moins 1 000 FCFA.')
        expect(await textOf(page, '#own-year-error')).toBe('Année scolaire : entrez un nombre.')
        expect(await hiddenOf(page, ['#errors', 'h1', '#amount-error', '#amount'])).toEqual([])
        await page.locator('#amount').fill('5 000 F')
        await page.locator('#own-year').fill('2026')
        await page.locator('#go-on').click()
        await heading(page, 'Payer 5 000 FCFA')
        expect(await page.locator('#phone').inputValue()).toBe('01 97 00 00 10')
        expect(await hiddenOf(page, ['h1', '#fee', '#phone', '.tile', '#pay'])).toEqual([])
        await page.locator('#pay').click()
        await heading(page, 'Paiement réussi')
      })
    },
    patience_ms,
  )
})

describe('a receipt', () => {
  it.concurrent.each(ways(6))(
    'shows that it is genuine, and what was paid, without scrolling: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'BJ', merchant_reference: 'CMD-1042' })
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        await pay(page, { network: 'mtn_bj' })
        await page.locator('#receipt').click()
        await heading(page, 'Ce reçu est authentique')
        const whole = ['.done svg', 'h1', '#charged', '#fee', '#date', '#payer', '#reference']
        const named = ['#network', '#order', '#by-whatsapp', '#by-sms']
        expect(await hiddenOf(page, [...whole, ...named])).toEqual([])
        expect(await textOf(page, '#network')).toBe('MTN MoMo Bénin')
        expect(await textOf(page, '#order')).toBe('CMD-1042')
        expect(await textOf(page, '#charged')).toBe('5 163 FCFA')
        expect(await textOf(page, '#payer')).toBe('se termine par 10')
        expect(await overflowOf(page)).toBe(0)
      })
    },
    patience_ms,
  )

  wholeIt.concurrent(
    'of money that the operator took back has no mark of success, in no colour of it',
    async () => {
      const session = await open({ country: 'BJ' })
      await visit({ language: 'en' }, async (page) => {
        await page.goto(session.checkout_url)
        await pay(page, { network: 'mtn_bj' })
        await page.locator('#receipt').click()
        await heading(page, 'This receipt is genuine')
        const good = await colourOf(page)
        const { merchant_id } = fixture.shop
        const [attempt] = await fixture.app.owner<{ id: string; transaction_id: string }[]>`
          select a.id, a.transaction_id
            from attempts a join transactions t on t.id = a.transaction_id
           where t.checkout_session = ${session.id}`
        await plantIncident(
          fixture.app.owner,
          { merchant_id, id: attempt?.transaction_id ?? '' },
          { merchant_id, id: attempt?.id ?? '' },
          { type: 'REVERSED_AFTER_SUCCESS', status: 'OPEN', currency: 'XOF', country: 'BJ' },
        )
        await page.reload()
        await heading(page, 'This payment is being checked')
        expect(await colourOf(page)).not.toBe(good)
        expect(await page.locator('#by-whatsapp').count()).toBe(0)
      })
    },
    patience_ms,
  )
})

const colourOf = (page: Page) =>
  page.evaluate<string>('getComputedStyle(document.querySelector(".done svg")).color')
