// Every way to pay, in a real browser: with scripts and without, in French and in English, on a
// telephone and on a desk. What a payer reads is looked for by its words, in their language.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../harness.ts'
import { sessionBecomes } from '../setup/payer-calls.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'
import type { Visitor } from './browser.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { chooseCountry, giveCode, heading, nationalNumber, pay, tap } from './hands.ts'

let fixture: BrowserFixture
let open: BrowserFixture['open']
let visit: BrowserFixture['visit']
const patience_ms = 90_000

beforeAll(async () => {
  fixture = await startFixture()
  open = fixture.open
  visit = fixture.visit
})
afterAll(() => fixture.stop())

const both: readonly boolean[] = [true, false]
/** With scripts and without; in a small run one story of two is played with them. */
const ways = (story: number) => sized([story % 2 === 0], both)

const becomes = (session: Json, status: string) => sessionBecomes(fixture.shop, session.id, status)
const plain = (text: string) => text.replace(/\s/g, ' ')
const see = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

const words = {
  fr: {
    title: 'Payer 5 000 FCFA',
    country: 'Pays',
    fee: /^Frais\s\+ 163 FCFA$/,
    number: 'Votre numéro mobile money',
    pay: 'Payer 5 163 FCFA',
    wait: 'Confirmez sur votre téléphone',
    never: 'Tapez votre code secret sur le téléphone, jamais ici.',
    nothing: 'Rien sur votre téléphone ?',
    once: 'Ne payez pas une deuxième fois.',
    paid: 'Paiement réussi',
    sum: '5 163 FCFA',
    back: /^Retourner chez Shop/,
  },
  en: {
    title: 'Pay FCFA 5,000',
    country: 'Country',
    fee: /^Fee\s\+ FCFA 163$/,
    number: 'Your mobile money number',
    pay: 'Pay FCFA 5,163',
    wait: 'Confirm on your phone',
    never: 'Enter your PIN on the phone, never here.',
    nothing: 'Nothing on your phone?',
    once: 'Do not pay again.',
    paid: 'Payment successful',
    sum: 'FCFA 5,163',
    back: /^Return to Shop/,
  },
} as const

type Payer = Required<Pick<Visitor, 'language' | 'scripts' | 'width'>>

const payers: readonly Payer[] = [
  { language: 'fr', scripts: true, width: 360 },
  { language: 'fr', scripts: false, width: 1280 },
  { language: 'en', scripts: true, width: 1280 },
  { language: 'en', scripts: false, width: 320 },
]

describe('a payer', () => {
  it.concurrent.each(sized(payers.slice(1, 3), payers))(
    'chooses, pays, waits, and is led back: $language, scripts $scripts, $width wide',
    async (payer) => {
      const labels = words[payer.language]
      const path = `/merci?commande=10%2042&nom=A%C3%AFcha&de=${payer.language}${payer.width}&vide=`
      const session = await open({ return_url: `${fixture.site.url}${path}#fin` })
      const reference = await visit(payer, async (page) => {
        const answer = await page.goto(session.checkout_url)
        expect(answer?.headers()['content-language']).toBe(payer.language)
        await heading(page, labels.title)
        expect(await page.locator('html').getAttribute('lang')).toBe(payer.language)
        await page.getByLabel(labels.country, { exact: true }).waitFor()
        await chooseCountry(page, 'BJ')
        expect(plain(await page.locator('#fee').innerText())).toMatch(labels.fee)
        await page.getByRole('radio', { name: 'MTN MoMo' }).waitFor()
        await tap(page, 'mtn_bj')
        await page.getByLabel(labels.number).fill('01 97 00 00 04')
        await page.getByRole('button', { name: labels.pay, exact: true }).click()

        await heading(page, labels.wait)
        await see(page, labels.never)
        await see(page, labels.nothing)
        await see(page, labels.once)
        expect(page.url()).toBe(session.checkout_url)
        await fixture.resolve(session, 'SUCCESS')

        await heading(page, labels.paid)
        expect(await page.locator('#amount').innerText()).toBe(labels.sum.replaceAll(' ', '\u00a0'))
        await page.getByRole('link', { name: labels.back }).waitFor()
        const shown = await page.locator('#reference').innerText()
        await page.waitForURL(session.return_url)
        expect(page.url()).toBe(session.return_url)
        return shown
      })
      const came = fixture.site.visits.filter((one) => one.path === path)
      expect(came.map(({ headers }) => headers.referer)).toEqual([undefined])
      const { transaction } = await becomes(session, 'PAID')
      const { data } = await fixture.shop.get(`/transactions/${transaction}/`)
      expect(data).toMatchObject({ reference, debited_amount: '5163.00', status: 'SUCCESS' })
    },
    patience_ms,
  )

  it.concurrent(
    'reads the other language when they ask for it, from then on',
    async () => {
      const session = await open({ country: 'BJ' })
      await visit({ language: 'en' }, async (page) => {
        await page.goto(session.checkout_url)
        await page.getByRole('link', { name: 'Français' }).click()
        await heading(page, words.fr.title)
        await pay(page, { network: 'mtn_bj', magic: '04' })
        await heading(page, words.fr.wait)
        await page.getByRole('link', { name: 'English' }).click()
        await heading(page, words.en.wait)
        await fixture.resolve(session, 'SUCCESS')
        await heading(page, words.en.paid)
      })
    },
    patience_ms,
  )
})

describe('what stands chosen', () => {
  const chosen = (page: Page) => page.locator('#country').inputValue()

  it.concurrent(
    'is the country of the session',
    async () => {
      const session = await open({ country: 'SN', customer_phone: '+2290197000010' })
      await visit({}, async (page) => {
        await page.goto(session.checkout_url)
        expect(await chosen(page)).toBe('SN')
        await page.locator('#network-wave_sn').waitFor()
      })
    },
    patience_ms,
  )

  wholeIt.concurrent(
    'else that of their number, which they need not write again',
    async () => {
      const session = await open({ customer_phone: '+2290197000010' })
      await visit({ scripts: false }, async (page) => {
        await page.goto(session.checkout_url)
        expect(await chosen(page)).toBe('BJ')
        expect(await page.content()).not.toContain('97000010')
        await tap(page, 'mtn_bj')
        await page.locator('#pay').click()
        await heading(page, words.fr.paid)
      })
      const { transaction } = await becomes(session, 'PAID')
      const { data } = await fixture.shop.get(`/transactions/${transaction}/`)
      expect(data.operation_msisdn).toBe('+2290197000010')
    },
    patience_ms,
  )

  wholeIt.concurrent(
    'else nothing, and after they have paid once what they chose then',
    async () => {
      const [first, second] = [await open(), await open()]
      await visit({}, async (page) => {
        await page.goto(first.checkout_url)
        expect(await chosen(page)).toBe('')
        await chooseCountry(page, 'CI')
        await pay(page, { network: 'orange_ci', code: '123456' })
        await heading(page, words.fr.paid)
        await page.goto(second.checkout_url)
        expect(await chosen(page)).toBe('CI')
        expect(await page.locator('#network-orange_ci').isChecked()).toBe(true)
      })
    },
    patience_ms,
  )
})

describe('a code that is made before paying', () => {
  it.concurrent.each(ways(0))(
    'is asked for with what to dial, missed, wrong, and right: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'CI' })
      await visit({ scripts, language: 'fr' }, async (page) => {
        await page.goto(session.checkout_url)
        await tap(page, 'orange_ci')
        await see(page, 'Composez #144*82# et choisissez l’option 2')
        await pay(page, { network: 'orange_ci' })
        await heading(page, words.fr.title)
        await page.getByRole('link', { name: /^Obtenez un code/ }).waitFor()
        expect(await page.locator('#phone').inputValue()).toBe(nationalNumber('orange_ci'))
        expect(await page.locator('#network-orange_ci').isChecked()).toBe(true)
        await pay(page, { network: 'orange_ci', code: '000000' })
        await page.getByRole('heading', { name: 'Le paiement n’a pas abouti' }).waitFor()
        await pay(page, { network: 'orange_ci', code: '123 456' })
        await heading(page, words.fr.paid)
      })
      expect(await fixture.transactionsOf(session)).toMatchObject([{ status: 'SUCCESS' }])
    },
    patience_ms,
  )
})

describe('a code that comes after', () => {
  wholeIt.concurrent.each(ways(1))(
    'is wrong, then right, and the payment is one: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'SN' })
      await visit({ scripts, language: 'en' }, async (page) => {
        await page.goto(session.checkout_url)
        await pay(page, { network: 'wizall_sn' })
        await heading(page, 'Enter the code you received')
        await page.getByLabel('Code', { exact: true }).waitFor()
        await giveCode(page, '654321', page.getByRole('link', { name: /^This code is wrong/ }))
        await giveCode(page, '123456', page.locator('#reference'))
        await heading(page, words.en.paid)
      })
      expect(await fixture.transactionsOf(session)).toMatchObject([{ status: 'SUCCESS' }])
    },
    patience_ms,
  )
})

describe('a code that comes while the operator is being asked', () => {
  wholeIt.concurrent(
    'is not dropped without a word',
    async () => {
      const session = await open({ country: 'SN' })
      const { owner } = fixture.app
      const askedFrom = (until: Date | null) => owner`
      update attempts set leased_until = ${until}
       where transaction_id in
         (select id from transactions where checkout_session = ${session.id})`
      await visit({ language: 'en' }, async (page) => {
        await page.goto(session.checkout_url)
        await pay(page, { network: 'wizall_sn' })
        await page.locator('#otp').fill('123456')
        await askedFrom(new Date(Date.now() + 60_000))
        await page.locator('#confirm').click()
        await page.getByRole('link', { name: /^Your code was not accepted/ }).waitFor()
        await askedFrom(null)
        await giveCode(page, '123456', page.locator('#reference'))
      })
    },
    patience_ms,
  )
})

describe('a network with a page of its own', () => {
  wholeIt.concurrent.each(ways(2))(
    'is left for and come back from; refused, another network is tried: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'SN' })
      await visit({ scripts, language: 'fr' }, async (page) => {
        await page.goto(session.checkout_url)
        await pay(page, { network: 'wave_sn' })
        await page.getByRole('button', { name: 'Refuser' }).click()
        await page.waitForURL(session.checkout_url)
        await page.getByRole('heading', { name: 'Le paiement n’a pas abouti' }).waitFor()
        await pay(page, { network: 'freemoney_sn' })
        await heading(page, words.fr.paid)
      })
      expect(await fixture.transactionsOf(session)).toMatchObject([
        { status: 'SUCCESS', network_code: 'freemoney_sn' },
      ])
    },
    patience_ms,
  )

  wholeIt.concurrent(
    'is approved, after the payer came back once without deciding',
    async () => {
      const session = await open({ country: 'SN' })
      await visit({ language: 'en' }, async (page) => {
        await page.goto(session.checkout_url)
        await pay(page, { network: 'wave_sn' })
        await page.getByRole('button', { name: 'Approve' }).waitFor()
        await page.goto(session.checkout_url)
        await heading(page, 'Continue with Wave Sénégal')
        await page.getByRole('link', { name: 'Go to Wave Sénégal' }).click()
        await page.getByRole('button', { name: 'Approve' }).click()
        await page.waitForURL(session.checkout_url)
        await heading(page, words.en.paid)
      })
    },
    patience_ms,
  )
})

describe('a payment that fails', () => {
  it.concurrent.each(ways(3))(
    'says why, in plain words, and is tried again: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'BJ' })
      await visit({ scripts, language: 'fr' }, async (page) => {
        await page.goto(session.checkout_url)
        await pay(page, { network: 'mtn_bj', magic: '01' })
        await page.getByRole('heading', { name: 'Le paiement n’a pas abouti' }).waitFor()
        expect(await page.locator('#failure').innerText()).toMatch(/solde/i)
        expect(await page.locator('#network-mtn_bj').isChecked()).toBe(true)
        await pay(page, { network: 'mtn_bj', magic: '03' })
        await page
          .getByText(/aucun compte|inconnu|pas de compte/i)
          .first()
          .waitFor()
        await pay(page, { network: 'moov_bj' })
        await heading(page, words.fr.paid)
      })
      expect(await fixture.transactionsOf(session)).toMatchObject([
        { status: 'SUCCESS', network_code: 'moov_bj' },
      ])
    },
    patience_ms,
  )

  wholeIt.concurrent(
    'is not said to have failed while nobody knows',
    async () => {
      const session = await open({ country: 'BJ' })
      await visit({ language: 'fr' }, async (page) => {
        await page.goto(session.checkout_url)
        await pay(page, { network: 'mtn_bj', magic: '05' })
        await page.getByText('Ne payez pas une deuxième fois.').waitFor()
        await heading(page, words.fr.paid)
      })
      expect(await fixture.transactionsOf(session)).toMatchObject([{ status: 'SUCCESS' }])
    },
    patience_ms,
  )
})
