// The link that a start of the embedded demo prints signs the demo's owner in: once, within ten
// minutes, for as long as they are its owner, with their second factor where they have one, and
// nowhere but on a service that is this machine's alone (docs/decisions/0235).

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { demoMerchant, seedDemoMerchant } from '../../src/app/seed.ts'
import { mayUseLinkOf, newSignInLink, printsLink } from '../../src/app/sign-in-link.ts'
import { makeLog } from '../../src/platform/log.ts'
import { type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { enrol } from '../setup/authenticator.ts'
import { type BrowserCalls, browserAt, type Heard } from '../setup/browser-calls.ts'

const logged: string[] = []
const made: string[] = []
let app: TestApp

beforeAll(async () => {
  const log = makeLog('info', { write: (text: string) => void logged.push(text) })
  app = await startApp({ log, env: { ROLE: 'api' } })
  await seedDemoMerchant(app.owner)
})
afterAll(() => app?.stop())

const newOwner = () => app.member({ merchant_id: demoMerchant.id })

const linkFor = ({ email }: Pick<SignedInCaller, 'email'>) =>
  newSignInLink(app.service.db, { email, dashboard_url: app.url })

async function newToken(owner: SignedInCaller): Promise<string> {
  const [page, token = ''] = (await linkFor(owner))?.split('#') ?? []
  expect(page).toBe(`${app.url}/dashboard/sign-in-link`)
  made.push(token)
  return token
}

type Use = Readonly<{
  totp?: string
  browser?: BrowserCalls
  headers?: Record<string, string>
}>

const signInBy = (token: string, { totp, browser = browserAt(app.url), headers = {} }: Use = {}) =>
  browser.call('POST', '/auth/login/link/', {
    ...{ body: { token, cookie: true, ...(totp === undefined ? {} : { totp }) }, headers },
  })

const sentence =
  'This link was used, has expired or is unknown: sign in with the password in ' +
  'credentials.json, or start the service again for a new link.'
/** The same of every link that opens nothing, so that no answer says which it was. */
const expectDead = ({ status, error, headers }: Heard) =>
  expect([status, error, headers['set-cookie']]).toEqual([
    ...[400, { token: [sentence] }, undefined],
  ])
const codeOf = ({ status, error }: Heard) => [status, error?.code]

describe('the link', () => {
  it('opens a session by cookie, as signing in does, and says so in the audit log', async () => {
    const owner = await newOwner()
    const token = await newToken(owner)
    const browser = browserAt(app.url)
    const reply = await signInBy(token, { browser })
    expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(Object.keys(reply.data).sort()).toEqual([
      ...['device_token', 'expires_at', 'member', 'merchants'],
    ])
    expect(reply.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^pirogue_member=sess_[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/,
      ),
    ])
    const me = await browser.call('GET', '/auth/me/')
    expect([me.data.member.email, me.data.second_factor]).toEqual([owner.email, 'NONE'])
    const acts = await app.owner`
      select actor_kind, ip, after from audit_logs
       where actor_id = ${owner.person_id} and action = 'session.opened'`
    expect(acts).toEqual([
      { actor_kind: 'MEMBER', ip: '127.0.0.1', after: { second_factor: false, by: 'LINK' } },
    ])
  })

  it('works once: of five browsers at the same moment one gets in', async () => {
    const owner = await newOwner()
    const token = await newToken(owner)
    const heard = await Promise.all(Array.from({ length: 5 }, () => signInBy(token)))
    expect(heard.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400])
    for (const one of heard.filter(({ status }) => status === 400)) expectDead(one)
    expectDead(await signInBy(token))
    const sessions = await app.owner`
      select 1 from sessions where person_id = ${owner.person_id} and id <> ${owner.session_id}`
    expect(sessions.count).toBe(1)
  })

  it('is over after ten minutes', async () => {
    const owner = await newOwner()
    const token = await newToken(owner)
    const [row] = await app.owner`
      select extract(epoch from expires_at - created_at)::int as valid_s from person_tokens
       where person_id = ${owner.person_id}`
    expect(row).toEqual({ valid_s: 600 })
    await app.owner`
      update person_tokens
         set created_at = created_at - interval '10 min', expires_at = expires_at - interval '10 min'
       where person_id = ${owner.person_id}`
    expectDead(await signInBy(token))
  })

  it('is void once the next start has printed another, or the password is another', async () => {
    const owner = await newOwner()
    const [first, second] = [await newToken(owner), await newToken(owner)]
    expectDead(await signInBy(first))
    expect((await signInBy(second)).status).toBe(200)
    const third = await newToken(owner)
    const changed = await owner.post('/auth/password/change/', {
      current_password: owner.password,
      password: 'another long pass phrase',
    })
    expect(changed.status).toBe(200)
    expectDead(await signInBy(third))
  })

  it('is void once its owner ends all sessions, or staff end them', async () => {
    const owner = await newOwner()
    const first = await newToken(owner)
    expect((await owner.post('/auth/logout/all/', {})).status).toBe(200)
    expectDead(await signInBy(first))
    const second = await newToken(owner)
    const staff = await app.staff()
    const ended = await staff.post(`/admin/members/${owner.person_id}/end-sessions/`, {})
    expect(ended.status).toBe(200)
    expectDead(await signInBy(second))
  })

  it('is for the owner of the demo, for as long as they are: nobody else has or keeps one', async () => {
    const owner = await newOwner()
    const { person_id } = owner
    const token = await newToken(owner)
    await app.owner`update people set disabled_at = now() where id = ${person_id}`
    expectDead(await signInBy(token))
    expect(await linkFor(owner)).toBeUndefined()
    await app.owner`update people set disabled_at = null where id = ${person_id}`
    await app.owner`update memberships set role = 'ADMIN' where person_id = ${person_id}`
    expectDead(await signInBy(token))
    expect(await linkFor(owner)).toBeUndefined()
    await app.owner`update memberships set role = 'OWNER' where person_id = ${person_id}`
    // What was refused has used up nothing.
    expect((await signInBy(token)).status).toBe(200)
    const last = await newToken(owner)
    await app.owner`delete from memberships where person_id = ${person_id}`
    expectDead(await signInBy(last))
    for (const other of [await app.member(), { email: 'nobody@shop.example' }]) {
      expect(await linkFor(other)).toBeUndefined()
    }
  })

  it('wants the code of a second factor, one that was enrolled after it was printed too', async () => {
    const owner = await newOwner()
    const token = await newToken(owner)
    const { code } = await enrol(app, owner)
    const wanted = [401, 'totp_required']
    expect(codeOf(await signInBy(token))).toEqual(wanted)
    expect(codeOf(await signInBy(token, { totp: '' }))).toEqual(wanted)
    expect(codeOf(await signInBy(token, { totp: '000000' }))).toEqual(wanted)
    const browser = browserAt(app.url)
    expect((await signInBy(token, { browser, totp: code() })).status).toBe(200)
    expect((await browser.call('GET', '/auth/me/')).data.second_factor).toBe('FRESH')
    expectDead(await signInBy(token, { totp: code(1) }))
  })

  it('is of no use to a page of another origin, and is not used up by it', async () => {
    const token = await newToken(await newOwner())
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'same-site' }]) {
      const heard = await signInBy(token, { headers })
      expect([heard.status, Object.keys(heard.error)]).toEqual([400, ['Origin']])
    }
    expect((await signInBy(token)).status).toBe(200)
  })

  it('is guessed no more often than a password, by the same count', async () => {
    const strict = await app.another({ TRUST_PROXY: '1', LIMIT_LOGIN_PER_IP_10MIN: '3' })
    const owner = await newOwner()
    const token = await newToken(owner)
    const browser = browserAt(strict.public_url)
    const headers = { 'x-forwarded-for': '198.18.0.1' }
    for (const guess of ['x', 'y', 'z']) expectDead(await signInBy(guess, { browser, headers }))
    expect(codeOf(await signInBy(token, { browser, headers }))).toEqual([429, 'rate_limited'])
    const { email, password } = owner
    const login = { body: { email, password, cookie: true }, headers }
    expect(codeOf(await browser.call('POST', '/auth/login/', login))).toEqual([429, 'rate_limited'])
    const elsewhere = { 'x-forwarded-for': '198.18.0.2' }
    expect((await signInBy(token, { browser, headers: elsewhere })).status).toBe(200)
  })

  it('is kept as a hash, and in no line of the log', async () => {
    const token = await newToken(await newOwner())
    await signInBy(token, { headers: { 'x-request-id': 'by-link' } })
    const rows = await app.owner<{ text: string; hash: string }[]>`
      select t::text as text, encode(t.hash, 'hex') as hash from person_tokens t
       where t.purpose = 'SIGN_IN'`
    const hashes = rows.map(({ hash }) => hash)
    expect(hashes).toContain(createHash('sha256').update(token).digest('hex'))
    await expect.poll(() => logged.join()).toContain('by-link')
    const seen = [...rows.map(({ text }) => text), ...logged].join()
    expect(made.length).toBeGreaterThan(5)
    expect(made.filter((one) => seen.includes(one))).toEqual([])
  })
})

describe('where others may call', () => {
  const local = { HOST: '127.0.0.1' }
  const ofOurOwn = { DATABASE_URL: 'postgres:///pirogue', SECRET_KEY: 'k'.repeat(43).concat('=') }

  it.each([
    ['nothing is set', {}, true],
    ['its address is this machine', { PUBLIC_URL: 'http://[::1]:9090' }, true],
    ['the dashboard’s too', { DASHBOARD_URL: 'http://localhost:8080' }, true],
    ['it listens to others', { HOST: '0.0.0.0' }, false],
    ['a proxy leads to it', { ...local, PUBLIC_URL: 'https://pay.example.org' }, false],
    ['one leads to the dashboard', { ...local, DASHBOARD_URL: 'https://b.example.org' }, false],
    ['the database is another', { ...local, ...ofOurOwn }, false],
  ])('a link is printed and taken, or neither: %s', (_, env, expected) => {
    const reading = readConfig(env)
    if (reading.is === 'mistakes') throw new Error(reading.lines.join('\n'))
    const { config } = reading
    expect([printsLink(config), mayUseLinkOf(config) !== null]).toEqual([expected, expected])
    expect(printsLink({ ...config, role: 'worker' })).toBe(false)
  })

  it('a good one opens nothing', async () => {
    const far = await app.another({ PUBLIC_URL: 'https://pay.example.org' })
    const token = await newToken(await newOwner())
    const browser = browserAt(`http://127.0.0.1:${far.port}`, 'https://pay.example.org')
    expectDead(await signInBy(token, { browser }))
    expect((await signInBy(token)).status).toBe(200)
  })
})
