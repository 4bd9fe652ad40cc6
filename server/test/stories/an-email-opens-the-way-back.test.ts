// Somebody has forgotten their password: a letter lets them in again, them alone, once and for an
// hour; and nobody learns from it who is here.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addPerson } from '../../src/people/keep-person.ts'
import { hashPassword } from '../../src/people/password.ts'
import type { Kind, PersonFacts } from '../../src/people/person.ts'
import {
  eventually,
  type Reply,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { type MailFolder, openMailFolder, tokenIn } from '../mail-server.ts'
import { sized } from '../setup/proof-size.ts'
import { untilServed } from '../setup/until-served.ts'

/** Who come at the same moment, each with a password to be hashed. */
const many = sized(8, 20)

let mail: MailFolder
let app: TestApp
let password_hash: string

beforeAll(async () => {
  mail = await openMailFolder()
  app = await startApp({ env: { DATA_DIR: mail.data_dir } })
  password_hash = await hashPassword(old)
})
afterAll(async () => {
  await app?.stop()
  await mail?.remove()
})

const old = 'a long pass phrase'
const fresh = 'another long pass phrase'
const subjects = { reset: /^Choose a new password$/, changed: /^Your password was changed$/ }

const areas = { MEMBER: '/auth', STAFF: '/admin/auth' } as const

const anyone = (url = app.url) => shopWith(url, '', '')
const forgot = (email: string, kind: Kind = 'MEMBER', headers = {}) =>
  anyone().post(`${areas[kind]}/password/forgot/`, { email }, headers)
const reset = (token: string, password = fresh, kind: Kind = 'MEMBER') =>
  anyone().post(`${areas[kind]}/password/reset/`, { token, password })
const login = (email: string, password: string, kind: Kind = 'MEMBER') =>
  anyone().post(`${areas[kind]}/login/`, { email, password })

const nobodyYet = {
  kind: 'MEMBER',
  first_name: 'Awa',
  last_name: 'Diop',
  phone: '',
  locale: 'en',
} as const

async function newPerson(more: Partial<PersonFacts> = {}): Promise<PersonFacts> {
  const email = `${randomUUID()}@back.example`
  const person = await addPerson(app.owner, { ...nobodyYet, email, password_hash, ...more })
  if (person === undefined) throw new Error('taken')
  return person
}

/** Asks for a letter and reads it. */
async function emailFor({ email, kind }: Pick<PersonFacts, 'email' | 'kind'>, count = 1) {
  expect((await forgot(email, kind)).status).toBe(200)
  return mail.emailTo(email, subjects.reset, count)
}

const outboxIsEmpty = () =>
  eventually(async () => {
    const rows = await app.owner`select 1 from mail_outbox`
    if (rows.count > 0) throw new Error(`${rows.count} letters wait`)
  })

function expectField(reply: Reply, field: string, status = 400): void {
  expect([reply.status, Object.keys(reply.error)]).toEqual([status, [field]])
}

const deadLink = {
  token: [
    'This link is not valid, or no longer is. It works once, for a limited time: request a new one.',
  ],
}
const expectDead = (reply: Reply) => expect([reply.status, reply.error]).toEqual([400, deadLink])

const acts = async (person_id: string) => {
  const rows = await app.owner<{ action: string }[]>`
    select action from audit_logs
     where merchant_id = '00000000-0000-7000-8000-0000000000a0' and target_id = ${person_id}
     order by id`
  return rows.map(({ action }) => action)
}

describe('a forgotten password', () => {
  it('is replaced by letter: the new one works, the old one and every session do not', async () => {
    const { email, id } = await newPerson()
    const before = await login(email, old)
    const message = await emailFor({ email, kind: 'MEMBER' })
    expect(message.text).toMatch(/^Hello Awa,/)
    expect(message.text).toContain(`${app.url}/dashboard/reset-password#`)
    // Only now: its worker would write the letter too, with an address of its own.
    const second = await app.another()
    expect((await login(email, old)).status).toBe(200)

    const done = await reset(tokenIn(message))
    expect([done.status, done.data]).toEqual([200, { changed: true }])
    const as = { authorization: `Bearer ${before.data.token}` }
    for (const url of [app.url, second.public_url]) {
      const after = await anyone(url).get('/auth/me/', as)
      expect([after.status, after.error.code]).toEqual([401, 'session_expired'])
    }
    expect((await login(email, old)).status).toBe(401)
    const renewed = await login(email, fresh)
    expect(renewed.status).toBe(200)
    expect(renewed.data.member.email_verified).toBe(true)
    const notice = await mail.emailTo(email, subjects.changed)
    expect(notice.text).toContain(`${app.url}/dashboard/forgot-password`)
    expect(await acts(id)).toEqual(
      expect.arrayContaining(['password.reset_asked', 'password.reset']),
    )
    await second.stop()
  })

  it('of staff is replaced behind their own door, and no link opens the other', async () => {
    const email = `${randomUUID()}@both.example`
    const member = await newPerson({ email })
    const staff = await newPerson({ email, kind: 'STAFF', staff_role: 'SUPPORT' })
    const members = tokenIn(await emailFor(member))
    const message = await emailFor(staff, 2)
    expect(message.text).toContain(`${app.url}/admin/reset-password#`)
    const staffs = tokenIn(message)
    expectDead(await reset(staffs, fresh, 'MEMBER'))
    expectDead(await reset(members, fresh, 'STAFF'))
    expect((await reset(staffs, fresh, 'STAFF')).status).toBe(200)
    expect((await login(email, fresh, 'STAFF')).status).toBe(200)
    expect((await login(email, fresh, 'MEMBER')).status).toBe(401)
    const notice = await mail.emailTo(email, subjects.changed)
    expect(notice.text).toContain(`${app.url}/admin/forgot-password`)
  })

  it('is spoken of in the language of its owner, whoever asks', async () => {
    const { email } = await newPerson({ locale: 'fr' })
    await forgot(email, 'MEMBER', { 'accept-language': 'en' })
    const message = await mail.emailTo(email, /^Choisissez un nouveau mot de passe$/)
    expect(message.headers).toMatchObject({
      from: 'Pirogue <no-reply@localhost>',
      'content-language': 'fr',
      'auto-submitted': 'auto-generated',
    })
    expect(message.text).toMatch(/^Bonjour Awa,/)
    expect(message.text).toContain('Si vous ne l’avez pas demandé, vous n’avez rien à faire')
    await reset(tokenIn(message))
    await mail.emailTo(email, /^Votre mot de passe a été changé$/)
  })

  it('makes no letter of a stranger’s words', async () => {
    const { email } = await newPerson({ first_name: 'You won: http://evil.example' })
    expect((await emailFor({ email, kind: 'MEMBER' })).text).toMatch(/^Hello,\n/)
  })

  it('opens by the letter in hand, though strangers ask for more; with one all are spent', async () => {
    const person = await newPerson()
    const first = tokenIn(await emailFor(person))
    const second = tokenIn(await emailFor(person, 2))
    expect((await reset(first)).status).toBe(200)
    expectDead(await reset(second, 'one more long pass phrase'))
  })

  it('is asked for three times an hour in one name, whoever asks', async () => {
    const strict = await app.another({ LIMIT_RESET_LETTERS_HOUR: '3' })
    const ask = async (email: string) =>
      (await anyone(strict.public_url).post('/auth/password/forgot/', { email })).status
    for (const email of [(await newPerson()).email, `${randomUUID()}@nobody.example`]) {
      const statuses = [await ask(email), await ask(email), await ask(email), await ask(email)]
      expect(statuses).toEqual([200, 200, 200, 429])
      await app.owner`
        update throttle_windows set started_at = started_at - interval '10 minutes 1 second'`
      expect(await ask(email)).toBe(429)
      await app.owner`
        update throttle_windows set started_at = started_at - interval '50 minutes'`
      expect(await ask(email)).toBe(200)
    }
    await strict.stop()
  })
})

describe('a link', () => {
  it('works for one of those who come at once', async () => {
    const person = await newPerson()
    const token = tokenIn(await emailFor(person))
    const passwords = Array.from({ length: many }, (_, i) => `pass phrase number ${i}`)
    const replies = await Promise.all(
      passwords.map((password) => untilServed(() => reset(token, password))),
    )
    const won = passwords.filter((_, i) => replies[i]?.status === 200)
    expect(won).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 200)) expectDead(reply)
    for (const password of passwords.slice(0, 5).concat(won)) {
      const { status } = await login(person.email, password)
      expect(status).toBe(won.includes(password) ? 200 : 401)
    }
    await mail.emailTo(person.email, subjects.changed)
    await outboxIsEmpty()
    const notices = (await mail.emailsTo(person.email)).filter(({ headers }) =>
      subjects.changed.test(headers['subject'] ?? ''),
    )
    expect(notices).toHaveLength(1)
  })

  it.each([
    ['used', async (token: string) => void (await reset(token))],
    [
      'over',
      async (_token: string, id: string) => {
        await app.owner`
          update person_tokens set expires_at = now() - interval '1 s' where person_id = ${id}`
      },
    ],
    [
      'for an address that is no longer theirs',
      async (_token: string, id: string) => {
        await app.owner`update people set email = 'x' || email where id = ${id}`
      },
    ],
    [
      'of somebody who was switched off',
      async (_token: string, id: string) => {
        await app.owner`update people set disabled_at = now() where id = ${id}`
      },
    ],
    [
      'of before another change of the password',
      async (_token: string, id: string) => {
        const [{ email } = { email: '' }] = await app.owner<{ email: string }[]>`
          select email from people where id = ${id}`
        const { data } = await login(email, old)
        const body = { current_password: old, password: 'yet another pass phrase' }
        const as = { authorization: `Bearer ${data.token}` }
        expect((await anyone().post('/auth/password/change/', body, as)).status).toBe(200)
      },
    ],
  ])('opens nothing when it is %s', async (_, end) => {
    const person = await newPerson()
    const token = tokenIn(await emailFor(person))
    await end(token, person.id)
    const [was] = await app.owner`select password_hash from people where id = ${person.id}`
    expectDead(await reset(token, 'somebody else’s phrase'))
    const [is] = await app.owner`select password_hash from people where id = ${person.id}`
    expect(is).toEqual(was)
  })

  it('opens nothing when it is nobody’s, or for something else', async () => {
    expectDead(await reset('nonsense'))
    expectDead(await reset('A'.repeat(43)))
    const email = `${randomUUID()}@back.example`
    await anyone().post('/auth/register/', {
      merchant_name: 'Boutique',
      country: 'SN',
      email,
      password: old,
      first_name: 'Awa',
      last_name: 'Diop',
    })
    expectDead(await reset(tokenIn(await mail.emailTo(email, /^Confirm/))))
  })

  it('ends after an hour', async () => {
    const { id, ...person } = await newPerson()
    await emailFor(person)
    const [row] = await app.owner`
      select extract(epoch from expires_at - created_at)::int as valid_s
        from person_tokens where person_id = ${id}`
    expect(row?.['valid_s']).toBe(3600)
  })

  it('is not used up by a password that is refused', async () => {
    const person = await newPerson()
    const token = tokenIn(await emailFor(person))
    for (const password of ['short', 'x'.repeat(129), 'Password123', person.email.toUpperCase()]) {
      expectField(await reset(token, password), 'password')
    }
    expect((await reset(token)).status).toBe(200)
  })

  it('and a password are both needed, and named together', async () => {
    const reply = await anyone().post('/auth/password/reset/', { token: '', password: '12345678' })
    expect([reply.status, Object.keys(reply.error).sort()]).toEqual([400, ['password', 'token']])
    expectField(await anyone().post('/auth/password/forgot/', { email: 'nonsense' }), 'email')
    expectField(await anyone().post('/auth/password/forgot/', {}), 'email')
  })

  it('stands nowhere in the database as it is in the letter', async () => {
    const person = await newPerson()
    const token = tokenIn(await emailFor(person))
    const hex = Buffer.from(token).toString('hex')
    const tables = await app.owner<{ name: string }[]>`
      select c.relname as name from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`
    let rows = 0
    for (const { name } of tables) {
      const found = await app.owner<{ text: string }[]>`
        select t::text as text from ${app.owner(name)} t`
      rows += found.length
      for (const { text } of found) {
        for (const form of [token, hex, fresh]) expect(text).not.toContain(form)
      }
    }
    expect(rows).toBeGreaterThan(100)
    expect((await reset(token)).status).toBe(200)
  })
})

describe('who is here', () => {
  it('cannot be learned from the answer: the same for somebody, nobody and the switched off', async () => {
    const somebody = await newPerson()
    const off = await newPerson()
    await app.owner`update people set disabled_at = now() where id = ${off.id}`
    const nobody = `${randomUUID()}@nobody.example`
    const replies = await Promise.all([somebody.email, off.email, nobody].map((one) => forgot(one)))
    for (const { status, body } of replies) {
      expect([status, body]).toEqual([200, replies[0]?.body])
    }
    await mail.emailTo(somebody.email, subjects.reset)
    await outboxIsEmpty()
    expect(await mail.emailsTo(nobody)).toEqual([])
    expect(await mail.emailsTo(off.email)).toEqual([])
    expect((await forgot(nobody, 'MEMBER', { 'accept-language': 'fr' })).data.message).toMatch(
      /^Si/,
    )
  })

  it('cannot be learned from the time it takes', async () => {
    const times: Record<'somebody' | 'nobody', number[]> = { somebody: [], nobody: [] }
    const ask = async (who: 'somebody' | 'nobody', email: string) => {
      const began = performance.now()
      await forgot(email)
      times[who].push(performance.now() - began)
    }
    // The least of each: whatever else the machine does only adds to it. Generous for a machine that
    // others use, and asked again while it is busy; a password that is hashed for one of them only
    // stays as far off however often.
    const isFar = (): boolean => {
      const [somebody, nobody] = [Math.min(...times.somebody), Math.min(...times.nobody)]
      return Math.abs(somebody - nobody) >= Math.max(3, nobody * 0.4)
    }
    for (let i = 0; i < 40 || (i < 200 && isFar()); i += 1) {
      const { email } = await newPerson()
      await ask('somebody', email)
      await ask('nobody', `${randomUUID()}@nobody.example`)
    }
    expect(isFar()).toBe(false)
  })

  it('is not even looked up before the answer: the same rows are written for either', async () => {
    const strict = await startApp({ env: { ROLE: 'api', DATA_DIR: mail.data_dir } })
    const { owner } = strict
    await addPerson(owner, { ...nobodyYet, email: 'somebody@api.example', password_hash })
    const counts = async () => {
      const [row] = await owner`
        select (select count(*) from mail_outbox) as letters,
               (select count(*) from person_tokens) as tokens,
               (select count(*) from audit_logs) as acts,
               (select avg(length(sealed))::int from mail_outbox) as bytes`
      return row
    }
    const ask = (email: string) =>
      shopWith(strict.url, '', '').post('/auth/password/forgot/', { email })
    expect((await ask('somebody@api.example')).status).toBe(200)
    const [before, somebody] = [{ letters: 1n, tokens: 0n, acts: 0n }, await counts()]
    expect(somebody).toMatchObject(before)
    expect((await ask('nobodyyy@api.example')).status).toBe(200)
    expect(await counts()).toEqual({ ...somebody, letters: 2n })
    await strict.stop()
  })

  it('cannot be learned from being asked to wait', async () => {
    const strict = await app.another({ LIMIT_OTP_PER_TARGET_10MIN: '3' })
    const somebody = await newPerson()
    const ask = (email: string) =>
      anyone(strict.public_url).post('/auth/password/forgot/', { email })
    const bodies: unknown[] = []
    for (const email of [somebody.email, `${randomUUID()}@nobody.example`]) {
      const statuses: number[] = []
      for (let i = 0; i < 3; i += 1) statuses.push((await ask(email)).status)
      const refused = await ask(email.toUpperCase())
      expect([...statuses, refused.status]).toEqual([200, 200, 200, 429])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500)
      bodies.push(refused.body)
    }
    expect(bodies[1]).toEqual(bodies[0])
    const staff = anyone(strict.public_url).post('/admin/auth/password/forgot/', somebody)
    expect((await staff).status).toBe(200)
    await strict.stop()
  })

  it('cannot be tried at length from one address', async () => {
    const strict = await app.another({ LIMIT_OTP_PER_IP_10MIN: '5', TRUST_PROXY: '1' })
    const from = { 'x-forwarded-for': '203.0.113.77' }
    const ask = () =>
      anyone(strict.public_url).post(
        '/auth/password/forgot/',
        { email: `${randomUUID()}@nobody.example` },
        from,
      )
    const replies = await Promise.all(Array.from({ length: 12 }, ask))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(replies.filter(({ error }) => error?.code === 'rate_limited')).toHaveLength(7)
    await strict.stop()
  })
})

describe('changing one’s password', () => {
  const change = (by: SignedInCaller, body: object = {}, path: string = areas.MEMBER) =>
    by.post(`${path}/password/change/`, { current_password: old, password: fresh, ...body })

  it('ends every session, and gives this device a new one without its second factor', async () => {
    const member = await app.member({ second_factor: 'FRESH' })
    const other = shopWith(app.url, '', (await login(member.email, old)).data?.token ?? 'none')
    const done = await change(member)
    expect(done.status).toBe(200)
    expect(done.headers.get('cache-control')).toBe('no-store')
    expect(Date.parse(done.data.expires_at)).toBeGreaterThan(Date.now() + 6 * 86_400_000)
    for (const ended of [member, other]) {
      expect((await ended.get('/auth/me/')).status).toBe(401)
    }
    const here = shopWith(app.url, '', done.data.token)
    expect((await here.get('/auth/me/')).data.member.email).toBe(member.email)
    const [session] = await app.owner`
      select totp_at from sessions where person_id = ${member.person_id} and ended_at is null`
    expect(session).toEqual({ totp_at: null })
    expect((await login(member.email, old)).status).toBe(401)
    await mail.emailTo(member.email, subjects.changed)
    expect(await acts(member.person_id)).toContain('password.changed')
  })

  it('is the same for staff behind their own door', async () => {
    const staff = await app.staff({ role: 'SUPPORT' })
    expect((await change(staff)).status).toBe(403)
    const done = await change(staff, {}, areas.STAFF)
    expect(done.status).toBe(200)
    expect((await staff.get('/admin/auth/me/')).status).toBe(401)
    const here = shopWith(app.url, '', done.data.token)
    expect((await here.get('/admin/auth/me/')).status).toBe(200)
  })

  it('needs the present one, and a new one that is allowed', async () => {
    const member = await app.member()
    const wrong = await change(member, { current_password: 'not my pass phrase' })
    expectField(wrong, 'current_password')
    expectField(await change(member, { current_password: '' }), 'current_password')
    for (const password of ['short', 'AZERTYUIOP', member.email]) {
      expectField(await change(member, { password }), 'password')
    }
    expect((await member.get('/auth/me/')).status).toBe(200)
    expect((await anyone().post('/auth/password/change/', {}, { authorization: '' })).status).toBe(
      401,
    )
    const shop = await app.shop()
    expect((await shop.post('/auth/password/change/')).error.code).toBe('dashboard_only')
  })

  it('works for one of those who come at once', async () => {
    const member = await app.member()
    const passwords = Array.from({ length: many }, (_, i) => `pass phrase number ${i}`)
    const replies = await Promise.all(
      passwords.map((password) => untilServed(() => change(member, { password }))),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    // Who comes later finds their session ended, or another password than they gave.
    expect(replies.every(({ status }) => [200, 400, 401].includes(status))).toBe(true)
    const open = await app.owner`
      select 1 from sessions where person_id = ${member.person_id} and ended_at is null`
    expect(open.count).toBe(1)
  })

  it('is no way to guess it', async () => {
    const strict = await app.another({ LIMIT_LOGIN_PER_EMAIL_10MIN: '3' })
    const { key } = await app.member()
    const member = shopWith(strict.public_url, '', key)
    const guess = (current_password: string) =>
      member.post('/auth/password/change/', { current_password, password: fresh })
    for (let i = 0; i < 3; i += 1) expect((await guess(`guess ${i}`)).status).toBe(400)
    const refused = await guess(old)
    expect([refused.status, refused.error.code]).toEqual([429, 'rate_limited'])
    await strict.stop()
  })
})

describe('signing up', () => {
  it('refuses what is guessed first, and one’s own e-mail', async () => {
    const email = `${randomUUID()}@back.example`
    const request = { merchant_name: 'B', country: 'SN', email, first_name: 'A', last_name: 'D' }
    const register = (password: string, headers = {}) =>
      anyone().post('/auth/register/', { ...request, password }, headers)
    for (const password of ['motdepasse', 'Qwerty123', ` ${email.toUpperCase()}`]) {
      expectField(await register(password), 'password')
    }
    const french = await register('12345678', { 'accept-language': 'fr' })
    expect(french.error.password[0]).toMatch(/souvent devinés/)
    expect((await register(`${email} and more`)).status).toBe(201)
  })
})
