// Staff come and go: a superadmin proposes one and another confirms; by letter a password is
// chosen, and nothing can be done before there is a second factor. What gives rights takes two
// people, nobody switches off their own account, and one superadmin always remains.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountsOwnId } from '../../src/audit/audit.ts'
import { disableStaff } from '../../src/people/staff/change-staff.ts'
import {
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { authenticatorOf } from '../setup/authenticator.ts'
import { emailsWaiting } from '../setup/emails-waiting.ts'
import { confirmedByAnother } from '../setup/second-person.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
beforeAll(async () => {
  // Without a worker letters stay where they can be read.
  app = await startApp({ env: { ROLE: 'api' } })
})
afterAll(() => app?.stop())

const password = 'a long pass phrase'
const anyone = () => shopWith(app.url, '', '')
const codeOf = ({ status, error }: Reply) => [status, error?.code]
const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {}).sort()]
const newEmail = () => `${randomUUID()}@pirogue.example`

const login = (email: string, more: object = {}) =>
  anyone().post('/admin/auth/login/', { email, password, ...more })

const patch = (by: Shop, id: string, body: object) =>
  by.call('PATCH', `/admin/staff/${id}/`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

async function invite(by: Shop, changes: Readonly<Record<string, string>> = {}): Promise<Json> {
  const email = newEmail()
  const body = { email, role: 'OPERATIONS', ...changes }
  await confirmedByAnother(app, await by.post('/admin/staff/', body))
  const found = await by.get(`/admin/staff/?search=${body.email.trim().toLowerCase()}`)
  return found.data.results[0]
}

/** What gives rights, proposed by one and confirmed by another. */
async function patchByTwo(by: Shop, id: string, body: object): Promise<Json> {
  await confirmedByAnother(app, await patch(by, id, body))
  return (await by.get(`/admin/staff/${id}/`)).data
}

/** The token of the last letter to this address. */
async function tokenFor(email: string): Promise<string> {
  const message = (await emailsWaiting(app)).findLast(({ to }) => to === email)
  return /#(\S+)/.exec(message?.text ?? '')?.[1] ?? ''
}

/** Nobody else of the staff can act from now on. */
async function onlyThese(...kept: readonly SignedInCaller[]): Promise<void> {
  await app.owner`
    update people set disabled_at = coalesce(disabled_at, now())
     where kind = 'STAFF' and id <> all(${kept.map((one) => one.person_id)}::uuid[])`
}

const actsOn = (target_id: string) => app.owner<Json[]>`
  select merchant_id, environment, actor_kind, actor_id, action, before, after
    from audit_logs where target_kind = 'staff' and target_id = ${target_id}
   order by created_at, id`

describe('coming in', () => {
  it('takes a letter, a password and a second factor, in this order', async () => {
    const boss = await app.staff()
    const email = newEmail()
    const names = { first_name: 'Inès', last_name: 'Mbaye', locale: 'fr' }
    const made = await invite(boss, { email: ` ${email.toUpperCase()} `, ...names })
    expect(made).toMatchObject({
      email,
      role: 'OPERATIONS',
      first_name: 'Inès',
      has_password: false,
      totp_enabled: false,
      disabled: false,
    })
    const message = (await emailsWaiting(app)).find(({ to }) => to === email)
    expect(message).toMatchObject({ locale: 'fr', subject: expect.stringContaining('équipe') })
    expect(message?.text).toContain(`${app.url}/admin/set-password#`)
    expect(codeOf(await login(email))).toEqual([401, 'not_authenticated'])

    const token = await tokenFor(email)
    const reset = await anyone().post('/admin/auth/password/reset/', { token, password })
    expect(reset.status).toBe(200)
    const opened = await login(email)
    expect(opened.status).toBe(200)
    expect(opened.headers.get('cache-control')).toBe('no-store')
    expect(opened.data).toEqual({
      token: expect.stringMatching(/^sess_/),
      device_token: expect.stringMatching(/^dev_/),
      expires_at: expect.any(String),
      staff: {
        id: made.id,
        email,
        first_name: 'Inès',
        last_name: 'Mbaye',
        role: 'OPERATIONS',
        totp_enabled: false,
        is_demo: false,
      },
    })

    const ines = shopWith(app.url, '', opened.data.token)
    expect(codeOf(await ines.get('/admin/merchants/'))).toEqual([403, 'totp_required'])
    expect((await ines.get('/admin/auth/me/')).data).toEqual({
      staff: opened.data.staff,
      permissions: ['read', 'merchants', 'kyc', 'gateways', 'incidents'],
      second_factor: 'NONE',
      second_factor_until: null,
      session: { expires_at: expect.any(String), idle_at: expect.any(String) },
    })
    const begun = await ines.post('/admin/auth/totp/enrol/', { password })
    const authenticator = authenticatorOf(
      app,
      { person_id: made.id },
      { ...begun.data, recovery_codes: [] },
    )
    const confirmed = await ines.post('/admin/auth/totp/confirm/', { code: authenticator.code() })
    expect(confirmed.data.recovery_codes).toHaveLength(10)
    const enrolled = shopWith(app.url, '', confirmed.data.token)
    expect((await enrolled.get('/admin/merchants/')).status).toBe(200)

    expect(codeOf(await login(email))).toEqual([401, 'totp_required'])
    await authenticator.forget()
    expect((await login(email, { totp: authenticator.code() })).status).toBe(200)
  })

  it('is written down under no merchant, without the e-mail', async () => {
    const boss = await app.staff()
    const email = newEmail()
    const invitation = await boss.post('/admin/staff/', { email, role: 'OPERATIONS' })
    const { by } = await confirmedByAnother(app, invitation)
    const { id } = (await boss.get(`/admin/staff/?search=${email}`)).data.results[0]
    const [act] = await actsOn(id)
    const ours = { merchant_id: accountsOwnId, environment: null, actor_kind: 'STAFF' }
    expect(act).toMatchObject({
      ...ours,
      actor_id: by.person_id,
      action: 'staff.created',
      after: { role: 'OPERATIONS' },
    })
    const proposal = await app.owner<Json[]>`
      select actor_id, action from audit_logs
       where target_kind = 'staff_proposal' and target_id = ${invitation.data.id} order by id`
    expect(proposal).toEqual([
      { actor_id: boss.person_id, action: 'proposal.made' },
      { actor_id: by.person_id, action: 'proposal.confirmed' },
    ])
    expect(JSON.stringify([act, proposal])).not.toContain(email)
  })

  it('with one e-mail makes one account, however many ask at once', async () => {
    const boss = await app.staff()
    const email = newEmail()
    const ask = () => boss.post('/admin/staff/', { email, role: 'SUPPORT' })
    const replies = await Promise.all(Array.from({ length: 20 }, () => untilServed(ask)))
    const [proposed, ...more] = replies.filter(({ status }) => status === 202)
    expect([proposed !== undefined, more]).toEqual([true, []])
    const refused = replies.filter(({ status }) => status === 409)
    expect(refused.map(({ error }) => error.code)).toEqual(Array(19).fill('proposal_pending'))
    const others = await Promise.all(Array.from({ length: 5 }, () => app.staff()))
    const path = `/admin/proposals/${proposed?.data.id}/confirm/`
    const confirms = await Promise.all(others.map((other) => untilServed(() => other.post(path))))
    const codes = confirms.map(({ status, error }) => error?.code ?? status).sort()
    expect(codes).toEqual([200, ...Array(4).fill('proposal_decided')])
    expect(codeOf(await ask())).toEqual([409, 'email_taken'])
    const emails = await emailsWaiting(app)
    expect(emails.filter(({ to }) => to === email)).toHaveLength(1)
  })

  it('names every field that is wrong', async () => {
    const boss = await app.staff()
    expect(fieldsOf(await boss.post('/admin/staff/'))).toEqual([400, ['email', 'role']])
    const wrong = { email: 'nobody', role: 'OWNER', first_name: 7, last_name: 'x'.repeat(101) }
    expect(fieldsOf(await boss.post('/admin/staff/', { ...wrong, locale: 'wo' }))).toEqual([
      400,
      ['email', 'first_name', 'last_name', 'locale', 'role'],
    ])
    expect(fieldsOf(await anyone().post('/admin/auth/login/', {}))).toEqual([
      400,
      ['email', 'password'],
    ])
    expect(fieldsOf(await boss.get('/admin/staff/?role=OWNER&disabled=maybe'))).toEqual([
      400,
      ['disabled', 'role'],
    ])
    expect(fieldsOf(await boss.get('/admin/staff/?ordering=password_hash'))).toEqual([
      400,
      ['ordering'],
    ])
    expect(fieldsOf(await patch(boss, boss.person_id, { role: 'GOD', disabled: 'no' }))).toEqual([
      400,
      ['disabled', 'role'],
    ])
  })

  it('answers a wrong e-mail, a wrong password and a disabled account alike', async () => {
    const [boss, gone] = [await app.staff(), await app.staff({ demo: true })]
    await patch(boss, gone.person_id, { disabled: true })
    const wrong = await login(boss.email, { password: 'not my pass phrase' })
    expect(codeOf(wrong)).toEqual([401, 'not_authenticated'])
    expect((await login(newEmail())).body).toEqual(wrong.body)
    expect((await login(gone.email)).body).toEqual(wrong.body)
  })
})

describe('the two doors', () => {
  it('do not open to each other’s people, though the e-mail be the same', async () => {
    const member = await app.member()
    const staff = await app.staff({ demo: true })
    await app.owner`
      update people set email = ${member.email} where id = ${staff.person_id}`
    expect(
      (await anyone().post('/auth/login/', { email: member.email, password })).data.member.id,
    ).toBe(member.person_id)
    expect((await login(member.email)).data.staff.id).toBe(staff.person_id)
    await app.owner`update people set password_hash = null where id = ${staff.person_id}`
    expect(codeOf(await login(member.email))).toEqual([401, 'not_authenticated'])
    const key = await app.shop()
    for (const path of ['/admin/auth/me/', '/admin/staff/', '/admin/merchants/']) {
      expect(codeOf(await member.get(path))).toEqual([403, 'permission_denied'])
      expect(codeOf(await key.get(path))).toEqual([403, 'permission_denied'])
      expect(codeOf(await anyone().get(path))).toEqual([401, 'not_authenticated'])
    }
    for (const path of ['/auth/me/', '/transactions/', '/merchant-balances/']) {
      expect(codeOf(await staff.get(path))).toEqual([403, 'permission_denied'])
    }
  })

  it('close behind who logs out', async () => {
    const staff = await app.staff()
    expect((await staff.get('/admin/auth/me/')).data.second_factor).toBe('FRESH')
    expect((await staff.get('/admin/auth/sessions/')).data.count).toBe(1)
    expect((await staff.post('/admin/auth/logout/')).status).toBe(204)
    expect(codeOf(await staff.get('/admin/auth/me/'))).toEqual([401, 'session_expired'])
  })
})

describe('the second factor', () => {
  const given = (minutes: number) => app.owner`
    update sessions set totp_at = now() - ${minutes} * interval '1 minute'`

  it('is fresh for an act, and enrolled for a look', async () => {
    const boss = await app.staff()
    await given(9)
    expect((await boss.post('/admin/staff/', { email: newEmail(), role: 'SUPPORT' })).status).toBe(
      202,
    )
    await given(11)
    expect((await boss.get('/admin/staff/')).status).toBe(200)
    const late = await boss.post('/admin/staff/', { email: newEmail(), role: 'SUPPORT' })
    expect(codeOf(late)).toEqual([403, 'totp_required'])
    expect(codeOf(await patch(boss, boss.person_id, { first_name: 'A' }))).toEqual([
      403,
      'totp_required',
    ])
  })

  it('that was lost is taken away by another superadmin, and every session with it', async () => {
    const [boss, lost] = [await app.staff(), await app.staff({ role: 'FINANCE' })]
    const path = `/admin/staff/${lost.person_id}/reset-second-factor/`
    await app.owner`
      insert into recovery_codes (person_id, hash)
      values (${lost.person_id}, ${Buffer.alloc(32)})`
    const invitation = await boss.post(path)
    expect((await lost.get('/admin/auth/me/')).status).toBe(200)
    await confirmedByAnother(app, invitation)
    const found = await boss.get(`/admin/staff/${lost.person_id}/`)
    expect(found.data).toMatchObject({ id: lost.person_id, totp_enabled: false })
    expect(codeOf(await lost.get('/admin/auth/me/'))).toEqual([401, 'session_expired'])
    const codes = await app.owner`
      select 1 from recovery_codes where person_id = ${lost.person_id}`
    expect(codes.count).toBe(0)
    const opened = await login(lost.email)
    const signedIn = shopWith(app.url, '', opened.data.token)
    expect(codeOf(await signedIn.get('/admin/balances/'))).toEqual([403, 'totp_required'])
    expect((await signedIn.post('/admin/auth/totp/enrol/', { password })).status).toBe(200)
    expect((await actsOn(lost.person_id)).map(({ action }) => action)).toEqual([
      'staff.second_factor_reset',
    ])
    const emails = (await emailsWaiting(app)).filter(({ to }) => to === lost.email)
    expect(emails.map(({ subject }) => subject)).toEqual(['Your second factor was removed'])
    // Of one who has none there is nothing to take, and nobody is written to again.
    expect((await boss.post(path)).status).toBe(200)
    expect((await actsOn(lost.person_id)).length).toBe(1)
    const own = await boss.post(`/admin/staff/${boss.person_id}/reset-second-factor/`)
    expect(codeOf(own)).toEqual([403, 'permission_denied'])
  })
})

describe('a second factor of staff that was enrolled since it was said to be lost', () => {
  it('is not taken away by the proposal about the lost one', async () => {
    const [boss, other, lost] = [await app.staff(), await app.staff(), await app.staff()]
    const path = `/admin/staff/${lost.person_id}/reset-second-factor/`
    const proposed = await boss.post(path)
    expect(proposed.status).toBe(202)
    await app.owner`
      update people set totp_enrolled_at = now() + interval '1 second'
       where id = ${lost.person_id}`
    const confirm = `/admin/proposals/${proposed.data.id}/confirm/`
    expect(codeOf(await other.post(confirm))).toEqual([409, 'proposal_outdated'])
    expect((await lost.get('/admin/auth/me/')).status).toBe(200)
    expect(await actsOn(lost.person_id)).toEqual([])
  })
})

describe('changing the staff', () => {
  it('is open to superadmins alone', async () => {
    for (const role of ['SUPPORT', 'OPERATIONS', 'FINANCE'] as const) {
      const one = await app.staff({ role })
      const refused = [403, 'permission_denied']
      expect(codeOf(await one.get('/admin/staff/'))).toEqual(refused)
      expect(codeOf(await one.post('/admin/staff/', { email: newEmail(), role }))).toEqual(refused)
      expect(codeOf(await patch(one, one.person_id, { role: 'SUPERADMIN' }))).toEqual(refused)
    }
  })

  it('counts from the next call on, in every process', async () => {
    const [boss, other] = [await app.staff(), await app.staff({ role: 'FINANCE' })]
    const second = await app.another({ ROLE: 'api' })
    const elsewhere = shopWith(second.public_url, '', other.key)
    const pricing = () => Promise.all([other, elsewhere].map((one) => one.get('/admin/balances/')))
    expect((await pricing()).map(({ status }) => status)).toEqual([200, 200])
    const lowered = await patch(boss, other.person_id, { role: 'SUPPORT', first_name: 'Koffi' })
    expect(lowered.data).toMatchObject({ role: 'SUPPORT', first_name: 'Koffi' })
    const freeze = await elsewhere.post(`/admin/balances/${randomUUID()}/freeze/`, { reason: 'x' })
    expect(codeOf(freeze)).toEqual([403, 'permission_denied'])
    const off = await patch(boss, other.person_id, { disabled: true })
    expect(off.data.disabled).toBe(true)
    expect((await pricing()).map(codeOf)).toEqual(Array(2).fill([401, 'session_expired']))
    // Switched on again they must log in: their sessions stay ended.
    await patchByTwo(boss, other.person_id, { disabled: false })
    expect((await pricing()).map(codeOf)).toEqual(Array(2).fill([401, 'session_expired']))
    expect(
      (await actsOn(other.person_id)).map(({ action, before, after }) => [action, before, after]),
    ).toEqual([
      [
        'staff.changed',
        { role: 'FINANCE', disabled: false },
        { role: 'SUPPORT', disabled: false, renamed: true },
      ],
      ['staff.disabled', { role: 'SUPPORT', disabled: false }, { role: 'SUPPORT', disabled: true }],
      ['staff.enabled', { role: 'SUPPORT', disabled: true }, { role: 'SUPPORT', disabled: false }],
    ])
    expect(JSON.stringify(await actsOn(other.person_id))).not.toContain('Koffi')
  })

  it('voids the letter of who is switched off before they came in', async () => {
    const boss = await app.staff()
    const { id, email } = await invite(boss)
    const token = await tokenFor(email)
    await patch(boss, id, { disabled: true })
    await patchByTwo(boss, id, { disabled: false })
    const reset = await anyone().post('/admin/auth/password/reset/', { token, password })
    expect(fieldsOf(reset)).toEqual([400, ['token']])
  })

  it('finds, sorts and reads them, and only them', async () => {
    const boss = await app.staff()
    const member = await app.member()
    const word = randomUUID().slice(0, 8)
    const email = `${word}@pirogue.example`
    const { id } = await invite(boss, { email, role: 'FINANCE', first_name: 'Aïssatou' })
    const found = await boss.get(`/admin/staff/?search=${word.toUpperCase()}&role=FINANCE`)
    expect(found.data).toMatchObject({ count: 1, results: [{ id, email }] })
    expect((await boss.get(`/admin/staff/?search=${word}&disabled=true`)).data.count).toBe(0)
    expect((await boss.get(`/admin/staff/?search=${word}&role=SUPPORT`)).data.count).toBe(0)
    const sorted = (await boss.get('/admin/staff/?ordering=-email&page_size=100')).data.results
    const emails = sorted.map((one: Json) => one.email)
    expect(emails).toEqual([...emails].sort().reverse())
    expect((await boss.get(`/admin/staff/${id}/`)).data.id).toBe(id)
    for (const other of [member.person_id, randomUUID(), 'nobody']) {
      expect(codeOf(await boss.get(`/admin/staff/${other}/`))).toEqual([404, 'not_found'])
      expect(codeOf(await patch(boss, other, { disabled: true }))).toEqual([404, 'not_found'])
      const reset = await boss.post(`/admin/staff/${other}/reset-second-factor/`)
      expect(codeOf(reset)).toEqual([404, 'not_found'])
    }
    const text = JSON.stringify((await boss.get('/admin/staff/')).data)
    expect(text).not.toMatch(/argon2|password_hash|sealed/)
  })
})

describe('one superadmin remains', () => {
  it('and nobody lowers or disables themselves', async () => {
    const [boss] = [await app.staff(), await app.staff()]
    for (const change of [{ disabled: true }, { role: 'FINANCE' }]) {
      expect(codeOf(await patch(boss, boss.person_id, change))).toEqual([403, 'permission_denied'])
    }
    const named = await patch(boss, boss.person_id, { first_name: 'Awa', role: 'SUPERADMIN' })
    expect(named.data).toMatchObject({ first_name: 'Awa', role: 'SUPERADMIN', disabled: false })
  })

  it('whoever asks: the demo’s administrator and people switched off do not count', async () => {
    const [last, demo] = [await app.staff(), await app.staff({ demo: true })]
    await app.staff()
    await onlyThese(last, demo)
    for (const change of [{ disabled: true }, { role: 'OPERATIONS' }]) {
      const reply = await patch(demo, last.person_id, change)
      expect(codeOf(reply)).toEqual([403, 'permission_denied'])
    }
    const disable = () => disableStaff(app.service.db, last.email)
    await expect(disable()).rejects.toMatchObject({ row: { code: 'last_superadmin' } })
    const next = await app.staff()
    expect((await disable()).disabled_at).not.toBeNull()
    expect((await patch(next, demo.person_id, { disabled: true })).status).toBe(200)
  })

  it('when all of them switch each other off at once', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => app.staff()))
    await onlyThese(...all)
    const pairs = all.flatMap((by) =>
      all.filter((one) => one !== by).map((one) => [by, one] as const),
    )
    const replies = await Promise.all(
      pairs.map(([by, one], at) =>
        untilServed(() =>
          patch(by, one.person_id, at % 2 === 0 ? { disabled: true } : { role: 'SUPPORT' }),
        ),
      ),
    )
    const rows = await app.owner`
      select 1 from people
       where kind = 'STAFF' and staff_role = 'SUPERADMIN' and disabled_at is null`
    expect(rows.count).toBe(1)
    expect(replies.every(({ status }) => [200, 401, 403, 409].includes(status))).toBe(true)
  })
})
