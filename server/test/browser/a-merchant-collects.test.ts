// Money asked of a customer at the counter, in a real browser; a supplier paid again; the limits
// that bound what one person can pay out; and one field that finds what there is.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)
const paidIn = /\/payments\/[0-9a-f-]{36}$/
const paidOut = /\/payouts\/[0-9a-f-]{36}$/

const listed = async (query: string) => (await owner.get(`/transactions/?${query}`)).data.results

describe('a payment', () => {
  it(
    'is asked for at the counter: a number, a sum, then the button with the sum',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/payments')
        await signInAs(page, owner)
        await page.getByRole('link', { name: 'Nouveau paiement' }).first().click()
        await heading(page, 'Nouveau paiement')
        await expectSound(page)
        // A shop of no country: none is chosen for it, and no currency is said before it is known.
        await page.getByLabel('Combien ?').waitFor()
        await expect.poll(() => page.getByLabel('Pays').inputValue()).toBe('')
        await press(page, 'Continuer')
        // Beside each field, and in the summary above, which leads there.
        await expect.poll(() => page.getByText('À remplir.').count()).toBe(4)
        await page.getByText('Indiquez un montant, comme 12 500.').first().waitFor()
        await expectSound(page)
        await page.getByLabel('Numéro du client').fill('+229 01 97 00 00 10')
        await page.getByLabel('Numéro du client').blur()
        await page.getByText('Deviné d’après le numéro').waitFor()
        await page.getByLabel('Combien, en FCFA ?').fill('7 500')
        await page.getByLabel('Prénom').fill('Awa')
        await press(page, 'Continuer')
        await page.getByRole('heading', { name: 'Vérifiez le paiement' }).waitFor()
        await expectSound(page)
        expect(await listed('flow_direction=INBOUND')).toEqual([])
        await press(page, 'Demander 7\u00a0500\u00a0FCFA')
        await page.waitForURL(paidIn)
        await page.getByText('Le client a payé.').waitFor()
        await expectSound(page)
      })
      expect(await listed('flow_direction=INBOUND')).toMatchObject([
        { requested_amount: '7500.00', status: 'SUCCESS', network_code: 'mtn_bj' },
      ])
    },
    patience_ms,
  )

  wholeIt(
    'that no route was left for is asked for again by one press, once there is one',
    async () => {
      const staff = await fixture.app.staff({ role: 'OPERATIONS' })
      // The first one refuses whoever has the number below.
      const second = 'network=mtn_bj&direction=COLLECT&gateway=simulator_b'
      const [route] = (await staff.get(`/admin/routes/?${second}`)).data.results
      const openSecond = async (is_active: boolean) => {
        const body = JSON.stringify({ is_active })
        const headers = { 'content-type': 'application/json' }
        const { status } = await staff.call('PATCH', `/admin/routes/${route.id}/`, {
          body,
          headers,
        })
        expect(status).toBe(200)
      }
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, '/payments/new')
        await signInAs(page, owner)
        await page.getByLabel('Country').selectOption('BJ')
        await page.getByLabel('Network').selectOption('mtn_bj')
        await page.getByLabel('Customer’s number').fill('+2290197000006')
        await page.getByLabel('How much').fill('2600')
        await press(page, 'Continue')
        await page.getByRole('heading', { name: 'Check the payment' }).waitFor()
        await openSecond(false)
        await press(page, /^Ask for/)
        await page.getByRole('alert').getByText('no_route_available').waitFor()
        await openSecond(true)
        await press(page, /^Ask for/)
        await page.waitForURL(paidIn)
      })
      // The one that was refused, and the one that was made.
      expect(await listed('amount__gte=2600&amount__lte=2600')).toHaveLength(2)
    },
    patience_ms,
  )

  wholeIt(
    'finds the network of a number as its owner says it, and says so when another is chosen',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/payments/new')
        await signInAs(page, owner)
        await page.getByLabel('Pays').selectOption('BJ')
        await page.getByLabel('Numéro du client').fill('01 97 00 00 04')
        await page.getByLabel('Numéro du client').blur()
        await page.getByText('Deviné d’après le numéro').waitFor()
        await expect.poll(() => page.getByLabel('Réseau').inputValue()).toBe('mtn_bj')
        await page.getByLabel('Combien, en FCFA ?').fill('2 500')
        await page.getByLabel('Réseau').selectOption('moov_bj')
        await press(page, 'Continuer')
        await page.getByText('+229\u00a001\u00a097\u00a000\u00a000\u00a004').waitFor()
        await page.getByText('Ce numéro ressemble à un numéro MTN MoMo Bénin.').waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'whose operator wants a code leads to the field for it',
    async () => {
      await fixture.visit({ language: 'en', width: 360, dark: true }, async (page) => {
        await open(page, '/payments/new')
        await signInAs(page, owner)
        await page.getByLabel('Country').selectOption('CI')
        await page.getByLabel('Network').selectOption('orange_ci')
        await page.getByLabel('Operator’s code').waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'that wants a code is given it on its own page, also after a reload',
    async () => {
      const made = await owner.post('/payments/softpay/initialize/', {
        ...{ amount: '3000', currency: 'XOF', country: 'SN', network: 'wizall_sn' },
        customer: { phone: '+221770000010' },
      })
      expect(made.data).toMatchObject({ next_action: 'ENTER_OTP' })
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, `/payments/${made.data.id}`)
        await signInAs(page, owner)
        await page.getByText('The operator has sent the customer a code.').waitFor()
        await page.reload()
        await press(page, 'Continue')
        await page.getByText('Fill this in.').first().waitFor()
        await expectSound(page)
        await page.getByLabel('Operator’s code').fill('000000')
        await press(page, 'Continue')
        await page.locator('.alert').waitFor()
        await page.getByLabel('Operator’s code').fill('123456')
        await press(page, 'Continue')
        await page.getByText('The customer has paid.').waitFor()
        expect(await page.getByLabel('Operator’s code').count()).toBe(0)
        await expectSound(page)
      })
    },
    patience_ms,
  )

  it(
    'that failed is asked for again with the code that its network wants beforehand',
    async () => {
      const asked = { amount: '3000', currency: 'XOF', country: 'CI', network: 'orange_ci' }
      const customer = { phone: '+2250700000010' }
      const made = await owner.post('/payments/softpay/initialize/', {
        ...{ ...asked, customer, otp: '000000' },
      })
      expect(made.data).toMatchObject({ status: 'FAILED', failure_code: 'INVALID_OTP' })
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        // By the shortcut of its row; another network that wants no code asks for none.
        await open(page, `/payments/${made.data.id}?act=retry`)
        await signInAs(page, owner)
        await page.getByLabel('Operator’s code').waitFor()
        await page.getByText('#144*82#').waitFor()
        await expectSound(page)
        await page.getByLabel('Network').selectOption('mtn_ci')
        await page.getByLabel('Operator’s code').waitFor({ state: 'detached' })
        await page.getByLabel('Network').selectOption({ label: 'The same network' })
        await page.getByLabel('Operator’s code').fill('123456')
        await press(page, /^Ask for FCFA.3,000 again/)
        await page.getByText('The customer has paid.').waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'tells the merchant what the customer does, and the merchant only what is theirs to do',
    async () => {
      const pays = { amount: '3000', currency: 'XOF', country: 'BJ', network: 'mtn_bj' }
      const payment = await owner.post('/payments/softpay/initialize/', {
        ...{ ...pays, customer: { phone: '+2290197000004' } },
      })
      const top_up = await owner.post('/top-ups/initialize/', {
        ...{ ...pays, phone: '+2290197000104' },
      })
      const page_of = await owner.post('/payments/softpay/initialize/', {
        ...{ amount: '3000', currency: 'XOF', country: 'CI', network: 'wave_ci' },
        customer: { phone: '+2250700000010' },
      })
      expect(page_of.data.next_action).toBe('REDIRECT')
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, `/payments/${payment.data.id}`)
        await signInAs(page, owner)
        await page.getByText('for the customer to confirm on their phone').waitFor()
        expect(await page.getByText('Approve the payment').count()).toBe(0)
        await open(page, `/payments/${top_up.data.id}`)
        await page.getByText('for you to confirm on your phone').waitFor()
        await open(page, `/payments/${page_of.data.id}`)
        await page.getByText('for the customer to pay on the operator’s page').waitFor()
        const link = page.getByRole('link', { name: 'Go to the operator’s page' })
        expect(await link.getAttribute('href')).toBe(page_of.data.checkout_url)
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'goes to no network that nobody chose',
    async () => {
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, '/payments/new')
        await signInAs(page, owner)
        await page.getByLabel('Country').selectOption('BJ')
        await expect.poll(() => page.getByLabel('Network').inputValue()).toBe('')
        await page.getByLabel('How much').fill('2500')
        // No network is known by these digits; sent by a key from within the number's field.
        await page.getByLabel('Customer’s number').fill('0112345678')
        await page.getByLabel('Customer’s number').press('Enter')
        await page.getByText('Fill this in.').first().waitFor()
        expect(await page.getByLabel('Network').getAttribute('aria-invalid')).toBe('true')
        await expectSound(page)
        // Known by its digits, it need not be chosen, however quick its writer is.
        await page.getByLabel('Customer’s number').fill('0197000004')
        await page.getByLabel('Customer’s number').press('Enter')
        await page.getByRole('heading', { name: 'Check the payment' }).waitFor()
        await page.getByText('MTN MoMo').waitFor()
      })
    },
    patience_ms,
  )
})

describe('a payout', () => {
  it(
    'is made again with what the one before was, under a key of its own',
    async () => {
      const made = await owner.post('/payouts/initialize/', {
        ...{ amount: '1200', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
        ...{ recipient: { msisdn: '+2290197000002' }, description: 'Livraison' },
      })
      await fixture.shop.becomes(made.data.id, 'FAILED')
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, `/payouts/${made.data.id}`)
        await signInAs(page, owner)
        await page.getByRole('link', { name: 'Pay again' }).click()
        await heading(page, 'New payout')
        await page.locator('input[name=msisdn]').waitFor()
        await expect
          .poll(() => page.locator('input[name=msisdn]').inputValue())
          .toBe('+2290197000002')
        await expect.poll(() => page.locator('input[name=amount]').inputValue()).toBe('1200')
        await expect
          .poll(() => page.locator('input[name=description]').inputValue())
          .toBe('Livraison')
        await expectSound(page)
        await page.locator('input[name=msisdn]').fill('+2290197000010')
        await press(page, 'Continue')
        await press(page, 'Pay out FCFA\u00a01,200')
        await page.waitForURL(paidOut)
        expect(page.url()).not.toContain(made.data.id)
      })
      expect(await listed('transaction_type=RETRAIT')).toHaveLength(2)
    },
    patience_ms,
  )

  wholeIt(
    'says of an empty form all that is missing, and at its own address what it is',
    async () => {
      const [payout] = await listed('transaction_type=RETRAIT')
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/payouts/new')
        await signInAs(page, owner)
        await press(page, 'Continuer')
        await expect.poll(() => page.getByText('À remplir.').count()).toBe(4)
        await page.getByText('Indiquez un montant, comme 12 500.').first().waitFor()
        await expectSound(page)
        await open(page, `/payments/${payout.id}`)
        await page.waitForURL(paidOut)
        await page.getByRole('link', { name: 'Tous les versements' }).waitFor()
      })
    },
    patience_ms,
  )
})

describe('a payout that waits', () => {
  wholeIt(
    'for an operator that is closed says so, and not that no way leads there',
    async () => {
      const { app } = fixture
      const staff = await app.staff()
      const closings: string[] = []
      for (const gateway of ['simulator_a', 'simulator_b']) {
        const { status, data } = await staff.post('/admin/gateway-closings/', {
          ...{ gateway, country: 'BJ', note: 'a test' },
        })
        expect(status).toBe(201)
        closings.push(data.id)
      }
      const made = await owner.post('/payouts/initialize/', {
        ...{ amount: '700', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
        recipient: { msisdn: '+2290197000010' },
      })
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/payouts/${made.data.id}`)
        await signInAs(page, owner)
        await page.getByText('Ce versement attend : l’opérateur est fermé').waitFor()
        await page.getByText('Il partira de lui-même à la réouverture.').waitFor()
        await expectSound(page)
      })
      for (const id of closings) await staff.call('DELETE', `/admin/gateway-closings/${id}/`)
    },
    patience_ms,
  )
})

describe('limits', () => {
  wholeIt(
    'are set, changed and removed, each with what it means',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/payouts/limits')
        await signInAs(page, owner)
        await page.getByText('Aucune limite : une personne seule').waitFor()
        await expectSound(page)
        await press(page, 'Fixer une limite')
        await press(page, /^Fixer$/)
        await page.getByText('Fixez au moins l’une de ces sommes.').first().waitFor()
        await expectSound(page)
        await page.getByLabel('Pays').selectOption('BJ')
        await page.getByLabel('Maximum par versement').fill('50 000')
        await page.getByLabel('Deuxième accord au-dessus de').fill('20 000')
        await press(page, /^Fixer$/)
        await page.getByText('50\u00a0000\u00a0FCFA').waitFor()
        await page.getByText('sans limite').waitFor()
        await expectSound(page)
        await press(page, 'Modifier')
        await page.getByLabel('Maximum par jour').fill('100 000')
        await expectSound(page)
        await press(page, /^Fixer$/)
        await page.getByText('100\u00a0000\u00a0FCFA').waitFor()
      })
      const { data } = await owner.get('/merchant-payout-limits/')
      const figures = { per_payout: '50000.00', per_day: '100000.00', approval_above: '20000.00' }
      expect(data.results).toMatchObject([{ country: 'BJ', ...figures }])
      await fixture.visit({ language: 'en', width: 1280, dark: true }, async (page) => {
        await open(page, '/payouts/limits')
        await signInAs(page, owner)
        await page.locator('section.balance').waitFor()
        await expectSound(page)
        await press(page, 'Remove the limit')
        await expectSound(page)
        await press(page, 'Remove the limit')
        await page.getByText('No limit: one person alone').waitFor()
      })
      expect((await owner.get('/merchant-payout-limits/')).data.results).toEqual([])
    },
    patience_ms,
  )

  it(
    'of one key are set beside those of the whole merchant, without a second approval',
    async () => {
      const { app } = fixture
      const shop = await app.shop()
      const member = await app.member({ merchant_id: shop.merchant_id })
      const key = { environment: 'SANDBOX', name: 'Site web', scope: 'PAYOUT' }
      const { data: made } = await member.post('/merchant-api-keys/', key)
      await member.post('/merchant-api-keys/', { ...key, name: 'Caisse', scope: 'PAYIN' })
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await openFor(page, app.url, shop.merchant_id, '/payouts/limits')
        await signInAs(page, member)
        await press(page, 'Fixer une limite')
        const whose = page.getByLabel('Pour qui ?')
        await page.getByLabel('Deuxième accord au-dessus de').waitFor()
        await whose.selectOption({ label: 'Pour la clé API Site web' })
        expect(await whose.locator('option', { hasText: 'Caisse' }).count()).toBe(0)
        expect(await page.getByLabel('Deuxième accord au-dessus de').count()).toBe(0)
        await expectSound(page)
        await page.getByLabel('Pays').selectOption('BJ')
        await page.getByLabel('Maximum par jour').fill('75 000')
        await press(page, /^Fixer$/)
        await page.getByRole('link', { name: 'Site web' }).waitFor()
        await page.getByText('sans limite').waitFor()
        expect(await page.getByText('Deuxième accord').count()).toBe(0)
        await expectSound(page)
      })
      const { data } = await member.get('/merchant-payout-limits/')
      expect(data.results).toMatchObject([
        { country: 'BJ', api_key: made.id, per_day: '75000.00', approval_above: null },
      ])
    },
    patience_ms,
  )

  wholeIt(
    'that are looser wait; who may confirm one is said, and it is withdrawn',
    async () => {
      const { app } = fixture
      const shop = await app.shop({ live: true })
      const member = await app.member({ merchant_id: shop.merchant_id })
      const other = await app.member({ merchant_id: shop.merchant_id })
      const set = (per_payout: string) =>
        member.post('/merchant-payout-limits/', { country: 'BJ', per_payout })
      await set('10000')
      expect((await set('90000')).data.next).toMatchObject({ per_payout: '90000.00' })
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await openFor(page, app.url, shop.merchant_id, '/payouts/limits')
        await signInAs(page, member)
        await page.getByText('un autre membre, que vous n’avez pas invité').waitFor()
        // Who of them the API would refuse, the list of the team does not know.
        expect(await page.getByText('À qui le demander').count()).toBe(0)
        await page.getByRole('button', { name: 'Confirmer tout de suite' }).click({ force: true })
        expect(await page.locator('.confirm').count()).toBe(0)
        await expectSound(page)
      })
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await openFor(page, app.url, shop.merchant_id, '/payouts/limits')
        await signInAs(page, other)
        await page.getByText('A looser limit is to come').waitFor()
        // New in their role: the API would refuse them.
        await page.getByText('Only for a member whom the requester did not invite').waitFor()
        await page.getByRole('button', { name: 'Confirm it right now' }).click({ force: true })
        expect(await page.locator('.confirm').count()).toBe(0)
        await expectSound(page)
        await app.owner`
          update memberships set updated_at = now() - interval '100 hours'
           where merchant_id = ${shop.merchant_id}`
        await page.reload()
        await press(page, 'Confirm it right now')
        // What is confirmed is what was read, also where another is asked for meanwhile.
        expect((await set('900000')).status).toBe(201)
        await press(page, /^Confirm$/)
        await page.getByText('Another change is pending now').waitFor()
        await page.getByText('FCFA\u00a0900,000').waitFor()
        await expectSound(page)
        await press(page, 'Back')
        await press(page, 'Cancel this change')
        await expectSound(page)
        await press(page, 'Cancel this change')
        await page.getByText('A looser limit is to come').waitFor({ state: 'detached' })
      })
      const { data } = await member.get('/merchant-payout-limits/')
      expect(data.results).toMatchObject([{ per_payout: '10000.00', next: null }])
    },
    patience_ms,
  )
})

describe('one field', () => {
  it(
    'finds by a part of a number and by a name, and opens what is named whole',
    async () => {
      const { shop } = fixture
      const { data } = await shop.pay({
        amount: '4200',
        customer: { phone: '+2290196123457', first_name: 'Mariam', last_name: 'Houngbo' },
      })
      const paid = await shop.becomes(data.id, 'SUCCESS')
      const made = await owner.post('/payouts/initialize/', {
        ...{ amount: '900', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
        recipient: { msisdn: '+2290197000010' },
      })
      // What happens while the page is looked at makes it ask again.
      await shop.becomes(made.data.id, 'SUCCESS')
      await owner.post('/payment-links/', {
        ...{ name: 'Mariam, solde', currency: 'XOF', amount_type: 'FIXED', amount: '4200' },
      })
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '')
        await signInAs(page, owner)
        await page.getByRole('link', { name: 'Rechercher' }).click()
        await heading(page, 'Rechercher')
        await expectSound(page)
        await page.locator('input[name=q]').fill('m')
        await press(page, 'Afficher')
        await page.getByText('Tapez au moins deux caractères.').waitFor()
        await page.locator('input[name=q]').fill('mariam')
        await press(page, 'Afficher')
        const customers = page.getByRole('list', { name: 'Clients' })
        await customers.getByRole('link', { name: /Mariam Houngbo/ }).waitFor()
        const payments = page.getByRole('list', { name: 'Paiements et versements' })
        await payments.getByRole('link', { name: /Mariam Houngbo/ }).waitFor()
        await page.getByRole('link', { name: /Mariam, solde/ }).waitFor()
        await expectSound(page)
        const asked: string[] = []
        page.on('request', (request) => {
          const { pathname, searchParams } = new URL(request.url())
          // A stream of hints may begin meanwhile, and what stood there is read once more by it.
          if (searchParams.get('q') === '96 12 34 57') asked.push(pathname)
        })
        await page.locator('input[name=q]').fill('96 12 34 57')
        await press(page, 'Afficher')
        await payments.getByText('4\u00a0200\u00a0FCFA').waitFor()
        await customers.getByRole('link', { name: /Mariam Houngbo/ }).waitFor()
        expect(asked).toEqual(['/api/v1/search/'])
        await page.locator('input[name=q]').fill(paid.reference)
        await press(page, 'Afficher')
        await page.waitForURL(paidIn)
        await open(page, `/search?q=${made.data.reference}`)
        await page.waitForURL(paidOut)
        await open(page, '/search?q=TRF-20260101-NOBODY')
        await page.getByText('Aucun résultat.').waitFor()
        await expectSound(page)
        // A sum is no word of a payment: it leads to the list of those of that amount.
        await open(page, '/search?q=5%20000')
        await page.getByRole('link', { name: 'Paiements de 5 000' }).click()
        await page.waitForURL(/payments\?least=5000&most=5000$/)
      })
    },
    patience_ms,
  )
})
