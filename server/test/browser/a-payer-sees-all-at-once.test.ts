// What a payer sees on a small phone (360 × 640) without scrolling, in each journey; and what the
// form does for them: it knows the network of a number, keeps what was typed, and asks once.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../harness.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { chooseCountry, heading, pay, tap } from './hands.ts'
import { hiddenOf, smallTargets, textOf } from './measure.ts'

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

const plain = (text: string | null) => (text ?? '').replace(/\s+/g, ' ').trim()
describe('the first screen', () => {
  it.concurrent.each(ways(0))(
    'has all that three networks need, the button with its sum too: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'BJ', description: 'Commande 1042' })
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        const whole = ['h1', '#description', '#fee', '#phone', '.place summary', '.tile', '#pay']
        expect(await hiddenOf(page, whole)).toEqual([])
        expect(await page.locator('.tile').count()).toBe(3)
        expect(await smallTargets(page)).toEqual([])
        expect(await textOf(page, '#pay')).toBe('Payer 5 163 FCFA')
        // The fee is said once.
        expect((await textOf(page, 'main')).split('+ 163 FCFA')).toHaveLength(2)
        expect(await textOf(page, '#code')).toBe('+229')
        expect(await textOf(page, '#phone-hint')).toBe('Exemple : 01 95 12 34 56')
        // The most common first, in the colour by which people know it.
        expect(plain(await page.locator('.tile').first().innerText())).toMatch(/MTN MoMo$/)
        const fill = page.locator('.tile rect').first()
        expect(await fill.getAttribute('fill')).toBe('#ffcc00')
      })
    },
    patience_ms,
  )

  wholeIt.concurrent(
    'shows the button of five networks, and the sum of the one that is chosen',
    async () => {
      const session = await open({ country: 'SN' })
      await visit({ scripts: false }, async (page) => {
        await page.goto(session.checkout_url)
        expect(await hiddenOf(page, ['h1', '#fee', '#phone', '#pay'])).toEqual([])
        expect(await textOf(page, '#pay')).toBe('Payer')
        expect(await textOf(page, '#fee')).toBe('Frais selon le réseau')
        await tap(page, 'wizall_sn')
        expect(await textOf(page, '#pay')).toBe('Payer 5 188 FCFA')
        expect(await textOf(page, '#fee')).toBe('Frais + 188 FCFA')
        await tap(page, 'wave_sn')
        expect(await textOf(page, '#pay')).toBe('Payer 5 175 FCFA')
      })
    },
    patience_ms,
  )
})

const chosen = (page: Page) =>
  page.locator('input[name=network]:checked').evaluateAll((all) => all.map((one) => one.id))

describe('the network', () => {
  it.concurrent(
    'is chosen from the number as it is typed, until the payer chooses by hand',
    async () => {
      const session = await open({ country: 'BJ' })
      await visit({}, async (page) => {
        await page.goto(session.checkout_url)
        await page.locator('#phone').pressSequentially('0195')
        expect(await chosen(page)).toEqual(['network-moov_bj'])
        await page.locator('#phone').fill('+229 01 97')
        expect(await chosen(page)).toEqual(['network-mtn_bj'])
        await tap(page, 'moov_bj')
        await page.locator('#phone').fill('0197')
        expect(await chosen(page)).toEqual(['network-moov_bj'])
      })
    },
    patience_ms,
  )

  wholeIt.concurrent(
    'is told without a script too, shown once, and never forced',
    async () => {
      const session = await open({ country: 'BJ' })
      await visit({ scripts: false }, async (page) => {
        await page.goto(session.checkout_url)
        await page.locator('#phone').fill('01 95 00 00 10')
        await page.locator('#pay').click()
        await page.getByText('Ce numéro ressemble à un numéro Moov Money.').waitFor()
        expect(await chosen(page)).toEqual(['network-moov_bj'])
        expect(await page.locator('#phone').inputValue()).toBe('01 95 00 00 10')
        // They have taken their number along to another operator: nobody asks again.
        await tap(page, 'mtn_bj')
        await page.locator('#pay').click()
        await heading(page, 'Paiement réussi')
      })
      expect(await fixture.transactionsOf(session)).toMatchObject([{ network_code: 'mtn_bj' }])
    },
    patience_ms,
  )

  wholeIt.concurrent(
    'that the number does not look like is asked about before anything is sent',
    async () => {
      const session = await open({ country: 'BJ' })
      await visit({ scripts: false, language: 'en' }, async (page) => {
        await page.goto(session.checkout_url)
        await tap(page, 'mtn_bj')
        await page.locator('#phone').fill('0195000010')
        await page.locator('#pay').click()
        await page.getByText('looks like a Moov Money number, not MTN MoMo.').waitFor()
        expect(await fixture.transactionsOf(session)).toEqual([])
        expect(await chosen(page)).toEqual(['network-moov_bj'])
        await page.locator('#pay').click()
        await heading(page, 'Payment successful')
      })
      expect(await fixture.transactionsOf(session)).toMatchObject([{ network_code: 'moov_bj' }])
    },
    patience_ms,
  )
})

describe('the country', () => {
  wholeIt.concurrent.each(ways(1))(
    'changes at once, and what was typed stays: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'BJ' })
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        await page.locator('#phone').fill('07 07 00 01 10')
        await chooseCountry(page, 'CI')
        await page.locator('#network-orange_ci').waitFor({ state: 'attached' })
        expect(await page.locator('#phone').inputValue()).toBe('07 07 00 01 10')
        expect(await chosen(page)).toEqual(['network-orange_ci'])
        expect(await textOf(page, '#code')).toBe('+225')
        expect(page.url()).not.toContain('0707')
        // By name, and no cards among them.
        await page.locator('.place summary').click()
        const names = await page.locator('#country option').allInnerTexts()
        expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'fr')))
        expect(names.join()).not.toContain('USD')
      })
      expect(await fixture.transactionsOf(session)).toEqual([])
    },
    patience_ms,
  )
})

describe('the country of a merchant', () => {
  wholeIt.concurrent.each(ways(1))(
    'stands chosen where nothing else tells, and may be changed: scripts %s',
    async (scripts) => {
      const home = await fixture.app.shop()
      await fixture.app.owner`
        update merchants set country = 'BJ' where id = ${home.merchant_id}`
      const body = { name: 'Cotisation', currency: 'XOF', amount: '5000' }
      const { data: link }: { data: Json } = await home.post('/payment-links/', body)
      await visit({ scripts }, async (page) => {
        await page.goto(link.url)
        expect(await hiddenOf(page, ['h1', '#code', '#phone', '.place summary'])).toEqual([])
        expect(await textOf(page, '#code')).toBe('+229')
        await page.locator('#go-on').click()
        const whole = ['h1', '#fee', '#code', '#phone', '.place summary', '.tile', '#pay']
        await page.locator('#pay').waitFor()
        expect(await hiddenOf(page, whole)).toEqual([])
        expect(await textOf(page, '#phone-hint')).toBe('Exemple : 01 95 12 34 56')
        await chooseCountry(page, 'CI')
        expect(await textOf(page, '#code')).toBe('+225')
        await chooseCountry(page, 'BJ')
        await page.locator('#network-mtn_bj').waitFor({ state: 'attached' })
        await tap(page, 'mtn_bj')
        await page.locator('#phone').fill('0197000010')
        await page.locator('#pay').click()
        await heading(page, 'Paiement réussi')
      })
    },
    patience_ms,
  )
})

describe('waiting', () => {
  it.concurrent.each(ways(2))(
    'shows the steps, the whole number to who typed it, what to dial, and the way out: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'CI' })
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        await pay(page, { network: 'mtn_ci', magic: '04' })
        await heading(page, 'Confirmez sur votre téléphone')
        expect(await hiddenOf(page, ['h1', '.paying', '.steps li', '#dial', '#once'])).toEqual([])
        expect(await smallTargets(page)).toEqual([])
        expect(await textOf(page, '#number')).toBe('05 05 00 01 04')
        expect(await page.locator('#dial').getAttribute('href')).toBe('tel:*133%23')
        await page.getByText('Mauvais numéro ?').click()
        expect(await textOf(page, '#wrong-number')).toMatch(
          /refusée ou laissée sans réponse.*Vous pouvez payer jusqu’(à|au .* à) \d\d:\d\d \(UTC\)\.$/,
        )
      })
      // Who has only the address sees that it is theirs, and no more.
      await visit({ scripts: false }, async (page) => {
        await page.goto(session.checkout_url)
        expect(await textOf(page, '#number')).toBe('05 05 •• •• 04')
        expect(plain(await page.content())).not.toContain('05 05 00 01')
      })
    },
    patience_ms,
  )
})

describe('a payment that failed', () => {
  wholeIt.concurrent.each(ways(3))(
    'keeps the number, whole for who typed it and hidden from others: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'BJ' })
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        await pay(page, { network: 'mtn_bj', magic: '01' })
        await page.locator('#failure').waitFor()
        expect(await hiddenOf(page, ['#failure', 'h1', '#phone', '#pay'])).toEqual([])
        expect(await page.locator('#phone').inputValue()).toBe('01 97 00 00 01')
        expect(await textOf(page, '#pay')).toBe('Réessayer : payer 5 163 FCFA')
      })
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        expect(await page.locator('#phone').inputValue()).toBe('')
        expect(await textOf(page, '#phone-hint')).toBe('Laissez vide pour garder le 01 97 •• •• 01')
        await page.locator('#pay').click()
        await page.locator('#failure').waitFor()
      })
      const numbers = await fixture.app.owner<{ operation_msisdn: string }[]>`
        select a.operation_msisdn from attempts a join transactions t on t.id = a.transaction_id
         where t.checkout_session = ${session.id}`
      expect(numbers.map((one) => one.operation_msisdn)).toEqual(Array(2).fill('+2290197000001'))
    },
    patience_ms,
  )
})

const hostile = `"><img src=x onerror=alert(1)>&text=\u202e{amount}'`

describe('a paid page', () => {
  it.concurrent.each(ways(4))(
    'shows the mark, the sum, its parts and the order, and gives a receipt to keep: scripts %s',
    async (scripts) => {
      const session = await open({
        country: 'BJ',
        description: hostile,
        merchant_reference: 'ORDER-1042',
      })
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        await pay(page, { network: 'mtn_bj' })
        await heading(page, 'Paiement réussi')
        const whole = ['.done svg', 'h1', '#amount', '#to', '#order', '#fee', '#network', '#number']
        expect(await hiddenOf(page, whole)).toEqual([])
        expect(await textOf(page, '#amount')).toBe('5 163 FCFA')
        expect(await textOf(page, '#fee')).toBe('163 FCFA')
        expect(await textOf(page, '#asked')).toBe('5 000 FCFA')
        expect(await textOf(page, '#order')).toBe('ORDER-1042')
        expect(await textOf(page, '#description')).toContain('<img src=x')
        expect(await page.locator('img').count()).toBe(0)
        // By the merchant's clocks, which are named; this one is of no country.
        const time = page.locator('#date time')
        const at = new Date((await time.getAttribute('datetime')) ?? '')
        const there = at.toISOString().slice(11, 16)
        expect(plain(await time.innerText())).toMatch(new RegExp(` ${there} \\(UTC\\)$`))
        await keepsReceipt(page, scripts)
      })
    },
    patience_ms,
  )
})

wholeIt.concurrent.each(sized(['en'] as const, ['fr', 'en'] as const))(
  'a paid page has the receipt to keep within reach: %s',
  async (language) => {
    const session = await open({
      ...{ country: 'BJ', description: 'Commande 1042 : deux sacs de riz' },
      merchant_reference: 'ORDER-1042',
    })
    await visit({ language }, async (page) => {
      await page.goto(session.checkout_url)
      await pay(page, { network: 'mtn_bj' })
      await page.locator('#reference').waitFor()
      expect(await hiddenOf(page, ['.done svg', '#date', '#reference', '#by-whatsapp'])).toEqual([])
    })
  },
  patience_ms,
)

async function keepsReceipt(page: Page, scripts: boolean): Promise<void> {
  const reference = await textOf(page, '#reference')
  const receipt = await page.locator('#receipt').getAttribute('href')
  for (const [id, start] of [
    ['#by-whatsapp', 'https://wa.me/?text='],
    ['#by-sms', 'sms:?&body='],
  ] as const) {
    const address = (await page.locator(id).getAttribute('href')) ?? ''
    expect(address.startsWith(start)).toBe(true)
    const text = plain(decodeURIComponent(address.slice(start.length)))
    expect(text).toContain(`5 163 FCFA payés à`)
    expect(text).toContain(`Référence ${reference}.`)
    expect(text.endsWith(`: ${receipt}`)).toBe(true)
  }
  expect(await page.locator('#print').isVisible()).toBe(scripts)
  expect(await smallTargets(page)).toEqual([])
  await page.emulateMedia({ media: 'print' })
  expect(await page.locator('#by-whatsapp').isVisible()).toBe(false)
  expect(await page.locator('#reference').isVisible()).toBe(true)
}

describe('a card', () => {
  wholeIt.concurrent(
    'has a page of its own, in its own currency, and asks for no mobile money',
    async () => {
      const session = await open({ country: 'BJ' })
      await visit({ scripts: false }, async (page) => {
        await page.goto(session.checkout_url)
        await page.locator('#by-card').click()
        await page.locator('#converted').waitFor()
        expect(await hiddenOf(page, ['h1', '#converted', '#fee', '#phone', '#pay'])).toEqual([])
        expect(await textOf(page, '#pay')).toMatch(/^Payer \d+,\d\d USD par carte$/)
        expect(await page.locator('label[for=phone]').innerText()).toBe('Votre numéro de téléphone')
        expect(await page.locator('.tile').count()).toBe(0)
        await page.locator('#phone').fill('+33 6 12 34 56 10')
        await page.locator('#pay').click()
        await page.locator('button[value=approve]').click()
        await page.waitForURL(session.checkout_url)
        await heading(page, 'Paiement réussi')
      })
      expect(await fixture.transactionsOf(session)).toMatchObject([{ network_code: 'card' }])
    },
    patience_ms,
  )
})

describe('a link', () => {
  wholeIt.concurrent.each(ways(5))(
    'asks for the number once, takes sums as people write them, and has a card: scripts %s',
    async (scripts) => {
      const body = { name: hostile, currency: 'XOF', amount_type: 'FREE', min_amount: '1000' }
      const { data: link }: { data: Json } = await fixture.shop.post('/payment-links/', body)
      await visit({ scripts }, async (page) => {
        await page.goto(link.url)
        const tag = (name: string) =>
          page.locator(`meta[property="og:${name}"]`).getAttribute('content')
        expect(await tag('title')).toContain('<img src=x')
        expect(await tag('url')).toBe(link.url)
        expect(await tag('description')).toMatch(/^Payez Shop.* par mobile money ou par carte\.$/)
        await page.locator('#amount').fill('5.000 F')
        await page.locator('#phone').fill('+229 01 97 00 00 10')
        expect(await smallTargets(page)).toEqual([])
        await page.locator('#go-on').click()
        await heading(page, 'Payer 5 000 FCFA')
        expect(await page.locator('#phone').inputValue()).toBe('01 97 00 00 10')
        expect(await chosen(page)).toEqual(['network-mtn_bj'])
        await page.locator('#pay').click()
        await heading(page, 'Paiement réussi')
      })
    },
    patience_ms,
  )
})
