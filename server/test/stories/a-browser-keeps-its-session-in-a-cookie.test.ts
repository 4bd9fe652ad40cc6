// A page of ours signs its visitor in by a cookie that no script can read (contract 8.23). The
// cookie alone opens nothing: what no other site can send must come with it. Whatever ends the
// session ends the cookie, and whatever changes the token changes the cookie.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLog } from '../../src/platform/log.ts'
import { type Json, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { authenticatorOf } from '../setup/authenticator.ts'
import { type BrowserCalls, browserAt, type Heard, type Sent } from '../setup/browser-calls.ts'

const logged: string[] = []
let app: TestApp
/** The same service where PUBLIC_URL is https, called on its port of this machine. */
let secure_url: string
const secure_origin = 'https://pay.example.org'

beforeAll(async () => {
  const log = makeLog('info', { write: (text: string) => void logged.push(text) })
  app = await startApp({ log, env: { ROLE: 'api' } })
  const secure = await app.another({ PUBLIC_URL: secure_origin })
  secure_url = `http://127.0.0.1:${secure.port}`
})
afterAll(() => app?.stop())

type Login = Pick<SignedInCaller, 'email' | 'password'>

async function signIn(
  { email, password }: Login,
  browser: BrowserCalls = browserAt(app.url),
  area: '/auth' | '/admin/auth' = '/auth',
): Promise<BrowserCalls> {
  const reply = await browser.call('POST', `${area}/login/`, {
    body: { email, password, cookie: true },
  })
  expect([reply.status, reply.text]).toEqual([200, expect.not.stringContaining('"token"')])
  return browser
}

const codeOf = ({ status, error }: Heard) => [status, error?.code]
const refused = [401, 'not_authenticated']
const cookieOf = (browser: BrowserCalls, name = 'pirogue_member') => browser.jar.get(name) ?? ''
const me = (browser: BrowserCalls, sent?: Sent) => browser.call('GET', '/auth/me/', sent)
const rename = (browser: BrowserCalls, sent: Sent = {}) =>
  browser.call('PATCH', '/auth/me/', { body: { first_name: 'Awa' }, ...sent })

describe('signing in with a cookie', () => {
  it('answers no token, and sets it where no script can read it', async () => {
    const member = await app.member()
    const browser = browserAt(app.url)
    const { email, password } = member
    const reply = await browser.call('POST', '/auth/login/', {
      body: { email, password, cookie: true },
    })
    expect(Object.keys(reply.data).sort()).toEqual([
      ...['device_token', 'expires_at', 'member', 'merchants'],
    ])
    const [set = '', ...others] = reply.headers['set-cookie'] ?? []
    expect(others).toEqual([])
    expect(set).toMatch(
      /^pirogue_member=sess_[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    const week_s = 7 * 24 * 3600
    expect(Number(/Max-Age=(\d+)/.exec(set)?.[1])).toBeGreaterThan(week_s - 60)
    expect(Number(/Max-Age=(\d+)/.exec(set)?.[1])).toBeLessThanOrEqual(week_s)
    expect(reply.headers['cache-control']).toBe('no-store')
    expect((await me(browser)).data.member.email).toBe(email)
    expect((await rename(browser)).status).toBe(200)
  })

  it('over https takes a name that only our own host can set, and is Secure', async () => {
    const [member, staff] = [await app.member(), await app.staff({ demo: true })]
    const browser = await signIn(member, browserAt(secure_url, secure_origin))
    await signIn(staff, browser, '/admin/auth')
    expect([...browser.jar.keys()]).toEqual(['__Host-pirogue_member', '__Host-pirogue_staff'])
    const reply = await browser.call('POST', '/auth/login/', {
      body: { email: member.email, password: member.password, cookie: true },
    })
    expect(reply.headers['set-cookie']?.[0]).toMatch(
      /^__Host-pirogue_member=\S+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
    expect((await rename(browser)).status).toBe(200)
    expect((await browser.call('GET', '/admin/auth/me/')).status).toBe(200)
    // Without the prefix it may be a subdomain's, or from before https.
    const plain = { cookie: `pirogue_member=${cookieOf(browser, '__Host-pirogue_member')}` }
    expect(codeOf(await me(browser, { headers: plain }))).toEqual(refused)
    // The name that this machine serves is not the origin there.
    const local = { origin: secure_url, host: secure_url.slice('http://'.length) }
    expect(codeOf(await rename(browser, { headers: local }))).toEqual(refused)
  })

  it('signs up a merchant with one too', async () => {
    const browser = browserAt(app.url)
    const reply = await browser.call('POST', '/auth/register/', {
      body: {
        ...{ merchant_name: 'Boutique', country: 'SN', first_name: 'Awa', last_name: 'Diop' },
        ...{ email: `${randomUUID()}@shop.example`, password: 'a long pass phrase' },
        cookie: true,
      },
    })
    expect([reply.status, reply.data.token]).toEqual([201, undefined])
    expect((await me(browser)).data.merchants).toHaveLength(1)
  })

  it('is not for a page of another origin: it would sign its visitor in to its own account', async () => {
    const { email, password } = await app.member()
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const browser = browserAt(app.url)
      const body = { email, password, cookie: true }
      const reply = await browser.call('POST', '/auth/login/', { body, headers })
      expect([reply.status, reply.error]).toEqual([
        400,
        { Origin: ['A session cookie is set only for pages of this service.'] },
      ])
      expect(reply.headers['set-cookie']).toBeUndefined()
    }
    const plain = await browserAt(app.url).call('POST', '/auth/login/', {
      body: { email, password },
    })
    expect([plain.data.token, plain.headers['set-cookie']]).toEqual([
      expect.stringMatching(/^sess_/),
      undefined,
    ])
  })

  it('takes no word but true', async () => {
    const { email, password } = await app.member()
    for (const [cookie, status] of [
      [false, 200],
      [null, 200],
      ['yes', 400],
    ] as const) {
      const body = { email, password, cookie }
      const reply = await browserAt(app.url).call('POST', '/auth/login/', { body })
      expect([reply.status, reply.headers['set-cookie']]).toEqual([status, undefined])
    }
  })
})

describe('a session cookie does not count', () => {
  let browser: BrowserCalls
  beforeAll(async () => {
    browser = await signIn(await app.member())
  })

  it.each([
    ['without the mark of our pages', { 'x-requested-with': null }],
    ['with the mark of other scripts', { 'x-requested-with': 'XMLHttpRequest' }],
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another host of our site', { 'sec-fetch-site': 'same-site' }],
    ['from an address that was typed', { 'sec-fetch-site': 'none' }],
    ['from another origin', { origin: 'https://evil.example' }],
    ['from an origin that hides', { origin: 'null' }],
    ['from another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['from our host over https', { origin: 'https://127.0.0.1' }],
  ])('%s, read or write', async (_, headers: Record<string, string | null>) => {
    for (const call of [me, rename]) {
      const reply = await call(browser, { headers })
      expect(codeOf(reply)).toEqual(refused)
      expect(reply.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  it('for a write without an Origin; a read may lack it', async () => {
    for (const site of [null, 'same-origin']) {
      const headers = { origin: null, 'sec-fetch-site': site }
      expect(codeOf(await rename(browser, { headers }))).toEqual(refused)
      expect((await me(browser, { headers })).status).toBe(200)
    }
  })

  it('where there are two of its name', async () => {
    const other = await signIn(await app.member())
    const cookie = `pirogue_member=${cookieOf(other)}; pirogue_member=${cookieOf(browser)}`
    expect(codeOf(await me(browser, { headers: { cookie } }))).toEqual(refused)
  })

  it('when it holds no session, or an API key', async () => {
    const shop = await app.shop()
    for (const [value, code] of [
      ['nonsense', 'session_expired'],
      [shop.key, 'session_expired'],
      ['', 'session_expired'],
    ]) {
      const reply = await browser.call('GET', '/auth/me/', {
        headers: { cookie: `pirogue_member=${value}` },
      })
      expect(codeOf(reply)).toEqual([401, code])
    }
  })

  it('beside a bearer token, which counts alone, right or wrong', async () => {
    const other = await app.member()
    const bearer = { authorization: `Bearer ${other.key}` }
    expect((await me(browser, { headers: bearer })).data.member.email).toBe(other.email)
    const dead = { authorization: `Bearer sess_${'x'.repeat(43)}` }
    expect(codeOf(await me(browser, { headers: dead }))).toEqual([401, 'session_expired'])
    // And a bearer needs nothing of what a cookie needs.
    const far = { ...bearer, origin: 'https://evil.example', 'x-requested-with': null }
    expect((await rename(browser, { headers: far })).status).toBe(200)
  })

  it('answers a preflight with no word of another origin', async () => {
    const reply = await browser.call('OPTIONS', '/auth/me/', {
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'x-requested-with',
      },
    })
    expect(reply.status).toBe(405)
    expect(Object.keys(reply.headers).filter((name) => /^access-control/.test(name))).toEqual([])
  })
})

describe('the two areas', () => {
  it('each know their own cookie only', async () => {
    const [member, staff] = [await app.member(), await app.staff({ demo: true })]
    const browser = await signIn(member)
    const astray = await browser.call('GET', '/admin/auth/me/')
    expect(codeOf(astray)).toEqual(refused)
    expect(astray.error.message).toMatch(/this address is for staff\. Sign in as staff\.$/)
    await signIn(staff, browser, '/admin/auth')
    expect((await browser.call('GET', '/admin/auth/me/')).data.staff.email).toBe(staff.email)
    expect((await me(browser)).data.member.email).toBe(member.email)
    browser.jar.delete('pirogue_member')
    const away = await me(browser)
    expect(codeOf(away)).toEqual(refused)
    expect(away.error.message).toMatch(/^This session is for staff/)
    // Put into the other's cookie, each is what it is.
    const swapped = {
      cookie: `pirogue_staff=${member.key}; pirogue_member=${staff.key}`,
    }
    const denied = [403, 'permission_denied']
    expect(codeOf(await me(browser, { headers: swapped }))).toEqual(denied)
    const admin = await browser.call('GET', '/admin/auth/me/', { headers: swapped })
    expect(codeOf(admin)).toEqual(denied)
    const balances = await browser.call('GET', '/merchant-balances/', { headers: swapped })
    expect(codeOf(balances)).toEqual(denied)
  })

  it('act for the merchant and in the environment that the headers name', async () => {
    const member = await app.member({ role: 'VIEWER' })
    const browser = await signIn(member)
    const live = await browser.call('GET', '/merchant-balances/', {
      headers: { 'x-environment': 'LIVE' },
    })
    expect(codeOf(live)).toEqual([403, 'live_mode_not_enabled'])
    expect((await browser.call('GET', '/merchant-balances/')).status).toBe(200)
    const denied = await browser.call('POST', '/payouts/initialize/', { body: {} })
    expect(codeOf(denied)).toEqual([403, 'permission_denied'])
  })
})

describe('a new token', () => {
  it.each(['/auth', '/admin/auth'] as const)('goes into the cookie: %s', async (area) => {
    const person = area === '/auth' ? await app.member() : await app.staff({ demo: true })
    const name = area === '/auth' ? 'pirogue_member' : 'pirogue_staff'
    const browser = await signIn(person, browserAt(app.url), area)
    const own = (path: string, body?: Json) => browser.call('POST', `${area}${path}`, { body })
    const { password } = person
    const tokens = [cookieOf(browser, name)]
    const expectNew = (reply: Heard) => {
      expect([reply.status, reply.data.token]).toEqual([200, undefined])
      expect(reply.data.expires_at).toBeTruthy()
      expect(tokens).not.toContain(cookieOf(browser, name))
      tokens.push(cookieOf(browser, name))
    }
    const { secret } = (await own('/totp/enrol/', { password })).data
    const phone = authenticatorOf(app, person, { secret, recovery_codes: [] })
    expectNew(await own('/totp/confirm/', { code: phone.code() }))
    await phone.forget()
    expectNew(await own('/totp/verify/', { code: phone.code() }))
    const fresh = await browser.call('GET', `${area}/sessions/`)
    expect(fresh.data.results.find((one: Json) => one.current).second_factor_at).toBeTruthy()
    const changed = { current_password: password, password: 'quite another pass phrase' }
    expectNew(await own('/password/change/', changed))
    expect((await browser.call('GET', `${area}/me/`)).status).toBe(200)
    // The password ended them all.
    for (const token of tokens.slice(0, -1)) {
      const headers = { cookie: `${name}=${token}` }
      const old = await browser.call('GET', `${area}/me/`, { headers })
      expect(codeOf(old)).toEqual([401, 'session_expired'])
    }
  })

  it('leaves the cookie alone where a bearer gave the code', async () => {
    const member = await app.member()
    const browser = browserAt(app.url)
    const headers = { authorization: `Bearer ${member.key}` }
    const changed = await browser.call('POST', '/auth/password/change/', {
      body: { current_password: member.password, password: 'quite another pass phrase' },
      headers,
    })
    expect([changed.status, changed.headers['set-cookie']]).toEqual([200, undefined])
    expect(changed.data.token).toMatch(/^sess_/)
  })

  it('lets calls under way end: the old cookie reads for seconds, and is not fresh', async () => {
    const member = await app.member()
    const browser = await signIn(member)
    const { secret } = (
      await browser.call('POST', '/auth/totp/enrol/', { body: { password: member.password } })
    ).data
    const phone = authenticatorOf(app, member, { secret, recovery_codes: [] })
    const code = { body: { code: phone.code() } }
    const before = { cookie: `pirogue_member=${cookieOf(browser)}` }
    await browser.call('POST', '/auth/totp/confirm/', code)
    expect((await me(browser, { headers: before })).status).toBe(200)
    await app.owner`
      update sessions set ends_at = ends_at - interval '10 seconds'
       where replaced_at is not null and person_id = ${member.person_id}`
    expect(codeOf(await me(browser, { headers: before }))).toEqual([401, 'session_expired'])
    expect((await me(browser)).status).toBe(200)
  })
})

describe('the end of a session', () => {
  it.each([
    ['/auth', '/logout/'],
    ['/auth', '/logout/all/'],
    ['/admin/auth', '/logout/'],
    ['/admin/auth', '/logout/all/'],
  ] as const)('by %s%s takes the cookie along, and what the page kept', async (area, path) => {
    const person = area === '/auth' ? await app.member() : await app.staff({ demo: true })
    const browser = await signIn(person, browserAt(app.url), area)
    const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join()
    const reply = await browser.call('POST', `${area}${path}`)
    expect([200, 204]).toContain(reply.status)
    expect(browser.jar.size).toBe(0)
    expect(reply.headers['set-cookie']?.[0]).toMatch(/=; Max-Age=0; Path=\/; HttpOnly; SameSite/)
    expect(reply.headers['clear-site-data']).toBe('"cache", "storage"')
    const dead = await browser.call('GET', `${area}/me/`, { headers: { cookie } })
    expect(codeOf(dead)).toEqual([401, 'session_expired'])
  })

  it('from anywhere else kills the cookie at the next call', async () => {
    const member = await app.member()
    const ends: ((id: string) => Promise<unknown>)[] = [
      (id) => member.call('DELETE', `/auth/sessions/${id}/`),
      (id) => app.owner`update sessions set ended_at = now() where id = ${id}`,
      (id) => app.owner`
        update sessions set last_seen_at = now() - interval '12 hours' where id = ${id}`,
      () => member.post('/auth/logout/all/'),
    ]
    for (const end of ends) {
      const browser = await signIn(member)
      const { results } = (await browser.call('GET', '/auth/sessions/')).data
      await end(results.find((one: Json) => one.current).id)
      expect(codeOf(await me(browser))).toEqual([401, 'session_expired'])
      // No answer deletes it: by then the page may have a newer one.
      expect(browser.jar.size).toBe(1)
    }
  })

  it('by a bearer does not touch the browser’s own', async () => {
    const [member, other] = [await app.member(), await app.member()]
    const browser = await signIn(member)
    const headers = { authorization: `Bearer ${other.key}` }
    const out = await browser.call('POST', '/auth/logout/', { headers })
    expect([out.status, out.headers['set-cookie']]).toEqual([204, undefined])
    expect((await me(browser)).status).toBe(200)
  })
})

describe('on this machine', () => {
  it('a page may call us by any of its names, if it has the same', async () => {
    const { port } = new URL(app.url)
    const browser = await signIn(await app.member())
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      const same = { host: `${name}:${port}`, origin: `http://${name}:${port}` }
      expect((await rename(browser, { headers: same })).status, name).toBe(200)
    }
    for (const headers of [
      { host: `localhost:${port}`, origin: 'http://localhost:1' },
      { host: `evil.example:${port}`, origin: `http://evil.example:${port}` },
      { host: `localhost.evil.example:${port}`, origin: `http://localhost.evil.example:${port}` },
      { host: `10.0.0.1:${port}`, origin: `http://10.0.0.1:${port}` },
    ]) {
      expect(codeOf(await rename(browser, { headers })), headers.host).toEqual(refused)
    }
  })
})

describe('the log', () => {
  it('says that a cookie was refused and why, and never what was in it', async () => {
    const browser = await signIn(await app.member())
    const id = randomUUID()
    await me(browser, { headers: { 'x-requested-with': null, 'x-request-id': id } })
    const line = JSON.parse(logged.find((text) => text.includes(id)) ?? '{}')
    expect(line).toMatchObject({
      security: 'credential_refused',
      refused: 'not_authenticated: session cookie: no mark',
    })
    expect(logged.join()).not.toContain('sess_')
  })
})
