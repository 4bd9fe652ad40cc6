// A member is signed in by cookie, in a real browser, and opens the page of somebody else in it: at
// another port of our host, where the browser does send the cookie along, and at another host. What
// such a page can make a browser send changes nothing and tells it nothing.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLog } from '../../src/platform/log.ts'
import { type Json, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { type LoopbackServer, serveHttp } from '../setup/loopback.ts'
import { type Browsing, borrowBrowser } from './browser.ts'
import { signInAs } from './dashboard-hands.ts'

const logged: string[] = []
let app: TestApp
let sites: Readonly<Record<'near' | 'far', LoopbackServer>>
let urls: Readonly<Record<'near' | 'far', string>>
let browsing: Browsing
const patience_ms = 90_000

beforeAll(async () => {
  const log = makeLog('info', { write: (text: string) => void logged.push(text) })
  app = await startApp({ log, env: { ROLE: 'api' } })
  const page = (_: unknown, response: { end(text: string): unknown }) => response.end(empty)
  sites = { near: await serveHttp(page), far: await serveHttp(page, '127.0.0.2') }
  urls = { near: sites.near.url, far: `http://127.0.0.2:${sites.far.port}` }
  browsing = await borrowBrowser([app.url, urls.near, urls.far])
})
afterAll(async () => {
  await browsing?.close()
  await Promise.all(Object.values(sites ?? {}).map((site) => site.close()))
  await app?.stop()
})

type Told = Readonly<{ status: number; body: Json }>

/** A call as a page of ours makes it. */
const call = (page: Page, method: string, path: string, body?: unknown): Promise<Told> =>
  page.evaluate(
    async ([verb, at, text]) => {
      const reply = await fetch(`/api/v1${at}`, {
        method: verb ?? 'GET',
        headers: { 'x-requested-with': 'pirogue', 'content-type': 'application/json' },
        ...(text === undefined ? {} : { body: text }),
      })
      const said = await reply.text()
      return { status: reply.status, body: said === '' ? null : JSON.parse(said) }
    },
    [method, path, body === undefined ? undefined : JSON.stringify(body)] as const,
  )

const empty = '<!doctype html><title>A page</title><link rel="icon" href="data:,">'

/** A page of our origin whose policy lets scripts call it: only the page itself is made here. */
async function ours(page: Page): Promise<void> {
  const address = `${app.url}/dashboard/`
  await page
    .context()
    .route(address, (one) => one.fulfill({ body: empty, contentType: 'text/html' }))
  await page.goto(address)
}

async function signIn(page: Page, { email, password }: SignedInCaller): Promise<void> {
  await ours(page)
  const told = await call(page, 'POST', '/auth/login/', { email, password, cookie: true })
  expect([told.status, told.body.data.token]).toEqual([200, undefined])
}

/** As the page of a stranger tries it: what its script learns of the answer. */
const attempt = (page: Page, path: string, init: RequestInit): Promise<string> =>
  page.evaluate(
    ([url, how]) =>
      fetch(url, { credentials: 'include', ...how }).then(
        async (reply) => `${reply.type} ${reply.status} ${await reply.text()}`,
        () => 'refused',
      ),
    [`${app.url}/api/v1${path}`, init] as const,
  )

const quoted = (text: string) => text.replaceAll('"', '&quot;')

/** A form that somebody is made to press. */
async function submit(page: Page, path: string, [name, value]: [string, string]): Promise<void> {
  await page.setContent(`
    <form action="${app.url}/api/v1${path}" method="post" enctype="text/plain">
      <input name="${quoted(name)}" value="${quoted(value)}"><button>A prize</button>
    </form>`)
  const sent = page.waitForURL((url) => url.origin === app.url)
  await page.locator('button').click()
  await sent
}

const refusals = () =>
  logged.flatMap((text) => {
    const line: Json = JSON.parse(text)
    return typeof line.refused === 'string' ? [line.refused as string] : []
  })

describe('a page of ours', () => {
  it(
    'signs in, reads and writes by a cookie that its scripts cannot see',
    async () => {
      const member = await app.member()
      await browsing.visit({}, async (page) => {
        await signIn(page, member)
        expect(await page.evaluate('document.cookie')).toBe('')
        const [cookie, ...others] = await page.context().cookies()
        expect(others).toEqual([])
        expect(cookie).toMatchObject({
          ...{ name: 'pirogue_member', httpOnly: true, sameSite: 'Strict', path: '/' },
        })
        expect((await call(page, 'GET', '/auth/me/')).body.data.member.email).toBe(member.email)
        const changed = await call(page, 'PATCH', '/auth/me/', { first_name: 'Awa' })
        expect([changed.status, changed.body.data.member.first_name]).toEqual([200, 'Awa'])
        // It outlives the tab.
        const tab = await page.context().newPage()
        await ours(tab)
        expect((await call(tab, 'GET', '/auth/me/')).status).toBe(200)
        expect((await call(tab, 'POST', '/auth/logout/')).status).toBe(204)
        expect(await page.context().cookies()).toEqual([])
        expect((await call(page, 'GET', '/auth/me/')).status).toBe(401)
      })
    },
    patience_ms,
  )

  it(
    'saves a file by a link that works once',
    async () => {
      const member = await app.member()
      await browsing.visit({}, async (page) => {
        await signIn(page, member)
        const path = '/transactions/export/'
        const { body } = await call(page, 'POST', '/downloads/', { path })
        const saved = page.waitForEvent('download')
        await page.setContent(`<a href="${quoted(body.data.url)}">transactions.csv</a>`)
        await page.locator('a').click()
        const file = await saved
        expect([file.suggestedFilename(), await file.failure()]).toEqual(['transactions.csv', null])
        const again = await page.goto(body.data.url)
        expect(again?.status()).toBe(401)
      })
    },
    patience_ms,
  )
})

describe.each(['near', 'far'] as const)('a page of somebody else, %s', (where) => {
  it(
    'acts for nobody and reads nothing',
    async () => {
      const [member, thief] = [await app.member(), await app.member()]
      const own = JSON.stringify({ email: thief.email, password: thief.password, cookie: true })
      const tricks: Record<string, RequestInit> = {
        plain: { method: 'POST', mode: 'no-cors', body: '{}' },
        text: { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' } },
        json: { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' },
        mark: { method: 'POST', headers: { 'x-requested-with': 'pirogue' } },
        quiet: { method: 'POST', mode: 'no-cors', headers: { 'x-requested-with': 'pirogue' } },
      }
      await browsing.visit({ hostile: true }, async (page) => {
        await signIn(page, member)
        logged.length = 0
        await page.goto(urls[where])
        for (const init of Object.values(tricks)) {
          for (const path of ['/auth/logout/', '/auth/logout/all/']) {
            expect(['refused', 'opaque 0 ']).toContain(await attempt(page, path, init))
          }
        }
        const change = { method: 'PATCH', body: '{"first_name":"Thief"}' }
        expect(await attempt(page, '/auth/me/', change)).toBe('refused')
        expect(await attempt(page, '/auth/me/', {})).toBe('refused')
        expect(await attempt(page, '/auth/me/', { mode: 'no-cors' })).not.toContain(member.email)
        const login = { method: 'POST', mode: 'no-cors', body: own } as const
        expect(['refused', 'opaque 0 ']).toContain(await attempt(page, '/auth/login/', login))
        await submit(page, '/auth/logout/', ['a', 'b'])
        await page.goto(urls[where])
        // A text/plain form whose text is JSON.
        await submit(page, '/auth/login/', [`${own.slice(0, -1)},"x":"`, '"}'])
        await page.goto(urls[where])
        // The browser sent the cookie to our host from its other port; only our rule refused it.
        expect(refusals().includes('not_authenticated: session cookie: no mark')).toBe(
          where === 'near',
        )
        // A link that somebody pressed: the cookie comes, and a page of ours did not ask.
        const file = await page.goto(`${app.url}/api/v1/transactions/export/`)
        expect(file?.status()).toBe(401)
        await ours(page)
        const me = await call(page, 'GET', '/auth/me/')
        expect([me.body.data.member.email, me.body.data.member.first_name]).toEqual([
          ...[member.email, 'Test'],
        ])
      })
      const ended = await app.owner`
        select 1 from sessions where person_id = ${member.person_id} and ended_at is not null`
      const opened = await app.owner`
        select 1 from sessions where person_id = ${thief.person_id} and id <> ${thief.session_id}`
      expect([ended.count, opened.count]).toEqual([0, 0])
    },
    patience_ms,
  )

  it(
    'nor by an address of ours that names where to go on',
    async () => {
      const member = await app.member()
      await browsing.visit({ language: 'en', width: 1280 }, async (page) => {
        const names = ['next', 'redirect', 'return_url', 'url', 'continue']
        const query = names.map((name) => `${name}=${encodeURIComponent(urls.far)}`).join('&')
        await page.goto(`${app.url}/dashboard?${query}`)
        await signInAs(page, member)
        await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
        expect(new URL(page.url()).origin).toBe(new URL(app.url).origin)
      })
    },
    patience_ms,
  )
})
