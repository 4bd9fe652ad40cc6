// What a screen has read, as the calls of a program: a developer copies one, puts a key in, and has
// the same answer from a terminal.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let payment_id: string
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  const { data } = await fixture.shop.pay({ amount: '4200' })
  payment_id = data.id
  await fixture.shop.becomes(payment_id, 'SUCCESS')
}, patience_ms)
afterAll(() => fixture?.stop())

const source = readFileSync(
  new URL('../../../dashboard/src/parts/as-curl.tsx', import.meta.url),
  'utf8',
)
const [, named = ''] = /of_members = \[([^;]*?)\n\]/.exec(source) ?? []
const of_members = [...named.matchAll(/'([a-z-]+)'/g)].map(([, name = '']) => name)

const summary = 'details.calls summary'

async function visitAs(role: 'DEVELOPER' | 'FINANCE', width: 360 | 1280, path: string) {
  const { app, shop } = fixture
  const member = await app.member({ merchant_id: shop.merchant_id, role })
  return (work: Parameters<BrowserFixture['visit']>[1]) =>
    fixture.visit({ language: 'en', width }, async (page) => {
      await openFor(page, app.url, shop.merchant_id, path)
      await signInAs(page, member)
      await page.locator('main h1').waitFor()
      await work(page)
    })
}

describe('where there is nothing yet, the call that brings the first', () => {
  it('stands there, and does it once, however often it is made', async () => {
    const { app } = fixture
    const shop = await app.shop()
    await app.owner`update merchants set country = 'BJ' where id = ${shop.merchant_id}`
    const member = await app.member({ merchant_id: shop.merchant_id })
    const method = { type: 'MOBILE_MONEY', country: 'BJ', network: 'mtn_bj' }
    const msisdn = '+2290197000011'
    await member.post('/merchant-payout-methods/', { ...method, msisdn, label: 'Caisse' })
    await member.post('/merchant-ip-whitelist/', { ip_address: '127.0.0.1' })
    const env = { ...process.env, KEY: shop.key }
    const run = async (text: string) =>
      JSON.parse((await promisify(execFile)('sh', ['-c', text], { env })).stdout)
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await openFor(page, app.url, shop.merchant_id, '')
      await signInAs(page, member)
      const textOf = async (path: string, name: string) => {
        await openFor(page, app.url, shop.merchant_id, path)
        await page.getByText(`With curl: ${name}`).click()
        const text = await page.locator('details.curl pre').textContent()
        await expectSound(page)
        return text ?? ''
      }
      const payment = await textOf('/payments', 'New payment')
      const first = await run(payment)
      expect(first).toMatchObject({ success: true, data: { status: 'PENDING' } })
      expect((await run(payment)).data.id).toBe(first.data.id)
      await shop.becomes(first.data.id, 'SUCCESS')
      const paid = await run(await textOf('/payouts', 'New payout'))
      expect(paid).toMatchObject({ success: true, data: { status: 'PENDING' } })
      // Understood, though there is too little money for them.
      for (const [path, name] of [
        ['/settlements', 'New settlement'],
        ['/transfers', 'New transfer'],
      ] as const) {
        const text = await textOf(path, name)
        expect(text).toContain('Idempotency-Key: ')
        expect(await run(text), path).toMatchObject({ error: { code: 'insufficient_balance' } })
      }
    })
  })
})

describe('a screen as curl', () => {
  it('is two presses away, and its call answers what the screen shows', async () => {
    const visit = await visitAs('DEVELOPER', 1280, `/payments/${payment_id}`)
    await visit(async (page) => {
      await page.getByText('4,200').first().waitFor()
      await page.locator(summary).click()
      const calls = page.locator('details.calls pre')
      await calls.first().waitFor()
      const texts = await calls.allTextContents()
      const text = texts.find((one) => one.includes(`/transactions/${payment_id}/'`)) ?? ''
      const { stdout } = await promisify(execFile)('sh', ['-c', text], {
        env: { ...process.env, KEY: fixture.shop.key },
      })
      expect(JSON.parse(stdout)).toMatchObject({ data: { id: payment_id, status: 'SUCCESS' } })
      await page.getByRole('button', { name: 'Copy', exact: true }).first().waitFor()
    })
  })

  wholeIt('is another one on another screen, closed again', async () => {
    const visit = await visitAs('DEVELOPER', 1280, '/payments?status=FAILED')
    await visit(async (page) => {
      await page.locator(summary).click()
      const calls = page.locator('details.calls pre')
      await calls.getByText('/transactions/?').first().waitFor()
      expect((await calls.allTextContents()).join()).toContain('status=FAILED')
      await page.getByRole('link', { name: 'Transfers' }).first().click()
      await page.getByRole('heading', { name: 'Transfers', level: 1 }).waitFor()
      expect(await page.locator('details.calls').getAttribute('open')).toBeNull()
    })
  })

  wholeIt('is not offered to those who make no keys, nor on a telephone', async () => {
    for (const [role, width] of [
      ['FINANCE', 1280],
      ['DEVELOPER', 360],
    ] as const) {
      const visit = await visitAs(role, width, `/payments/${payment_id}`)
      await visit(async (page) => {
        await page.getByText('4,200').first().waitFor()
        expect(await page.locator(summary).count()).toBe(0)
      })
    }
  })

  it('leaves out what only members may call, all of it and no more', () => {
    const at = new URL('../../openapi.json', import.meta.url)
    const { paths } = JSON.parse(readFileSync(at, 'utf8'))
    const reads = Object.entries<{ get?: { 'x-access': object } }>(paths).flatMap(([path, one]) =>
      one.get !== undefined && 'member' in one.get['x-access'] ? [{ path, ...one.get }] : [],
    )
    const firstOf = (path: string) => path.split('/')[1] ?? ''
    const closed = reads.filter((one) => !('key' in one['x-access'])).map(({ path }) => path)
    const open = reads.filter((one) => 'key' in one['x-access']).map(({ path }) => firstOf(path))
    const drawn = '/merchant/branding/preview/'
    expect([...new Set(closed.filter((path) => path !== drawn).map(firstOf))].sort()).toEqual(
      [...of_members].sort(),
    )
    expect(open.filter((first) => of_members.includes(first))).toEqual([])
  })
})
