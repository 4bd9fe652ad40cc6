// A person enrols a second factor, and from then on neither their password nor an open session
// alone moves anything in LIVE. A code works once, whoever sends it and however often.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountsOwnId } from '../../src/audit/audit.ts'
import {
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { authenticatorOf, enrol } from '../setup/authenticator.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const anyone = () => shopWith(app.url, '', '')
const login = ({ email, password }: SignedInCaller, more: object = {}) =>
  anyone().post('/auth/login/', { email, password, ...more })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const wrong = '000000'
/** The status, with the code of the refusal or the names of the wrong fields. */
const codeOf = ({ status, error }: Reply) => [
  status,
  status === 400 ? Object.keys(error).sort().join() : error?.code,
]

/** A member of a merchant that works in LIVE. */
async function liveMember(): Promise<SignedInCaller> {
  const { merchant_id } = await app.shop({ live: true })
  return app.member({ merchant_id, environment: 'LIVE' })
}

const registerWebhook = (member: Shop, headers: Record<string, string> = {}) =>
  member.post('/merchant-webhooks/', { url: 'https://hooks.example.com/pirogue' }, headers)

/** Every row of every table as text, byte strings as hex. */
async function dump(): Promise<string> {
  const tables = await app.owner<{ name: string }[]>`
    select c.relname as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition`
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await app.owner<{ row: string }[]>`
        select t::text as row from ${app.owner(name)} t`
      return rows.map(({ row }) => `${name} ${row}`).join('\n')
    }),
  )
  return texts.join('\n')
}

describe('enrolling', () => {
  it('shows a secret to who gives their password, and asks for nothing before a code confirms it', async () => {
    const member = await app.member()
    expect(codeOf(await member.post('/auth/totp/enrol/'))).toEqual([400, 'password'])
    const guessed = await member.post('/auth/totp/enrol/', { password: 'not my pass phrase' })
    expect(codeOf(guessed)).toEqual([400, 'password'])
    const begun = await member.post('/auth/totp/enrol/', { password: member.password })
    expect(begun.status).toBe(200)
    expect(begun.headers.get('cache-control')).toBe('no-store')
    expect(begun.data.secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(begun.data.otpauth_url).toContain(`secret=${begun.data.secret}&issuer=Pirogue`)
    expect(begun.data.qr_svg).toMatch(/^<svg /)
    expect((await login(member)).status).toBe(200)
    expect((await member.get('/auth/me/')).data.member.totp_enabled).toBe(false)
  })

  it('is begun again at either spelling, and only the last secret can be confirmed', async () => {
    const member = await app.member()
    const [first, second] = [await begin(member), await begin(member, '/auth/totp/enroll/')]
    expect(first.secret).not.toBe(second.secret)
    const of = (secret: string) => authenticatorOf(app, member, { secret, recovery_codes: [] })
    const old = await member.post('/auth/totp/confirm/', { code: of(first.secret).code() })
    expect(codeOf(old)).toEqual([400, 'code'])
    const young = await member.post('/auth/totp/confirm/', { code: of(second.secret).code() })
    expect(young.status).toBe(200)
    expect(new Set(young.data.recovery_codes).size).toBe(10)
    expect(young.headers.get('cache-control')).toBe('no-store')
  })

  const begin = async (member: SignedInCaller, path = '/auth/totp/enrol/'): Promise<Json> =>
    (await member.post(path, { password: member.password })).data

  it('cannot be confirmed before it began, nor begun once it is confirmed', async () => {
    const member = await app.member()
    const early = await member.post('/auth/totp/confirm/', { code: wrong })
    expect(codeOf(early)).toEqual([409, 'totp_not_enrolled'])
    const phone = await enrol(app, member)
    const again = await member.post('/auth/totp/enrol/', { password: member.password })
    expect(codeOf(again)).toEqual([409, 'totp_already_enrolled'])
    const twice = await member.post('/auth/totp/confirm/', { code: phone.code() })
    expect(codeOf(twice)).toEqual([409, 'totp_already_enrolled'])
  })

  it('happens once of twenty confirmations at once, with one set of recovery codes', async () => {
    const member = await app.member()
    const { secret } = await begin(member)
    const code = authenticatorOf(app, member, { secret, recovery_codes: [] }).code()
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => member.post('/auth/totp/confirm/', { code })),
    )
    const statuses = replies.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409)])
    const kept = await app.owner`
      select 1 from recovery_codes where person_id = ${member.person_id}`
    expect(kept.count).toBe(10)
  })

  it('ends the person’s other sessions, which had no second factor', async () => {
    const member = await app.member()
    const elsewhere = bearer((await login(member)).data.token)
    expect((await anyone().get('/auth/me/', elsewhere)).status).toBe(200)
    await enrol(app, member)
    const after = await anyone().get('/auth/me/', elsewhere)
    expect(codeOf(after)).toEqual([401, 'session_expired'])
    expect((await member.get('/auth/me/')).data.member.totp_enabled).toBe(true)
  })
})

describe('logging in with a second factor', () => {
  it('asks for a code only after the right password', async () => {
    const member = await app.member()
    const phone = await enrol(app, member)
    const guess = { email: member.email, password: 'not my pass phrase', totp: phone.code() }
    const guessed = await anyone().post('/auth/login/', guess)
    expect(codeOf(guessed)).toEqual([401, 'not_authenticated'])
    expect(codeOf(await login(member))).toEqual([401, 'totp_required'])
    expect(codeOf(await login(member, { totp: wrong }))).toEqual([401, 'totp_required'])
    const right = await login(member, { totp: phone.code() })
    expect(right.status).toBe(200)
    const [session] = (await anyone().get('/auth/sessions/', bearer(right.data.token))).data.results
    expect(session.second_factor_at).not.toBeNull()
  })

  it('takes a code once of twenty at the same time', async () => {
    const member = await app.member()
    const phone = await enrol(app, member)
    const totp = phone.code()
    const replies = await Promise.all(Array.from({ length: 20 }, () => login(member, { totp })))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 401]))
    expect((await login(member, { totp: phone.code(1) })).status).toBe(200)
  })

  it('takes a recovery code instead, once of twenty at the same time', async () => {
    const member = await app.member()
    const [totp = '', other = ''] = (await enrol(app, member)).recovery_codes
    const replies = await Promise.all(Array.from({ length: 20 }, () => login(member, { totp })))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(codeOf(await login(member, { totp }))).toEqual([401, 'totp_required'])
    const spoken = other.toLowerCase().replace('-', ' ')
    expect((await login(member, { totp: spoken })).status).toBe(200)
  })

  it('takes no recovery code of somebody else', async () => {
    const [member, other] = [await app.member(), await app.member()]
    await enrol(app, member)
    const [totp] = (await enrol(app, other)).recovery_codes
    expect(codeOf(await login(member, { totp }))).toEqual([401, 'totp_required'])
  })
})

describe('a code in an open session', () => {
  it('is refused where none is enrolled, or when it is wrong, missing or no longer the newest', async () => {
    const member = await app.member()
    const verify = (code: string) => member.post('/auth/totp/verify/', { code })
    expect(codeOf(await verify(wrong))).toEqual([409, 'totp_not_enrolled'])
    const phone = await enrol(app, member)
    expect(codeOf(await member.post('/auth/totp/verify/'))).toEqual([400, 'code'])
    expect(codeOf(await verify(wrong))).toEqual([400, 'code'])
    const [now, next] = [phone.code(), phone.code(1)]
    const given = await verify(next)
    expect(given.status).toBe(200)
    const for_ms = Date.parse(given.data.verified_until) - Date.now()
    expect(Math.abs(for_ms - 600_000)).toBeLessThan(10_000)
    expect(codeOf(await verify(next))).toEqual([400, 'code'])
    expect(codeOf(await verify(now))).toEqual([400, 'code'])
  })

  it('counts once of twenty at the same time', async () => {
    const member = await app.member()
    const phone = await enrol(app, member)
    const [recovery] = phone.recovery_codes
    for (const code of [phone.code(), recovery]) {
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => member.post('/auth/totp/verify/', { code })),
      )
      const statuses = replies.map(({ status }) => status).sort()
      expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 400)])
      member.goOnWith(replies.find(({ status }) => status === 200)?.data.token)
    }
  })

  it.each(['old', 'new'] as const)('ends with its other half: out by the %s token', async (by) => {
    const member = await liveMember()
    const phone = await enrol(app, member)
    const old_token = (await login(member, { totp: phone.code() })).data.token
    const at = (token: string) => shopWith(app.url, member.merchant_id, token, live)
    const given = await at(old_token).post('/auth/totp/verify/', { code: phone.code(1) })
    const tokens = { old: old_token, new: given.data.token }
    expect((await at(tokens.old).get('/auth/me/')).status).toBe(200)
    expect((await at(tokens[by]).post('/auth/logout/', {})).status).toBe(204)
    for (const token of Object.values(tokens)) {
      expect(codeOf(await at(token).get('/auth/me/'))).toEqual([401, 'session_expired'])
    }
  })

  it('gives a new token; the old one ends in seconds and is never fresh', async () => {
    const member = await liveMember()
    const phone = await enrol(app, member)
    const login_token = (await login(member, { totp: phone.code() })).data.token
    await givenAgo(member, '1 hour')
    const owner = shopWith(app.url, member.merchant_id, login_token, live)
    const thief = shopWith(app.url, member.merchant_id, login_token, live)
    const code = phone.code(1)
    const given = await owner.post('/auth/totp/verify/', { code })
    expect(given.data.token).toMatch(/^sess_[A-Za-z0-9_-]{43}$/)
    expect(given.data.token).not.toBe(login_token)
    expect(given.headers.get('cache-control')).toBe('no-store')
    const fresh = shopWith(app.url, member.merchant_id, given.data.token, live)
    expect((await registerWebhook(fresh)).status).toBe(201)
    // Calls under way end well; LIVE writes of the copy do not, now or later.
    expect((await thief.get('/merchant-webhooks/')).status).toBe(200)
    expect(codeOf(await registerWebhook(thief))).toEqual([403, 'totp_required'])
    const [left] = await app.owner`
      select extract(epoch from ends_at - now())::float8 as s from sessions
       where person_id = ${member.person_id} and replaced_at is not null
       order by created_at desc limit 1`
    expect(left?.['s']).toBeGreaterThan(0)
    expect(left?.['s']).toBeLessThanOrEqual(10)
    await phone.forget()
    const again = await thief.post('/auth/totp/verify/', { code: phone.code(1) })
    expect(codeOf(again)).toEqual([401, 'session_expired'])
    await app.owner`
      update sessions set ends_at = now() - interval '1 second'
       where person_id = ${member.person_id} and replaced_at is not null`
    expect(codeOf(await thief.get('/merchant-webhooks/'))).toEqual([401, 'session_expired'])
    // It lives no longer than the sign-in would have, and is listed once.
    const { results } = (await fresh.get('/auth/sessions/')).data
    const current = results.filter((one: Json) => one.current)
    expect(current).toMatchObject([{ expires_at: given.data.expires_at }])
    const [own] = await app.owner`
      select count(*)::int as open from sessions
       where person_id = ${member.person_id} and ends_at > now() and ended_at is null`
    expect(results).toHaveLength(own?.['open'])
  })

  it('gives one new token, whoever of two comes first with two good codes', async () => {
    const member = await liveMember()
    const phone = await enrol(app, member)
    const codes = phone.recovery_codes.slice(0, 2)
    const replies = await Promise.all(
      codes.map((code) => member.post('/auth/totp/verify/', { code })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401])
    const [used] = await app.owner`
      select count(used_at)::int as codes from recovery_codes
       where person_id = ${member.person_id}`
    expect(used).toEqual({ codes: 1 })
  })

  it('makes no copy of the token fresh by enrolling, nor by new recovery codes', async () => {
    const { merchant_id } = await app.shop({ live: true })
    const member = await app.member({ merchant_id, environment: 'LIVE' })
    const thief = shopWith(app.url, merchant_id, member.key, live)
    const phone = await enrol(app, member)
    expect((await registerWebhook(member)).status).toBe(201)
    expect(codeOf(await registerWebhook(thief))).toEqual([403, 'totp_required'])
    await givenAgo(member, '1 hour')
    const code = phone.code()
    expect((await member.post('/auth/totp/recovery-codes/', { code })).status).toBe(200)
    expect(codeOf(await registerWebhook(member))).toEqual([403, 'totp_required'])
  })

  it('gives staff a new token too', async () => {
    const boss = await app.staff()
    await app.owner`
      update people set totp_enrolled_at = null, sealed_totp = null where id = ${boss.person_id}`
    const thief = shopWith(app.url, '', boss.key)
    const phone = await enrol(app, boss, '/admin/auth')
    const given = await boss.post('/admin/auth/totp/verify/', { code: phone.code(1) })
    expect(given.status).toBe(200)
    const path = `/admin/merchants/${(await app.shop()).merchant_id}/`
    const act = (caller: Shop) =>
      caller.call('PATCH', path, {
        body: JSON.stringify({ kyc_note: 'seen' }),
        headers: { 'content-type': 'application/json' },
      })
    expect((await act(shopWith(app.url, '', given.data.token))).status).toBe(200)
    for (const copy of [thief, boss]) {
      expect(codeOf(await act(copy))).toEqual([403, 'totp_required'])
    }
  })
})

const live = { 'x-environment': 'LIVE' }

const givenAgo = (member: SignedInCaller, ago: string) => app.owner`
  update sessions set totp_at = now() - ${ago}::text::interval
   where person_id = ${member.person_id} and replaced_at is null`

describe('LIVE', () => {
  it('is closed to a session without a second factor, and SANDBOX is not', async () => {
    const member = await liveMember()
    expect(codeOf(await registerWebhook(member))).toEqual([403, 'totp_required'])
    const sandbox = await registerWebhook(member, { 'x-environment': 'SANDBOX' })
    expect(sandbox.status).toBe(201)
    expect((await member.get('/merchant-webhooks/')).status).toBe(200)
  })

  it('opens by a code for ten minutes, and again by the next', async () => {
    const member = await liveMember()
    const phone = await enrol(app, member)
    expect((await registerWebhook(member)).status).toBe(201)
    await givenAgo(member, '10 minutes 1 second')
    expect(codeOf(await registerWebhook(member))).toEqual([403, 'totp_required'])
    expect(codeOf(await member.post('/auth/totp/verify/', { code: wrong }))).toEqual([400, 'code'])
    expect(codeOf(await registerWebhook(member))).toEqual([403, 'totp_required'])
    member.goOnWith((await member.post('/auth/totp/verify/', { code: phone.code() })).data.token)
    expect((await registerWebhook(member)).status).toBe(201)
    await givenAgo(member, '9 minutes')
    expect((await registerWebhook(member)).status).toBe(201)
  })

  it('opens to the session that the code was given in, and to no other of the person', async () => {
    const member = await liveMember()
    const phone = await enrol(app, member)
    const other = bearer((await login(member, { totp: phone.code() })).data.token)
    expect((await registerWebhook(member, other)).status).toBe(201)
    await givenAgo(member, '1 hour')
    const code = phone.code(1)
    member.goOnWith((await member.post('/auth/totp/verify/', { code })).data.token)
    expect((await registerWebhook(member)).status).toBe(201)
    expect(codeOf(await registerWebhook(member, other))).toEqual([403, 'totp_required'])
  })

  it('is named in a webhook’s body from SANDBOX, by a session and under the same terms', async () => {
    const url = 'https://hooks.example.com/named'
    const name = (caller: Shop, environment = 'LIVE') =>
      caller.post('/merchant-webhooks/', { url, environment })
    const fresh = { second_factor: 'FRESH' } as const
    expect(codeOf(await name(await app.member(fresh)))).toEqual([403, 'live_mode_not_enabled'])
    const { merchant_id } = await app.shop({ live: true })
    const key = await app.shop({ merchant_id })
    expect(codeOf(await name(key))).toEqual([403, 'permission_denied'])
    const why = 'This API key is for SANDBOX only. Use a LIVE key, or leave out environment.'
    expect((await name(key, 'liVe')).error).toMatchObject({
      code: 'permission_denied',
      message: why,
    })
    const bare = await app.member({ merchant_id })
    expect(codeOf(await name(bare))).toEqual([403, 'totp_required'])
    const sure = await app.member({ merchant_id, ...fresh })
    const made = await name(sure)
    expect([made.status, made.data.environment]).toEqual([201, 'LIVE'])
    const path = `/merchant-webhooks/${made.data.id}/`
    expect((await sure.get(path)).status).toBe(404)
    expect((await sure.get(path, { 'x-environment': 'LIVE' })).data.url).toBe(url)
    const live = await app.member({ merchant_id, ...fresh, environment: 'LIVE' })
    expect((await name(live, 'SANDBOX')).data.environment).toBe('SANDBOX')
  })

  /** All codes of the person were given so long ago. */
})

describe('recovery codes', () => {
  it('are replaced by a code, and the earlier ones are void', async () => {
    const member = await app.member()
    const renew = (code?: string) => member.post('/auth/totp/recovery-codes/', { code })
    expect(codeOf(await renew(wrong))).toEqual([409, 'totp_not_enrolled'])
    const phone = await enrol(app, member)
    expect(codeOf(await renew())).toEqual([400, 'code'])
    expect(codeOf(await renew(wrong))).toEqual([400, 'code'])
    const renewed = await renew(phone.code())
    expect(renewed.status).toBe(200)
    expect(renewed.headers.get('cache-control')).toBe('no-store')
    const [old] = phone.recovery_codes
    const [young] = renewed.data.recovery_codes
    expect(codeOf(await login(member, { totp: old }))).toEqual([401, 'totp_required'])
    expect((await login(member, { totp: young })).status).toBe(200)
  })

  it('are counted: ten, one less for each that was used, none without a second factor', async () => {
    const member = await app.member()
    const left = async () => (await member.get('/auth/totp/recovery-codes/')).data
    expect(await left()).toEqual({ recovery_codes_left: 0 })
    const { recovery_codes } = await enrol(app, member)
    expect(await left()).toEqual({ recovery_codes_left: 10 })
    expect((await login(member, { totp: recovery_codes[0] })).status).toBe(200)
    expect(await left()).toEqual({ recovery_codes_left: 9 })
    const of_another = await app.member()
    expect((await of_another.get('/auth/totp/recovery-codes/')).data.recovery_codes_left).toBe(0)
  })

  it('are ten whoever renews them at the same time', async () => {
    const member = await app.member()
    const { recovery_codes } = await enrol(app, member)
    const replies = await Promise.all(
      recovery_codes.map((code) => member.post('/auth/totp/recovery-codes/', { code })),
    )
    // The first voids those that the others sent.
    const [good, ...more] = replies.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    const kept = await app.owner`
      select 1 from recovery_codes where person_id = ${member.person_id}`
    expect(kept.count).toBe(10)
    const totp = good?.data.recovery_codes[9]
    expect((await login(member, { totp })).status).toBe(200)
  })
})

describe('taking the second factor away', () => {
  it('needs the password and a code; neither is lost to the other’s mistake', async () => {
    const member = await liveMember()
    const { password } = member
    const disable = (body: object) => member.post('/auth/totp/disable/', body)
    const none = await disable({ password, code: wrong })
    expect(codeOf(none)).toEqual([409, 'totp_not_enrolled'])
    const phone = await enrol(app, member)
    const code = phone.code()
    expect(codeOf(await disable({}))).toEqual([400, 'code,password'])
    const guessed = await disable({ password: 'not my pass phrase', code })
    expect(codeOf(guessed)).toEqual([400, 'password'])
    expect(codeOf(await disable({ password, code: wrong }))).toEqual([400, 'code'])
    expect((await disable({ password, code })).data).toEqual({ totp_enabled: false })
    expect((await login(member)).status).toBe(200)
    expect(codeOf(await registerWebhook(member))).toEqual([403, 'totp_required'])
    const kept = await app.owner`
      select 1 from recovery_codes where person_id = ${member.person_id}`
    expect(kept.count).toBe(0)
  })

  it('lets them enrol another one, at once', async () => {
    const member = await app.member()
    const old = await enrol(app, member)
    const [code] = old.recovery_codes
    const { password } = member
    expect((await member.post('/auth/totp/disable/', { password, code })).status).toBe(200)
    const young = await enrol(app, member)
    expect(codeOf(await login(member, { totp: old.code() }))).toEqual([401, 'totp_required'])
    expect((await login(member, { totp: young.code() })).status).toBe(200)
  })
})

describe('a second factor', () => {
  const routes = ['enrol', 'enroll', 'confirm', 'verify', 'recovery-codes', 'disable']
  it.each(routes)('is nobody else’s business: %s', async (route) => {
    const path = `/auth/totp/${route}/`
    const body = { password: 'x', code: wrong }
    expect(codeOf(await anyone().call('POST', path, { headers: { authorization: '' } }))[0]).toBe(
      401,
    )
    const key = await (await app.shop()).post(path, body)
    expect(codeOf(key)).toEqual([403, 'dashboard_only'])
    const staff = await (await app.staff()).post(path, body)
    expect(codeOf(staff)).toEqual([403, 'permission_denied'])
  })

  it('is written nowhere as it is shown, and every act on it is in the audit log', async () => {
    const member = await app.member()
    const phone = await enrol(app, member)
    const [given = '', kept = ''] = phone.recovery_codes
    const shown = await member.post('/auth/totp/verify/', { code: given })
    expect(shown.status).toBe(200)
    const everything = (await dump()).toLowerCase()
    expect(everything).toContain(member.email)
    const secrets = [phone.secret, given, kept, given.replace('-', ''), kept.replace('-', '')]
    for (const secret of secrets) {
      expect(everything).not.toContain(secret.toLowerCase())
      expect(everything).not.toContain(Buffer.from(secret).toString('hex'))
    }
    const acts = await app.owner`
      select merchant_id, environment, actor_kind, action, target_id, after
        from audit_logs where actor_id = ${member.person_id} order by id`
    const usual = { merchant_id: accountsOwnId, environment: null, actor_kind: 'MEMBER' }
    const { person_id } = member
    expect(acts).toMatchObject([
      { ...usual, action: 'second_factor.begun', target_id: person_id },
      { ...usual, action: 'second_factor.enrolled', target_id: person_id },
      {
        ...usual,
        action: 'second_factor.given',
        target_id: expect.any(String),
        after: { by: 'RECOVERY_CODE' },
      },
    ])
  })
})
