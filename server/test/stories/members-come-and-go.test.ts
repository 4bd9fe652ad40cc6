// A merchant's people: given roles, lowered and removed. A right that is gone is gone at once and
// in every process; and a merchant is never without an owner.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import { mayAs, roles } from '../../src/merchants/roles.ts'
import { newId } from '../../src/platform/ids.ts'
import { type Json, type Reply, type Shop, shopWith, startApp, type TestApp } from '../harness.ts'
import { emailsWaiting } from '../setup/emails-waiting.ts'
import {
  accept,
  acts,
  beside,
  codeOf,
  emailTo,
  fieldsOf,
  invite,
  newEmail,
  nobody,
  password,
  patch,
  remove,
  rolesOf,
  uninvite,
} from '../setup/membership.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } })
})
afterAll(() => app?.stop())

describe('the list of members', () => {
  it('shows those of this merchant, field by field, and finds them', async () => {
    const owner = await app.member()
    await app.owner`
      update people set first_name = 'Zuri', last_name = 'Okoye' where id = ${owner.person_id}`
    const finance = await beside(app, owner, 'FINANCE', { second_factor: 'FRESH' })
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
    expect(codeOf(await nobody(app).get('/merchant-members/'))).toEqual([401, 'not_authenticated'])
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
    const admin = await beside(app, owner, 'ADMIN')
    const other = await app.another({ ROLE: 'api' })
    const there = shopWith(other.public_url, owner.merchant_id, admin.key, {
      'x-merchant': owner.merchant_id,
    })
    expect((await there.get('/merchant-invitations/')).status).toBe(200)
    const lowered = await patch(owner, admin.person_id, { role: 'VIEWER' })
    expect([lowered.status, lowered.data.role]).toEqual([200, 'VIEWER'])
    expect(codeOf(await there.get('/merchant-invitations/'))).toEqual([403, 'permission_denied'])
    expect((await there.get('/merchant-members/')).status).toBe(200)
    expect((await remove(owner, admin.person_id)).status).toBe(204)
    expect(codeOf(await there.get('/merchant-members/'))).toEqual([403, 'permission_denied'])
    await other.stop()
    expect(await acts(app, owner.merchant_id, 'member')).toMatchObject([
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

  it('leaves their keys to be seen, or takes them with it', async () => {
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
    const path = (id: string, revoke: boolean | string) =>
      `/merchant-members/${id}/?revoke_keys=${revoke}`
    const removed = await owner.call('DELETE', path(one.admin.person_id, '0'))
    expect(removed.status).toBe(200)
    expect(removed.data).toEqual({
      keys: [one.live, one.test].map((key) => ({ ...shown(key), last_used_at: null })),
      keys_revoked: false,
    })
    expect([await knock(one.test), await knock(one.live)]).toEqual([200, 200])
    const email = await emailTo(app, owner.email)
    expect(email.subject).toContain('Live API keys of a former member')
    expect(email.text).toContain(one.live.last4)
    expect(email.text).not.toContain(one.admin.email)

    const two = await leaver()
    const ended = await owner.call('DELETE', path(two.admin.person_id, 'True'))
    expect([ended.status, ended.data.keys.length, ended.data.keys_revoked]).toEqual([200, 2, true])
    expect([await knock(two.test), await knock(two.live)]).toEqual(Array(2).fill('revoked_api_key'))
    expect(await acts(app, merchant_id, 'api_key')).toContainEqual(
      expect.objectContaining({ action: 'api_key.revoked', target_id: two.live.id }),
    )
    const letters = (await emailsWaiting(app)).filter(({ to }) => to === owner.email)
    const revoked = letters.filter(({ subject }) => subject.endsWith('A live API key was revoked'))
    expect(revoked).toHaveLength(1)
    expect(revoked[0]?.text).toContain(two.live.last4)
    expect(revoked[0]?.text).toContain('What it created remains in place')
    // Whoever may not look after keys ends none by leaving.
    const viewer = await app.member({ ...fresh, role: 'VIEWER' })
    const refused = await viewer.call('DELETE', path(viewer.person_id, true))
    expect(codeOf(refused)).toEqual([403, 'permission_denied'])
    const left = await remove(viewer, viewer.person_id)
    expect([left.status, left.body]).toEqual([204, undefined])
  })

  it('that lets others in is told to the owners, whoever gives it', async () => {
    const owner = await app.member()
    const viewer = await beside(app, owner, 'VIEWER')
    const raised = async () =>
      (await emailsWaiting(app))
        .filter(
          ({ to, subject }) => to === owner.email && / new (owner|admin|finance)/.test(subject),
        )
        .map(({ subject }) => subject.replace(/^.*: /, ''))
    await patch(owner, viewer.person_id, { role: 'DEVELOPER' })
    expect(await raised()).toEqual([])
    await patch(owner, viewer.person_id, { role: 'ADMIN' })
    await patch(owner, viewer.person_id, { role: 'ADMIN' })
    expect(await raised()).toEqual(['A new administrator in your account'])
    const { token } = await invite(app, owner, 'OWNER')
    const named = { first_name: 'Kofi', last_name: 'Mensah', password }
    const accepted = await nobody(app).post('/auth/invitations/accept/', { token, ...named })
    expect(accepted.status).toBe(200)
    expect(await raised()).toEqual([
      'A new administrator in your account',
      'A new owner in your account',
    ])
    // Who may approve payouts lets money out.
    await patch(owner, viewer.person_id, { role: 'FINANCE' })
    expect((await raised()).at(-1)).toBe('A new finance manager in your account')
  })

  it('of an owner is given and taken by owners only', async () => {
    const owner = await app.member()
    const admin = await beside(app, owner, 'ADMIN')
    const second = await beside(app, owner, 'OWNER')
    const viewer = await beside(app, owner, 'VIEWER')
    const denied = [403, 'permission_denied']
    expect(codeOf(await patch(admin, viewer.person_id, { role: 'OWNER' }))).toEqual(denied)
    expect(codeOf(await patch(admin, admin.person_id, { role: 'OWNER' }))).toEqual(denied)
    expect(codeOf(await patch(admin, second.person_id, { role: 'VIEWER' }))).toEqual(denied)
    expect(codeOf(await remove(admin, second.person_id))).toEqual(denied)
    expect(codeOf(await patch(viewer, admin.person_id, { role: 'VIEWER' }))).toEqual(denied)
    expect(codeOf(await remove(viewer, admin.person_id))).toEqual(denied)
    expect((await patch(owner, viewer.person_id, { role: 'OWNER' })).data.role).toBe('OWNER')
    expect((await remove(owner, second.person_id)).status).toBe(204)
    expect((await patch(admin, admin.person_id, { role: 'VIEWER' })).status).toBe(200)
  })

  it('is refused where it is none, and for whoever is not here', async () => {
    const owner = await app.member()
    const stranger = await app.member()
    const viewer = await beside(app, owner, 'VIEWER')
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
    expect(await acts(app, owner.merchant_id, 'member')).toEqual([])
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
    const invited = await invite(app, fresh)
    expect(codeOf(await uninvite(owner, invited.id))).toEqual(refused)
    const again = await owner.post(`/merchant-invitations/${invited.id}/resend/`)
    expect(codeOf(again)).toEqual(refused)
    expect((await patch(fresh, viewer.person_id, { role: 'ADMIN' })).status).toBe(200)
  })

  it('is not changed while the merchant is suspended', async () => {
    const owner = await app.member()
    const viewer = await beside(app, owner, 'VIEWER')
    const { token } = await invite(app, owner)
    await suspendMerchant(app.service.db, owner.merchant_id, 'a test')
    const suspended = [403, 'merchant_suspended']
    expect((await owner.get('/merchant-members/')).status).toBe(200)
    expect(codeOf(await patch(owner, viewer.person_id, { role: 'ADMIN' }))).toEqual(suspended)
    expect(codeOf(await remove(viewer, viewer.person_id))).toEqual(suspended)
    expect(codeOf(await accept(app, token))).toEqual(suspended)
  })
})

describe('a letter to the owners', () => {
  const lettersTo = async (email: string) =>
    (await emailsWaiting(app)).filter(({ to }) => to === email)

  it('goes to who has proved their address, and has no text in it but what can be a name', async () => {
    const owner = await app.member({ second_factor: 'FRESH' })
    const stranger = await beside(app, owner, 'OWNER')
    await app.owner`update people set email_verified_at = null where id = ${stranger.person_id}`
    const viewer = await beside(app, owner, 'VIEWER')
    const link = `${app.url}/dashboard/reset#anything`
    await app.owner`update people set first_name = ${link} where id = ${owner.person_id}`
    const renamed = (name: string) =>
      app.owner`update merchants set name = ${name} where id = ${owner.merchant_id}`
    await renamed(`You won ${link}`)
    await patch(owner, viewer.person_id, { role: 'ADMIN' })
    expect(await lettersTo(stranger.email)).toEqual([])
    const [first] = await lettersTo(owner.email)
    expect(first?.subject).toBe('Your account: A new administrator in your account')
    expect(first?.text).toMatch(/^Hello,\n/)
    await app.owner`update people set first_name = 'Awa' where id = ${owner.person_id}`
    await renamed('Boutique Awa')
    await patch(owner, viewer.person_id, { role: 'FINANCE' })
    const second = (await lettersTo(owner.email)).at(-1)
    expect(second?.subject).toBe('Boutique Awa: A new finance manager in your account')
    expect(second?.text).toMatch(/^Hello Awa,\n/)
    // A colon has a space before it in French.
    await app.owner`update people set locale = 'fr' where id = ${owner.person_id}`
    await patch(owner, viewer.person_id, { role: 'ADMIN' })
    const third = (await lettersTo(owner.email)).at(-1)
    expect(third?.subject).toBe('Boutique Awa : Un nouveau rôle dans votre compte : administrateur')
    await patch(owner, viewer.person_id, { role: 'FINANCE' })
    await app.owner`update people set locale = 'en' where id = ${owner.person_id}`
    // What staff have seen may be written as it is.
    await app.owner`
      update merchants set name = 'Awa & Co. S.A.R.L.', reviewed_name = 'Awa & Co. S.A.R.L.'
       where id = ${owner.merchant_id}`
    await patch(owner, viewer.person_id, { role: 'ADMIN' })
    expect((await lettersTo(owner.email)).at(-1)?.subject).toMatch(/^Awa & Co\. S\.A\.R\.L\.: /)
  })

  it('says that an owner is one no longer, and reaches that owner too', async () => {
    const { merchant_id } = await app.shop({ live: true })
    const thief = await app.member({ merchant_id, second_factor: 'FRESH' })
    const mine = async (email: string) =>
      (await lettersTo(email)).filter(({ subject }) =>
        subject.endsWith('One owner fewer in your account'),
      )
    const lowered = await beside(app, thief, 'OWNER')
    expect((await patch(thief, lowered.person_id, { role: 'ADMIN' })).status).toBe(200)
    for (const email of [lowered.email, thief.email]) {
      const letters = await mine(email)
      expect(letters).toHaveLength(1)
      expect(letters[0]?.text).toContain('is no longer an owner of your account, and now has the')
      expect(letters[0]?.text).toContain('contact support at once')
      expect(letters[0]?.text).not.toContain(lowered.email)
    }
    // No second one says that an administrator came.
    expect(await lettersTo(thief.email)).toHaveLength(1)
    const removed = await beside(app, thief, 'OWNER')
    expect((await remove(thief, removed.person_id)).status).toBe(204)
    const [letter] = await mine(removed.email)
    expect(letter?.text).toContain('is no longer an owner of your account, nor a member of it.')
    // Whoever leaves reads it as well: it may have been a thief in their session.
    const leaver = await beside(app, thief, 'OWNER', { second_factor: 'FRESH' })
    expect((await remove(leaver, leaver.person_id)).status).toBe(204)
    expect(await mine(leaver.email)).toHaveLength(1)
    // A refusal writes none, nor does whoever was no owner.
    const viewer = await beside(app, thief, 'VIEWER')
    expect((await remove(thief, viewer.person_id)).status).toBe(204)
    expect(codeOf(await remove(thief, thief.person_id))).toEqual([409, 'last_owner'])
    expect(await mine(thief.email)).toHaveLength(3)
  })

  it('is one of twenty of its kind in an hour; what is beyond is in the audit log alone', async () => {
    const { merchant_id } = await app.shop({ live: true })
    const owner = await app.member({ merchant_id, second_factor: 'FRESH' })
    const viewer = await beside(app, owner, 'VIEWER')
    for (let times = 0; times < 23; times += 1) {
      await patch(owner, viewer.person_id, { role: 'ADMIN' })
      await patch(owner, viewer.person_id, { role: 'VIEWER' })
    }
    const letters = await lettersTo(owner.email)
    expect(letters).toHaveLength(20)
    const last = /will get no more for now/
    expect(letters.filter(({ text }) => last.test(text))).toEqual([letters.at(-1)])
    expect(await acts(app, merchant_id, 'member')).toHaveLength(46)
    // Another kind is not kept back by it.
    const key = { environment: 'LIVE', scope: 'PAYIN' }
    expect((await owner.post('/merchant-api-keys/', key)).status).toBe(201)
    expect((await lettersTo(owner.email)).at(-1)?.subject).toMatch(/A new live API key$/)
    // Nor is another merchant's.
    const other = await app.member()
    const guest = await beside(app, other, 'VIEWER')
    await patch(other, guest.person_id, { role: 'ADMIN' })
    expect(await lettersTo(other.email)).toHaveLength(1)
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
    'has as %s exactly the rights of that role there, whatever they are elsewhere',
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

  it('acts on the one that X-Merchant names, else on their first, and on no third', async () => {
    const first = await app.member({ role: 'VIEWER' })
    const second = await app.member()
    const third = await app.member()
    const { token } = await invite(app, second, 'ADMIN', first.email)
    expect((await accept(app, token)).status).toBe(200)
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
    // Leaving the first, they stay with the second.
    expect((await remove(first, first.person_id)).status).toBe(204)
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
    const admin = await beside(app, one, 'ADMIN')
    expect((await patch(one, admin.person_id, { role: 'OWNER' })).status).toBe(200)
    expect((await admin.get('/merchant/')).data.live_enabled).toBe(true)
    const two = await waiting()
    const viewer = await invite(app, two, 'VIEWER')
    expect((await accept(app, viewer.token)).status).toBe(200)
    expect((await two.get('/merchant/')).data.live_enabled).toBe(false)
    const owner = await invite(app, two, 'OWNER')
    expect((await accept(app, owner.token)).status).toBe(200)
    expect((await two.get('/merchant/')).data.live_enabled).toBe(true)
  })

  it('proves it by following the letter, where they had not before', async () => {
    const owner = await app.member()
    const guest = await app.member()
    await app.owner`update people set email_verified_at = null where id = ${guest.person_id}`
    const { token } = await invite(app, owner, 'VIEWER', guest.email)
    expect((await accept(app, token)).status).toBe(200)
    expect((await guest.get('/auth/me/')).data.member.email_verified).toBe(true)
  })
})

describe('the last owner', () => {
  it('neither leaves nor is lowered; with another one they may', async () => {
    const owner = await app.member()
    const admin = await beside(app, owner, 'ADMIN')
    const last = [409, 'last_owner']
    expect(codeOf(await remove(owner, owner.person_id))).toEqual(last)
    expect(codeOf(await patch(owner, owner.person_id, { role: 'ADMIN' }))).toEqual(last)
    const second = await beside(app, owner, 'OWNER')
    // One who is switched off owns nothing that they could act on.
    await app.owner`update people set disabled_at = now() where id = ${second.person_id}`
    expect(codeOf(await remove(owner, owner.person_id))).toEqual(last)
    expect((await remove(owner, second.person_id)).status).toBe(204)
    expect((await patch(owner, admin.person_id, { role: 'OWNER' })).status).toBe(200)
    expect((await remove(owner, owner.person_id)).status).toBe(204)
    expect(await rolesOf(app, owner.merchant_id)).toEqual({ [admin.person_id]: 'OWNER' })
    expect((await acts(app, owner.merchant_id, 'member')).at(-1)).toMatchObject({
      action: 'member.left',
      actor_id: owner.person_id,
      before: { role: 'OWNER' },
    })
  })

  it('remains when two owners lower or remove each other, twenty times at once', async () => {
    for (const act of [patch, remove]) {
      const one = await app.member()
      const two = await beside(app, one, 'OWNER')
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          untilServed(() =>
            at % 2 === 0
              ? act(one, two.person_id, { role: 'VIEWER' })
              : act(two, one.person_id, { role: 'VIEWER' }),
          ),
        ),
      )
      const left = Object.values(await rolesOf(app, one.merchant_id))
      expect(left.filter((role) => role === 'OWNER')).toHaveLength(1)
      expect(replies.filter(({ status }) => status >= 500)).toEqual([])
      expect(await acts(app, one.merchant_id, 'member')).toHaveLength(1)
    }
  })

  it('remains when all owners leave or step down at once', async () => {
    for (const act of [patch, remove]) {
      const first = await app.member()
      const others = await Promise.all([1, 2, 3].map(() => beside(app, first, 'OWNER')))
      const owners = [first, ...others]
      const replies = await Promise.all(
        owners.map((owner) => act(owner, owner.person_id, { role: 'VIEWER' })),
      )
      expect(replies.filter(({ error }) => error?.code === 'last_owner')).toHaveLength(1)
      const left = Object.values(await rolesOf(app, first.merchant_id))
      expect(left.filter((role) => role === 'OWNER')).toHaveLength(1)
    }
  })
})
