// Before a payout leaves the form says whose the number is, where the operator says so, beside the
// number; and where it knows no account there, that is said before the button.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Mtn, startMtn } from '../../../simulator/src/dialects/mtn/start.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import { mtnAdapter } from '../../src/gateways/mtn-momo-api/mtn-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import type { SignedInCaller } from '../harness.ts'
import { provisioned } from '../setup/mtn-account.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
let mtn: Mtn

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  mtn = await startMtn({ port: 0, speed: 50 })
  owner = await app.member({ merchant_id: shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { settings, secrets } = await provisioned(mtn.url, new URL(app.url).hostname)
  const account = await addAccount(deps, mtnAdapter, {
    ...{ code: 'mtn_bj_asking', name: 'MTN Bénin', environment: 'SANDBOX', country: 'BJ' },
    ...{ settings: { ...settings, holder_lookup: 'on' }, secrets },
  })
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
  const staff = await app.staff({ role: 'OPERATIONS' })
  const route = { network: 'mtn_bj', gateway: account.code, direction: 'DISBURSE', priority: 1 }
  expect((await staff.post('/admin/routes/', route)).status).toBe(201)
})
afterAll(async () => {
  await fixture?.stop()
  await mtn?.stop()
})

async function checked(page: Page, number: string, next: string): Promise<void> {
  await openFor(page, fixture.app.url, owner.merchant_id, '/payouts/new')
  await signInAs(page, owner)
  await page.locator('input[name=msisdn]').fill(number)
  await page.locator('input[name=msisdn]').blur()
  await page.getByText(/Deviné d’après le numéro|Guessed from the number/).waitFor()
  await page.locator('input[name=amount]').fill('2500')
  await press(page, next)
  await page.locator('.confirm').waitFor()
}

const nameOf = async (msisdn: string): Promise<string> => {
  const asked = { kind: 'PAYOUT', network: 'mtn_bj', amount: '2500', country: 'BJ', msisdn }
  const { data } = await owner.get(`/quotes/?${new URLSearchParams(asked)}`)
  return data.recipient.name
}

describe('a payout that is checked', () => {
  it.each([
    ['fr', 360, 'Continuer', '+2290197000110'],
    ['en', 1280, 'Continue', '+2290197000210'],
  ] as const)(
    'shows the holder’s name beside the number, in %s at %i pixels',
    async (language, width, next, phone) => {
      const name = await nameOf(phone)
      await fixture.visit({ language, width }, async (page) => {
        await checked(page, phone, next)
        await page.getByText(name).waitFor()
        await expectSound(page)
      })
    },
    120_000,
  )

  it('says where the operator knows no account', async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await checked(page, '+2290197000103', 'Continuer')
      await page.getByText('L’opérateur ne connaît aucun compte actif à ce numéro.').waitFor()
      await expectSound(page)
    })
  }, 120_000)
})
