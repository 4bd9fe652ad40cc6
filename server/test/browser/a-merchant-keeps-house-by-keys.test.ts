// What a merchant sets up, without a mouse, in a real browser: where money is paid out to and a
// settlement to it, a limit of payouts, a paper for verification, the second factor and its codes.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { authenticatorOf } from '../setup/authenticator.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { openFor } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { arrive, choose, enter, secondStep, signInByKeys, tabTo, typeInto } from './keyboard.ts'
import { expectSoon, watchPresses } from './presses.ts'
import { comesToRest } from './rest.ts'

const presses = watchPresses()
let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = presses.watch(await startFixture())
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
}, patience_ms)
afterAll(() => fixture?.stop())

/** Signed in by keys on the screen at `path`, once its heading is there. */
const at = (path: string, title: string, journey: (page: Page) => Promise<void>) =>
  fixture.visit({ language: 'en', width: 1280 }, async (page) => {
    await openFor(page, fixture.app.url, owner.merchant_id, '')
    await signInByKeys(page, owner)
    await openFor(page, fixture.app.url, owner.merchant_id, path)
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    // As somebody does who looks before they press: what is still being read is there.
    await comesToRest(page)
    await journey(page)
  })

describe('by keys alone', () => {
  it(
    'a payout method is added and a settlement asked for',
    async () => {
      await at('/settlements/methods', 'Payout methods', async (page) => {
        await enter(page, /^A New payout method$/)
        await secondStep(page)
        await choose(page, /^SELECT Country/, 'Benin')
        await page.locator('option', { hasText: 'MTN' }).first().waitFor({ state: 'attached' })
        await choose(page, /^SELECT Network/, 'MTN')
        await typeInto(page, /^INPUT .*number/, '+2290197000010')
        await enter(page, /^BUTTON Add this method$/)
        await arrive(page, 'Payout methods')
      })
      await at('/settlements', 'Settlements', async (page) => {
        await enter(page, /^A New settlement$/)
        await arrive(page, 'New settlement')
        await typeInto(page, /^INPUT How much/, '12000')
        await page.keyboard.press('Enter')
        await secondStep(page)
        await enter(page, /^BUTTON Request FCFA.12,000$/)
        await arrive(page, 'Settlement')
      })
      const { data } = await owner.get('/settlements/')
      expect(data.results).toMatchObject([{ requested_amount: '12000.00', status: 'PENDING' }])
    },
    patience_ms,
  )

  wholeIt(
    'a limit of payouts is set, and changed',
    async () => {
      await at('/payouts/limits', 'Limits', async (page) => {
        await enter(page, /^BUTTON Set a limit$/)
        await secondStep(page)
        await choose(page, /^SELECT Country/, 'Benin')
        await typeInto(page, /^INPUT .*per payout/i, '50000')
        await page.keyboard.press('Enter')
        await page.getByText('50,000').first().waitFor()
        await comesToRest(page)
        await enter(page, /^BUTTON Change/)
        await secondStep(page)
        await typeInto(page, /^INPUT .*day/i, '200000')
        await page.keyboard.press('Enter')
        await page.getByText('200,000').first().waitFor()
      })
      const { data } = await owner.get('/merchant-payout-limits/')
      expect(data.results).toMatchObject([{ per_payout: '50000.00', per_day: '200000.00' }])
    },
    patience_ms,
  )

  wholeIt(
    'a paper is sent for verification',
    async () => {
      const paper = {
        name: 'ifu.pdf',
        mimeType: 'application/pdf',
        buffer: Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n'),
      }
      await at('/settings/verification', 'Verification', async (page) => {
        // The system's own window of files is no page of ours: it gives back what is chosen there.
        const chosen = page.waitForEvent('filechooser')
        await choose(page, /^SELECT Which document/, 'Tax')
        await tabTo(page, /^INPUT .*File/)
        await page.keyboard.press('Enter')
        await (await chosen).setFiles(paper)
        await page.getByText('ifu.pdf').waitFor()
      })
    },
    patience_ms,
  )

  wholeIt(
    'the second factor is turned on, its codes kept, and it is taken off',
    async () => {
      const { app, shop } = fixture
      const member = await app.member({ merchant_id: shop.merchant_id })
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await page.goto(`${app.url}/dashboard/me/security`)
        await page.locator('input[name=email]').waitFor()
        await typeInto(page, /^INPUT E-mail/, member.email)
        await typeInto(page, /^INPUT Password/, member.password)
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
        await typeInto(page, /^INPUT Password/, member.password)
        await page.keyboard.press('Enter')
        await page.getByRole('img', { name: 'QR code to scan' }).waitFor()
        const secret = await page.locator('form code').innerText()
        const phone = authenticatorOf(app, member, { secret, recovery_codes: [] })
        await typeInto(page, /^INPUT Security code/, phone.code())
        await page.keyboard.press('Enter')
        await page.getByText('Your recovery codes').waitFor()
        await tabTo(page, /^INPUT They are printed/)
        await page.keyboard.press('Space')
        await enter(page, /^BUTTON Continue$/)
        await page.getByText('Turned on').waitFor()
        await page.getByText('Recovery codes left: 10.').waitFor()
        expect(await page.getByText('Make new ones').count()).toBe(0)
        await app.owner`
          update recovery_codes set used_at = now()
           where (person_id, hash) in (select person_id, hash from recovery_codes
                   where person_id = ${member.person_id} limit 7)`
        await page.reload()
        await page.getByText('Make new ones before you need them.').waitFor()
        await page.getByText('Recovery codes left: 3.').waitFor()
        await phone.forget()
        await enter(page, /^SUMMARY Remove the second factor$/)
        await typeInto(page, /^INPUT Password/, member.password)
        await typeInto(page, /^INPUT Security code/, phone.code())
        await page.keyboard.press('Enter')
        await page.getByText('Not turned on').waitFor()
      })
    },
    patience_ms,
  )

  wholeIt('each press is answered soon', () => expectSoon('the house', presses.soFar()))
})
