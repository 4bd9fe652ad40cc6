// A browser fetches a file by an address alone, where no header can be set (contract 8.23): a ticket
// in it stands for the session that got it, once, for a minute, at this address, and for no more
// than that session may read when it is shown.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../src/app/start.ts'
import { dropOldTickets } from '../../src/people/downloads/ticket.ts'
import { makeLog } from '../../src/platform/log.ts'
import { eventually, type SignedInCaller, shopWith, startApp, type TestApp } from '../harness.ts'
import { browserAt, type Heard, send } from '../setup/browser-calls.ts'
import { plantTransaction } from '../setup/transaction-rows.ts'

const logged: string[] = []
let app: TestApp
let elsewhere: Service
beforeAll(async () => {
  const log = makeLog('info', { write: (text: string) => void logged.push(text) })
  app = await startApp({ log, env: { ROLE: 'api' } })
  elsewhere = await app.another()
})
afterAll(() => app?.stop())

const day = new Date().toISOString().slice(0, 10)
const journal = `/reports/journal/?from=${day}&to=${day}`
const csv = '/transactions/export/?country=BJ'

const get = (url: string, headers: Record<string, string> = {}): Promise<Heard> =>
  send(url, 'GET', { headers, text: undefined })

const ask = (by: SignedInCaller, path: string, area = '') => by.post(`${area}/downloads/`, { path })

async function linkTo(by: SignedInCaller, path = csv): Promise<string> {
  const { status, data } = await ask(by, path)
  expect(status).toBe(201)
  return data.url
}

const codeOf = ({ status, error }: Pick<Heard, 'status' | 'error'>) => [status, error?.code]
const over = [401, 'not_authenticated']
const ticketOf = (url: string) => /ticket=(\S+)$/.exec(url)?.[1] ?? ''

describe('a ticket', () => {
  it('opens its file once, in any process, and says until when', async () => {
    const member = await app.member()
    const before = Date.now()
    const { status, data } = await ask(member, csv)
    expect([status, Object.keys(data)]).toEqual([201, ['url', 'expires_at']])
    expect(data.url).toMatch(
      new RegExp(`^${app.url}/api/v1/transactions/export/\\?country=BJ&ticket=tick_[\\w-]{43}$`),
    )
    const left_ms = Date.parse(data.expires_at) - before
    expect(left_ms).toBeGreaterThan(50_000)
    expect(left_ms).toBeLessThan(70_000)
    const there = data.url.replace(app.url, elsewhere.public_url)
    const file = await get(there)
    expect([file.status, file.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(file.headers['content-disposition']).toBe('attachment; filename="transactions.csv"')
    expect(file.headers['ratelimit-limit']).toBeTruthy()
    // The ticket is no parameter of the route.
    expect(file.headers['ignored-fields']).toBeUndefined()
    for (const url of [there, data.url]) {
      const again = await get(url)
      expect(codeOf(again)).toEqual(over)
      expect(again.error.message).toContain('Start the download again')
    }
  })

  it('shown by two connections at the same time opens the file for one', async () => {
    const member = await app.member()
    for (let turn = 0; turn < 5; turn += 1) {
      const url = await linkTo(member)
      const there = url.replace(app.url, elsewhere.public_url)
      const shown = await Promise.all([url, there, url, there].map((one) => get(one)))
      expect(shown.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
    }
  })

  it('shown while another connection is taking it waits, and finds it gone', async () => {
    const url = await linkTo(await app.member())
    let commit = () => {}
    let hasTaken = () => {}
    const hasIt = new Promise<void>((resolve) => {
      hasTaken = resolve
    })
    const held = new Promise<void>((resolve) => {
      commit = resolve
    })
    const taking = app.owner.begin(async (tx) => {
      const taken = await tx`delete from download_tickets returning 1`
      expect(taken.count).toBeGreaterThan(0)
      hasTaken()
      await held
    })
    await hasIt
    const second = get(url)
    await eventually(async () => {
      const waiting = await app.owner`
        select 1 from pg_stat_activity
         where datname = ${app.database.name} and wait_event_type = 'Lock'`
      expect(waiting.count).toBe(1)
    })
    commit()
    await taking
    expect(codeOf(await second)).toEqual(over)
  })

  it.each([
    ['another value', (url: string) => url.replace('country=BJ', 'country=SN')],
    ['a parameter less', (url: string) => url.replace('country=BJ&', '')],
    ['a parameter more', (url: string) => url.replace('&ticket', '&currency=XOF&ticket')],
    ['the same parameters, spelt otherwise', (url: string) => url.replace('BJ', '%42J')],
    ['another file', (url: string) => url.replace(/\/transactions.*&/, `${journal}&`)],
    ['what is no file', (url: string) => url.replace('transactions/export', 'transactions')],
    ['a parameter behind it', (url: string) => `${url}&country=SN`],
    ['a ticket of nobody', (url: string) => `${url.slice(0, -4)}AAAA`],
    ['no ticket', (url: string) => url.replace(/ticket=.*/, 'ticket=')],
  ])('opens nothing with %s, and stays good', async (_, changed) => {
    const url = await linkTo(await app.member())
    expect(codeOf(await get(changed(url)))).toEqual(over)
    expect((await get(url)).status).toBe(200)
  })

  it('opens nothing but by GET', async () => {
    const url = await linkTo(await app.member())
    for (const method of ['HEAD', 'POST', 'DELETE', 'OPTIONS']) {
      const reply = await send(url, method, { headers: {}, text: undefined })
      // HEAD finds no file here: it is what a transaction called "export" would be.
      expect(reply.status, method).toBe(method === 'HEAD' ? 401 : 405)
    }
    expect((await get(url)).status).toBe(200)
  })

  it('alone may be asked for in a frame, of our own pages', async () => {
    const url = await linkTo(await app.member())
    for (const [at, frame, policy] of [
      [url, 'SAMEORIGIN', "frame-ancestors 'self'"],
      [url, 'SAMEORIGIN', "frame-ancestors 'self'"],
      [url.replace(/.ticket=.*/, ''), 'DENY', "frame-ancestors 'none'"],
    ] as const) {
      const { headers } = await get(at)
      expect(headers['x-frame-options']).toBe(frame)
      expect(headers['content-security-policy']).toContain(policy)
    }
  })

  it('is over after its minute, and its row is dropped', async () => {
    const url = await linkTo(await app.member())
    const hers = app.owner`hash = sha256(convert_to(${ticketOf(url)}, 'UTF8'))`
    const aged = await app.owner`
      update download_tickets set expires_at = now() - interval '1 ms' where ${hers}`
    expect(aged.count).toBe(1)
    expect(codeOf(await get(url))).toEqual(over)
    const young = await linkTo(await app.member())
    await dropOldTickets(app.service.db)
    const left = await app.owner`select 1 from download_tickets where ${hers}`
    expect(left.count).toBe(0)
    expect((await get(young)).status).toBe(200)
  })

  it('goes behind a bearer token, and is not used up then', async () => {
    const [member, other] = [await app.member(), await app.member()]
    const url = await linkTo(member)
    const dead = { authorization: `Bearer sess_${'x'.repeat(43)}` }
    expect(codeOf(await get(url, dead))).toEqual([401, 'session_expired'])
    const named = await get(url, { authorization: `Bearer ${other.key}` })
    expect([named.status, named.headers['ignored-fields']]).toEqual([200, 'ticket'])
    expect((await get(url)).status).toBe(200)
  })

  it('needs nothing of the browser: a new tab and a program to save files have no header', async () => {
    const member = await app.member()
    for (const headers of [
      { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' },
      { cookie: 'pirogue_member=nonsense' },
    ]) {
      expect((await get(await linkTo(member), headers)).status).toBe(200)
    }
  })

  it('is nowhere in the log, and nowhere in the database as it is', async () => {
    const url = await linkTo(await app.member(), `${csv}&search=%2B22990000001`)
    await get(url)
    await get(url)
    const unused = await linkTo(await app.member())
    const rows = await app.owner<{ row: string }[]>`
      select t::text as row from download_tickets t`
    const all = [...logged, ...rows.map(({ row }) => row)].join()
    for (const one of [url, unused]) expect(all).not.toContain(ticketOf(one))
    expect(all).not.toContain('22990000001')
    expect(rows.length).toBeGreaterThan(0)
  })
})

describe('a ticket ends with its session', () => {
  const ends: [string, (member: SignedInCaller) => Promise<unknown>][] = [
    ['logged out', (member) => member.post('/auth/logout/')],
    ['ended from another device', (member) => endIt(member, 'ended_at = now()')],
    ['idle', (member) => endIt(member, "last_seen_at = now() - interval '12 hours'")],
    ['old', (member) => endIt(member, "ends_at = now() - interval '1 second'")],
    ['of a new password', (member) => member.post('/auth/password/change/', changed(member))],
    [
      'of a person switched off',
      (member) => app.owner`
        update people set disabled_at = now() where id = ${member.person_id}`,
    ],
    ['gone', (member) => app.owner`delete from sessions where id = ${member.session_id}`],
  ]
  const changed = ({ password }: SignedInCaller) => ({
    current_password: password,
    password: 'quite another pass phrase',
  })
  const endIt = ({ session_id }: SignedInCaller, change: string) =>
    app.owner.unsafe(`update sessions set ${change} where id = $1`, [session_id])

  it.each(ends)('%s', async (_, end) => {
    const member = await app.member()
    const url = await linkTo(member)
    await end(member)
    expect(codeOf(await get(url))).toEqual(over)
  })
})

describe('a ticket shows what its session may read, and no more', () => {
  it('of its merchant and its environment, whatever the link’s headers say', async () => {
    const shop = await app.shop()
    const [member, stranger] = [
      await app.member({ merchant_id: shop.merchant_id }),
      await app.member(),
    ]
    const { merchant_id } = shop
    const { id } = await plantTransaction(app.owner, merchant_id, { country_code: 'BJ' })
    const reference = `TXN-${id}`
    const elsewhereNamed = {
      'x-merchant': stranger.merchant_id,
      'x-environment': 'LIVE',
    }
    expect((await get(await linkTo(member), elsewhereNamed)).text).toContain(reference)
    expect((await get(await linkTo(stranger), { 'x-merchant': merchant_id })).text).not.toContain(
      reference,
    )
  })

  it('and not what it may no longer: the role is read when the ticket is shown', async () => {
    const member = await app.member()
    const url = await linkTo(member)
    await app.owner`delete from memberships where person_id = ${member.person_id}`
    expect(codeOf(await get(url))).toEqual([403, 'permission_denied'])
    // That was its once.
    expect(codeOf(await get(url))).toEqual(over)
  })

  it('in the language of whoever got it', async () => {
    const member = await app.member()
    const { data } = await member.post(
      '/downloads/',
      { path: '/reports/journal/?from=2026-02-01&to=2026-01-01' },
      { 'accept-language': 'fr' },
    )
    const reply = await get(data.url, { 'accept-language': 'en' })
    expect([reply.status, reply.error.to]).toEqual([400, ['Ne doit pas précéder `from`.']])
  })

  it('counts as a call of its merchant', async () => {
    const member = await app.member()
    await app.owner`
      update merchants set rate_limit_per_minute = 2 where id = ${member.merchant_id}`
    const [one, two] = [await linkTo(member), await linkTo(member)]
    expect(codeOf(await get(one))).toEqual([429, 'rate_limited'])
    expect(two).toBeTruthy()
  })
})

describe('asking for a ticket', () => {
  it('takes the path with or without the API’s address', async () => {
    const member = await app.member()
    for (const path of [journal, `/api/v1${journal}`, `${app.url}/api/v1${journal}`]) {
      const url = await linkTo(member, path)
      expect(url.startsWith(`${app.url}/api/v1${journal}&ticket=`)).toBe(true)
      expect((await get(url)).status).toBe(200)
    }
    const bare = await linkTo(member, '/transactions/export')
    expect(bare).toMatch(/\/transactions\/export\?ticket=tick_/)
    expect((await get(bare)).status).toBe(200)
    // As the browser will write it.
    const spelt = await linkTo(member, '/transactions/./export/?search=é b#part')
    expect(spelt).toMatch(/\/transactions\/export\/\?search=%C3%A9%20b&ticket=/)
    expect((await get(spelt)).status).toBe(200)
  })

  it.each([
    '/merchant-balances/',
    '/transactions/',
    '/downloads/',
    '/',
    '',
    'transactions/export/',
    '//evil.example/transactions/export/',
    'https://evil.example/api/v1/transactions/export/',
    'javascript:alert(1)',
    '/transactions/../../../metrics',
    '/branding/01981f3a-0000-7000-8000-00000000a001/logo/',
    `/admin/settlements/${randomUUID()}/proof/`,
    `${csv}&ticket=tick_x`,
    `/transactions/export/?search=${'x'.repeat(6000)}`,
  ])('is refused for what is no file of a member: %s', async (path) => {
    const reply = await ask(await app.member(), path)
    expect([reply.status, Object.keys(reply.error)]).toEqual([400, ['path']])
  })

  it('is refused where the file would be, by the code of that refusal', async () => {
    const staff = await app.staff({ role: 'SUPPORT' })
    const file = `/admin/merchants/${randomUUID()}/documents/${randomUUID()}/file/`
    const denied = await ask(staff, file, '/admin')
    expect(codeOf(denied)).toEqual([403, 'permission_denied'])
    const viewer = await app.member({ role: 'VIEWER' })
    expect((await ask(viewer, csv)).status).toBe(201)
  })

  it('is not for keys, nor for nobody', async () => {
    const shop = await app.shop()
    const reply = await shop.post('/downloads/', { path: csv })
    expect(codeOf(reply)).toEqual([403, 'dashboard_only'])
    const nobody = await send(`${app.url}/api/v1/downloads/`, 'POST', {
      headers: { 'content-type': 'application/json' },
      text: JSON.stringify({ path: csv }),
    })
    expect(codeOf(nobody)).toEqual(over)
  })

  it('is not for a ticket', async () => {
    const url = await linkTo(await app.member())
    const more = url.replace('/transactions/export/', '/downloads/')
    const reply = await send(more, 'POST', {
      headers: { 'content-type': 'application/json' },
      text: JSON.stringify({ path: csv }),
    })
    expect(codeOf(reply)).toEqual(over)
  })

  it('by a cookie works as the cookie does', async () => {
    const { email, password } = await app.member()
    const browser = browserAt(app.url)
    const login = { email, password, cookie: true }
    await browser.call('POST', '/auth/login/', { body: login })
    const body = { path: csv }
    const bare = await browser.call('POST', '/downloads/', { body, headers: { origin: null } })
    expect(codeOf(bare)).toEqual(over)
    const { data } = await browser.call('POST', '/downloads/', { body })
    expect((await browser.follow(data.url)).status).toBe(200)
    // A link to the file itself, with the cookie and without the mark of our pages, opens nothing.
    expect(codeOf(await browser.follow(`${app.url}/api/v1${csv}`))).toEqual(over)
  })
})

describe('each file', () => {
  it('of a member can be fetched so: CSV, journal, invoice, proof, document', async () => {
    const member = await app.member()
    const id = randomUUID()
    for (const [path, status] of [
      [csv, 200],
      [journal, 200],
      [`/transactions/${id}/invoice/?lang=fr`, 404],
      [`/settlements/${id}/proof/`, 404],
      [`/kyc/documents/${id}/file/`, 404],
    ] as const) {
      expect((await get(await linkTo(member, path))).status, path).toBe(status)
    }
  })

  it('of staff under /admin/, by staff who may, and not by the demo’s in LIVE', async () => {
    const staff = await app.staff()
    const proof = `/admin/settlements/${randomUUID()}/proof/`
    const { status, data } = await ask(staff, proof, '/admin')
    expect(status).toBe(201)
    expect(codeOf(await get(data.url))).toEqual([404, 'not_found'])
    expect((await ask(staff, csv, '/admin')).status).toBe(400)
    const demo = await app.staff({ demo: true })
    const live = await demo.post('/admin/downloads/', { path: proof }, { 'x-environment': 'LIVE' })
    expect(codeOf(live)).toEqual([403, 'totp_required'])
    const lowered = await ask(staff, proof, '/admin')
    await app.owner`update people set staff_role = 'SUPPORT' where id = ${staff.person_id}`
    expect(codeOf(await get(lowered.data.url))).toEqual([403, 'permission_denied'])
    const member = await app.member()
    expect(codeOf(await ask(member, proof, '/admin'))).toEqual([403, 'permission_denied'])
    expect((await shopWith(app.url, '', member.key).post('/admin/downloads/', {})).status).toBe(403)
  })
})
