// A link has an end by the shop's clocks, is changed while a colleague changes it too, and is
// deleted for good, by whoever may; the others are told who can.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000

const send = (by: SignedInCaller, method: string, path: string, body: object) =>
  by.call(method, path, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  // An hour ahead of UTC.
  await fixture.app.owner`
    insert into merchant_time_zones (merchant_id, from_day, from_at, zone)
    values (${owner.merchant_id}, '2020-01-01', '2019-12-31T23:00:00Z', 'Africa/Porto-Novo')`
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)

async function make(changes: object = {}): Promise<Json> {
  const body = { name: 'Mangues', currency: 'XOF', amount: '2500', ...changes }
  const { status, data } = await owner.post('/payment-links/', body)
  expect(status).toBe(201)
  return data
}

const read = async (id: string): Promise<Json> => (await owner.get(`/payment-links/${id}/`)).data

/** The first answer is lost: it was done there and nobody here knows. */
async function loseFirst(page: Page, method: string, address: string): Promise<void> {
  let isLost = true
  await page.route(`**${address}`, async (route) => {
    if (route.request().method() !== method || !isLost) return route.continue()
    isLost = false
    await route.fetch()
    return route.abort()
  })
}

const save = (page: Page) => page.locator('.confirm button[type=submit]').click()
const end = (page: Page) => page.getByLabel('Ends', { exact: true })
const fact = (page: Page, name: string) => page.locator('dl > div').filter({ hasText: name })

describe('the end of a link', () => {
  it(
    'is a moment by the shop’s clocks, shown in the list and on its page',
    async () => {
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, '/links/new')
        await signInAs(page, owner)
        await page.getByLabel('What for?').fill('Tontine')
        await page.getByLabel('How much?').fill('5,000')
        await page.getByText('More options').click()
        await page.getByText('Optional. By your shop’s clocks (UTC+1).').waitFor()
        await expectSound(page)
        // A day without its time would be read as no end at all.
        await end(page).focus()
        await page.keyboard.type('1130')
        await press(page, 'Create the link')
        await page.getByText('Fill this in.').first().waitFor()
        await expectSound(page)
        await end(page).fill('2020-01-01T10:00')
        await press(page, 'Create the link')
        await page.getByText('This moment has passed.').first().waitFor()
        await end(page).fill('2099-11-30T18:00')
        await press(page, 'Create the link')
        await heading(page, 'Tontine')
        await fact(page, 'Ends').getByText('30 November 2099 at 18:00:00').waitFor()
        await expectSound(page)
        const [, id = ''] = /links\/([^/?]+)/.exec(page.url()) ?? []
        expect((await read(id)).expires_at).toBe('2099-11-30T17:00:00.000Z')
        await open(page, '/links')
        await page.getByText('Ends: 30 Nov 2099, 18:00').waitFor()
        await expectSound(page)
        await page.setViewportSize({ width: 1280, height: 800 })
        await page.getByRole('columnheader', { name: 'Ends' }).waitFor()
        await page.getByRole('row', { name: /Tontine.*30 Nov 2099, 18:00/ }).waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )
})

describe('a link', () => {
  it(
    'is changed in what its form holds, and what a colleague changes meanwhile stays',
    async () => {
      const expires_at = '2099-01-02T03:04:05.000Z'
      const link = await make({ usage_limit: 3, expires_at })
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/links/${link.id}`)
        await signInAs(page, owner)
        await press(page, 'Modifier le lien')
        const name = page.getByLabel('Pour quoi ?')
        await expect.poll(() => name.inputValue()).toBe('Mangues')
        await expect.poll(() => page.getByLabel('Combien ?').inputValue()).toBe('2500')
        await expect
          .poll(() => page.getByLabel('Fin', { exact: true }).inputValue())
          .toBe('2099-01-02T04:04')
        await expectSound(page)
        await send(owner, 'PATCH', `/payment-links/${link.id}/`, { description: 'Kent' })
        await name.fill('Mangues mûres')
        await page.getByLabel('Combien ?').fill('3 000')
        await page.getByLabel('Nombre maximal de paiements').fill('')
        const sent = page.waitForRequest((request) => request.method() === 'PATCH')
        await save(page)
        expect((await sent).postDataJSON()).toEqual({
          ...{ name: 'Mangues mûres', usage_limit: null, currency: 'XOF' },
          ...{ amount_type: 'FIXED', amount: '3000.00', min_amount: null },
        })
        await heading(page, 'Mangues mûres')
        await page.getByText('3\u00a0000\u00a0FCFA').first().waitFor()
        await page.getByText('Kent').waitFor()
      })
      const now = await read(link.id)
      expect(now).toMatchObject({ name: 'Mangues mûres', description: 'Kent', expires_at })
      expect(now).toMatchObject({ amount: '3000.00', usage_limit: null, amount_type: 'FIXED' })
    },
    patience_ms,
  )

  it(
    'asks for the sum that its reader has seen whole, whatever was lost or changed on the way',
    async () => {
      const { id } = await make()
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        const sum = page.getByLabel('Combien ?')
        const begin = async () => {
          await press(page, 'Modifier le lien')
          await sum.waitFor()
        }
        await open(page, `/links/${id}`)
        await signInAs(page, owner)
        await begin()
        // A colleague sells abroad from now on.
        const abroad = { amount: '8', currency: 'GHS' }
        expect((await send(owner, 'PATCH', `/payment-links/${id}/`, abroad)).status).toBe(200)
        await sum.fill('6 000')
        await save(page)
        await page.getByText('6\u00a0000\u00a0FCFA').first().waitFor()
        expect(await read(id)).toMatchObject({ amount: '6000.00', currency: 'XOF' })
        await begin()
        // It was done, its answer is lost, and what was there before is wanted after all.
        await loseFirst(page, 'PATCH', '/payment-links/*/')
        await sum.fill('7 000')
        await save(page)
        await page.getByText('Le service ne répond pas.').first().waitFor()
        expect((await read(id)).amount).toBe('7000.00')
        await sum.fill('6 000')
        await save(page)
        await expect.poll(async () => (await read(id)).amount).toBe('6000.00')
      })
    },
    patience_ms,
  )

  it(
    'whose payer chooses keeps its lowest sum where it is given another name',
    async () => {
      const free = { amount_type: 'FREE', amount: '500', min_amount: '100' }
      const { id } = await make(free)
      expect(await read(id)).toMatchObject({ amount: '500.00', min_amount: '100.00' })
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, `/links/${id}`)
        await signInAs(page, owner)
        await press(page, 'Change the link')
        await page.getByLabel('What for?').fill('Quête')
        const sent = page.waitForRequest((request) => request.method() === 'PATCH')
        await save(page)
        expect((await sent).postDataJSON()).toEqual({ name: 'Quête' })
        await heading(page, 'Quête')
        await press(page, 'Change the link')
        expect(await page.getByLabel('Lowest amount').inputValue()).toBe('100')
      })
    },
    patience_ms,
  )

  wholeIt(
    'of a fixed sum becomes one whose payer chooses, and loses its end',
    async () => {
      const link = await make({ expires_at: '2099-01-02T03:04:05.000Z' })
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, `/links/${link.id}`)
        await signInAs(page, owner)
        await press(page, 'Change the link')
        await page.getByLabel('The customer chooses the amount').check()
        await page.getByLabel('Lowest amount').fill('x')
        await save(page)
        await page.getByText('Enter an amount').first().waitFor()
        await page.getByLabel('Lowest amount').fill('500')
        await end(page).fill('')
        await expectSound(page)
        await save(page)
        await page.getByText('Any, from FCFA\u00a0500').first().waitFor()
        expect(await fact(page, 'Ends').count()).toBe(0)
      })
      expect(await read(link.id)).toMatchObject({
        ...{ amount_type: 'FREE', amount: null, min_amount: '500.00', expires_at: null },
      })
    },
    patience_ms,
  )

  it(
    'is deleted once its reader has read what goes; its payments stay',
    async () => {
      const link = await make({ name: 'Solde' })
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, `/links/${link.id}`)
        await signInAs(page, owner)
        await press(page, 'Delete the link')
        await page.getByText('will lead nowhere, for good').waitFor()
        await expectSound(page)
        await press(page, 'Back')
        expect((await read(link.id)).name).toBe('Solde')
        await press(page, 'Delete the link')
        // The answer is lost: asked for again it is gone, and that is what was wanted.
        await loseFirst(page, 'DELETE', '/payment-links/*/')
        await press(page, 'Delete the link')
        await page.getByText('The service does not answer.').first().waitFor()
        await press(page, 'Delete the link')
        await heading(page, 'Links')
        await page.locator('main .cards').waitFor()
        expect(await page.getByText('Solde').count()).toBe(0)
        await open(page, `/links/${link.id}`)
        await page.getByText('Not found here.').waitFor()
      })
      expect((await owner.get(`/payment-links/${link.id}/`)).status).toBe(404)
      const paid = await fetch(link.url)
      expect([404, 410]).toContain(paid.status)
    },
    patience_ms,
  )

  it(
    'is shown to whoever may not change it with who may',
    async () => {
      const link = await make()
      const { merchant_id } = owner
      const viewer = await fixture.app.member({ merchant_id, role: 'VIEWER' })
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, `/links/${link.id}`)
        await signInAs(page, viewer)
        // Said once, for all three.
        const why = page.getByText(/^Your role does not allow this. Who may/)
        await why.waitFor()
        await expect.poll(() => why.count()).toBe(1)
        for (const name of ['Change the link', 'Delete the link', 'Turn the link off']) {
          expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0)
        }
        await expectSound(page)
      })
      expect((await read(link.id)).is_active).toBe(true)
    },
    patience_ms,
  )

  wholeIt(
    'that is not of this mode leads to the other one',
    async () => {
      const { app } = fixture
      const shop = await app.shop({ live: true })
      const member = await app.member({ merchant_id: shop.merchant_id })
      const nobody = '00000000-0000-7000-8000-000000000000'
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await openFor(page, app.url, shop.merchant_id, `/links/${nobody}`)
        await signInAs(page, member)
        await page.getByText('Not found here.').waitFor()
        await page.getByRole('link', { name: 'Look in live mode' }).click()
        await page.waitForURL(`**/live/links/${nobody}`)
        await page.getByRole('link', { name: 'Look in test mode' }).waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )
})

wholeIt(
  'one form makes one link: where its answer was lost, also before a reload, it is found again',
  async () => {
    await fixture.visit({ language: 'en', width: 360, hostile: true }, async (page) => {
      const fill = async () => {
        await page.getByLabel('What for?').fill('Order 77')
        await page.getByLabel('How much?').fill('7,700')
      }
      await open(page, '/links/new')
      await signInAs(page, owner)
      await loseFirst(page, 'POST', '/payment-links/')
      await fill()
      await press(page, 'Create the link')
      await page.getByText('The service does not answer.').first().waitFor()
      await page.reload()
      await fill()
      await press(page, 'Create the link')
      await heading(page, 'Order 77')
      // What came of it is known now: the same once more is another link.
      await open(page, '/links/new')
      await fill()
      await press(page, 'Create the link')
      await heading(page, 'Order 77')
    })
    const { data } = await owner.get('/payment-links/?search=Order 77')
    expect(data.results).toHaveLength(2)
  },
  patience_ms,
)
