// In LIVE an approval wants a second factor that is old enough, and nobody who asked: whoever may not
// give it reads what is theirs to mend, and is sent to nobody who may not either.

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { enrol } from '../setup/authenticator.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
}, patience_ms)
afterAll(() => fixture?.stop())

const nameThem = ({ person_id }: SignedInCaller, name: string) =>
  fixture.app.owner`
    update people set first_name = ${name}, last_name = '' where id = ${person_id}`

/** As if it had been so for ten days. */
async function isOld({ merchant_id, person_id }: SignedInCaller): Promise<void> {
  const { owner } = fixture.app
  await owner`
    update memberships set updated_at = now() - interval '10 days'
     where merchant_id = ${merchant_id} and person_id = ${person_id}`
  await owner`
    update people set totp_enrolled_at = now() - interval '10 days'
     where id = ${person_id} and totp_enrolled_at is not null`
}

/** A payout of the sandbox that waits, moved to LIVE: no operator is asked for it. */
async function waitingInLive() {
  const { app } = fixture
  const { merchant_id } = await app.shop({ live: true })
  const owner = await app.member({ merchant_id })
  const seller = await app.member({ merchant_id, role: 'FINANCE', second_factor: 'FRESH' })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
  await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '1000' })
  const { status, data } = await seller.post('/payouts/initialize/', {
    ...{ amount: '2000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: '+2290197000010' },
  })
  expect(status).toBe(201)
  const { id } = data
  await app.owner`update transactions set environment = 'LIVE' where id = ${id}`
  await app.owner`update payout_approvals set environment = 'LIVE' where transaction_id = ${id}`
  return { merchant_id, owner, seller, id }
}

it(
  'leads an owner without a second factor to theirs, and not to who asked',
  async () => {
    const { app } = fixture
    const { merchant_id, owner, seller, id } = await waitingInLive()
    const third = await app.member({ merchant_id, second_factor: 'FRESH' })
    const bare = await app.member({ merchant_id })
    for (const one of [owner, seller, third]) await isOld(one)
    await nameThem(seller, 'Sika')
    await nameThem(third, 'Tola')
    await nameThem(bare, 'Bola')
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await page.goto(`${app.url}/dashboard/${merchant_id}/live/payouts/${id}`)
      await signInAs(page, owner)
      await page.getByText('Pour approuver en réel, il faut un second facteur actif').waitFor()
      expect(await page.getByText('Vous l’avez demandé').count()).toBe(0)
      await page.getByText('À qui le demander ?').first().click()
      await expect
        .poll(() => page.locator('.guarded li').allInnerTexts())
        .toEqual(['Tola (Propriétaire)'])
      await expectSound(page)
      await page.getByRole('link', { name: 'Activer le second facteur' }).click()
      await page.waitForURL(/\/me\/security$/)
    })
  },
  patience_ms,
)

it(
  'says that both must have been what they are for a day, where one has not',
  async () => {
    const { app } = fixture
    const { merchant_id, id } = await waitingInLive()
    const other = await app.member({ merchant_id })
    const authenticator = await enrol(app, other)
    await isOld(other)
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await page.goto(`${app.url}/dashboard/${merchant_id}/live/payouts/${id}`)
      await signInAs(page, other, { code: authenticator.code() })
      await page.getByText('whoever asks and whoever approves must have had their role').waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'that is refused tells who asked for it why, in the words of who refused',
  async () => {
    const { app } = fixture
    const { merchant_id } = await app.shop()
    const owner = await app.member({ merchant_id })
    const seller = await app.member({ merchant_id, role: 'FINANCE' })
    await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
    await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '1000' })
    const { data } = await seller.post('/payouts/initialize/', {
      ...{ amount: '2000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: '+2290197000010' },
    })
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, app.url, merchant_id, `/payouts/${data.id}`)
      await signInAs(page, owner)
      await press(page, 'Refuser')
      await page.getByLabel('Motif').fill('Mauvais numéro, voir facture 12')
      await press(page, /^Refuser 2/)
      await page.locator('.outcome .status.failed').waitFor()
    })
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, app.url, merchant_id, `/payouts/${data.id}`)
      await signInAs(page, seller)
      await page.getByText('Votre équipe l’a refusé : rien n’est parti.').first().waitFor()
      await page.getByText(/Motif.: Mauvais numéro, voir facture 12/).waitFor()
      expect(await page.getByText('Le marchand l’a refusé').count()).toBe(0)
      await expectSound(page)
    })
  },
  patience_ms,
)
