// A session ends after 12 hours of idleness, after 7 days at most, and when its person ends it:
// from that moment on no process takes it. A person sees where they are logged in, and nobody
// else's.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../src/app/start.ts'
import { accountsOwnId } from '../../src/audit/audit.ts'
import { hashPassword } from '../../src/people/password.ts'
import { newPersonToken } from '../../src/people/person-token.ts'
import { dropOldSessions } from '../../src/people/sessions/session.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { countOrRefuse, dropOldTries } from '../../src/platform/throttle/throttle.ts'
import {
  eventually,
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { enrol } from '../setup/authenticator.ts'
import type { OwnerSql } from '../setup/database.ts'

let app: TestApp
let elsewhere: Service
beforeAll(async () => {
  app = await startApp({ env: { TRUST_PROXY: '1' } })
  elsewhere = await app.another()
})
afterAll(() => app.stop())

type OwnerTx = Parameters<Parameters<OwnerSql['begin']>[1]>[0]
type Login = { email: string; password: string }
const from = (ip: string, user_agent = 'test') => ({
  'x-forwarded-for': ip,
  'user-agent': user_agent,
})

async function login({ email, password }: Login, headers = from('203.0.113.7')): Promise<string> {
  const body = { email, password }
  const reply = await shopWith(app.url, '', '').post('/auth/login/', body, headers)
  expect(reply.status).toBe(200)
  return reply.data.token
}
const me = (token: string, url = app.url): Promise<Reply> =>
  shopWith(url, '', token).get('/auth/me/')
const background = { 'x-background': '1' }
const expectOver = (reply: Reply) =>
  expect([reply.status, reply.error?.code]).toEqual([401, 'session_expired'])
const sessionsOf = async (token: string, query = ''): Promise<Json> =>
  (await shopWith(app.url, '', token).get(`/auth/sessions/${query}`)).data

/** One of the service's statements waits for a row, or a table, of another. */
const oneWaits = (how_many = 1) =>
  eventually(async () => {
    const waiting = await app.owner`
      select 1 from pg_stat_activity
       where datname = ${app.database.name} and wait_event_type = 'Lock'`
    expect(waiting.count).toBe(how_many)
  })

/** Shifts a session back, as if it had been made and used so long ago. */
const age = (session_id: string, column: 'ends_at' | 'last_seen_at', by: string) => app.owner`
  update sessions set ${app.owner(column)} = ${app.owner(column)} - ${by}::text::interval
   where id = ${session_id}`

describe('a session', () => {
  it('goes on while it is used, and ends after 12 hours without a call', async () => {
    const member = await app.member()
    await age(member.session_id, 'last_seen_at', '11 hours 59 minutes')
    expect((await me(member.key)).status).toBe(200)
    // Used just now, it has 12 hours again.
    await age(member.session_id, 'last_seen_at', '11 hours 59 minutes')
    expect((await me(member.key)).status).toBe(200)
    await age(member.session_id, 'last_seen_at', '12 hours')
    expectOver(await me(member.key))
    expectOver(await me(member.key))
  })

  it('is kept by nothing that a screen asks by itself, and says when it ends', async () => {
    const member = await app.member()
    const asked = () => shopWith(app.url, '', member.key).get('/auth/me/', background)
    const inMinutes = (at: string) => Math.round((Date.parse(at) - Date.now()) / 60_000)
    await age(member.session_id, 'last_seen_at', '11 hours 50 minutes')
    expect(inMinutes((await asked()).data.session.idle_at)).toBe(10)
    const list = await shopWith(app.url, '', member.key).get('/transactions/', background)
    expect(list.status).toBe(200)
    await age(member.session_id, 'last_seen_at', '9 minutes')
    expect(inMinutes((await asked()).data.session.idle_at)).toBe(1)
    // What somebody has asked for keeps it, and says so at once.
    const { session } = (await me(member.key)).data
    expect([inMinutes(session.idle_at), inMinutes(session.expires_at)]).toEqual([720, 7 * 24 * 60])
    await age(member.session_id, 'last_seen_at', '11 hours 59 minutes 30 seconds')
    expect((await asked()).status).toBe(200)
    await age(member.session_id, 'last_seen_at', '1 minute')
    expectOver(await asked())
  })

  it('of staff says when it ends too', async () => {
    const staff = await app.staff()
    const { data } = await shopWith(app.url, '', staff.key).get('/admin/auth/me/', background)
    const idle_ms = Date.parse(data.session.idle_at) - Date.now()
    expect(Math.round(idle_ms / 60_000)).toBe(30)
  })

  it('ends after 7 days however much it is used', async () => {
    const member = await app.member()
    const [{ expires_at, created_at }] = (await sessionsOf(member.key)).results
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(7 * 24 * 3_600_000)
    await age(member.session_id, 'ends_at', '6 days 23 hours 59 minutes')
    expect((await me(member.key)).status).toBe(200)
    await age(member.session_id, 'ends_at', '1 minute')
    expectOver(await me(member.key))
  })

  /** Acts while the person's row is being written by another; answered after that. */
  async function actBeside(
    act: () => Promise<Reply>,
    write: (tx: OwnerTx) => PromiseLike<unknown>,
  ): Promise<Reply> {
    let commit = () => {}
    const committed = new Promise<void>((resolve) => {
      commit = resolve
    })
    const change = app.owner.begin(async (tx) => {
      await write(tx)
      await committed
    })
    const reply = act()
    await oneWaits()
    commit()
    await change
    return reply
  }

  const tryLogin = ({ email, password }: Login): Promise<Reply> =>
    shopWith(app.url, '', '').post('/auth/login/', { email, password })
  const enrolled = (tx: OwnerTx, { person_id }: SignedInCaller) => tx`
    update people set totp_enrolled_at = now(), sealed_totp = '\\x00' where id = ${person_id}`

  it('is not opened by a password that is changed while it is looked at', async () => {
    const member = await app.member()
    const other_hash = await hashPassword('another pass phrase')
    const reply = await actBeside(
      () => tryLogin(member),
      (tx) => tx`
        update people set password_hash = ${other_hash} where id = ${member.person_id}`,
    )
    expect([reply.status, reply.error.code]).toEqual([401, 'not_authenticated'])
  })

  it('is not opened without a code by a password that was looked at while a second factor came', async () => {
    const member = await app.member()
    const reply = await actBeside(
      () => tryLogin(member),
      (tx) => enrolled(tx, member),
    )
    expect([reply.status, reply.error?.code]).toEqual([401, 'not_authenticated'])
    const [{ open }] = await app.owner<[{ open: number }]>`
      select count(*)::int as open from sessions where person_id = ${member.person_id}`
    expect(open).toBe(1)
    const again = await tryLogin(member)
    expect([again.status, again.error.code]).toEqual([401, 'totp_required'])
  })

  it('is not opened by a change of password in one that ends while that is looked at', async () => {
    const member = await app.member()
    const change = { current_password: member.password, password: 'another pass phrase 8' }
    const reply = await actBeside(
      () => member.post('/auth/password/change/', change),
      async (tx) => {
        await tx`select 1 from people where id = ${member.person_id} for no key update`
        await tx`update sessions set ended_at = now() where id = ${member.session_id}`
      },
    )
    expectOver(reply)
    expect((await tryLogin(member)).status).toBe(200)
  })

  it('ends with its person’s account', async () => {
    const member = await app.member()
    await app.owner`update people set disabled_at = now() where id = ${member.person_id}`
    expectOver(await me(member.key))
  })
})

describe('logging out', () => {
  it('ends this session at once in another process, and no other', async () => {
    const member = await app.member()
    const token = await login(member)
    expect((await me(token, elsewhere.public_url)).status).toBe(200)
    const out = () => shopWith(app.url, '', token).post('/auth/logout/')
    expect((await out()).status).toBe(204)
    expectOver(await me(token, elsewhere.public_url))
    expectOver(await out())
    expect((await me(member.key)).status).toBe(200)
  })

  it('everywhere ends all of them at once in every process, and nobody else’s', async () => {
    const [member, other] = [await app.member(), await app.member()]
    const tokens = [await login(member), await login(member), member.key]
    const [token = ''] = tokens
    for (const one of tokens) expect((await me(one, elsewhere.public_url)).status).toBe(200)
    const out = await shopWith(app.url, '', token).post('/auth/logout/all/')
    expect([out.status, out.data]).toEqual([200, { ended: 3 }])
    for (const url of [app.url, elsewhere.public_url]) {
      for (const one of tokens) expectOver(await me(one, url))
    }
    expect((await me(other.key)).status).toBe(200)
    expect((await me(await login(member))).status).toBe(200)
  })

  it('everywhere counts only sessions that were open', async () => {
    const member = await app.member()
    await login(member)
    const idle = (await sessionsOf(member.key)).results.find((one: Json) => !one.current)
    await age(idle.id, 'last_seen_at', '12 hours')
    expect((await member.post('/auth/logout/all/')).data).toEqual({ ended: 1 })
  })
})

describe('the list of sessions', () => {
  it('shows where the person is logged in, the newest first, and which one asks', async () => {
    const member = await app.member()
    const token = await login(member, from('203.0.113.9', 'Mozilla/5.0 (a browser)'))
    const { count, results } = await sessionsOf(token)
    expect(count).toBe(2)
    expect(results).toMatchObject([
      {
        ip: '203.0.113.9',
        user_agent: 'Mozilla/5.0 (a browser)',
        current: true,
        second_factor_at: null,
      },
      { id: member.session_id, ip: '127.0.0.1', user_agent: 'test', current: false },
    ])
    expect(JSON.stringify(results)).not.toContain(token)
    const old = await sessionsOf(token, '?ordering=created_at&page_size=1')
    expect([old.count, old.results.length, old.results[0].id]).toEqual([2, 1, member.session_id])
    expect(old.next).toContain('page=2')
  })

  it('leaves out what is over', async () => {
    const member = await app.member()
    for (const [column, by] of [
      ['last_seen_at', '12 hours'],
      ['ends_at', '7 days'],
    ] as const) {
      await login(member)
      const young = (await sessionsOf(member.key)).results.find((one: Json) => !one.current)
      await age(young.id, column, by)
    }
    await shopWith(app.url, '', await login(member)).post('/auth/logout/')
    expect((await sessionsOf(member.key)).count).toBe(1)
  })

  it('refuses what it cannot read', async () => {
    const member = await app.member()
    for (const [query, status] of [
      ['?page=0', 400],
      ['?page_size=x', 400],
      ['?ordering=ip', 400],
      ['?page=2', 404],
    ] as const) {
      expect((await member.get(`/auth/sessions/${query}`)).status, query).toBe(status)
    }
  })
})

describe('ending a session from another one', () => {
  const end = (by: { key: string }, id: string) =>
    shopWith(app.url, '', by.key).call('DELETE', `/auth/sessions/${id}/`)

  it('works at once in every process, once', async () => {
    const member = await app.member()
    const token = await login(member)
    expect((await me(token, elsewhere.public_url)).status).toBe(200)
    const lost = (await sessionsOf(member.key)).results.find((one: Json) => !one.current)
    const replies = await Promise.all(Array.from({ length: 20 }, () => end(member, lost.id)))
    const statuses = replies.map(({ status }) => status).sort()
    expect(statuses).toEqual([204, ...Array.from({ length: 19 }, () => 404)])
    expectOver(await me(token, elsewhere.public_url))
    expect((await me(member.key)).status).toBe(200)
    expect((await end(member, member.session_id)).status).toBe(204)
    expectOver(await me(member.key))
  })

  it('finds neither another’s nor an unknown one, and leaves it open', async () => {
    const [member, other] = [await app.member(), await app.member()]
    for (const id of [other.session_id, randomUUID(), 'x', 'null']) {
      const reply = await end(member, id)
      expect([reply.status, reply.error.code], id).toEqual([404, 'not_found'])
    }
    expect((await me(other.key)).status).toBe(200)
  })

  it('is nobody’s but a member’s', async () => {
    const { session_id } = await app.member()
    const [shop, staff] = [await app.shop(), await app.staff()]
    for (const [method, path] of [
      ['DELETE', `/auth/sessions/${session_id}/`],
      ['GET', '/auth/sessions/'],
      ['POST', '/auth/logout/all/'],
      ['PATCH', '/auth/me/'],
    ] as const) {
      const replies = [await shop.call(method, path), await staff.call(method, path)]
      expect(replies.map(({ status, error }) => [status, error.code])).toEqual([
        [403, 'dashboard_only'],
        [403, 'permission_denied'],
      ])
      const nobody = await fetch(`${app.url}/api/v1${path}`, { method })
      expect(nobody.status).toBe(401)
    }
  })
})

describe('a session that is ended while a code is given in it', () => {
  /** The code is taken and the next token made, and nothing of it is committed before `end` waits. */
  async function stepUpBeside(end: (id: string, from: Shop) => Promise<Reply>) {
    const member = await app.member()
    const phone = await enrol(app, member)
    const [{ id }] = (await sessionsOf(member.key)).results
    const other = await shopWith(app.url, '', '').post('/auth/login/', {
      ...{ email: member.email, password: member.password, totp: phone.code() },
    })
    await phone.forget()
    const old = member.key
    const { stepping, ending } = await app.owner.begin(async (tx) => {
      // Its line of the audit log is what a code writes last.
      await tx`lock table audit_logs in share mode`
      const stepping = member.post('/auth/totp/verify/', { code: phone.code() })
      await oneWaits()
      const ending = end(id, shopWith(app.url, '', other.data.token))
      await oneWaits(2)
      return { stepping, ending }
    })
    return { old, stepped: await stepping, ended: await ending }
  }

  it('is over under its new token too', async () => {
    const { old, stepped, ended } = await stepUpBeside((id, from) =>
      from.call('DELETE', `/auth/sessions/${id}/`),
    )
    expect([stepped.status, ended.status]).toEqual([200, 204])
    expectOver(await me(old))
    expectOver(await me(stepped.data.token))
  })

  it('is over under its new token too where all of them are ended', async () => {
    const { old, stepped, ended } = await stepUpBeside((_, from) => from.post('/auth/logout/all/'))
    expect([stepped.status, ended.status]).toEqual([200, 200])
    expectOver(await me(old))
    expectOver(await me(stepped.data.token))
  })
})

describe('one’s own profile', () => {
  const patch = (by: { key: string }, body: unknown) =>
    shopWith(app.url, '', by.key).call('PATCH', '/auth/me/', {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })

  it('changes field by field, and answers as it is read', async () => {
    const member = await app.member()
    const before = (await me(member.key)).data
    const changed = await patch(member, { first_name: 'Awa', phone: '+221770000000', locale: 'fr' })
    const expected = {
      first_name: 'Awa',
      last_name: 'Person',
      phone: '+221770000000',
      locale: 'fr',
    }
    expect(changed.status).toBe(200)
    expect(changed.data).toEqual({ ...before, member: { ...before.member, ...expected } })
    expect((await me(member.key)).data).toEqual(changed.data)
    const cleared = await patch(member, { phone: '', last_name: null, email: 'other@x.example' })
    expect(cleared.data.member).toEqual({ ...before.member, ...expected, phone: '' })
    const acts = await app.owner`
      select merchant_id, after, before from audit_logs
       where actor_id = ${member.person_id} and action = 'person.changed' order by id`
    expect(acts).toEqual([
      {
        merchant_id: accountsOwnId,
        after: { changed: ['first_name', 'phone', 'locale'] },
        before: null,
      },
      { merchant_id: accountsOwnId, after: { changed: ['phone'] }, before: null },
    ])
  })

  it('writes nothing where nothing changes', async () => {
    const member = await app.member()
    for (const body of [{}, { first_name: 'Test', locale: 'en' }]) {
      expect((await patch(member, body)).status).toBe(200)
    }
    const acts = await app.owner`select 1 from audit_logs where actor_id = ${member.person_id}`
    expect(acts.count).toBe(0)
  })

  it('refuses each field that cannot be, all at once', async () => {
    const member = await app.member()
    const long = 'x'.repeat(101)
    const reply = await patch(member, {
      first_name: '',
      last_name: long,
      phone: long,
      locale: 'de',
    })
    expect([reply.status, Object.keys(reply.error).sort()]).toEqual([
      400,
      ['first_name', 'last_name', 'locale', 'phone'],
    ])
  })
})

describe('the audit log', () => {
  it('has who logged in and out, from where', async () => {
    const member = await app.member()
    const token = await login(member, from('203.0.113.11'))
    await shopWith(app.url, '', token).post('/auth/logout/', {}, from('203.0.113.12'))
    await member.post('/auth/logout/all/', {}, from('203.0.113.13'))
    const acts = await app.owner`
      select merchant_id, actor_kind, action, ip, after from audit_logs
       where actor_id = ${member.person_id} order by id`
    const usual = { merchant_id: accountsOwnId, actor_kind: 'MEMBER' }
    expect(acts).toEqual([
      { ...usual, action: 'session.opened', ip: '203.0.113.11', after: { second_factor: false } },
      { ...usual, action: 'session.ended', ip: '203.0.113.12', after: null },
      { ...usual, action: 'person.logged_out', ip: '203.0.113.13', after: { sessions_ended: 1 } },
    ])
  })
})

describe('what is long over', () => {
  it('is dropped after 30 days, and not before', async () => {
    const { db } = app.service
    const member = await app.member()
    const kept = await app.member()
    const tokens = await Promise.all([login(member), login(member), login(member), login(kept)])
    const ids = await Promise.all(
      tokens.map(async (token) => {
        const { results } = await sessionsOf(token)
        return results.find((one: Json) => one.current).id as string
      }),
    )
    const [ended = '', out = '', idle = '', young = ''] = ids
    const past = (days: number) => app.owner`now() - ${days} * interval '1 day'`
    await app.owner`
      update sessions set ended_at = ${past(31)} where id = ${ended}`
    await app.owner`
      update sessions set ends_at = ${past(31)} where id = ${out}`
    await app.owner`
      update sessions set last_seen_at = ${past(31)} where id = ${idle}`
    await app.owner`
      update sessions set ended_at = ${past(29)} where id = ${young}`
    const about = { person_id: member.person_id, email: member.email }
    await newPersonToken(app.owner, { ...about, purpose: 'RESET_PASSWORD' })
    await app.owner`
      update person_tokens set expires_at = ${past(31)} where person_id = ${member.person_id}`
    await newPersonToken(app.owner, { ...about, purpose: 'VERIFY_EMAIL' })
    const macs = openKeyring(app.config.secret_key ?? '')
    const target = randomUUID()
    await countOrRefuse({ db, macs }, { act: 'x', target, most: 1, within_s: 60 })
    const windows = await app.owner`
      update throttle_windows set started_at = ${past(2)}, ends_at = ${past(2)}
       where target = ${macs.mac('throttle-target', `x ${target}`)} returning target`
    expect(windows.count).toBe(1)

    await dropOldSessions(db, { days: 30, limit: 1000 })
    await dropOldTries(db)

    const left = await app.owner<{ id: string }[]>`
      select id from sessions where id = any(${ids}::uuid[])`
    expect(left.map(({ id }) => id)).toEqual([young])
    const emails = await app.owner`
      select purpose from person_tokens where person_id = ${member.person_id}`
    expect(emails).toEqual([{ purpose: 'VERIFY_EMAIL' }])
    const [window] = await app.owner`
      select 1 from throttle_windows where started_at < now() - interval '1 day'`
    expect(window).toBeUndefined()
    expect((await me(member.key)).status).toBe(200)
  })
})
