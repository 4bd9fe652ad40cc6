// A merchant's people are invited by letter: a letter makes one member, once, and is worth no more
// than whoever sent it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Role } from '../../src/merchants/roles.ts'
import { newId } from '../../src/platform/ids.ts'
import {
  eventually,
  type Json,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { emailsWaiting } from '../setup/emails-waiting.ts'
import {
  accept,
  acts,
  beside,
  codeOf,
  emailTo,
  fieldsOf,
  invite,
  login,
  names,
  newEmail,
  nobody,
  password,
  patch,
  preview,
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

describe('an invitation', () => {
  it('by letter, makes the account and the membership; they log in after', async () => {
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
    const { token, text, subject } = await emailTo(app, email)
    expect(subject).toBe('Invitation to Boutique Awa')
    expect(text).toContain('join Boutique Awa (Test Person) as finance')
    expect(text).toContain(`/dashboard/invitation#${token}`)
    expect(token).toHaveLength(64)
    expect(JSON.stringify(made.body)).not.toContain(token)

    const looked = await preview(app, token)
    expect([looked.status, looked.data]).toEqual([
      200,
      { merchant_name: 'Boutique Awa', email, role: 'FINANCE', has_account: false },
    ])
    const accepted = await accept(app, token)
    expect([accepted.status, accepted.data]).toEqual([
      200,
      { merchant: { id: owner.merchant_id, name: 'Boutique Awa' }, role: 'FINANCE' },
    ])
    const signed = await login(app, email)
    expect(signed.merchants).toMatchObject([{ id: owner.merchant_id, role: 'FINANCE' }])
    const me = await nobody(app).get('/auth/me/', { authorization: `Bearer ${signed.token}` })
    expect(me.data.member).toMatchObject({ email, ...names, email_verified: true })
    const listed = await owner.get('/merchant-invitations/?status=ACCEPTED')
    expect(listed.data.results).toMatchObject([{ id: made.data.id, status: 'ACCEPTED' }])
    const log = await acts(app, owner.merchant_id, 'invitation')
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
    const { text, subject } = await emailTo(app, email)
    expect(subject).toBe('Invitation à rejoindre un marchand')
    expect(text).toContain('rejoindre un marchand comme propriétaire')
    expect(`${subject} ${text}`).not.toMatch(/evil|won|Call|997/)
  })

  it('takes the password of whoever has an account, and nothing else of them', async () => {
    const owner = await app.member()
    const guest = await app.member({ second_factor: 'STALE' })
    const { token } = await invite(app, owner, 'DEVELOPER', guest.email)
    expect((await preview(app, token)).data.has_account).toBe(true)
    const wrong = await accept(app, token, { password: 'not my pass phrase' })
    expect(codeOf(wrong)).toEqual([401, 'not_authenticated'])
    const short = await accept(app, token, { password: 'x' })
    expect(codeOf(short)).toEqual([401, 'not_authenticated'])
    const accepted = await nobody(app).post('/auth/invitations/accept/', {
      token,
      password: guest.password,
      first_name: 'Another',
    })
    expect([accepted.status, accepted.data.role]).toEqual([200, 'DEVELOPER'])
    expect(accepted.data).not.toHaveProperty('token')
    const [person] = await app.owner`
      select first_name from people where id = ${guest.person_id}`
    expect(person?.['first_name']).toBe('Test')
    // Their session was opened before: from now on it opens this merchant too.
    const here = await guest.get('/merchant/', { 'x-merchant': owner.merchant_id })
    expect(here.data.id).toBe(owner.merchant_id)
  })

  it('is refused to an account that is switched off, and guessing is slowed', async () => {
    const slow = await app.another({ ROLE: 'api', LIMIT_LOGIN_PER_EMAIL_10MIN: '3' })
    const owner = await app.member()
    const guest = await app.member()
    const { token } = await invite(app, owner, 'VIEWER', guest.email)
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
    const off = await accept(app, token, { password: guest.password })
    expect(codeOf(off)).toEqual([401, 'not_authenticated'])
    expect(await rolesOf(app, owner.merchant_id)).not.toHaveProperty(guest.person_id)
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
    expect(fieldsOf(await preview(app, 1))).toEqual([400, ['token']])
    expect(fieldsOf(await nobody(app).post('/auth/invitations/accept/'))).toEqual([
      400,
      ['password', 'token'],
    ])
    const { token } = await invite(app, owner)
    const wrong = await accept(app, token, { password: 'short', first_name: null, last_name: null })
    expect(fieldsOf(wrong)).toEqual([400, ['first_name', 'last_name', 'password']])
    expect(fieldsOf(await accept(app, token, { password: 'password' }))).toEqual([
      400,
      ['password'],
    ])
    expect(fieldsOf(await accept(app, token, { first_name: '' }))).toEqual([400, ['first_name']])
    expect((await accept(app, token)).status).toBe(200)
  })

  it('makes one membership of twenty who follow the letter at once', async () => {
    const owner = await app.member()
    for (const there of [false, true]) {
      const email = there ? (await app.member()).email : newEmail()
      const { token } = await invite(app, owner, 'VIEWER', email)
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => untilServed(() => accept(app, token))),
      )
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
    const viewer = await beside(app, owner, 'VIEWER')
    const to = (email: string) => owner.post('/merchant-invitations/', { email, role: 'VIEWER' })
    expect(codeOf(await to(viewer.email.toUpperCase()))).toEqual([409, 'already_member'])
    const first = await invite(app, owner)
    const second = await invite(app, owner, 'ADMIN', first.email)
    expect(fieldsOf(await preview(app, first.token))).toEqual([400, ['token']])
    expect((await preview(app, second.token)).data.role).toBe('ADMIN')
    const many = await Promise.all(
      Array.from({ length: 20 }, () => untilServed(() => to(first.email))),
    )
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
    const admin = await beside(app, owner, 'ADMIN')
    const viewer = await beside(app, owner, 'VIEWER')
    const stranger = await app.member()
    const denied = [403, 'permission_denied']
    const post = (by: Shop, role: Role) =>
      by.post('/merchant-invitations/', { email: newEmail(), role })
    expect(codeOf(await post(admin, 'OWNER'))).toEqual(denied)
    expect(codeOf(await post(viewer, 'VIEWER'))).toEqual(denied)
    expect((await post(admin, 'ADMIN')).status).toBe(201)
    const { id } = await invite(app, owner, 'OWNER')
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

describe('a name', () => {
  it('of a person or a merchant is one line, wherever it is given', async () => {
    const owner = await app.member({ second_factor: 'FRESH' })
    const change = (path: string, body: object) =>
      owner.call('PATCH', path, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      })
    const { token } = await invite(app, owner)
    const signs_up = {
      ...{ merchant_name: 'Boutique', country: 'SN', email: newEmail(), password },
      ...names,
    }
    const line_break = String.fromCodePoint(0x2028)
    for (const bad of [`Awa\n\n${app.url}/x`, 'Awa\u0007', 'Awa\r', `Awa${line_break}x`]) {
      const replies = {
        merchant_name: await nobody(app).post('/auth/register/', {
          ...signs_up,
          merchant_name: bad,
        }),
        first_name: await nobody(app).post('/auth/register/', { ...signs_up, first_name: bad }),
        last_name: await accept(app, token, { last_name: bad }),
        'first_name ': await change('/auth/me/', { first_name: bad }),
        name: await change('/merchant/', { name: bad }),
        'branding.name': await change('/merchant/', { branding: { name: bad } }),
      }
      for (const [field, reply] of Object.entries(replies)) {
        expect([field, ...fieldsOf(reply)]).toEqual([field, 400, [field.trim()]])
      }
    }
    const staff = await app.staff()
    const by_staff = await staff.call('PATCH', `/admin/merchants/${owner.merchant_id}/`, {
      body: JSON.stringify({ name: 'Awa\nx' }),
      headers: { 'content-type': 'application/json' },
    })
    expect(fieldsOf(by_staff)).toEqual([400, ['name']])
    expect((await change('/auth/me/', { first_name: 'N’Golo-Aïssatou 2' })).status).toBe(200)
    expect((await accept(app, token)).status).toBe(200)
  })
})

describe('the token of an invitation', () => {
  /** One answer, whatever the reason, of both public routes; and nobody came in. */
  async function expectVoid(token: string): Promise<void> {
    const reference = await preview(app, 'x'.repeat(64))
    expect(fieldsOf(reference)).toEqual([400, ['token']])
    expect((await preview(app, token)).body).toEqual(reference.body)
    expect((await accept(app, token)).body).toEqual(reference.body)
  }

  it('that was never given, is none, or is another merchant’s, opens nothing', async () => {
    const owner = await app.member()
    const { token } = await invite(app, owner)
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
    expect((await preview(app, token)).status).toBe(200)
  })

  it('is single use, and void once it is revoked, sent again or seven days old', async () => {
    const owner = await app.member()
    const used = await invite(app, owner)
    expect((await accept(app, used.token)).status).toBe(200)
    await expectVoid(used.token)

    const revoked = await invite(app, owner)
    expect((await uninvite(owner, revoked.id)).status).toBe(204)
    expect((await uninvite(owner, revoked.id)).status).toBe(204)
    await expectVoid(revoked.token)
    const again = (id: string) => owner.post(`/merchant-invitations/${id}/resend/`)
    expect(codeOf(await again(revoked.id))).toEqual([409, 'invitation_not_open'])
    expect(codeOf(await again(used.id))).toEqual([409, 'invitation_not_open'])
    expect(codeOf(await uninvite(owner, used.id))).toEqual([409, 'invitation_not_open'])

    const old = await invite(app, owner)
    await app.owner`
      update invitations set expires_at = now() - interval '1 second' where id = ${old.id}`
    await expectVoid(old.token)
    const listed = await owner.get('/merchant-invitations/?status=EXPIRED')
    expect(listed.data.results.map((one: Json) => one.id)).toEqual([old.id])
    const renewed = await again(old.id)
    expect([renewed.status, renewed.data.status]).toEqual([200, 'PENDING'])
    await expectVoid(old.token)
    const { token } = await emailTo(app, old.email)
    expect(token).not.toBe(old.token)
    expect((await accept(app, token)).status).toBe(200)
    const log = await acts(app, owner.merchant_id, 'invitation')
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
    const sender = await beside(app, owner, 'OWNER')
    const forOwner = await invite(app, sender, 'OWNER')
    const forViewer = await invite(app, sender, 'VIEWER')
    expect((await patch(owner, sender.person_id, { role: 'ADMIN' })).status).toBe(200)
    await expectVoid(forOwner.token)
    expect((await preview(app, forViewer.token)).status).toBe(200)
    expect((await patch(owner, sender.person_id, { role: 'FINANCE' })).status).toBe(200)
    await expectVoid(forViewer.token)
    // Raised again, they get nothing back of what was void.
    expect((await patch(owner, sender.person_id, { role: 'OWNER' })).status).toBe(200)
    await expectVoid(forOwner.token)
    await expectVoid(forViewer.token)
    const open = await owner.get('/merchant-invitations/?status=PENDING')
    expect(open.data.count).toBe(0)
    expect(await acts(app, owner.merchant_id, 'member')).toMatchObject([
      { after: { role: 'ADMIN', invitations_voided: 1 } },
      { after: { role: 'FINANCE', invitations_voided: 1 } },
      { after: { role: 'OWNER' } },
    ])
  })

  it('is void once whoever sent it is gone or switched off; sent again by another it is good', async () => {
    const owner = await app.member()
    const sender = await beside(app, owner, 'ADMIN')
    const gone = await invite(app, sender)
    const kept = await invite(app, sender)
    const resent = await owner.post(`/merchant-invitations/${kept.id}/resend/`)
    expect(resent.data.invited_by).toBe(owner.person_id)
    expect((await remove(owner, sender.person_id)).status).toBe(204)
    await expectVoid(gone.token)
    await expectVoid(kept.token)
    expect((await preview(app, (await emailTo(app, kept.email)).token)).status).toBe(200)

    const off = await beside(app, owner, 'ADMIN')
    const byHim = await invite(app, off)
    await app.owner`update people set disabled_at = now() where id = ${off.person_id}`
    await expectVoid(byHim.token)
    // However they lost their place, and whoever forgot to void what they sent.
    const lost = await beside(app, owner, 'ADMIN')
    const orphan = await invite(app, lost)
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
    const viewer = await beside(app, owner, 'VIEWER')
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
