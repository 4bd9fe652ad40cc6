// The dashboard at a host of its own (DASHBOARD_URL): a session by cookie is opened and counts
// there and nowhere else, so that nothing that payers open shares an origin with one. Keys and
// tokens work at both hosts, e-mails to members lead to the dashboard's, payers' links to the
// public one.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLog } from '../../src/platform/log.ts'
import { type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import {
  type BrowserCalls,
  browserAt,
  type Heard,
  type Sent,
  send,
} from '../setup/browser-calls.ts'
import { emailsWaiting } from '../setup/emails-waiting.ts'
import { sessionBody } from '../setup/payer-calls.ts'

const logged: string[] = []
let app: TestApp
/** The same service behind both names, called on its port of this machine. */
let url: string
const pay = { origin: 'https://pay.example.org', host: 'pay.example.org' }
const board = { origin: 'https://board.example.org', host: 'board.example.org' }

beforeAll(async () => {
  const log = makeLog('info', { write: (text: string) => void logged.push(text) })
  app = await startApp({ log, env: { ROLE: 'api' } })
  const own = await app.another({ PUBLIC_URL: pay.origin, DASHBOARD_URL: board.origin })
  url = `http://127.0.0.1:${own.port}`
})
afterAll(() => app?.stop())

type Host = typeof pay

/** A browser whose page is at this host, and calls it. */
function browserOf({ origin, host }: Host): BrowserCalls {
  const browser = browserAt(url, origin)
  const call: BrowserCalls['call'] = (method, path, { headers = {}, ...sent } = {}) =>
    browser.call(method, path, { ...sent, headers: { host, ...headers } })
  return { ...browser, call }
}

type Login = Pick<SignedInCaller, 'email' | 'password'>
type Area = '/auth' | '/admin/auth'

const loginAt = (browser: BrowserCalls, { email, password }: Login, area: Area = '/auth') =>
  browser.call('POST', `${area}/login/`, { body: { email, password, cookie: true } })

async function signedIn(login: Login, area?: Area): Promise<BrowserCalls> {
  const browser = browserOf(board)
  expect((await loginAt(browser, login, area)).status).toBe(200)
  return browser
}

const me = (browser: BrowserCalls, sent?: Sent) => browser.call('GET', '/auth/me/', sent)
const rename = (browser: BrowserCalls, sent: Sent = {}) =>
  browser.call('PATCH', '/auth/me/', { body: { first_name: 'Awa' }, ...sent })
const codeOf = ({ status, error }: Heard) => [status, error?.code]
const refused = [401, 'not_authenticated']

/** An address of the origin itself, as a link is followed. */
const get = (host: string, path: string, headers: Record<string, string> = {}) =>
  send(url + path, 'GET', { headers: { host, ...headers }, text: undefined })

describe('at the dashboard’s host', () => {
  it('a session is a cookie of that host alone, and reads and writes', async () => {
    const member = await app.member()
    const browser = browserOf(board)
    const reply = await loginAt(browser, member)
    expect([reply.status, reply.data.token]).toEqual([200, undefined])
    expect(reply.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-pirogue_member=\S+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ])
    expect((await me(browser)).data.member.email).toBe(member.email)
    expect((await rename(browser)).status).toBe(200)
    for (const host of ['BOARD.example.org', 'board.example.org:443']) {
      expect((await rename(browser, { headers: { host } })).status, host).toBe(200)
    }
    expect((await browser.call('POST', '/auth/logout/')).headers['set-cookie']?.[0]).toMatch(
      /^__Host-pirogue_member=; Max-Age=0; /,
    )
  })

  it('so is one of staff, and one that a sign-up opens', async () => {
    const staff = await signedIn(await app.staff({ demo: true }), '/admin/auth')
    expect([...staff.jar.keys()]).toEqual(['__Host-pirogue_staff'])
    expect((await staff.call('GET', '/admin/auth/me/')).status).toBe(200)
    const browser = browserOf(board)
    expect((await register(browser)).status).toBe(201)
    expect((await me(browser)).data.merchants).toHaveLength(1)
  })

  it('a page of the public host is a page of somebody else', async () => {
    const member = await app.member()
    const browser = await signedIn(member)
    for (const headers of [
      { origin: pay.origin },
      { origin: pay.origin, 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: `http://${board.host}` },
      { origin: `${board.origin}:8443` },
      { origin: 'null' },
      { origin: null },
    ]) {
      const heard = await rename(browser, { headers })
      expect(codeOf(heard), JSON.stringify(headers)).toEqual(refused)
      expect(heard.error.message).toBe(
        'A session cookie counts only for requests that pages at https://board.example.org make.',
      )
    }
    const { email, password } = member
    const body = { email, password, cookie: true }
    const asked = await browserOf(board).call('POST', '/auth/login/', {
      ...{ body, headers: { origin: pay.origin } },
    })
    expect([asked.status, asked.error]).toEqual([
      400,
      { Origin: ['A session cookie is set only for pages at https://board.example.org.'] },
    ])
    expect(asked.headers['set-cookie']).toBeUndefined()
  })

  it('the next page and a file are named at that host, where the file opens', async () => {
    const member = await app.member()
    const shop = { ...{ headers: { authorization: `Bearer ${member.key}` } } }
    for (const name of ['Tontine', 'Marché']) {
      const made = await browserOf(pay).call('POST', '/payment-links/', {
        ...shop,
        body: { name, currency: 'XOF', amount_type: 'FREE' },
      })
      expect(made.status).toBe(201)
      expect(made.data.url).toMatch(/^https:\/\/pay\.example\.org\/pay\//)
    }
    const browser = await signedIn(member)
    const path = '/payment-links/?page_size=1'
    expect((await browser.call('GET', path)).data.next).toMatch(
      /^https:\/\/board\.example\.org\/api\/v1\/payment-links\//,
    )
    expect((await browserOf(pay).call('GET', path, shop)).data.next).toMatch(
      /^https:\/\/pay\.example\.org\/api\/v1\/payment-links\//,
    )
    const csv = '/transactions/export/?country=BJ'
    for (const asked of [csv, `${board.origin}/api/v1${csv}`, `${pay.origin}/api/v1${csv}`]) {
      const { data } = await browser.call('POST', '/downloads/', { body: { path: asked } })
      expect(data.url).toMatch(/^https:\/\/board\.example\.org\/api\/v1\/transactions\/export\//)
      const file = await get(board.host, data.url.slice(board.origin.length))
      expect([file.status, file.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
    }
    const program = await browserOf(pay).call('POST', '/downloads/', {
      ...shop,
      body: { path: csv },
    })
    expect(program.data.url).toMatch(
      /^https:\/\/pay\.example\.org\/api\/v1\/transactions\/export\//,
    )
  })

  it('there is nothing for payers, operators and developers', async () => {
    for (const path of [
      '/checkout/x',
      '/pay/x',
      '/receipts/x',
      '/docs',
      '/openapi.json',
      '/metrics',
    ]) {
      const heard = await get(board.host, path)
      expect(codeOf(heard), path).toEqual([404, 'not_found'])
      expect(heard.headers['content-type'], path).toContain('json')
    }
    for (const path of ['/dashboard', '/readyz', '/healthz']) {
      expect((await get(board.host, path)).status, path).toBe(200)
    }
    const root = await get(board.host, '/')
    expect([root.status, root.headers.location]).toEqual([302, `${board.origin}/dashboard`])
  })
})

describe.each([pay.host, '127.0.0.1', 'evil.example'])('at %s', (host) => {
  const there = { origin: `https://${host}`, host }

  it('no session is opened by cookie, and the answer says where', async () => {
    const [member, staff] = [await app.member(), await app.staff({ demo: true })]
    const sessions = async () =>
      (
        await app.owner`
        select 1 from sessions where person_id in (${member.person_id}, ${staff.person_id})`
      ).count
    const before = await sessions()
    const browser = browserOf(there)
    const merchants = async () => (await app.owner`select 1 from merchants`).count
    const shops = await merchants()
    for (const heard of [
      await loginAt(browser, member),
      await loginAt(browser, staff, '/admin/auth'),
      await register(browser),
    ]) {
      expect([heard.status, Object.keys(heard.error)]).toEqual([400, ['cookie']])
      expect(heard.error.cookie[0]).toContain(`set only at ${board.origin}, `)
      expect(heard.headers['set-cookie']).toBeUndefined()
    }
    expect([await sessions(), await merchants()]).toEqual([before, shops])
  })

  it('a cookie counts for nothing, whatever comes with it', async () => {
    const member = await app.member()
    const { jar } = await signedIn(member)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    for (const origin of [there.origin, board.origin]) {
      const browser = browserOf({ ...there, origin })
      for (const heard of [
        await me(browser, { headers: { cookie } }),
        await rename(browser, { headers: { cookie } }),
        await browser.call('POST', '/auth/logout/', { headers: { cookie } }),
        await browser.call('GET', '/admin/auth/me/', { headers: { cookie } }),
      ]) {
        expect(codeOf(heard)).toEqual(refused)
        expect(heard.error.message).toContain(`counts only at ${board.origin}, `)
        expect(heard.headers['set-cookie']).toBeUndefined()
      }
    }
    // It was not ended there, either.
    expect((await me(browserOf(board), { headers: { cookie } })).status).toBe(200)
  })

  it('the dashboard is led from, with path and query', async () => {
    const heard = await get(host, '/dashboard/a/test/payments?status=SUCCESS')
    expect([heard.status, heard.headers.location]).toEqual([
      ...[302, `${board.origin}/dashboard/a/test/payments?status=SUCCESS`],
    ])
  })

  it('payers’ pages and the documentation are as they were', async () => {
    for (const path of ['/docs', '/openapi.json', '/readyz']) {
      expect((await get(host, path)).status, path).toBe(200)
    }
    const unknown = await get(host, '/checkout/x')
    expect(unknown.headers['content-type']).toContain('text/html')
  })
})

describe('a key and a bearer token', () => {
  it('work at both hosts', async () => {
    const [member, shop] = [await app.member(), await app.shop()]
    for (const { host } of [pay, board]) {
      const browser = browserOf({ host, origin: 'https://anywhere.example' })
      const by = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })
      expect((await me(browser, by(member.key))).status, host).toBe(200)
      expect((await rename(browser, by(member.key))).status, host).toBe(200)
      expect((await browser.call('GET', '/transactions/', by(shop.key))).status, host).toBe(200)
      const { email, password } = member
      const reply = await browser.call('POST', '/auth/login/', { body: { email, password } })
      expect([reply.status, reply.headers['set-cookie']], host).toEqual([200, undefined])
      expect(reply.data.token, host).toMatch(/^sess_/)
    }
  })
})

describe('what is sent', () => {
  it('leads members to the dashboard’s host, payers and staff to the public one', async () => {
    const browser = browserOf(board)
    const { email } = (await register(browser)).data.member
    const [by, changing] = [await app.member(), await app.member()]
    const staff = await app.staff({ demo: true })
    const bearer = ({ key }: SignedInCaller) => ({ headers: { authorization: `Bearer ${key}` } })
    const invited = `${randomUUID()}@shop.example`
    const invitation = { ...bearer(by), body: { email: invited, role: 'VIEWER' } }
    expect((await browser.call('POST', '/merchant-invitations/', invitation)).status).toBe(201)
    const another = { current_password: changing.password, password: 'quite another pass phrase' }
    for (const [area, one] of [
      ['/auth', changing],
      ['/admin/auth', staff],
    ] as const) {
      const sent = { ...bearer(one), body: another }
      expect((await browser.call('POST', `${area}/password/change/`, sent)).status).toBe(200)
    }
    const links = new Map(
      (await emailsWaiting(app)).map(({ to, text }) => [to, /^https?:\S+$/m.exec(text)?.[0]]),
    )
    const starts = [email, invited, changing.email, staff.email].map((to) =>
      links.get(to)?.replace(/#.*/, '#'),
    )
    expect(starts).toEqual([
      `${board.origin}/dashboard/verify-email#`,
      `${board.origin}/dashboard/invitation#`,
      `${board.origin}/dashboard/forgot-password`,
      `${pay.origin}/admin/forgot-password`,
    ])
    const session = await browserOf(board).call('POST', '/checkout-sessions/', {
      headers: { authorization: `Bearer ${(await app.shop()).key}` },
      body: sessionBody(),
    })
    expect(session.data.checkout_url).toMatch(/^https:\/\/pay\.example\.org\/checkout\//)
  })
})

describe('the log', () => {
  it('says why a cookie was refused, and never what was in it', () => {
    expect(logged.join()).toContain('session cookie: not at the host of the dashboard')
    expect(logged.join()).not.toContain('sess_')
  })
})

function register(browser: BrowserCalls): Promise<Heard> {
  return browser.call('POST', '/auth/register/', {
    body: {
      ...{ merchant_name: 'Boutique', country: 'SN', first_name: 'Awa', last_name: 'Diop' },
      ...{ email: `${randomUUID()}@shop.example`, password: 'a long pass phrase' },
      cookie: true,
    },
  })
}
