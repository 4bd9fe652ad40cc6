// A new owner proves their address with the link of a letter. With the platform's approval that
// opens LIVE, whichever of the two comes second.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lapseRegistrations } from '../../src/merchants/end-registration.ts'
import { openLiveIfReady, openLiveOf } from '../../src/merchants/merchant.ts'
import { inTransaction } from '../../src/platform/db.ts'
import { eventually, type Reply, type Shop, shopWith, startApp, type TestApp } from '../harness.ts'
import { type MailFolder, openMailFolder, tokenIn } from '../mail-server.ts'
import { authenticatorOf } from '../setup/authenticator.ts'
import { untilServed } from '../setup/until-served.ts'
import { waitedFor } from '../setup/waited-for.ts'

let mail: MailFolder
let app: TestApp

beforeAll(async () => {
  mail = await openMailFolder()
  app = await startApp({ env: { DATA_DIR: mail.data_dir } })
})
afterAll(async () => {
  await app?.stop()
  await mail?.remove()
})

const anyone = () => shopWith(app.url, '', '')
const verify = (token: string) => anyone().post('/auth/email/verify/', { token })

/** What one of two waits for, and the other says. */
function moment() {
  let comes = () => {}
  const came = new Promise<void>((resolve) => {
    comes = resolve
  })
  return { comes: () => comes(), came }
}

type Owner = Shop & Readonly<{ email: string; person_id: string }>

/** Signs up; the client is their session. */
async function newOwner(headers: Record<string, string> = {}): Promise<Owner> {
  const email = `${randomUUID()}@proof.example`
  const made = await anyone().post(
    '/auth/register/',
    {
      merchant_name: 'Boutique Awa',
      country: 'SN',
      email,
      password: 'a long pass phrase',
      first_name: 'Awa',
      last_name: 'Diop',
    },
    headers,
  )
  const { token, member, merchants } = made.data
  return { ...shopWith(app.url, merchants[0].id, token), email, person_id: member.id }
}

const subject = /^(Confirm your e-mail address|Confirmez votre adresse e-mail)$/
const emailFor = ({ email }: Owner, count = 1) => mail.emailTo(email, subject, count)
const tokenFor = async (owner: Owner) => tokenIn(await emailFor(owner))
const isVerified = async (owner: Owner) => (await owner.get('/auth/me/')).data.member.email_verified

function expectDead(reply: Reply): void {
  expect([reply.status, reply.error]).toEqual([400, { token: [expect.any(String)] }])
}

describe('the letter', () => {
  it('comes with signing up, in the language of it', async () => {
    const awa = await newOwner({ 'accept-language': 'fr' })
    const john = await newOwner({ 'accept-language': 'en' })
    const french = await emailFor(awa)
    expect(french.headers).toMatchObject({
      subject: 'Confirmez votre adresse e-mail',
      'content-language': 'fr',
    })
    expect(french.text).toMatch(/^Bonjour Awa,/)
    expect(french.text).toContain(`${app.url}/dashboard/verify-email#`)
    const english = await emailFor(john)
    expect(english.headers['subject']).toBe('Confirm your e-mail address')
    expect(english.text).toContain('If you did not sign up, you can ignore this e-mail.')
  })

  it('proves the address, once', async () => {
    const owner = await newOwner()
    const token = await tokenFor(owner)
    expect(await isVerified(owner)).toBe(false)
    const done = await verify(token)
    expect([done.status, done.data]).toEqual([200, { verified: true }])
    expect(await isVerified(owner)).toBe(true)
    const again = await verify(token)
    expectDead(again)
    expect((await verify('nonsense')).body).toEqual(again.body)
    const lines = await app.owner<{ action: string; actor_id: string }[]>`
      select action, actor_id from audit_logs
       where target_id = ${owner.person_id} and action like 'email.%'`
    expect([...lines]).toEqual([{ action: 'email.verified', actor_id: owner.person_id }])
  })

  it('proves it for one of twenty who come at once', async () => {
    const token = await tokenFor(await newOwner())
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => untilServed(() => verify(token))),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 200)) expectDead(reply)
  })

  it.each([
    [
      'over',
      (id: string) => app.owner`
        update person_tokens set expires_at = now() - interval '1 s' where person_id = ${id}`,
    ],
    [
      'for an address that is no longer theirs',
      (id: string) => app.owner`
        update people set email = 'x' || email where id = ${id}`,
    ],
    [
      'of somebody who was switched off',
      (id: string) => app.owner`
        update people set disabled_at = now() where id = ${id}`,
    ],
  ])('proves nothing when it is %s', async (_, end) => {
    const owner = await newOwner()
    const token = await tokenFor(owner)
    await end(owner.person_id)
    expectDead(await verify(token))
    const [row] = await app.owner`
      select email_verified_at from people where id = ${owner.person_id}`
    expect(row).toEqual({ email_verified_at: null })
  })

  it('ends after three days, and a link for a password is none for an address', async () => {
    const owner = await newOwner()
    await emailFor(owner)
    const [row] = await app.owner`
      select extract(epoch from expires_at - created_at)::int as valid_s
        from person_tokens where person_id = ${owner.person_id}`
    expect(row?.['valid_s']).toBe(3 * 86_400)
    await anyone().post('/auth/password/forgot/', { email: owner.email })
    expectDead(await verify(tokenIn(await mail.emailTo(owner.email, /^Choose/))))
  })

  it('is asked for with a token', async () => {
    for (const body of [{}, { token: '' }, { token: 7 }, { token: 'x'.repeat(201) }]) {
      expectDead(await anyone().post('/auth/email/verify/', body))
    }
  })
})

describe('an account that somebody else made with one’s address', () => {
  const password = 'a long pass phrase'
  const own = 'her very own pass phrase'
  const resetBy = async (email: string, count = 1) => {
    await anyone().post('/auth/password/forgot/', { email })
    const token = tokenIn(await mail.emailTo(email, /^(Choose|Choisissez)/, count))
    return anyone().post('/auth/password/reset/', { token, password: own })
  }
  const login = (email: string, more: object = {}) =>
    anyone().post('/auth/login/', { email, password: own, ...more })

  /** Enrols a factor of theirs, and a second owner of theirs. */
  async function hijacked() {
    const victim = await newOwner({ 'accept-language': 'en' })
    await emailFor(victim)
    const thief = shopWith(app.url, victim.merchant_id, victim.key)
    const { secret } = (await thief.post('/auth/totp/enrol/', { password })).data
    const phone = authenticatorOf(app, victim, { secret, recovery_codes: [] })
    const enrolled = await thief.post('/auth/totp/confirm/', { code: phone.code() })
    const fresh = shopWith(app.url, victim.merchant_id, enrolled.data.token)
    const accomplice = await app.member({ merchant_id: victim.merchant_id, role: 'OWNER' })
    const made = { environment: 'SANDBOX', name: 'left behind' }
    const { secret: key } = (await fresh.post('/merchant-api-keys/', made)).data
    return { victim, fresh, accomplice, key, phone }
  }

  it('is the owner’s after a reset: no factor, no session and no place of the other’s is left', async () => {
    const { victim, fresh, accomplice } = await hijacked()
    expect((await resetBy(victim.email)).status).toBe(200)
    expect((await fresh.get('/auth/me/')).status).toBe(401)
    const old = await anyone().post('/auth/login/', { email: victim.email, password })
    expect(old.status).toBe(401)
    const hers = await login(victim.email)
    expect(hers.status).toBe(200)
    expect(hers.data.member).toMatchObject({ totp_enabled: false, email_verified: true })
    expect(hers.data.merchants).toEqual([])
    // What the accomplice owns stays theirs, without her.
    const members = (await accomplice.get('/merchant-members/')).data.results
    expect(members.map(({ id }: { id: string }) => id)).toEqual([accomplice.person_id])
    const [line] = await app.owner`
      select after from audit_logs
       where merchant_id = ${victim.merchant_id} and action = 'member.removed'`
    expect(line?.['after']).toEqual({ reason: expect.stringContaining('verified') })
  })

  it('is no place beside the other’s accomplice, who has lowered her role before', async () => {
    const places = async (email: string) => (await login(email)).data.merchants
    const lower = async ({ accomplice, victim }: Awaited<ReturnType<typeof hijacked>>) => {
      const lowered = await accomplice.call('PATCH', `/merchant-members/${victim.person_id}/`, {
        body: JSON.stringify({ role: 'ADMIN' }),
        headers: { 'content-type': 'application/json' },
      })
      expect([lowered.status, lowered.data?.role]).toEqual([200, 'ADMIN'])
    }
    const byReset = await hijacked()
    await lower(byReset)
    expect((await resetBy(byReset.victim.email)).status).toBe(200)
    expect(await places(byReset.victim.email)).toEqual([])

    const byClick = await hijacked()
    await lower(byClick)
    const done = await verify(await tokenFor(byClick.victim))
    expect(done.data).toEqual({ verified: true, must_choose_password: true })
    const chosen = tokenIn(await mail.emailTo(byClick.victim.email, /^Choose/))
    await anyone().post('/auth/password/reset/', { token: chosen, password: own })
    expect(await places(byClick.victim.email)).toEqual([])

    const lapsed = await hijacked()
    await lower(lapsed)
    await app.owner`
      update people set created_at = now() - interval '8 days'
       where id = ${lapsed.victim.person_id}`
    await lapseRegistrations(app.service.db)
    for (const { accomplice, victim } of [byReset, byClick, lapsed]) {
      const members = (await accomplice.get('/merchant-members/')).data.results
      expect(members.map(({ id }: { id: string }) => id)).toEqual([accomplice.person_id])
      const [line] = await app.owner`
        select before from audit_logs
         where merchant_id = ${victim.merchant_id} and action = 'member.removed'`
      expect(line?.['before']).toEqual({ role: 'ADMIN' })
    }
  })

  it('lets her accept her employer’s invitation in the end, and act for the employer alone', async () => {
    const { victim } = await hijacked()
    const employer = await app.member()
    const invitation = { email: victim.email, role: 'DEVELOPER' }
    expect((await employer.post('/merchant-invitations/', invitation)).status).toBe(201)
    const { text } = await mail.emailTo(victim.email, /invit/i)
    const token = /#(\S+)/.exec(text)?.[1]
    const accept = (word: string) =>
      anyone().post('/auth/invitations/accept/', { token, password: word })
    expect((await accept(own)).status).toBe(401)
    await resetBy(victim.email)
    expect((await accept(own)).status).toBe(200)
    const hers = await login(victim.email)
    expect(hers.data.merchants).toMatchObject([{ id: employer.merchant_id, role: 'DEVELOPER' }])
    const session = shopWith(app.url, '', hers.data.token)
    const link = { name: 'Shoes', amount: '5000', currency: 'XOF' }
    expect((await session.post('/payment-links/', link)).data.merchant).toBe(employer.merchant_id)
  })

  it('that nobody else stands for is shut with its keys, and she has one of her own', async () => {
    const victim = await newOwner()
    const made = { environment: 'SANDBOX', name: 'left behind' }
    const thief = shopWith(app.url, victim.merchant_id, victim.key)
    const { secret } = (await thief.post('/merchant-api-keys/', made)).data
    const admin = await app.member({ merchant_id: victim.merchant_id, role: 'ADMIN' })
    await resetBy(victim.email)
    const key = shopWith(app.url, '', secret)
    expect((await key.get('/merchant-balances/')).error.code).toBe('revoked_api_key')
    const { merchants } = (await login(victim.email)).data
    expect(merchants).toMatchObject([{ name: 'Boutique Awa', country: 'SN', role: 'OWNER' }])
    expect(merchants[0].id).not.toBe(victim.merchant_id)
    const link = await admin.post('/payment-links/', {})
    expect(link.error.code).toBe('merchant_suspended')
  })

  it('is not the other’s by a click: what was built into it goes, unless the password comes along', async () => {
    const { victim, fresh } = await hijacked()
    const done = await verify(await tokenFor(victim))
    expect(done.data).toEqual({ verified: true, must_choose_password: true })
    expect((await fresh.get('/auth/me/')).status).toBe(401)
    const old = await anyone().post('/auth/login/', { email: victim.email, password })
    expect(old.status).toBe(401)
    const email = await mail.emailTo(victim.email, /^Choose/)
    const chosen = { token: tokenIn(email), password: own }
    expect((await anyone().post('/auth/password/reset/', chosen)).status).toBe(200)
    expect((await login(victim.email)).data).toMatchObject({
      member: { totp_enabled: false },
      merchants: [],
    })

    const honest = await hijacked()
    const token = await tokenFor(honest.victim)
    const wrong = await anyone().post('/auth/email/verify/', { token, password: own })
    expect([wrong.status, Object.keys(wrong.error)]).toEqual([400, ['password']])
    const right = await anyone().post('/auth/email/verify/', { token, password })
    expect([right.status, right.data]).toEqual([200, { verified: true }])
    const me = (await honest.fresh.get('/auth/me/')).data
    expect(me.member).toMatchObject({ totp_enabled: true, email_verified: true })
    expect(me.merchants).toHaveLength(1)
  })

  it('is asked for its password no oftener than who signs in', async () => {
    const strict = await app.another({ LIMIT_LOGIN_PER_EMAIL_10MIN: '2' })
    const owner = await newOwner()
    const token = await tokenFor(owner)
    const guess = () =>
      shopWith(strict.public_url, '', '').post('/auth/email/verify/', { token, password: own })
    expect([(await guess()).status, (await guess()).status]).toEqual([400, 400])
    expect((await guess()).error.code).toBe('rate_limited')
    await strict.stop()
  })

  it('keeps what it proved before: a second reset takes nothing away', async () => {
    const owner = await newOwner()
    await verify(await tokenFor(owner))
    await app.member({ merchant_id: owner.merchant_id, role: 'OWNER' })
    const { secret } = (await owner.post('/auth/totp/enrol/', { password })).data
    const phone = authenticatorOf(app, owner, { secret, recovery_codes: [] })
    expect((await owner.post('/auth/totp/confirm/', { code: phone.code() })).status).toBe(200)
    await resetBy(owner.email)
    expect((await login(owner.email)).error.code).toBe('totp_required')
    await phone.forget()
    const back = await login(owner.email, { totp: phone.code() })
    expect(back.data.merchants).toMatchObject([{ id: owner.merchant_id }])
  })

  it('ends after a week unproved, and its address is free again', async () => {
    const [lapsed, young, proved, approved] = await Promise.all([
      newOwner(),
      newOwner(),
      newOwner(),
      newOwner(),
    ])
    await verify(await tokenFor(proved))
    await app.owner`
      update merchants set approved_at = now() where id = ${approved.merchant_id}`
    await app.owner`
      update people set created_at = now() - interval '8 days'
       where id = any(${[lapsed, proved, approved].map(({ person_id }) => person_id)})`
    const accomplice = await app.member({ merchant_id: lapsed.merchant_id, role: 'ADMIN' })
    const { db } = app.service
    await Promise.all([lapseRegistrations(db), lapseRegistrations(db)])
    expect((await lapsed.get('/auth/me/')).error.code).toBe('session_expired')
    for (const other of [young, proved, approved]) {
      expect((await other.get('/auth/me/')).data.merchants).toHaveLength(1)
    }
    expect((await accomplice.post('/payment-links/', {})).error.code).toBe('merchant_suspended')
    const [row] = await app.owner`
      select email, first_name, last_name, phone, password_hash from people
       where id = ${lapsed.person_id}`
    const email = `${lapsed.person_id}@lapsed.invalid`
    const nothing = { first_name: '', last_name: '', phone: '', password_hash: null }
    expect(row).toEqual({ email, ...nothing })
    const again = await anyone().post('/auth/register/', {
      merchant_name: 'Hers',
      country: 'SN',
      email: lapsed.email,
      password: own,
      first_name: 'Awa',
      last_name: 'Diop',
    })
    expect(again.status).toBe(201)
    const lines = await app.owner`
      select action from audit_logs
       where target_id = ${lapsed.person_id} and action in ('person.lapsed', 'member.removed')
       order by action`
    expect(lines.map(({ action }) => action)).toEqual(['member.removed', 'person.lapsed'])
  })
})

describe('a registration that would lapse', () => {
  it('stays where staff approve it at that very moment', async () => {
    const owner = await newOwner()
    await app.owner`
      update people set created_at = now() - interval '8 days' where id = ${owner.person_id}`
    const isUpdated = moment()
    const approving = inTransaction(app.service.db, async (tx) => {
      await tx`update merchants set approved_at = now() where id = ${owner.merchant_id}`
      isUpdated.comes()
      await waitedFor(app.owner, tx)
    })
    await Promise.race([isUpdated.came, approving])
    // It is listed as it was before, and waits for the merchant's row.
    await Promise.all([approving, lapseRegistrations(app.service.db)])
    expect((await owner.get('/auth/me/')).data.merchants).toMatchObject([
      { id: owner.merchant_id, role: 'OWNER', status: 'ACTIVE' },
    ])
  })
})

describe('the letter, once more', () => {
  it('voids the one before, and is not sent when there is nothing to prove', async () => {
    const owner = await newOwner()
    const first = await tokenFor(owner)
    const sent = await owner.post('/auth/email/resend/')
    expect([sent.status, sent.data]).toEqual([200, { sent: true }])
    const second = tokenIn(await emailFor(owner, 2))
    expectDead(await verify(first))
    expect((await verify(second)).status).toBe(200)
    const late = await owner.post('/auth/email/resend/')
    expect([late.status, late.data]).toEqual([200, { sent: false }])
    expect((await mail.emailsTo(owner.email)).length).toBe(2)
  })

  it('is for oneself only, and not too often', async () => {
    const strict = await app.another({ LIMIT_OTP_PER_TARGET_10MIN: '2' })
    const { key } = await newOwner()
    const owner = shopWith(strict.public_url, '', key)
    const ask = () => owner.post('/auth/email/resend/')
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200])
    const refused = await ask()
    expect([refused.status, refused.error.code]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    await strict.stop()
    expect((await anyone().post('/auth/email/resend/', {}, { authorization: '' })).status).toBe(401)
    const shop = await app.shop()
    expect((await shop.post('/auth/email/resend/')).error.code).toBe('dashboard_only')
    const staff = await app.staff()
    expect((await staff.post('/auth/email/resend/')).error.code).toBe('permission_denied')
  })
})

describe('live mode', () => {
  const cooling_hours = 24
  const approve = ({ merchant_id }: Shop) =>
    inTransaction(app.service.db, async (tx) => {
      await tx`update merchants set approved_at = now() where id = ${merchant_id}`
      return openLiveIfReady(tx, merchant_id, cooling_hours)
    })
  const isLive = async (owner: Owner) => {
    const { data } = await owner.get('/auth/me/')
    return data.merchants[0].live_enabled
  }
  const inLive = async (owner: Owner) =>
    (await owner.get('/transactions/', { 'x-environment': 'LIVE' })).status

  it('opens with the proof when the approval was there', async () => {
    const owner = await newOwner()
    const token = await tokenFor(owner)
    expect(await approve(owner)).toBe(false)
    expect([await isLive(owner), await inLive(owner)]).toEqual([false, 403])
    expect((await verify(token)).status).toBe(200)
    expect([await isLive(owner), await inLive(owner)]).toEqual([true, 200])
    const lines = await app.owner`
      select actor_kind, before, after from audit_logs
       where merchant_id = ${owner.merchant_id} and action = 'merchant.live_opened'`
    expect([...lines]).toEqual([
      { actor_kind: 'SYSTEM', before: { live_enabled: false }, after: { live_enabled: true } },
    ])
  })

  it('opens with the approval when the proof was there, and once', async () => {
    const owner = await newOwner()
    await verify(await tokenFor(owner))
    expect(await isLive(owner)).toBe(false)
    expect(await approve(owner)).toBe(true)
    expect(await isLive(owner)).toBe(true)
    expect(await approve(owner)).toBe(false)
  })

  it('opens when both come at the same moment, whichever is a little later', async () => {
    const { db } = app.service
    const approved = await newOwner()
    const token = await tokenFor(approved)
    const isApproved = moment()
    const approving = inTransaction(db, async (tx) => {
      await tx`update merchants set approved_at = now() where id = ${approved.merchant_id}`
      expect(await openLiveIfReady(tx, approved.merchant_id, cooling_hours)).toBe(false)
      isApproved.comes()
      await waitedFor(app.owner, tx)
    })
    await Promise.race([isApproved.came, approving])
    await Promise.all([approving, untilServed(() => verify(token))])
    expect(await isLive(approved)).toBe(true)

    const proved = await newOwner()
    const isProved = moment()
    const proving = inTransaction(db, async (tx) => {
      await tx`update people set email_verified_at = now() where id = ${proved.person_id}`
      await openLiveOf({ cooling_hours })(tx, proved.person_id)
      isProved.comes()
      await waitedFor(app.owner, tx)
    })
    await Promise.race([isProved.came, proving])
    await Promise.all([proving, approve(proved)])
    expect(await isLive(proved)).toBe(true)
  })

  it('opens with a new password by letter too, since that proves the address', async () => {
    const owner = await newOwner()
    await approve(owner)
    await anyone().post('/auth/password/forgot/', { email: owner.email })
    const token = tokenIn(await mail.emailTo(owner.email, /^Choose/))
    await anyone().post('/auth/password/reset/', { token, password: 'another pass phrase' })
    const [row] = await app.owner`
      select live_enabled from merchants where id = ${owner.merchant_id}`
    expect(row).toEqual({ live_enabled: true })
  })

  it('does not open with the proof of a member who is no owner', async () => {
    const owner = await newOwner()
    const member = await newOwner()
    await app.owner`
      insert into memberships (merchant_id, person_id, role)
      values (${owner.merchant_id}, ${member.person_id}, 'ADMIN')`
    expect(await approve(owner)).toBe(false)
    await verify(await tokenFor(member))
    expect(await isLive(owner)).toBe(false)
    await verify(await tokenFor(owner))
    expect(await isLive(owner)).toBe(true)
  })

  it('does not open for a merchant of theirs that is not approved', async () => {
    const owner = await newOwner()
    const other = await newOwner()
    await app.owner`
      insert into memberships (merchant_id, person_id, role)
      values (${other.merchant_id}, ${owner.person_id}, 'OWNER')`
    await approve(other)
    await verify(await tokenFor(owner))
    await eventually(async () => expect(await isLive(other)).toBe(true))
    expect(await isLive(owner)).toBe(false)
  })
})
