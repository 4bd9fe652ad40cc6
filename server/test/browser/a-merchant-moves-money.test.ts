// Money on its way through the dashboard, in a real browser: given back, paid out by one and
// approved by another, never twice when an answer is lost, and not by whom it is not allowed.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, type Json, type SignedInCaller } from '../harness.ts'
import { fund } from '../ledger/books.ts'
import { enrol } from '../setup/authenticator.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { oldPayment, refundEnds } from '../setup/refunds.ts'
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
})
afterAll(() => fixture.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)

async function paidPayment(): Promise<string> {
  const { data } = await fixture.shop.pay({ amount: '10000' })
  await fixture.shop.becomes(data.id, 'SUCCESS')
  return data.id
}

const refundsOf = async (payment: string) =>
  (await owner.get(`/payments/${payment}/refunds/`)).data.results

describe('a payment', () => {
  it(
    'is given back in part: what it costs first, then the sum in the button',
    async () => {
      const payment = await paidPayment()
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/payments/${payment}`)
        await signInAs(page, owner)
        await page.getByRole('link', { name: 'Rembourser' }).click()
        await heading(page, 'Rembourser un paiement')
        await page.getByLabel('Combien rendre ?').fill('99 999')
        await press(page, 'Continuer')
        await page.getByRole('alert').waitFor()
        await page
          .getByText(/^Il reste au plus .*FCFA à rendre\.$/)
          .first()
          .waitFor()
        expect(await page.getByText('refundable_amount').count()).toBe(0)
        await expectSound(page)
        await page.getByLabel('Combien rendre ?').fill('4 000')
        await page.getByLabel('Motif').fill('Article manquant')
        await press(page, 'Continuer')
        await page.getByRole('heading', { name: 'Vérifiez le remboursement' }).waitFor()
        expect(await refundsOf(payment)).toEqual([])
        await expectSound(page)
        await press(page, 'Rembourser 4\u00a0000\u00a0FCFA')
        await heading(page, 'Paiement')
        await page.getByText('Article manquant').waitFor({ state: 'attached' })
        // What was typed is on the screen before: the refund may still be on its way.
        await eventually(async () => {
          const refunds = await refundsOf(payment)
          expect(refunds).toMatchObject([{ amount: '4000.00', reason: 'Article manquant' }])
        })
        await expectSound(page)
      })
    },
    patience_ms,
  )

  it(
    'is given back by the sum of the button, whatever else comes back meanwhile',
    async () => {
      const { shop } = fixture
      const payment = await paidPayment()
      const part = { amount: '4000', reason: 'sandbox:04' }
      const { data } = await owner.post(`/payments/${payment}/refunds/`, part)
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/payments/${payment}/refund`)
        await signInAs(page, owner)
        await press(page, 'Continuer')
        await page.getByRole('button', { name: 'Rembourser 6\u00a0325\u00a0FCFA' }).waitFor()
        const failed = { outcome: 'FAILED', failure_code: 'RECIPIENT_NOT_FOUND' }
        await shop.post(`/sandbox/refunds/${data.id}/resolve/`, failed)
        await refundEnds(shop, data.id, 'FAILED')
        await press(page, 'Rembourser 6\u00a0325\u00a0FCFA')
        await heading(page, 'Paiement')
      })
      const sums = async () => (await refundsOf(payment)).map(({ amount }: Json) => amount)
      await expect.poll(sums).toHaveLength(2)
      expect(await sums()).toContain('6325.00')
    },
    patience_ms,
  )

  it(
    'that was paid on a page is given back to the number that is asked for then',
    async () => {
      const { app, shop } = fixture
      const { id } = await oldPayment(app, shop)
      await app.owner`
        update attempts set checkout_url = 'https://operator.example/pay'
         where transaction_id = ${id}`
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/payments/${id}/refund`)
        await signInAs(page, owner)
        await page.getByLabel('Combien rendre ?').fill('4 000')
        expect(await page.getByLabel('Numéro à rembourser').count()).toBe(0)
        await press(page, 'Continuer')
        await page.getByText('Indiquez le numéro du payeur').first().waitFor()
        await expectSound(page)
        const number = page.getByLabel('Numéro à rembourser')
        await number.fill('+229 01 97 00 00 10')
        // A sum that is no sum costs nobody the number.
        await page.getByLabel('Combien rendre ?').fill('4 OOO')
        await press(page, 'Continuer')
        await page.locator('form [aria-invalid=true]').first().waitFor()
        await expect.poll(() => number.count()).toBe(1)
        expect(await number.inputValue()).toBe('+229 01 97 00 00 10')
        await page.getByLabel('Combien rendre ?').fill('4 000')
        await press(page, 'Continuer')
        await press(page, 'Retour')
        expect(await number.inputValue()).toBe('+229 01 97 00 00 10')
        await press(page, 'Continuer')
        await press(page, 'Rembourser 4\u00a0000\u00a0FCFA')
        await heading(page, 'Paiement')
      })
      await eventually(async () => {
        expect(await refundsOf(id)).toMatchObject([{ amount: '4000.00', method: 'PAYOUT' }])
      })
    },
    patience_ms,
  )

  wholeIt(
    'is given back once, though the answer is lost',
    async () => {
      const payment = await paidPayment()
      await fixture.visit({ language: 'en', width: 1280, hostile: true }, async (page) => {
        const followed = page.waitForResponse(/events\/stream/)
        await open(page, `/payments/${payment}/refund`)
        await signInAs(page, owner)
        await page.getByLabel('How much').waitFor()
        await followed
        // It follows from its first turn on, which comes within a second.
        await page.waitForTimeout(1_500)
        await press(page, 'Continue')
        await page.getByRole('heading', { name: 'Check the refund' }).waitFor()
        let isLost = true
        await page.route('**/refunds/', async (route) => {
          if (route.request().method() !== 'POST' || !isLost) return route.continue()
          isLost = false
          // All of it is given back there by now, and seen here before its answer comes.
          const seen = page.waitForResponse((reply) =>
            reply.url().endsWith(`/transactions/${payment}/`),
          )
          await route.fetch()
          await seen
          await page.waitForTimeout(500)
          return route.abort()
        })
        await press(page, /^Refund/)
        await page.getByText('nothing will be done twice').waitFor()
        await expectSound(page)
        expect(await page.getByRole('button', { name: 'Back' }).count()).toBe(0)
        await press(page, 'Ask again')
        await heading(page, 'Payment')
      })
      expect(await refundsOf(payment)).toHaveLength(1)
    },
    patience_ms,
  )

  wholeIt(
    'that waits is decided in test, and asked for again on another network where it failed',
    async () => {
      const waiting = await fixture.shop.pay({ customer: { phone: '+2290197000004' } })
      const { id } = waiting.data
      await fixture.visit({ language: 'en', width: 1280, dark: true }, async (page) => {
        await open(page, `/payments/${id}`)
        await signInAs(page, owner)
        await press(page, 'Decide the outcome (test)')
        await page.locator('select[name=outcome]').selectOption('INSUFFICIENT_FUNDS')
        await expectSound(page)
        await press(page, 'Decide')
        await press(page, 'Ask for the payment again')
        await page.locator('select[name=method]').selectOption('moov_bj')
        await expectSound(page)
        await press(page, /^Ask for FCFA.5,000 again/)
        await page.getByText(/Sent to Moov/).waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'shows a viewer what may be done and by whom, and does nothing for them',
    async () => {
      const payment = await paidPayment()
      const { app, shop } = fixture
      const viewer = await app.member({ merchant_id: shop.merchant_id, role: 'VIEWER' })
      await fixture.visit({ language: 'fr', width: 320 }, async (page) => {
        await open(page, `/payments/${payment}`)
        await signInAs(page, viewer)
        await page
          .getByText(/Votre rôle ne le permet pas\. Peuvent le faire/)
          .first()
          .waitFor()
        expect(await page.getByRole('link', { name: 'Rembourser' }).count()).toBe(0)
        await expectSound(page)
        await open(page, `/payments/${payment}/refund`)
        await page.getByText(/Votre rôle ne le permet pas/).waitFor()
      })
    },
    patience_ms,
  )
})

const number = '+2290197000010'

/** From the empty form to its second step. */
async function fillPayout(page: Page, amount: string): Promise<void> {
  await page.locator('input[name=msisdn]').fill(number)
  await page.locator('input[name=msisdn]').blur()
  await page.getByText(/Deviné d’après le numéro|Guessed from the number/).waitFor()
  await page.locator('input[name=amount]').fill(amount)
  await press(page, /^(Continuer|Continue)$/)
  await page.locator('.confirm').waitFor()
}

let in_live: Promise<string> | undefined

/** The shop that has something to pay out in LIVE, and the sandbox operator to take it. */
const shopInLive = (): Promise<string> => {
  in_live ??= openLivePayouts()
  return in_live
}

async function openLivePayouts(): Promise<string> {
  const { merchant_id } = await fixture.app.shop({ live: true })
  const place = { merchant_id, environment: 'LIVE', country: 'BJ', currency: 'XOF' } as const
  await fund(fixture.app.owner, place, 1_000_000n)
  await fixture.app.owner`
    insert into routes (id, network_id, direction, gateway_id, environment, priority)
    select gen_random_uuid(), n.id, 'DISBURSE', g.id, 'LIVE', 1
      from networks n, gateways g
     where n.code = 'mtn_bj' and g.code = 'simulator_a'`
  await fixture.app.owner`update catalogue_version set version = version + 1`
  return merchant_id
}

/**
 * A reader who is tricked drags a text into the field for the code, or a browser fills it in: both
 * only write there. Answers what the field offers browsers to fill in.
 */
async function fillUnasked(page: Page): Promise<string | null> {
  const field = page.locator('.confirm input[name=totp]')
  const sum = page.locator('.confirm dd').first()
  await sum.selectText()
  await sum.dragTo(field)
  await expect.poll(() => field.inputValue()).not.toBe('')
  await field.evaluate((input) => {
    Object.assign(input, { value: '123456' })
    for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }))
  })
  return field.getAttribute('autocomplete')
}

/** The address of a payout's own page. */
const paidOut = /\/payouts\/[0-9a-f-]{36}$/

const payoutsOf = async () =>
  (await owner.get('/transactions/?transaction_type=RETRAIT')).data.results

describe('a payout', () => {
  it(
    'goes to a number whose network is guessed; a second one of the same sum must be wanted',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/payouts')
        await signInAs(page, owner)
        await page.getByRole('link', { name: 'Nouveau versement' }).first().click()
        await heading(page, 'Nouveau versement')
        await expectSound(page)
        await page.locator('input[name=msisdn]').fill(number)
        await page.locator('input[name=amount]').fill('600 000')
        await press(page, 'Continuer')
        await page.getByText('Le solde disponible de ce pays est insuffisant').waitFor()
        await expectSound(page)
        expect(await page.locator('.confirm').count()).toBe(0)
        await fillPayout(page, '2 500')
        for (const fact of ['Frais', 'Quitte votre solde', 'Le bénéficiaire reçoit']) {
          await page.getByText(fact, { exact: true }).waitFor()
        }
        const quote = await owner.get('/quotes/?kind=PAYOUT&country=BJ&network=mtn_bj&amount=2500')
        const net = quote.data.net.replace('.00', '').replace(/(?=\d{3}$)/, '\u00a0')
        await page.getByText(`${net}\u00a0FCFA`).waitFor()
        await expectSound(page)
        await press(page, 'Verser 2\u00a0500\u00a0FCFA')
        await page.waitForURL(paidOut)
        await heading(page, 'Versement')
        await expectSound(page)
        expect(await payoutsOf()).toMatchObject([{ requested_amount: '2500.00' }])
        await open(page, '/payouts/new')
        await press(page, '+229\u00a001\u00a097\u00a000\u00a000\u00a010')
        await page.locator('input[name=amount]').fill('2500')
        await press(page, 'Continuer')
        await page.getByText(/ont déjà été demandés/).waitFor()
        await press(page, 'Verser 2\u00a0500\u00a0FCFA')
        await page.getByText('Cochez si vous voulez vraiment').waitFor()
        await expectSound(page)
        expect(await payoutsOf()).toHaveLength(1)
        await page.getByRole('checkbox').check()
        await press(page, 'Verser 2\u00a0500\u00a0FCFA')
        await page.waitForURL(paidOut)
      })
      expect(await payoutsOf()).toHaveLength(2)
    },
    patience_ms,
  )

  it(
    'waits for whose the number is, whoever is quicker; of nobody’s it asks for the country',
    async () => {
      const before = (await payoutsOf()).length
      await fixture.visit({ language: 'fr', width: 360, hostile: true }, async (page) => {
        await open(page, '/payouts/new')
        await signInAs(page, owner)
        let release: () => void = () => undefined
        const slow = new Promise<void>((done) => {
          release = done
        })
        await page.route('**/networks/predict/*', async (route) => {
          await slow
          return route.continue()
        })
        const fill = async (msisdn: string) => {
          await page.locator('input[name=msisdn]').fill(msisdn)
          await page.locator('input[name=amount]').fill('2 500')
          await press(page, 'Continuer')
        }
        await fill(number)
        release()
        await page.locator('.confirm').waitFor()
        await page.reload()
        await fill('12')
        await page.locator('select[name=country][aria-invalid=true]').waitFor()
        expect(await page.locator('.confirm').count()).toBe(0)
      })
      expect(await payoutsOf()).toHaveLength(before)
    },
    patience_ms,
  )

  it(
    'goes to the network that was chosen, however late it comes whose the number seems',
    async () => {
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, '/payouts/new')
        await signInAs(page, owner)
        const held: (() => void)[] = []
        await page.route('**/networks/predict/*', async (route) => {
          await new Promise<void>((done) => held.push(done))
          return route.continue()
        })
        const network = page.locator('select[name=method]')
        /** Leaves the number, and waits until it was asked whose it is. */
        const ask = async (msisdn: string, times: number) => {
          await page.locator('input[name=msisdn]').fill(msisdn)
          await page.locator('input[name=msisdn]').blur()
          await expect.poll(() => held.length).toBe(times)
        }
        /** All that was asked is answered, and drawn. */
        const answer = async () => {
          const answers = held.map(() => page.waitForResponse(/predict/))
          for (const done of held.splice(0)) done()
          await Promise.all(answers)
          await page.waitForTimeout(200)
        }
        // The number of one network that went over to another, as its owner knows.
        await ask(number, 1)
        await page.locator('select[name=country]').selectOption('BJ')
        await expect.poll(() => held.length).toBe(2)
        await network.selectOption('moov_bj')
        await answer()
        expect(await network.inputValue()).toBe('moov_bj')
        // Nor is it guessed anew each time that the number is left.
        await page.locator('input[name=msisdn]').focus()
        await page.locator('input[name=msisdn]').blur()
        await page.waitForTimeout(200)
        expect(held).toEqual([])
        // Somebody's number is taken while another one's answer is still to come.
        await ask('+2290195000010', 1)
        await press(page, '+229\u00a001\u00a097\u00a000\u00a000\u00a010')
        await expect.poll(() => network.inputValue()).toBe('mtn_bj')
        await answer()
        expect(await network.inputValue()).toBe('mtn_bj')
      })
    },
    patience_ms,
  )

  wholeIt(
    'is made once, whatever the network loses and wherever the reader goes meanwhile',
    async () => {
      const before = (await payoutsOf()).length
      await fixture.visit({ language: 'en', width: 360, hostile: true }, async (page) => {
        await open(page, '/payouts/new')
        await signInAs(page, owner)
        let tries = 0
        let release: () => void = () => undefined
        await page.route('**/payouts/initialize/', async (route) => {
          tries += 1
          if (tries === 1) {
            const slow = new Promise<void>((done) => {
              release = done
            })
            const response = await route.fetch()
            await slow
            return route.fulfill({ response, body: '{"id":' })
          }
          if (tries === 2) return route.fulfill({ status: 504, body: '<h1>Gateway timeout</h1>' })
          return route.continue()
        })
        await fillPayout(page, '3 700')
        await press(page, 'Pay out FCFA\u00a03,700')
        await expect.poll(() => tries).toBe(1)
        expect(await page.getByRole('button', { name: 'Back' }).count()).toBe(0)
        release()
        await page.getByText('nothing will be done twice').waitFor()
        await press(page, 'Ask again')
        await expect.poll(() => tries).toBe(2)
        await page.getByRole('button', { name: 'Ask again' }).waitFor()
        expect(await page.getByRole('button', { name: 'Back' }).count()).toBe(0)
        await page.getByRole('link', { name: 'Home' }).first().click()
        await heading(page, 'Home')
        await page.goBack()
        await heading(page, 'New payout')
        await fillPayout(page, '3 700')
        await page.getByText('nothing will be done twice').waitFor()
        await press(page, 'Ask again')
        await page.waitForURL(paidOut)
      })
      expect(await payoutsOf()).toHaveLength(before + 1)
    },
    patience_ms,
  )

  wholeIt(
    'of a large sum waits for another member, who approves, rejects, or its maker withdraws it',
    async () => {
      const { app, shop } = fixture
      const finance = await app.member({ merchant_id: shop.merchant_id, role: 'FINANCE' })
      const { status } = await owner.post('/merchant-payout-limits/', {
        ...{ country: 'BJ', approval_above: '10000' },
      })
      expect(status).toBe(201)
      const waiting = async (amount: string) => {
        const body = { amount, currency: 'XOF', country: 'BJ', method: 'mtn_bj' }
        const made = await finance.post('/payouts/initialize/', {
          ...{ ...body, recipient: { msisdn: number } },
        })
        expect(made.data.approval).toBe('REQUIRED')
        return made.data.id
      }
      const ids = [await waiting('20000'), await waiting('30000'), await waiting('40000')]
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, '/payouts/approvals')
        await signInAs(page, owner)
        await page.getByText('FCFA\u00a040,000').first().waitFor()
        await expectSound(page)
        await open(page, `/payouts/${ids[0]}`)
        await press(page, 'Approve')
        await expectSound(page)
        await press(page, 'Approve FCFA\u00a020,000')
        await page
          .getByText(/The payout (has gone|has arrived|was sent|is with)|recipient/i)
          .first()
          .waitFor()
        await open(page, `/payouts/${ids[1]}`)
        await press(page, 'Reject')
        await press(page, 'Reject FCFA\u00a030,000')
        await page.getByRole('alert').waitFor()
        await page.locator('input[name=reason]').fill('Not this month')
        await press(page, 'Reject FCFA\u00a030,000')
        await page.locator('.confirm').waitFor({ state: 'detached' })
        await open(page, `/payouts/${ids[2]}`)
        await press(page, 'Cancel the request')
        await press(page, 'Cancel FCFA\u00a040,000')
        await page.locator('.confirm').waitFor({ state: 'detached' })
        await open(page, '/payouts/approvals')
        await page.getByText('No payout is waiting for approval.').waitFor()
        await expectSound(page)
      })
      await shop.becomes(ids[0], 'SUCCESS')
      await shop.becomes(ids[1], 'FAILED')
      const withdrawn = await shop.becomes(ids[2], 'FAILED')
      expect(withdrawn.failure_code).toBe('CANCELLED_BY_MERCHANT')
    },
    patience_ms,
  )

  wholeIt(
    'of one’s own is not approved by oneself, which is said',
    async () => {
      const body = { amount: '15000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' }
      const made = await owner.post('/payouts/initialize/', {
        ...{ ...body, recipient: { msisdn: number } },
      })
      await fixture.visit({ language: 'en', width: 360, dark: true }, async (page) => {
        await open(page, `/payouts/${made.data.id}`)
        await signInAs(page, owner)
        await page.getByText('another member must approve it').first().waitFor()
        await page
          .getByRole('img', { name: /^Payouts to approve: \d+$/ })
          .first()
          .waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'in live asks for six digits in the step that confirms it',
    async () => {
      const { app } = fixture
      const merchant_id = await shopInLive()
      const member = await app.member({ merchant_id, environment: 'LIVE' })
      const authenticator = await enrol(app, member)
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await page.goto(`${app.url}/dashboard/${merchant_id}/live/payouts/new`)
        await signInAs(page, member, { code: authenticator.code() })
        await heading(page, 'Nouveau versement')
        await fillPayout(page, '2500')
        await app.owner`
          update sessions set totp_at = totp_at - interval '11 minutes'
           where person_id = ${member.person_id}`
        await press(page, 'Verser 2\u00a0500\u00a0FCFA')
        await page.locator('input[name=totp]').waitFor()
        await expectSound(page)
        const sent: string[] = []
        page.on('request', (request) => {
          if (request.method() === 'POST') sent.push(new URL(request.url()).pathname)
        })
        // Of what is stored no browser fills it in, and nothing that comes there goes by itself.
        expect(await fillUnasked(page)).toBe('one-time-code')
        await page.waitForTimeout(500)
        expect(sent).toEqual([])
        await page.locator('input[name=totp]').fill('000000')
        await press(page, 'Verser 2\u00a0500\u00a0FCFA')
        await page.getByRole('alert').waitFor()
        expect(sent).toEqual(['/api/v1/auth/totp/verify/'])
        await authenticator.forget()
        await page.locator('input[name=totp]').fill(authenticator.code())
        await press(page, 'Verser 2\u00a0500\u00a0FCFA')
        await page.waitForURL(paidOut)
      })
    },
    patience_ms,
  )

  it(
    'in live leads whoever has no second factor to where it is turned on, and asks for no code',
    async () => {
      const { app } = fixture
      const merchant_id = await shopInLive()
      const member = await app.member({ merchant_id, environment: 'LIVE' })
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await page.goto(`${app.url}/dashboard/${merchant_id}/live/payouts/new`)
        await signInAs(page, member)
        await heading(page, 'New payout')
        await fillPayout(page, '2600')
        await press(page, 'Pay out FCFA\u00a02,600')
        await page.getByText('which you have not turned on yet').waitFor()
        await page.locator('.confirm a:focus').waitFor()
        expect(await page.locator('input[name=totp]').count()).toBe(0)
        expect(await page.getByRole('button', { name: /^Pay out/ }).count()).toBe(0)
        await expectSound(page)
        // What was typed is not lost without a word.
        await page.getByRole('link', { name: 'Turn on the second factor' }).click()
        await press(page, 'Leave anyway')
        await page.waitForURL(/\/me\/security$/)
      })
    },
    patience_ms,
  )
})
