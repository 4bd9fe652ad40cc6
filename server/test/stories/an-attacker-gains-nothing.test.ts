// Somebody wants another merchant's money, or a seat at the staff's table. What they try by bodies
// with more in them than was asked for, by borrowed addresses and by being early, gains them
// nothing.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLiveIfReady } from '../../src/merchants/merchant.ts'
import { inTransaction } from '../../src/platform/db.ts'
import {
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { enrol } from '../setup/authenticator.ts'
import { emailsWaiting } from '../setup/emails-waiting.ts'
import { untilServed } from '../setup/until-served.ts'
import { waitedFor } from '../setup/waited-for.ts'

const per_address = 6
const cooling_hours = 24

let app: TestApp
beforeAll(async () => {
  app = await startApp({
    env: {
      ROLE: 'api',
      TRUST_PROXY: '1',
      LIMIT_LOGIN_PER_IP_10MIN: String(per_address),
      LIMIT_LOGIN_PER_EMAIL_10MIN: '3',
    },
  })
})
afterAll(() => app.stop())

const password = 'a long pass phrase'
const anyone = () => shopWith(app.url, '', '')
const newEmail = () => `${randomUUID()}@shop.example`
const codeOf = ({ status, error }: Reply) => [status, error?.code]
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

let addresses = 0
/** An address that nobody has come from. */
const newAddress = () => {
  addresses += 1
  return `198.19.${addresses >> 8}.${addresses & 255}`
}
const from = (ip: string) => ({ 'x-forwarded-for': ip })

const patch = (by: Shop, path: string, body: object) =>
  by.call('PATCH', path, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

const register = (more: object = {}) =>
  anyone().post(
    '/auth/register/',
    {
      merchant_name: 'Boutique Awa',
      country: 'SN',
      email: newEmail(),
      password,
      first_name: 'Awa',
      last_name: 'Diop',
      ...more,
    },
    from(newAddress()),
  )

describe('a body with more in it than was asked for', () => {
  it('does not prove the address of whoever signs up', async () => {
    const made = await register({ email_verified: true, is_demo: true, id: randomUUID() })
    expect([made.status, made.data.member.email_verified]).toEqual([201, false])
    const [row] = await app.owner`
      select email_verified_at, is_demo from people where id = ${made.data.member.id}`
    expect(row).toEqual({ email_verified_at: null, is_demo: false })
  })

  it('makes nobody staff, and breaks nothing', async () => {
    const made = await register({ staff_role: 'SUPERADMIN', kind: 'STAFF' })
    expect(made.status).toBe(201)
    const [row] = await app.owner`
      select kind, staff_role from people where id = ${made.data.member.id}`
    expect(row).toEqual({ kind: 'MEMBER', staff_role: null })
  })

  it('opens neither door to those of the other', async () => {
    const [staff, member] = [await app.staff({ demo: true }), await app.member()]
    const login = ({ email }: SignedInCaller, path: string, kind: string) =>
      anyone().post(path, { email, password, kind }, from(newAddress()))
    const refused = [401, 'not_authenticated']
    expect(codeOf(await login(staff, '/auth/login/', 'STAFF'))).toEqual(refused)
    expect(codeOf(await login(member, '/admin/auth/login/', 'MEMBER'))).toEqual(refused)
    expect((await login(staff, '/admin/auth/login/', 'MEMBER')).status).toBe(200)
    expect((await login(member, '/auth/login/', 'STAFF')).status).toBe(200)
  })

  it('gives staff no role but by its name', async () => {
    const [boss, other] = [await app.staff(), await app.staff({ role: 'SUPPORT' })]
    const path = `/admin/staff/${other.person_id}/`
    for (const staff_role of ['SUPERADMIN', 'KING', 7]) {
      const reply = await patch(boss, path, { staff_role })
      expect([reply.status, reply.data?.role]).toEqual([200, 'SUPPORT'])
    }
  })
})

describe('addresses', () => {
  const login = (ip: string, email = newEmail()) =>
    anyone().post('/auth/login/', { email, password: 'not my pass phrase' }, from(ip))
  const inNetwork = (net: string) => (_: unknown, at: number) => `2001:db8:0:${net}::${at + 1}`

  it('of one IPv6 network count as one, since one person has them all', async () => {
    const near = Array.from({ length: per_address + 1 }, inNetwork('a'))
    const statuses: number[] = []
    for (const ip of near) statuses.push((await login(ip)).status)
    expect(statuses).toEqual([...near.slice(1).map(() => 401), 429])
    expect((await login('2001:db8:0:b::1')).status).toBe(401)
  })

  it('near the one that its owner comes from are the owner’s too', async () => {
    const member = await app.member()
    await app.owner`
      update sessions set ip = '2001:db8:0:c::1' where person_id = ${member.person_id}`
    const strangers = 10 * app.config.limits.login_per_email_10min
    await Promise.all(
      Array.from({ length: strangers + 1 }, () =>
        untilServed(() => login(newAddress(), member.email)),
      ),
    )
    expect((await login(newAddress(), member.email)).status).toBe(429)
    const right = { email: member.email, password }
    const now = await anyone().post('/auth/login/', right, from('2001:db8:0:c:ffff::7'))
    expect(now.status).toBe(200)
  })

  it('that no mail server takes are no addresses', async () => {
    for (const email of [
      'awa@shop',
      'awa@@shop.example',
      'awa@shop..example',
      'awa@.shop.example',
      'awa@shop.example.',
      'awa@-shop.example',
      'awa,kofi@shop.example',
      'awa;kofi@shop.example',
      '(awa)@shop.example',
      'a\\wa@shop.example',
      '[awa]@shop.example',
      '.awa@shop.example',
      'a..wa@shop.example',
      'awa@192.0.2.1',
      'awà@shop.example',
      `${'a'.repeat(65)}@shop.example`,
      `awa@${'a'.repeat(64)}.example`,
      'awa\u0000@shop.example',
    ]) {
      const { status, error } = await register({ email })
      expect([email, status, Object.keys(error ?? {})]).toEqual([email, 400, ['email']])
    }
    const id = randomUUID()
    for (const email of [
      ` Awa+${id}@Shop.Example `,
      `awa.diop_${id}@a-b.shop.example`,
      `o'neil-${id}@xn--bcher-kva.example`,
    ]) {
      expect([email, (await register({ email })).status]).toEqual([email, 201])
    }
  })
})

describe('a payout method that was added before the merchant is live', () => {
  const bank = {
    country: 'BJ',
    type: 'BANK_ACCOUNT',
    bank_name: 'Bank of the Gulf',
    account_number: 'BJ06 6010 0100 1443 9000 0769',
  }
  const methods = '/merchant-payout-methods/'
  const add = async (by: Shop): Promise<Json> => {
    const made = await by.post(methods, bank)
    expect(made.status).toBe(201)
    return made.data
  }
  const approve = async ({ merchant_id }: Shop) => {
    const approved = await (await app.staff()).post(`/admin/merchants/${merchant_id}/approve/`)
    expect([approved.status, approved.data.live_enabled]).toEqual([200, true])
  }
  const hoursFromNow = ({ usable_from }: Json) => (Date.parse(usable_from) - Date.now()) / 3_600_000

  it('cools off from the approval on, whatever a thief had set', async () => {
    const thief = await app.member()
    expect((await patch(thief, '/merchant/', { cooling_off_hours: 0 })).status).toBe(200)
    const { id, is_usable } = await add(thief)
    expect(is_usable).toBe(true)
    await approve(thief)
    const after = (await thief.get(`${methods}${id}/`)).data
    expect(after.is_usable).toBe(false)
    expect(hoursFromNow(after)).toBeGreaterThan(cooling_hours - 0.1)
    expect(hoursFromNow(after)).toBeLessThanOrEqual(cooling_hours)
  })

  it('cools off for as long as its merchant wished, where that is longer', async () => {
    const owner = await app.member()
    await patch(owner, '/merchant/', { cooling_off_hours: 72 })
    const { id } = await add(owner)
    await approve(owner)
    expect(hoursFromNow((await owner.get(`${methods}${id}/`)).data)).toBeGreaterThan(71.9)
  })

  it('cools off too when it is added in the moment of the approval', async () => {
    const owner = await app.member()
    let adding: Promise<Json> | undefined
    await inTransaction(app.service.db, async (tx) => {
      await tx`update merchants set approved_at = now() where id = ${owner.merchant_id}`
      expect(await openLiveIfReady(tx, owner.merchant_id, cooling_hours)).toBe(true)
      adding = add(owner)
      await waitedFor(app.owner, tx)
    })
    expect((await adding)?.is_usable).toBe(false)
  })
})

describe('a shorter cooling-off', () => {
  it('needs a fresh code in live mode, waits for its time, and is told to the owners', async () => {
    const { merchant_id } = await app.shop({ live: true })
    const stolen = await app.member({ merchant_id, second_factor: 'STALE' })
    const shorter = { cooling_off_hours: 0 }
    expect(codeOf(await patch(stolen, '/merchant/', shorter))).toEqual([403, 'totp_required'])
    const owner = await app.member({ merchant_id, second_factor: 'FRESH' })
    const emails = async () =>
      (await emailsWaiting(app)).filter(
        ({ to, subject }) => to === owner.email && /cooling-off/.test(subject),
      )
    expect((await patch(owner, '/merchant/', { cooling_off_hours: 48 })).status).toBe(200)
    expect(await emails()).toHaveLength(0)
    expect((await patch(owner, '/merchant/', shorter)).status).toBe(200)
    const [email, ...more] = await emails()
    expect(more).toEqual([])
    expect(email?.text).toMatch(/wait 0 hours instead of 48/)
    expect((await owner.get('/merchant/')).data.cooling_off_hours).toBe(48)
  })
})

describe('the demo’s administrator', () => {
  const asStaff = { role: 'SUPERADMIN' }
  const refused = [403, 'permission_denied']

  it('makes nobody who may more than themselves', async () => {
    const demo = await app.staff({ demo: true })
    const made = await demo.post('/admin/staff/', { email: newEmail(), ...asStaff, is_demo: false })
    expect([made.status, made.data.is_demo]).toEqual([201, true])
    expect((await patch(demo, `/admin/staff/${made.data.id}/`, { role: 'SUPPORT' })).status).toBe(
      200,
    )
  })

  it('changes nobody of the real staff', async () => {
    const [demo, real] = [await app.staff({ demo: true }), await app.staff({ role: 'SUPPORT' })]
    const path = `/admin/staff/${real.person_id}/`
    expect(codeOf(await patch(demo, path, asStaff))).toEqual(refused)
    expect(codeOf(await patch(demo, path, { disabled: true }))).toEqual(refused)
    expect(codeOf(await demo.post(`${path}reset-second-factor/`))).toEqual(refused)
    expect((await real.get('/admin/merchants/')).status).toBe(200)
  })

  it('decides on no merchant once there is a gateway of LIVE', async () => {
    const demo = await app.staff({ demo: true })
    // A second factor that they give themselves makes them no other person.
    await enrol(app, demo, '/admin/auth')
    const owner = await app.member()
    const path = `/admin/merchants/${owner.merchant_id}/`
    const gateway = randomUUID()
    await app.owner`
      insert into gateways (id, code, name, adapter, environment)
      values (${gateway}, 'live_one', 'Live one', 'simulator', 'LIVE')`
    try {
      const needsCode = [403, 'totp_required']
      expect(codeOf(await demo.post(`${path}approve/`))).toEqual(needsCode)
      expect(codeOf(await demo.post(`${path}reject/`, { reason: 'x' }))).toEqual(needsCode)
      expect(codeOf(await demo.post(`${path}suspend/`, { reason: 'x' }))).toEqual(needsCode)
      expect(codeOf(await demo.post(`${path}restore/`))).toEqual(needsCode)
      expect(codeOf(await patch(demo, path, { cooling_off_hours: 0 }))).toEqual(needsCode)
      expect((await demo.get(path)).data).toMatchObject({ status: 'ACTIVE', approved_at: null })
    } finally {
      await app.owner`delete from gateways where id = ${gateway}`
    }
  })
})

describe('an allowance that staff lower', () => {
  it('is the lower one from the next call on, even where calls were taken ahead', async () => {
    const shop = await app.shop({ rate_limit: 10_000 })
    for (let i = 0; i < 3; i += 1) expect((await shop.get('/countries/')).status).toBe(200)
    expect((await shop.get('/merchant/')).status).toBe(200)
    const boss = await app.staff()
    const path = `/admin/merchants/${shop.merchant_id}/`
    expect((await patch(boss, path, { rate_limit_per_minute: 1 })).status).toBe(200)
    const after = await Promise.all(Array.from({ length: 20 }, () => shop.get('/merchant/')))
    // One at most: where a minute began just now.
    expect(after.filter(({ status }) => status !== 429).length).toBeLessThanOrEqual(1)
  })
})

describe('whoever gets at a second factor', () => {
  const emailsTo = async ({ email }: SignedInCaller) =>
    (await emailsWaiting(app)).filter(({ to }) => to === email).map(({ subject }) => subject)

  it('cannot do so without its owner reading of it', async () => {
    const member = await app.member()
    const authenticator = await enrol(app, member)
    expect(await emailsTo(member)).toEqual(['A second factor was enrolled'])
    const renewed = await member.post('/auth/totp/recovery-codes/', { code: authenticator.code() })
    expect(renewed.status).toBe(200)
    await authenticator.forget()
    const disabled = await member.post('/auth/totp/disable/', {
      password,
      code: authenticator.code(),
    })
    expect(disabled.status).toBe(200)
    expect(await emailsTo(member)).toEqual([
      'A second factor was enrolled',
      'New recovery codes were generated',
      'Your second factor was removed',
    ])
    const texts = (await emailsWaiting(app)).map(({ text }) => text).join('\n')
    expect(texts).not.toContain(authenticator.secret)
    for (const code of renewed.data.recovery_codes) expect(texts).not.toContain(code)
  })
})

describe('an upload by nobody', () => {
  it('is refused before it is read', async () => {
    const headers = { 'content-type': 'application/pdf', 'content-length': 10 * 1024 * 1024 }
    const upload = request(`${app.url}/api/v1/kyc/documents/?kind=TAX`, {
      method: 'POST',
      headers,
    })
    // It never comes to its end: an answer means that nobody waited for it.
    upload.on('error', () => undefined)
    upload.write('%PDF-1.7')
    const [reply] = await once(upload, 'response')
    expect(reply.statusCode).toBe(401)
    upload.destroy()
  })
})

describe('a stolen session', () => {
  it('does nothing after the password has changed, in every process', async () => {
    const second = await app.another()
    const member = await app.member()
    const elsewhere = shopWith(second.public_url, member.merchant_id, member.key)
    expect((await elsewhere.get('/merchant/')).status).toBe(200)
    const next = { current_password: password, password: 'another long pass phrase' }
    const changed = await member.post('/auth/password/change/', next)
    expect(changed.status).toBe(200)
    expect(codeOf(await elsewhere.get('/merchant/'))).toEqual([401, 'session_expired'])
    const mine = shopWith(second.public_url, member.merchant_id, changed.data.token)
    expect((await mine.get('/auth/me/', bearer(changed.data.token))).status).toBe(200)
    await second.stop()
  })
})
