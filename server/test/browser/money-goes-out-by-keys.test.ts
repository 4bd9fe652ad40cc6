// Money on its way out without a mouse: a payout whose answer is lost, one that is refused in words,
// one that another member rejects and one that is withdrawn; a transfer that lapses; a settlement to
// a bank, its proof, and its return; in live with digits.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { eventually, type Json, type SignedInCaller } from '../harness.ts'
import { fund } from '../ledger/books.ts'
import { enrol } from '../setup/authenticator.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { plantMethod } from '../setup/settling.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'
import { arrive, enter, openSettled, secondStep, seen, signInByKeys, typeInto } from './keyboard.ts'
import { expectSoon, watchPresses } from './presses.ts'
import { comesToRest } from './rest.ts'

const presses = watchPresses()
let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000

beforeAll(async () => {
  fixture = presses.watch(await startFixture())
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
}, patience_ms)
afterAll(() => fixture?.stop())

const addressOf = (path: string) => `${fixture.app.url}/dashboard/${owner.merchant_id}/test${path}`

type Journey = (page: Page) => Promise<void>

const readers = {
  fr: { language: 'fr', width: 360, hostile: true },
  en: { language: 'en', width: 1280 },
} as const

const at = (reader: keyof typeof readers, path: string, journey: Journey) =>
  fixture.visit(readers[reader], async (page) => {
    await page.goto(addressOf(''))
    await signInByKeys(page, owner)
    await openSettled(page, addressOf(path))
    await journey(page)
  })

async function done(calling: Promise<{ status: number; body: Json; data: Json }>): Promise<Json> {
  const { status, body, data } = await calling
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  return data
}

const payoutsOf = async () =>
  (await owner.get('/transactions/?transaction_type=RETRAIT')).data.results

/** From the empty form on. */
async function fillPayout(page: Page, amount: string): Promise<void> {
  await typeInto(page, /^INPUT .*([Nn]umber|[Nn]uméro)/, '+2290197000010')
  await page.keyboard.press('Tab')
  await seen(page, /Deviné d’après le numéro|Guessed from the number/)
  await typeInto(page, /^INPUT .*(much|Combien)/, amount)
  await page.keyboard.press('Enter')
}

const receiver = { recipient: { msisdn: '+2290197000010' } }
const sent = { currency: 'XOF', country: 'BJ', method: 'mtn_bj', ...receiver }

describe('by keys alone', () => {
  wholeIt(
    'a payout whose answer is lost is asked for again, and made once',
    async () => {
      await at('fr', '/payouts/new', async (page) => {
        let isLost = true
        await page.route('**/payouts/initialize/', async (route) => {
          if (!isLost) return route.continue()
          isLost = false
          await route.fetch()
          return route.abort()
        })
        await fillPayout(page, '3700')
        await secondStep(page)
        await enter(page, /^BUTTON Verser 3.700.FCFA$/)
        await enter(page, /^BUTTON Redemander$/)
        await arrive(page, 'Versement')
      })
      expect(await payoutsOf()).toHaveLength(1)
    },
    patience_ms,
  )

  wholeIt(
    'a payout of more than there is, of a frozen balance, over a limit, is refused in words',
    async () => {
      const freeze = (is: boolean) => fixture.app.owner`
        update balances set is_frozen = ${is} where merchant_id = ${owner.merchant_id}`
      await at('en', '/payouts/new', async (page) => {
        const expectRefused = async (said: RegExp) => {
          const alert = page.getByRole('alert').filter({ hasText: said })
          await alert.waitFor()
        }
        await fillPayout(page, '900000')
        await expectRefused(/balance|enough/i)
        await freeze(true)
        await typeInto(page, /^INPUT .*much/, '1000')
        await page.keyboard.press('Enter')
        await expectRefused(/frozen/i)
        await freeze(false)
        await done(owner.post('/merchant-payout-limits/', { country: 'BJ', per_payout: '60000' }))
        await typeInto(page, /^INPUT .*much/, '70000')
        await page.keyboard.press('Enter')
        await expectRefused(/limit|more than/i)
        expect(await page.locator('.confirm').count()).toBe(0)
      })
    },
    patience_ms,
  )

  wholeIt(
    'a payout that waits is rejected by another member or withdrawn, never approved by its maker',
    async () => {
      const { app, shop } = fixture
      const finance = await app.member({ merchant_id: shop.merchant_id, role: 'FINANCE' })
      await done(owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '10000' }))
      const ask = async (who: SignedInCaller, amount: string): Promise<string> =>
        (await done(who.post('/payouts/initialize/', { amount, ...sent }))).id
      const [theirs, own] = [await ask(finance, '20000'), await ask(owner, '30000')]
      await at('en', `/payouts/${theirs}`, async (page) => {
        await enter(page, /^BUTTON Reject$/)
        await secondStep(page)
        await enter(page, /^BUTTON Reject FCFA.20,000$/)
        await page.getByRole('alert').waitFor()
        await typeInto(page, /^INPUT .*([Ww]hy|[Rr]eason)/, 'Not this month')
        await enter(page, /^BUTTON Reject FCFA.20,000$/)
        await page.locator('.confirm').waitFor({ state: 'detached' })
        await openSettled(page, addressOf(`/payouts/${own}`))
        await seen(page, 'another member must approve it')
        // The button is there to be read, with why it does nothing.
        await enter(page, /^BUTTON Approve$/)
        expect(await page.locator('.confirm').count()).toBe(0)
        await enter(page, /^BUTTON Cancel the request$/)
        await secondStep(page)
        await enter(page, /^BUTTON Cancel FCFA.30,000$/)
        await page.locator('.confirm').waitFor({ state: 'detached' })
      })
      for (const id of [theirs, own]) await shop.becomes(id, 'FAILED')
    },
    patience_ms,
  )

  wholeIt(
    'a transfer that nobody approves is read from the menu to its end',
    async () => {
      const places = { from_country: 'BJ', to_country: 'SN' }
      const { id } = await done(
        owner.post('/wallet-transfers/', { ...places, from_amount: '5000' }),
      )
      await at('fr', '', async (page) => {
        await enter(page, /^BUTTON Menu$/)
        await page.locator('nav.menu.open').waitFor()
        await enter(page, /^A Transferts$/)
        await heading(page, 'Transferts')
        await enter(page, /^A .*5.000/)
        await seen(page, 'Notre équipe doit approuver ce transfert.')
        await fixture.app.owner`
          update wallet_transfers set lapses_at = now() - interval '1 second' where id = ${id}`
        await eventually(async () => {
          expect((await owner.get(`/wallet-transfers/${id}/`)).data.status).toBe('REJECTED')
        })
        await page.reload()
        await seen(page, 'Personne n’a approuvé ce transfert à temps')
      })
    },
    patience_ms,
  )

  wholeIt(
    'a settlement to a bank is followed, its proof saved, its return read',
    async () => {
      const { app, shop } = fixture
      const staff = [await app.staff({ role: 'FINANCE' }), await app.staff({ role: 'FINANCE' })]
      const [first = owner, second = owner] = staff
      await plantMethod(app, shop.merchant_id)
      await app.owner`
        update payout_methods set usable_from = now() - interval '1 minute'
         where merchant_id = ${shop.merchant_id}`
      await at('fr', '/settlements/new', async (page) => {
        await typeInto(page, /^INPUT Combien/, '20000')
        await page.keyboard.press('Enter')
        await secondStep(page)
        await enter(page, /^BUTTON Demander 20.000.FCFA$/)
        await arrive(page, 'Règlement')
        const id = page.url().split('/').at(-1)
        await done(first.post(`/admin/settlements/${id}/approve/`))
        await done(first.post(`/admin/settlements/${id}/execute/`, { gateway_reference: 'VIR-1' }))
        const paper = { headers: { 'content-type': 'application/pdf' }, body: proof }
        await done(first.call('POST', `/admin/settlements/${id}/proof/`, paper))
        await openSettled(page, addressOf(`/settlements/${id}`))
        const file = page.waitForEvent('download')
        await enter(page, /^BUTTON Preuve de la banque/)
        expect((await file).suggestedFilename()).toMatch(/\.pdf$/)
        const incident = await done(
          first.post(`/admin/settlements/${id}/return/`, { note: 'The bank’s notice of today' }),
        )
        await done(second.post(`/admin/incidents/${incident.id}/confirm/`, {}))
        await openSettled(page, addressOf(`/settlements/${id}`))
        await seen(page, 'La banque a renvoyé la somme')
      })
    },
    patience_ms,
  )

  wholeIt(
    'in live the second step wants six digits',
    async () => {
      const { app } = fixture
      const { merchant_id } = await app.shop({ live: true })
      const member = await app.member({ merchant_id, environment: 'LIVE' })
      const authenticator = await enrol(app, member)
      const place = { merchant_id, environment: 'LIVE', country: 'BJ', currency: 'XOF' } as const
      await fund(app.owner, place, 1_000_000n)
      await app.owner`
        insert into routes (id, network_id, direction, gateway_id, environment, priority)
        select gen_random_uuid(), n.id, 'DISBURSE', g.id, 'LIVE', 1
          from networks n, gateways g
         where n.code = 'mtn_bj' and g.code = 'simulator_a'`
      await app.owner`update catalogue_version set version = version + 1`
      await fixture.visit(readers.fr, async (page) => {
        await page.goto(`${app.url}/dashboard/${merchant_id}/live/payouts/new`)
        await signInByKeys(page, member, { code: authenticator.code() })
        await heading(page, 'Nouveau versement')
        await comesToRest(page)
        await fillPayout(page, '2500')
        await secondStep(page)
        await app.owner`
          update sessions set totp_at = totp_at - interval '11 minutes'
           where person_id = ${member.person_id}`
        await enter(page, /^BUTTON Verser 2.500.FCFA$/)
        await page.locator('.confirm input[name=totp]').waitFor()
        await authenticator.forget()
        await typeInto(page, /^INPUT Code de sécurité/, authenticator.code())
        await enter(page, /^BUTTON Verser 2.500.FCFA$/)
        await page.waitForURL(/\/live\/payouts\/[0-9a-f-]{36}$/)
      })
    },
    patience_ms,
  )

  wholeIt('each press is answered soon', () => expectSoon('money out', presses.soFar()))
})

const proof = new Uint8Array(Buffer.from('%PDF-1.7 paid to the merchant'))
