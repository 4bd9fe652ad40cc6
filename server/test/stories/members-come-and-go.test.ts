// A merchant's people: invited by letter, given roles, lowered and removed. A right that is gone is
// gone at once and in every process; an invitation is worth no more than whoever sent it; and a
// merchant is never without an owner.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mayAs, type Role, roles } from '../../src/merchants/roles.ts'
import { suspendMerchant } from '../../src/merchants/suspend-merchant.ts'
import { newId } from '../../src/platform/ids.ts'
import {
  eventually,
  type Json,
  type MemberOptions,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { emailsWaiting } from '../setup/emails-waiting.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } })
})
afterAll(() => app?.stop())

const codeOf = ({ status, error }: Reply) => [status, error?.code]
const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {}).sort()]
const nobody = () => shopWith(app.url, '', '')
const password = 'a long pass phrase'

let emails = 0
const newEmail = () => {
  emails += 1
  return `guest${emails}@shop.example`
}

const patch = (by: Shop, id: string, body: unknown) =>
  by.call('PATCH', `/merchant-members/${id}/`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
const remove = (by: Shop, id: string) => by.call('DELETE', `/merchant-members/${id}/`)
const uninvite = (by: Shop, id: string) => by.call('DELETE', `/merchant-invitations/${id}/`)

/** More members of the first one's merchant. */
const beside = ({ merchant_id }: SignedInCaller, role: Role, more: MemberOptions = {}) =>
  app.member({ merchant_id, role, ...more })

const rolesOf = async (merchant_id: string) =>
  Object.fromEntries(
    (
      await app.owner<{ person_id: string; role: Role }[]>`
        select person_id, role from memberships where merchant_id = ${merchant_id}`
    ).map(({ person_id, role }) => [person_id, role]),
  )

const acts = (merchant_id: string, prefix: string) => app.owner<Json[]>`
  select action, actor_kind, actor_id, actor_role, target_id, before, after from audit_logs
   where merchant_id = ${merchant_id} and action like ${`${prefix}.%`} order by id`

async function emailTo(email: string): Promise<{ text: string; subject: string; token: string }> {
  const sent = (await emailsWaiting(app)).filter(({ to }) => to === email)
  const { text = '', subject = '' } = sent.at(-1) ?? {}
  return { text, subject, token: /#(\S+)/.exec(text)?.[1] ?? '' }
}

async function invite(by: Shop, role: Role = 'VIEWER', email = newEmail()) {
  const reply = await by.post('/merchant-invitations/', { email, role })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return { id: String(reply.data.id), email, token: (await emailTo(email)).token }
}

const preview = (token: unknown) => nobody().post('/auth/invitations/preview/', { token })
const names = { first_name: 'Kofi', last_name: 'Mensah' }
const accept = (token: unknown, changes: Record<string, unknown> = {}) =>
  nobody().post('/auth/invitations/accept/', { token, password, ...names, ...changes })

const login = async (email: string, pass = password) => {
  const { status, data } = await nobody().post('/auth/login/', { email, password: pass })
  return { status, token: String(data?.token), merchants: data?.merchants ?? [] }
}

describe('the list of members', () => {
  it('shows those of this merchant, field by field, and finds them', async () => {
    const owner = await app.member()
    await app.owner`
      update people set first_name = 'Zuri', last_name = 'Okoye' where id = ${owner.person_id}`
    const finance = await beside(owner, 'FINANCE', { second_factor: 'FRESH' })
    await app.member()
    const all = await owner.get('/merchant-members/')
    expect(all.data.count).toBe(2)
    expect(all.data.results.map((one: Json) => one.id)).toEqual([
      owner.person_id,
      finance.person_id,
    ])
    expect(all.data.results[1]).toEqual({
      id: finance.person_id,
      merchant: owner.merchant_id,
      email: finance.email,
      first_name: 'Test',
      last_name: 'Person',
      role: 'FINANCE',
      totp_enabled: true,
      email_verified: true,
      last_login_at: expect.stringMatching(/Z$/),
      created_at: expect.stringMatching(/Z$/),
    })
    const found = async (query: string) =>
      (await owner.get(`/merchant-members/?${query}`)).data.results.map((one: Json) => one.id)
    expect(await found('search=zuri%20oko')).toEqual([owner.person_id])
    expect(await found(`search=${finance.email.toUpperCase()}`)).toEqual([finance.person_id])
    expect(await found('role=FINANCE')).toEqual([finance.person_id])
    expect(await found('role=DEVELOPER')).toEqual([])
    expect(await found('ordering=-role&page_size=1')).toEqual([owner.person_id])
    expect(fieldsOf(await owner.get('/merchant-members/?role=KING'))).toEqual([400, ['role']])
    expect(fieldsOf(await owner.get('/merchant-members/?ordering=x'))).toEqual([400, ['ordering']])
    expect((await owner.get('/merchant-members/?page=2')).status).toBe(404)
  })

  it('is for members: no key, no stranger, no unknown id', async () => {
    const owner = await app.member()
    const stranger = await app.member()
    const { merchant_id } = owner
    const shop = await app.shop({ merchant_id })
    expect(codeOf(await nobody().get('/merchant-members/'))).toEqual([401, 'invalid_api_key'])
    expect(codeOf(await shop.get('/merchant-members/'))).toEqual([403, 'dashboard_only'])
    const one = (id: string) => owner.get(`/merchant-members/${id}/`)
    expect((await one(owner.person_id)).data.role).toBe('OWNER')
    expect(codeOf(await one(stranger.person_id))).toEqual([403, 'permission_denied'])
    expect(codeOf(await one(newId()))).toEqual([404, 'not_found'])
    expect(codeOf(await one('nobody'))).toEqual([404, 'not_found'])
  })
})

describe('a role', () => {
  it('that is changed counts at the next call, in every process', async () => {
    const owner = await app.member()
    const admin = await beside(owner, 'ADMIN')
    const other = await app.another({ ROLE: 'api' })
    const there = shopWith(other.public_url, owner.merchant_id, admin.key, {
      'x-merchant': owner.merchant_id,
    })
    expect((await there.get('/merchant-invitations/')).status).toBe(200)
    const lowered = await patch(owner, admin.person_id, { role: 'VIEWER' })
    expect([lowered.status, lowered.data.role]).toEqual([200, 'VIEWER'])
    expect(codeOf(await there.get('/merchant-invitations/'))).toEqual([403, 'permission_denied'])
    expect((await there.get('/merchant-members/')).status).toBe(200)
    expect((await remove(owner, admin.person_id)).status).toBe(200)
    expect(codeOf(await there.get('/merchant-members/'))).toEqual([403, 'permission_denied'])
    await other.stop()
    expect(await acts(owner.merchant_id, 'member')).toMatchObject([
      {
        action: 'member.role_changed',
        actor_kind: 'MEMBER',
        actor_id: owner.person_id,
        actor_role: 'OWNER',
        target_id: admin.person_id,
        before: { role: 'ADMIN' },
        after: { role: 'VIEWER' },
      },
      { action: 'member.removed', target_id: admin.person_id, before: { role: 'VIEWER' } },
    ])
  })

  it('leaves his keys to be seen, or takes them with it', async () => {
    const { merchant_id } = await app.shop({ live: true })
    const fresh = { merchant_id, second_factor: 'FRESH' } as const
    const owner = await app.member(fresh)
    const leaver = async () => {
      const admin = await app.member({ ...fresh, role: 'ADMIN' })
      const key = async (body: object) => (await admin.post('/merchant-api-keys/', body)).data
      const test = await key({ environment: 'SANDBOX', name: 'Till' })
      const live = await key({ environment: 'LIVE', scope: 'BOTH' })
      return { admin, test, live }
    }
    const knock = async ({ secret }: Json) => {
      const reply = await shopWith(app.url, '', secret).get('/merchant-balances/')
      return reply.error?.code ?? reply.status
    }
    const shown = (key: Json) => {
      const { id, name, environment, scope, key_prefix, last4 } = key
      return { id, name, environment, scope, key_prefix, last4 }
    }
    const one = await leaver()
    const removed = await remove(owner, one.admin.person_id)
    expect(removed.status).toBe(200)
    expect(removed.data).toEqual({
      keys: [one.live, one.test].map((key) => ({ ...shown(key), last_used_at: null })),
      keys_revoked: false,
    })
    expect([await knock(one.test), await knock(one.live)]).toEqual([200, 200])
    const email = await emailTo(owner.email)
    expect(email.subject).toContain('Live API keys of a former member')
    expect(email.text).toContain(one.live.last4)
    expect(email.text).not.toContain(one.admin.email)

    const two = await leaver()
    const path = `/merchant-members/${two.admin.person_id}/?revoke_keys=true`
    const ended = await owner.call('DELETE', path)
    expect([ended.status, ended.data.keys.length, ended.data.keys_revoked]).toEqual([200, 2, true])
    expect([await knock(two.test), await knock(two.live)]).toEqual(Array(2).fill('revoked_api_key'))
    expect(await acts(merchant_id, 'api_key')).toContainEqual(
      expect.objectContaining({ action: 'api_key.revoked', target_id: two.live.id }),
    )
    // Whoever may not look after keys ends none by leaving.
    const viewer = await app.member({ ...fresh, role: 'VIEWER' })
    const own = `/merchant-members/${viewer.person_id}/`
    const refused = await viewer.call('DELETE', `${own}?revoke_keys=true`)
    expect(codeOf(refused)).toEqual([403, 'permission_denied'])
    expect((await viewer.call('DELETE', own)).data).toEqual({ keys: [], keys_revoked: false })
  })

  it('that lets others in is told to the owners, whoever gives it', async () => {
    const owner = await app.member()
    const viewer = await beside(owner, 'VIEWER')
    const raised = async () =>
      (await emailsWaiting(app))
        .filter(
          ({ to, subject }) => to === owner.email && / new (OWNER|ADMIN|FINANCE) /.test(subject),
        )
        .map(({ subject }) => subject.replace(/^.*: /, ''))
    await patch(owner, viewer.person_id, { role: 'DEVELOPER' })
    expect(await raised()).toEqual([])
    await patch(owner, viewer.person_id, { role: 'ADMIN' })
    await patch(owner, viewer.person_id, { role: 'ADMIN' })
    expect(await raised()).toEqual(['A new ADMIN in your account'])
    const { token } = await invite(owner, 'OWNER')
    const named = { first_name: 'Kofi', last_name: 'Mensah', password }
    const accepted = await nobody().post('/auth/invitations/accept/', { token, ...named })
    expect(accepted.status).toBe(200)
    expect(await raised()).toEqual(['A new ADMIN in your account', 'A new OWNER in your account'])
    // Who may approve payouts lets money out.
    await patch(owner, viewer.person_id, { role: 'FINANCE' })
    expect((await raised()).at(-1)).toBe('A new FINANCE in your account')
  })

  it('of an owner is given and taken by owners only', async () => {
    const owner = await app.member()
    const admin = await beside(owner, 'ADMIN')
    const second = await beside(owner, 'OWNER')
    const viewer = await beside(owner, 'VIEWER')
    const denied = [403, 'permission_denied']
    expect(codeOf(await patch(admin, viewer.person_id, { role: 'OWNER' }))).toEqual(denied)
    expect(codeOf(await patch(admin, admin.person_id, { role: 'OWNER' }))).toEqual(denied)
    expect(codeOf(await patch(admin, second.person_id, { role: 'VIEWER' }))).toEqual(denied)
    expect(codeOf(await remove(admin, second.person_id))).toEqual(denied)
    expect(codeOf(await patch(viewer, admin.person_id, { role: 'VIEWER' }))).toEqual(denied)
    expect(codeOf(await remove(viewer, admin.person_id))).toEqual(denied)
    expect((await patch(owner, viewer.person_id, { role: 'OWNER' })).data.role).toBe('OWNER')
    expect((await remove(owner, second.person_id)).status).toBe(200)
    expect((await patch(admin, admin.person_id, { role: 'VIEWER' })).status).toBe(200)
  })

  it('is refused where it is none, and for whoever is not here', async () => {
    const owner = await app.member()
    const stranger = await app.member()
    const viewer = await beside(owner, 'VIEWER')
    for (const body of [{}, { role: null }, { role: 'KING' }, { role: 1 }]) {
      expect(fieldsOf(await patch(owner, viewer.person_id, body))).toEqual([400, ['role']])
    }
    for (const act of [patch, remove]) {
      const on = async (id: string) => codeOf(await act(owner, id, { role: 'VIEWER' }))
      expect(await on(stranger.person_id)).toEqual([403, 'permission_denied'])
      expect(await on(newId())).toEqual([404, 'not_found'])
      expect(await on('nobody')).toEqual([404, 'not_found'])
    }
    expect((await patch(owner, viewer.person_id, { role: 'VIEWER' })).status).toBe(200)
    expect(await acts(owner.merchant_id, 'member')).toEqual([])
  })

  it('needs the second factor as soon as the merchant may work in LIVE', async () => {
    const { merchant_id } = await app.shop({ live: true })
    const owner = await app.member({ merchant_id, second_factor: 'STALE' })
    const fresh = await app.member({ merchant_id, second_factor: 'FRESH' })
    const viewer = await app.member({ merchant_id, role: 'VIEWER' })
    const refused = [403, 'totp_required']
    const email = newEmail()
    expect(codeOf(await patch(owner, viewer.person_id, { role: 'ADMIN' }))).toEqual(refused)
    expect(codeOf(await remove(owner, viewer.person_id))).toEqual(refused)
    const reply = await owner.post('/merchant-invitations/', { email, role: 'VIEWER' })
    expect(codeOf(reply)).toEqual(refused)
    const invited = await invite(fresh)
    expect(codeOf(await uninvite(owner, invited.id))).toEqual(refused)
    const again = await owner.post(`/merchant-invitations/${invited.id}/resend/`)
    expect(codeOf(again)).toEqual(refused)
    expect((await patch(fresh, viewer.person_id, { role: 'ADMIN' })).status).toBe(200)
  })

  it('is not changed while the merchant is suspended', async () => {
    const owner = await app.member()
    const viewer = await beside(owner, 'VIEWER')
    const { token } = await invite(owner)
    await suspendMerchant(app.service.db, owner.merchant_id, 'a test')
    const suspended = [403, 'merchant_suspended']
    expect((await owner.get('/merchant-members/')).status).toBe(200)
    expect(codeOf(await patch(owner, viewer.person_id, { role: 'ADMIN' }))).toEqual(suspended)
    expect(codeOf(await remove(viewer, viewer.person_id))).toEqual(suspended)
    expect(codeOf(await accept(token))).toEqual(suspended)
  })
})

describe('one person with two merchants', () => {
  /** A call that this permission, and no other, opens; `fits` when the door was passed. */
  const calls: readonly (readonly [string, (by: Shop) => Promise<Reply>])[] = [
    ['read', (by) => by.get('/merchant-members/')],
    ['members', (by) => by.get('/merchant-invitations/')],
    ['payins', (by) => by.post('/payments/softpay/initialize/')],
    ['keys', (by) => by.get('/merchant-api-keys/')],
    ['webhooks', (by) => by.post('/merchant-webhooks/')],
    ['settings', (by) => by.get('/kyc/')],
    ['owners', (by) => by.post('/merchant-invitations/', { email: newEmail(), role: 'OWNER' })],
  ]

  it.each(roles.map((role) => [role, mayAs[role]] as const))(
    'has as %s exactly the rights of that role there, whatever he is elsewhere',
    async (role, may) => {
      const person = await app.member({ role: role === 'OWNER' ? 'VIEWER' : 'OWNER' })
      const { merchant_id } = await app.shop()
      await app.owner`insert into memberships ${app.owner({
        merchant_id,
        person_id: person.person_id,
        role,
      })}`
      const here = shopWith(app.url, merchant_id, person.key, { 'x-merchant': merchant_id })
      const opened: string[] = []
      for (const [permission, call] of calls) {
        const reply = await call(here)
        if (reply.status !== 403) opened.push(permission)
        else expect(codeOf(reply)).toEqual([403, 'permission_denied'])
      }
      // Keys are listed by whoever may read.
      const expected = calls
        .map(([permission]) => permission)
        .filter((one) => {
          return may.some((allowed) => allowed === (one === 'keys' ? 'read' : one))
        })
      expect(opened).toEqual(expected)
    },
  )

  it('acts on the one that X-Merchant names, else on his first, and on no third', async () => {
    const first = await app.member({ role: 'VIEWER' })
    const second = await app.member()
    const third = await app.member()
    const { token } = await invite(second, 'ADMIN', first.email)
    expect((await accept(token)).status).toBe(200)
    const at = (merchant_id: string) => ({ 'x-merchant': merchant_id })
    const anyone = shopWith(app.url, '', first.key)
    const me = await anyone.get('/auth/me/')
    expect(me.data.merchants.map((one: Json) => [one.id, one.role])).toEqual([
      [first.merchant_id, 'VIEWER'],
      [second.merchant_id, 'ADMIN'],
    ])
    const where = async (headers: Record<string, string>) =>
      (await anyone.get('/merchant/', headers)).data?.id
    expect(await where({})).toBe(first.merchant_id)
    expect(await where(at(second.merchant_id))).toBe(second.merchant_id)
    const stranger = await anyone.get('/merchant/', at(third.merchant_id))
    expect(codeOf(stranger)).toEqual([403, 'permission_denied'])
    const odd = await anyone.get('/merchant/', { 'x-merchant': 'mine', 'x-environment': 'MOON' })
    expect([odd.status, Object.keys(odd.error)]).toEqual([400, ['X-Merchant', 'X-Environment']])
    const denied = await anyone.get('/merchant-invitations/')
    expect(codeOf(denied)).toEqual([403, 'permission_denied'])
    const open = await anyone.get('/merchant-invitations/', at(second.merchant_id))
    expect(open.status).toBe(200)
    // Leaving the first, he stays with the second.
    expect((await remove(first, first.person_id)).status).toBe(200)
    expect(await where({})).toBe(second.merchant_id)
  })
})

describe('a new owner whose e-mail is proved', () => {
  it('opens LIVE where it waited for one: promoted, or come by letter', async () => {
    const waiting = async () => {
      const owner = await app.member()
      await app.owner`
        update people set email_verified_at = null where id = ${owner.person_id}`
      await app.owner`
        update merchants set approved_at = now() where id = ${owner.merchant_id}`
      expect((await owner.get('/merchant/')).data.live_enabled).toBe(false)
      return owner
    }
    const one = await waiting()
    const admin = await beside(one, 'ADMIN')
    expect((await patch(one, admin.person_id, { role: 'OWNER' })).status).toBe(200)
    expect((await admin.get('/merchant/')).data.live_enabled).toBe(true)
    const two = await waiting()
    const viewer = await invite(two, 'VIEWER')
    expect((await accept(viewer.token)).status).toBe(200)
    expect((await two.get('/merchant/')).data.live_enabled).toBe(false)
    const owner = await invite(two, 'OWNER')
    expect((await accept(owner.token)).status).toBe(200)
    expect((await two.get('/merchant/')).data.live_enabled).toBe(true)
  })

  it('proves it by following the letter, where he had not before', async () => {
    const owner = await app.member()
    const guest = await app.member()
    await app.owner`update people set email_verified_at = null where id = ${guest.person_id}`
    const { token } = await invite(owner, 'VIEWER', guest.email)
    expect((await accept(token)).status).toBe(200)
    expect((await guest.get('/auth/me/')).data.member.email_verified).toBe(true)
  })
})

describe('the last owner', () => {
  it('neither leaves nor is lowered; with another one he may', async () => {
    const owner = await app.member()
    const admin = await beside(owner, 'ADMIN')
    const last = [409, 'last_owner']
    expect(codeOf(await remove(owner, owner.person_id))).toEqual(last)
    expect(codeOf(await patch(owner, owner.person_id, { role: 'ADMIN' }))).toEqual(last)
    const second = await beside(owner, 'OWNER')
    // One who is switched off owns nothing that he could act on.
    await app.owner`update people set disabled_at = now() where id = ${second.person_id}`
    expect(codeOf(await remove(owner, owner.person_id))).toEqual(last)
    expect((await remove(owner, second.person_id)).status).toBe(200)
    expect((await patch(owner, admin.person_id, { role: 'OWNER' })).status).toBe(200)
    expect((await remove(owner, owner.person_id)).status).toBe(200)
    expect(await rolesOf(owner.merchant_id)).toEqual({ [admin.person_id]: 'OWNER' })
    expect((await acts(owner.merchant_id, 'member')).at(-1)).toMatchObject({
      action: 'member.left',
      actor_id: owner.person_id,
      before: { role: 'OWNER' },
    })
  })

  it('remains when two owners lower or remove each other, twenty times at once', async () => {
    for (const act of [patch, remove]) {
      const one = await app.member()
      const two = await beside(one, 'OWNER')
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          at % 2 === 0
            ? act(one, two.person_id, { role: 'VIEWER' })
            : act(two, one.person_id, { role: 'VIEWER' }),
        ),
      )
      const left = Object.values(await rolesOf(one.merchant_id))
      expect(left.filter((role) => role === 'OWNER')).toHaveLength(1)
      expect(replies.filter(({ status }) => status >= 500)).toEqual([])
      expect(await acts(one.merchant_id, 'member')).toHaveLength(1)
    }
  })

  it('remains when all owners leave or step down at once', async () => {
    for (const act of [patch, remove]) {
      const first = await app.member()
      const others = await Promise.all([1, 2, 3].map(() => beside(first, 'OWNER')))
      const owners = [first, ...others]
      const replies = await Promise.all(
        owners.map((owner) => act(owner, owner.person_id, { role: 'VIEWER' })),
      )
      expect(replies.filter(({ error }) => error?.code === 'last_owner')).toHaveLength(1)
      const left = Object.values(await rolesOf(first.merchant_id))
      expect(left.filter((role) => role === 'OWNER')).toHaveLength(1)
    }
  })
})

describe('an invitation', () => {
  it('by letter, makes the account and the membership; he logs in after', async () => {
    const owner = await app.member()
    await app.owner`update merchants set name = 'Boutique Awa' where id = ${owner.merchant_id}`
    const email = newEmail()
    const made = await owner.post('/merchant-invitations/', {
      email: email.toUpperCase(),
      role: 'FINANCE',
    })
    expect([made.status, made.data]).toEqual([
      201,
      {
        id: expect.any(String),
        email,
        role: 'FINANCE',
        status: 'PENDING',
        invited_by: owner.person_id,
        expires_at: expect.stringMatching(/Z$/),
        created_at: expect.stringMatching(/Z$/),
      },
    ])
    const days = (Date.parse(made.data.expires_at) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(6.9)
    expect(days).toBeLessThanOrEqual(7.01)
    const { token, text, subject } = await emailTo(email)
    expect(subject).toBe('Invitation to Boutique Awa')
    expect(text).toContain('join Boutique Awa (Test Person) as finance')
    expect(text).toContain(`/dashboard/invitation#${token}`)
    expect(token).toHaveLength(64)
    expect(JSON.stringify(made.body)).not.toContain(token)

    const looked = await preview(token)
    expect([looked.status, looked.data]).toEqual([
      200,
      { merchant_name: 'Boutique Awa', email, role: 'FINANCE', has_account: false },
    ])
    const accepted = await accept(token)
    expect([accepted.status, accepted.data]).toEqual([
      200,
      { merchant: { id: owner.merchant_id, name: 'Boutique Awa' }, role: 'FINANCE' },
    ])
    const signed = await login(email)
    expect(signed.merchants).toMatchObject([{ id: owner.merchant_id, role: 'FINANCE' }])
    const me = await nobody().get('/auth/me/', { authorization: `Bearer ${signed.token}` })
    expect(me.data.member).toMatchObject({ email, ...names, email_verified: true })
    const listed = await owner.get('/merchant-invitations/?status=ACCEPTED')
    expect(listed.data.results).toMatchObject([{ id: made.data.id, status: 'ACCEPTED' }])
    const log = await acts(owner.merchant_id, 'invitation')
    expect(log).toMatchObject([
      { action: 'invitation.sent', actor_id: owner.person_id, after: { role: 'FINANCE' } },
      { action: 'invitation.accepted', actor_id: me.data.member.id, actor_role: 'FINANCE' },
    ])
    expect(JSON.stringify(log)).not.toContain(email)
    expect(JSON.stringify(log)).not.toContain(token)
  })

  it('is written in the sender’s language, and says only what can be a name', async () => {
    const owner = await app.member()
    await app.owner`
      update merchants set name = 'You won! http://evil.example' where id = ${owner.merchant_id}`
    await app.owner`
      update people set first_name = 'Call', last_name = '0022997000000'
       where id = ${owner.person_id}`
    const email = newEmail()
    const french = { 'accept-language': 'fr' }
    await owner.post('/merchant-invitations/', { email, role: 'OWNER' }, french)
    const { text, subject } = await emailTo(email)
    expect(subject).toBe('Invitation à rejoindre un marchand')
    expect(text).toContain('rejoindre un marchand comme propriétaire')
    expect(`${subject} ${text}`).not.toMatch(/evil|won|Call|997/)
  })

  it('takes the password of whoever has an account, and nothing else of him', async () => {
    const owner = await app.member()
    const guest = await app.member({ second_factor: 'STALE' })
    const { token } = await invite(owner, 'DEVELOPER', guest.email)
    expect((await preview(token)).data.has_account).toBe(true)
    const wrong = await accept(token, { password: 'not my pass phrase' })
    expect(codeOf(wrong)).toEqual([401, 'not_authenticated'])
    const short = await accept(token, { password: 'x' })
    expect(codeOf(short)).toEqual([401, 'not_authenticated'])
    const accepted = await nobody().post('/auth/invitations/accept/', {
      token,
      password: guest.password,
      first_name: 'Another',
    })
    expect([accepted.status, accepted.data.role]).toEqual([200, 'DEVELOPER'])
    expect(accepted.data).not.toHaveProperty('token')
    const [person] = await app.owner`
      select first_name from people where id = ${guest.person_id}`
    expect(person?.['first_name']).toBe('Test')
    // His session was opened before: from now on it opens this merchant too.
    const here = await guest.get('/merchant/', { 'x-merchant': owner.merchant_id })
    expect(here.data.id).toBe(owner.merchant_id)
  })

  it('is refused to an account that is switched off, and guessing is slowed', async () => {
    const slow = await app.another({ ROLE: 'api', LIMIT_LOGIN_PER_EMAIL_10MIN: '3' })
    const owner = await app.member()
    const guest = await app.member()
    const { token } = await invite(owner, 'VIEWER', guest.email)
    const guess = (pass: string) =>
      shopWith(slow.public_url, '', '').post('/auth/invitations/accept/', { token, password: pass })
    for (let turn = 0; turn < 3; turn += 1) {
      expect(codeOf(await guess(`guess number ${turn}`))).toEqual([401, 'not_authenticated'])
    }
    const late = await guess(guest.password)
    expect(codeOf(late)).toEqual([429, 'rate_limited'])
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
    // The same count as of signing in: an invitation is no second way to guess.
    const signing = await shopWith(slow.public_url, '', '').post('/auth/login/', {
      email: guest.email,
      password: guest.password,
    })
    expect(codeOf(signing)).toEqual([429, 'rate_limited'])
    await slow.stop()
    await app.owner`update people set disabled_at = now() where id = ${guest.person_id}`
    const off = await accept(token, { password: guest.password })
    expect(codeOf(off)).toEqual([401, 'not_authenticated'])
    expect(await rolesOf(owner.merchant_id)).not.toHaveProperty(guest.person_id)
  })

  it('names every field that is wrong, and is not used up by it', async () => {
    const owner = await app.member()
    const post = (body: unknown) => owner.post('/merchant-invitations/', body)
    expect(fieldsOf(await post({}))).toEqual([400, ['email', 'role']])
    expect(fieldsOf(await post({ email: 'no address', role: 'KING' }))).toEqual([
      400,
      ['email', 'role'],
    ])
    expect(fieldsOf(await post({ email: 'a,b@shop.example', role: 'VIEWER' }))).toEqual([
      400,
      ['email'],
    ])
    expect(fieldsOf(await preview(1))).toEqual([400, ['token']])
    expect(fieldsOf(await nobody().post('/auth/invitations/accept/'))).toEqual([
      400,
      ['password', 'token'],
    ])
    const { token } = await invite(owner)
    const wrong = await accept(token, { password: 'short', first_name: null, last_name: null })
    expect(fieldsOf(wrong)).toEqual([400, ['first_name', 'last_name', 'password']])
    expect(fieldsOf(await accept(token, { password: 'password' }))).toEqual([400, ['password']])
    expect(fieldsOf(await accept(token, { first_name: '' }))).toEqual([400, ['first_name']])
    expect((await accept(token)).status).toBe(200)
  })

  it('makes one membership of twenty who follow the letter at once', async () => {
    const owner = await app.member()
    for (const there of [false, true]) {
      const email = there ? (await app.member()).email : newEmail()
      const { token } = await invite(owner, 'VIEWER', email)
      const replies = await Promise.all(Array.from({ length: 20 }, () => accept(token)))
      const statuses = replies.map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      expect(replies.filter((one) => one.status !== 200).map(fieldsOf)).toEqual(
        Array.from({ length: 19 }, () => [400, ['token']]),
      )
      const rows = await app.owner`
        select 1 from memberships b join people p on p.id = b.person_id
         where b.merchant_id = ${owner.merchant_id} and p.email = ${email}`
      expect(rows.count).toBe(1)
    }
  })

  it('to a member is refused; a second one replaces the first, even at once', async () => {
    const owner = await app.member()
    const viewer = await beside(owner, 'VIEWER')
    const to = (email: string) => owner.post('/merchant-invitations/', { email, role: 'VIEWER' })
    expect(codeOf(await to(viewer.email.toUpperCase()))).toEqual([409, 'already_member'])
    const first = await invite(owner)
    const second = await invite(owner, 'ADMIN', first.email)
    expect(fieldsOf(await preview(first.token))).toEqual([400, ['token']])
    expect((await preview(second.token)).data.role).toBe('ADMIN')
    const many = await Promise.all(Array.from({ length: 20 }, () => to(first.email)))
    expect(many.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201))
    const open = await owner.get('/merchant-invitations/?status=PENDING')
    expect(open.data.count).toBe(1)
    const revoked = await owner.get('/merchant-invitations/?status=REVOKED&page_size=5')
    expect([revoked.data.count, revoked.data.results.length]).toEqual([21, 5])
    expect(revoked.data.next).toContain('page=2')
    const listed = async (query: string) =>
      (await owner.get(`/merchant-invitations/?page_size=1&${query}`)).data.results[0].id
    expect(await listed('ordering=created_at')).toBe(first.id)
    expect(await listed('')).not.toBe(first.id)
    const bad = await owner.get('/merchant-invitations/?status=OPEN&ordering=email')
    expect(fieldsOf(bad)).toEqual([400, ['ordering', 'status']])
  })

  it('of owners, and their end, is for owners; of one’s own merchant only', async () => {
    const owner = await app.member()
    const admin = await beside(owner, 'ADMIN')
    const viewer = await beside(owner, 'VIEWER')
    const stranger = await app.member()
    const denied = [403, 'permission_denied']
    const post = (by: Shop, role: Role) =>
      by.post('/merchant-invitations/', { email: newEmail(), role })
    expect(codeOf(await post(admin, 'OWNER'))).toEqual(denied)
    expect(codeOf(await post(viewer, 'VIEWER'))).toEqual(denied)
    expect((await post(admin, 'ADMIN')).status).toBe(201)
    const { id } = await invite(owner, 'OWNER')
    const again = (by: Shop, of: string) => by.post(`/merchant-invitations/${of}/resend/`)
    for (const by of [admin, viewer, stranger]) {
      expect(codeOf(await uninvite(by, id))).toEqual(denied)
      expect(codeOf(await again(by, id))).toEqual(denied)
    }
    for (const unknown of [newId(), 'none']) {
      expect(codeOf(await uninvite(owner, unknown))).toEqual([404, 'not_found'])
      expect(codeOf(await again(owner, unknown))).toEqual([404, 'not_found'])
    }
    const listed = await stranger.get('/merchant-invitations/')
    expect(listed.data.results).toEqual([])
  })
})

describe('the token of an invitation', () => {
  /** One answer, whatever the reason, of both public routes; and nobody came in. */
  async function expectVoid(token: string): Promise<void> {
    const reference = await preview('x'.repeat(64))
    expect(fieldsOf(reference)).toEqual([400, ['token']])
    expect((await preview(token)).body).toEqual(reference.body)
    expect((await accept(token)).body).toEqual(reference.body)
  }

  it('that was never given, is none, or is another merchant’s, opens nothing', async () => {
    const owner = await app.member()
    const { token } = await invite(owner)
    const bytes = Buffer.from(token, 'base64url')
    const stranger = await app.member()
    const moved = Buffer.from(bytes)
    Buffer.from(stranger.merchant_id.replaceAll('-', ''), 'hex').copy(moved)
    const other = Buffer.from(bytes)
    other[40] = (other[40] ?? 0) ^ 1
    await expectVoid(moved.toString('base64url'))
    await expectVoid(other.toString('base64url'))
    await expectVoid('nonsense')
    await expectVoid(`${token.slice(0, -1)}=`)
    expect((await preview(token)).status).toBe(200)
  })

  it('is single use, and void once it is revoked, sent again or seven days old', async () => {
    const owner = await app.member()
    const used = await invite(owner)
    expect((await accept(used.token)).status).toBe(200)
    await expectVoid(used.token)

    const revoked = await invite(owner)
    expect((await uninvite(owner, revoked.id)).status).toBe(204)
    expect((await uninvite(owner, revoked.id)).status).toBe(204)
    await expectVoid(revoked.token)
    const again = (id: string) => owner.post(`/merchant-invitations/${id}/resend/`)
    expect(codeOf(await again(revoked.id))).toEqual([409, 'invitation_not_open'])
    expect(codeOf(await again(used.id))).toEqual([409, 'invitation_not_open'])
    expect(codeOf(await uninvite(owner, used.id))).toEqual([409, 'invitation_not_open'])

    const old = await invite(owner)
    await app.owner`
      update invitations set expires_at = now() - interval '1 second' where id = ${old.id}`
    await expectVoid(old.token)
    const listed = await owner.get('/merchant-invitations/?status=EXPIRED')
    expect(listed.data.results.map((one: Json) => one.id)).toEqual([old.id])
    const renewed = await again(old.id)
    expect([renewed.status, renewed.data.status]).toEqual([200, 'PENDING'])
    await expectVoid(old.token)
    const { token } = await emailTo(old.email)
    expect(token).not.toBe(old.token)
    expect((await accept(token)).status).toBe(200)
    const log = await acts(owner.merchant_id, 'invitation')
    expect(log.map(({ action }) => action)).toEqual([
      'invitation.sent',
      'invitation.accepted',
      'invitation.sent',
      'invitation.revoked',
      'invitation.sent',
      'invitation.resent',
      'invitation.accepted',
    ])
  })

  it('is void once whoever sent it may not invite for that role any more', async () => {
    const owner = await app.member()
    const sender = await beside(owner, 'OWNER')
    const forOwner = await invite(sender, 'OWNER')
    const forViewer = await invite(sender, 'VIEWER')
    expect((await patch(owner, sender.person_id, { role: 'ADMIN' })).status).toBe(200)
    await expectVoid(forOwner.token)
    expect((await preview(forViewer.token)).status).toBe(200)
    expect((await patch(owner, sender.person_id, { role: 'FINANCE' })).status).toBe(200)
    await expectVoid(forViewer.token)
    // Raised again, he gets nothing back of what was void.
    expect((await patch(owner, sender.person_id, { role: 'OWNER' })).status).toBe(200)
    await expectVoid(forOwner.token)
    await expectVoid(forViewer.token)
    const open = await owner.get('/merchant-invitations/?status=PENDING')
    expect(open.data.count).toBe(0)
    expect(await acts(owner.merchant_id, 'member')).toMatchObject([
      { after: { role: 'ADMIN', invitations_voided: 1 } },
      { after: { role: 'FINANCE', invitations_voided: 1 } },
      { after: { role: 'OWNER' } },
    ])
  })

  it('is void once whoever sent it is gone or switched off; sent again by another it is good', async () => {
    const owner = await app.member()
    const sender = await beside(owner, 'ADMIN')
    const gone = await invite(sender)
    const kept = await invite(sender)
    const resent = await owner.post(`/merchant-invitations/${kept.id}/resend/`)
    expect(resent.data.invited_by).toBe(owner.person_id)
    expect((await remove(owner, sender.person_id)).status).toBe(200)
    await expectVoid(gone.token)
    await expectVoid(kept.token)
    expect((await preview((await emailTo(kept.email)).token)).status).toBe(200)

    const off = await beside(owner, 'ADMIN')
    const byHim = await invite(off)
    await app.owner`update people set disabled_at = now() where id = ${off.person_id}`
    await expectVoid(byHim.token)
    // However he lost his place, and whoever forgot to void what he sent.
    const lost = await beside(owner, 'ADMIN')
    const orphan = await invite(lost)
    await app.owner`delete from memberships where person_id = ${lost.person_id}`
    await expectVoid(orphan.token)
  })
})

describe('letters that invite', () => {
  it('are few: per reader over all merchants, and per merchant', async () => {
    const slow = await app.another({
      ROLE: 'api',
      LIMIT_INVITATIONS_PER_EMAIL_HOUR: '2',
      LIMIT_INVITATIONS_PER_MERCHANT_HOUR: '4',
    })
    const at = (by: SignedInCaller) =>
      shopWith(slow.public_url, by.merchant_id, by.key, { 'x-merchant': by.merchant_id })
    const [one, two] = [await app.member(), await app.member()]
    const email = newEmail()
    const to = (by: SignedInCaller, address: string) =>
      at(by).post('/merchant-invitations/', { email: address, role: 'VIEWER' })
    const made = await to(one, email)
    expect([made.status, (await to(two, email)).status]).toEqual([201, 201])
    expect(codeOf(await to(two, email))).toEqual([429, 'rate_limited'])
    const again = await at(one).post(`/merchant-invitations/${made.data.id}/resend/`)
    expect(codeOf(again)).toEqual([429, 'rate_limited'])
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(60)
    expect([(await to(one, newEmail())).status, (await to(one, newEmail())).status]).toEqual([
      201, 201,
    ])
    expect(codeOf(await to(one, newEmail()))).toEqual([429, 'rate_limited'])
    await slow.stop()
  })

  it('are not written for an invitation that was refused, and tokens are not tried for ever', async () => {
    const owner = await app.member()
    const viewer = await beside(owner, 'VIEWER')
    const before = (await emailsWaiting(app)).length
    await owner.post('/merchant-invitations/', { email: viewer.email, role: 'VIEWER' })
    expect(await emailsWaiting(app)).toHaveLength(before)
    const slow = await app.another({ ROLE: 'api', LIMIT_PUBLIC_PER_IP_MINUTE: '1' })
    const there = shopWith(slow.public_url, '', '')
    const refused = await eventually(async () => {
      const reply = await there.post('/auth/invitations/preview/', { token: 'guess' })
      if (reply.status !== 429) throw new Error(`answered ${reply.status}`)
      return reply
    })
    expect(codeOf(refused)).toEqual([429, 'rate_limited'])
    const tried = await there.post('/auth/invitations/accept/', { token: 'guess', password })
    expect(codeOf(tried)).toEqual([429, 'rate_limited'])
    await slow.stop()
  })
})
