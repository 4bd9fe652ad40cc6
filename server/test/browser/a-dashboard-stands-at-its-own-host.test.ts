// The dashboard at a host of its own (DASHBOARD_URL), in a real browser: a proxy at another name of
// this machine leads to the service, as one does where others are served. A member is led there,
// signs in, and opens what payers open at the public host, which never has the session.

import { request as sendOn } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { type LoopbackServer, serveHttp } from '../setup/loopback.ts'
import { pngOf } from '../setup/pictures.ts'
import { readQrOfPicture } from '../setup/read-qr.ts'
import { type Browsing, borrowBrowser } from './browser.ts'
import { expectNotKept, expectSound, press, signInAs } from './dashboard-hands.ts'

let app: TestApp
let proxy: LoopbackServer
/** Where the dashboard is. */
let board: string
let browsing: Browsing
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  let port = 0
  // What a proxy must do: the name that the browser asked for stays in `Host`.
  proxy = await serveHttp((request, response) => {
    const { method, url, headers } = request
    const on = sendOn({ host: '127.0.0.1', port, method, path: url, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(response)
    })
    on.on('error', () => response.destroy())
    response.on('close', () => on.destroy())
    request.pipe(on)
  }, '127.0.0.2')
  board = `http://127.0.0.2:${proxy.port}`
  app = await startApp({ env: { DASHBOARD_URL: board } })
  port = app.service.port
  owner = await app.member()
  browsing = await borrowBrowser([app.url, board])
}, patience_ms)
afterAll(async () => {
  await browsing?.close()
  await app?.stop()
  await proxy?.close()
})

const placeOf = (path: string) => `/dashboard/${owner.merchant_id}/test${path}`

const cookiesAt = async (page: Page, url: string) =>
  (await page.context().cookies(url)).map(({ name }) => name)

/** What a link opens in a window of its own. */
async function opened(page: Page, open: () => Promise<unknown>): Promise<Page> {
  const [next] = await Promise.all([page.context().waitForEvent('page'), open()])
  await next.waitForLoadState()
  return next
}

describe('a member', () => {
  it(
    'is led to the dashboard’s host, signs in there, and stays after a reload',
    async () => {
      await browsing.visit({ language: 'en', width: 1280 }, async (page) => {
        await page.goto(`${app.url}${placeOf('/payments')}?status=SUCCESS`)
        expect(page.url()).toBe(`${board}${placeOf('/payments')}?status=SUCCESS`)
        await signInAs(page, owner)
        await expectNotKept(page, /sess_/)
        await page.reload()
        await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor()
        expect(await page.locator('input[name=password]').count()).toBe(0)
        expect(await cookiesAt(page, board)).toEqual(['pirogue_member'])
        expect(await cookiesAt(page, app.url)).toEqual([])
        // The call for a program is the public host's.
        await page.locator('details.calls summary').click()
        const calls = page.locator('details.calls pre')
        await calls.first().waitFor()
        for (const text of await calls.allTextContents()) {
          expect(text).toContain(`'${app.url}/api/v1/`)
        }
        await page.goto(`${app.url}/dashboard`)
        await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
        expect(new URL(page.url()).origin).toBe(board)
        await expectSound(page)
      })
    },
    patience_ms,
  )

  it(
    'sees the logo and a preview, and opens the payer’s page at the public host',
    async () => {
      const logo = { body: new Uint8Array(pngOf()), headers: { 'content-type': 'image/png' } }
      expect((await owner.call('PUT', '/merchant/logo/', logo)).status).toBe(200)
      await browsing.visit({ language: 'en', width: 1280 }, async (page) => {
        await page.goto(board + placeOf('/settings'))
        await signInAs(page, owner)
        const drawn = `document.querySelector('main img.logo')?.naturalWidth ?? 0`
        await expect.poll(() => page.evaluate<number>(drawn)).toBeGreaterThan(0)
        await press(page, 'Show the preview')
        const shown = page.frameLocator('iframe.shown-page')
        await shown.locator('#phone, #country').first().waitFor()
        await press(page, 'See the real page')
        const link = page.getByRole('link', { name: 'Open the payment page' })
        const payers = await opened(page, () => link.click())
        expect(new URL(payers.url()).origin).toBe(app.url)
        await payers.locator('#phone, #country').first().waitFor()
        expect(await cookiesAt(payers, app.url)).not.toContain('pirogue_member')
        expect(await page.locator('[role=alert]').count()).toBe(0)
      })
    },
    patience_ms,
  )

  it(
    'makes a link whose address and code are the public host’s, and saves the code',
    async () => {
      await browsing.visit({ language: 'en', width: 360 }, async (page) => {
        await page.goto(board + placeOf('/links/new'))
        await signInAs(page, owner)
        await page.getByLabel('What for?').fill('Order 1042')
        await page.getByLabel('How much?').fill('12,500')
        await press(page, 'Create the link')
        const code = page.getByRole('img', { name: 'QR code of the link Order 1042' })
        await code.waitFor()
        await expect
          .poll(() => code.evaluate((at) => Number(Object(at).naturalWidth)))
          .toBeGreaterThan(20)
        const address = (await page.locator('.address a').getAttribute('href')) ?? ''
        expect(new URL(address).origin).toBe(app.url)
        expect(readQrOfPicture(await code.screenshot())).toBe(address)
        const saved = page.waitForEvent('download')
        await press(page, 'Save the QR code')
        expect(await (await saved).failure()).toBeNull()
        const payers = await opened(page, () => page.locator('.address a').click())
        expect(payers.url()).toBe(address)
        await payers.getByRole('heading', { level: 1, name: /12,500/ }).waitFor()
        await payers.close()
        await page.reload()
        await page.getByRole('heading', { level: 1, name: 'Order 1042' }).waitFor()
      })
    },
    patience_ms,
  )
})

const empty = '<!doctype html><title>A page</title><link rel="icon" href="data:,">'

/** What a script of the page learns of its call to the dashboard's host. */
const attempt = (page: Page, path: string, init: RequestInit): Promise<string> =>
  page.evaluate(
    ([url, how]) =>
      fetch(url, { credentials: 'include', ...how }).then(
        async (reply) => `${reply.type} ${reply.status} ${await reply.text()}`,
        () => 'refused',
      ),
    [`${board}/api/v1${path}`, init] as const,
  )

describe('a page of the public host', () => {
  it(
    'acts for nobody who is signed in at the dashboard’s, and reads nothing there',
    async () => {
      const member = await app.member()
      await browsing.visit({ language: 'en', width: 1280, hostile: true }, async (page) => {
        await page.goto(`${board}/dashboard`)
        await signInAs(page, member)
        // As if a script had been smuggled into a payer's page.
        const address = `${app.url}/checkout/x`
        const body = { body: empty, contentType: 'text/html' }
        await page.context().route(address, (one) => one.fulfill(body))
        await page.goto(address)
        const marked = { headers: { 'x-requested-with': 'pirogue' } }
        const change = { ...marked, method: 'PATCH', body: '{"first_name":"Thief"}' }
        expect(await attempt(page, '/auth/me/', marked)).toBe('refused')
        expect(await attempt(page, '/auth/me/', change)).toBe('refused')
        for (const init of [
          { ...marked, method: 'POST' },
          { method: 'POST', mode: 'no-cors' },
        ] as const) {
          expect(['refused', 'opaque 0 ']).toContain(await attempt(page, '/auth/logout/', init))
        }
        // At its own host it is nobody, and nobody can become somebody.
        const own = await page.evaluate(
          async ([login]) => {
            const headers = { 'x-requested-with': 'pirogue', 'content-type': 'application/json' }
            const me = await fetch('/api/v1/auth/me/', { headers })
            const asked = { method: 'POST', headers, body: login }
            const reply = await fetch('/api/v1/auth/login/', asked)
            return [me.status, reply.status, await reply.json()] as const
          },
          [JSON.stringify({ ...loginOf(member), cookie: true })] as const,
        )
        expect(own.slice(0, 2)).toEqual([401, 400])
        expect(Object.keys((own[2] as Json).error)).toEqual(['cookie'])
        expect(await cookiesAt(page, app.url)).toEqual([])
        await page.goto(`${board}/dashboard`)
        await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
      })
      const [person] = await app.owner`
        select first_name from people where id = ${member.person_id}`
      expect(person?.['first_name']).toBe('Test')
    },
    patience_ms,
  )
})

const loginOf = ({ email, password }: SignedInCaller) => ({ email, password })
