// Whoever guesses e-mails, passwords or codes is soon refused, in every process; the owner gets in
// meanwhile from where they have been before. No answer, and no time taken, tells who has an
// account.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  newPayer,
  type Reply,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { type MailFolder, openMailFolder } from '../mail-server.ts'
import { enrol } from '../setup/authenticator.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'

const per_email = 3
const per_address = 20
const codes_per_person = 4
const codes_per_address = 9

let mail: MailFolder
let app: TestApp
beforeAll(async () => {
  mail = await openMailFolder()
  app = await startApp({
    env: {
      DATA_DIR: mail.data_dir,
      TRUST_PROXY: '1',
      LIMIT_LOGIN_PER_EMAIL_10MIN: String(per_email),
      LIMIT_LOGIN_PER_IP_10MIN: String(per_address),
      LIMIT_OTP_PER_TARGET_10MIN: String(codes_per_person),
      LIMIT_OTP_PER_IP_10MIN: String(codes_per_address),
    },
  })
})
afterAll(async () => {
  await app?.stop()
  await mail?.remove()
})

let addresses = 0
/** An address that nobody has come from. */
const newAddress = () => {
  addresses += 1
  return `198.18.${addresses >> 8}.${addresses & 255}`
}

type Try = Readonly<{
  email: string
  password?: string
  totp?: string
  device_token?: string
  ip?: string
  url?: string
}>

function login({ ip = newAddress(), url = app.url, ...given }: Try): Promise<Reply> {
  const body = { password: 'not my pass phrase', ...given }
  return shopWith(url, '', '').post('/auth/login/', body, { 'x-forwarded-for': ip })
}
const rightly = ({ email, password }: SignedInCaller, more: Partial<Try> = {}) =>
  login({ email, password, ...more })

async function times<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const all: T[] = []
  for (let i = 0; i < count; i += 1) all.push(await work())
  return all
}
const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status)
const all = (count: number, status: number) => Array.from({ length: count }, () => status)

function expectSlowed({ status, error, headers }: Reply): void {
  expect([status, error.code, error.retryable]).toEqual([429, 'rate_limited', true])
  const wait_s = Number(headers.get('retry-after'))
  expect(wait_s).toBeGreaterThan(0)
  // A window's start is kept to the nearest second.
  expect(wait_s).toBeLessThanOrEqual(601)
}

/** As if everything tried so far had been tried ten minutes earlier. */
const tenMinutesPass = () => app.owner`
  update throttle_windows set started_at = started_at - interval '10 minutes 1 second'`

describe('two hundred who sign in at the same moment', () => {
  // Ninety hashes: `turns.test.ts` has the same queue without them.
  wholeIt(
    'are hashed two at a time: who is too many is told to come back, and payments go on',
    async () => {
      const [member, shop] = await Promise.all([app.member(), app.shop()])
      await shop.pay({ customer: newPayer() })
      const flood = Array.from({ length: 200 }, () => login({ email: `${randomUUID()}@x.example` }))
      let answered = 0
      for (const one of flood) one.then(() => (answered += 1))
      const paid = await shop.pay({ customer: newPayer() })
      expect(paid.status).toBe(201)
      // Not behind those who are hashed, two at a time.
      expect(answered).toBeLessThan(flood.length)
      const replies = await Promise.all(flood)
      // Two are hashed and ninety wait: without that bound all would be, and none told to come back.
      expect(statusesOf(replies)).toContain(503)
      expect(statusesOf(replies).filter((status) => status !== 401 && status !== 503)).toEqual([])
      for (const { status, error, headers } of replies) {
        if (status !== 503) continue
        expect(error).toMatchObject({ code: 'service_unavailable', retryable: true })
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      }
      expect((await rightly(member)).status).toBe(200)
    },
  )

  wholeIt('of one network leave room for others', async () => {
    const member = await app.member()
    const many = await app.another({ LIMIT_LOGIN_PER_IP_10MIN: '1000' })
    const [ip, url] = [newAddress(), many.public_url]
    const flood = Array.from({ length: 300 }, () =>
      login({ email: `${randomUUID()}@x.example`, ip, url }),
    )
    expect((await rightly(member, { url })).status).toBe(200)
    expect(new Set(statusesOf(await Promise.all(flood)))).toContain(503)
    await many.stop()
  })
})

describe('guessing the password of one account', () => {
  it('is refused at one address after a few tries, the right password too', async () => {
    const member = await app.member()
    const ip = newAddress()
    const guess = () => login({ email: member.email, ip })
    expect(statusesOf(await times(per_email, guess))).toEqual(all(per_email, 401))
    expectSlowed(await guess())
    expectSlowed(await rightly(member, { ip }))
    expect((await rightly(member)).status).toBe(200)
    await tenMinutesPass()
    expect((await rightly(member, { ip })).status).toBe(200)
  })

  it('is counted alike where there is no such account', async () => {
    const ip = newAddress()
    const guess = () => login({ email: 'nobody@shop.example', ip })
    expect(statusesOf(await times(per_email, guess))).toEqual(all(per_email, 401))
    expectSlowed(await guess())
  })

  it('is counted before it is answered: twenty at once get no more tries than one by one', async () => {
    const { email } = await app.member()
    const ip = newAddress()
    const replies = await Promise.all(Array.from({ length: 20 }, () => login({ email, ip })))
    const statuses = statusesOf(replies).sort()
    expect(statuses).toEqual([...all(per_email, 401), ...all(20 - per_email, 429)])
  })

  it('is counted over all processes, and for every spelling of the e-mail', async () => {
    const { email } = await app.member()
    const elsewhere = await app.another()
    const ip = newAddress()
    for (let i = 0; i < per_email; i += 1) {
      const spelt = i === 0 ? ` ${email.toUpperCase()} ` : email
      const { url } = i === 1 ? { url: elsewhere.public_url } : app
      expect((await login({ email: spelt, ip, url })).status).toBe(401)
    }
    expectSlowed(await login({ email, ip }))
    expectSlowed(await login({ email, ip, url: elsewhere.public_url }))
    await elsewhere.stop()
  })

  it('is forgotten once the owner was themselves, and starts anew', async () => {
    const member = await app.member()
    const ip = newAddress()
    const guess = () => login({ email: member.email, ip })
    await times(per_email - 1, guess)
    expect((await rightly(member, { ip })).status).toBe(200)
    expect(statusesOf(await times(per_email, guess))).toEqual(all(per_email, 401))
    expectSlowed(await guess())
  })

  it('from everywhere is refused to strangers, and never keeps the owner out', async () => {
    const member = await app.member()
    const [home, office, old] = [newAddress(), newAddress(), newAddress()]
    for (const ip of [home, office, old]) {
      expect((await rightly(member, { ip })).status).toBe(200)
    }
    await signedInAgo(member, old, '30 days 1 minute')
    await signedInAgo(member, office, '29 days')
    const guesses = 10 * per_email - 3 // their own three were those of a stranger then
    const guessed = await times(guesses, () => login({ email: member.email }))
    expect(statusesOf(guessed)).toEqual(all(guesses, 401))
    expectSlowed(await login({ email: member.email }))
    expectSlowed(await rightly(member))
    expectSlowed(await rightly(member, { ip: old }))
    expect((await rightly(member, { ip: home })).status).toBe(200)
    expect((await rightly(member, { ip: office })).status).toBe(200)
    // What they mistype at home is answered as ever, and no stranger is let in by it.
    expect((await login({ email: member.email, ip: home })).status).toBe(401)
    expectSlowed(await login({ email: member.email }))
  })

  it('from everywhere gets slower: twice an hour, four times a day, eight times a week', async () => {
    const { email } = await app.member()
    const passes = (span: string) => app.owner`
      update throttle_windows set started_at = started_at - ${span}::text::interval`
    const burst = async (span: string) => {
      const replies = await times(10 * per_email + 1, () => login({ email }))
      await passes(span)
      return replies.filter(({ status }) => status === 401).length
    }
    const bursts: number[] = []
    const spans = ['10 min 1 s', '10 min 1 s', '45 min', '45 min', '1 hour', '1 hour']
    const some = spans.slice(0, sized(3, 6))
    for (const span of some) bursts.push(await burst(span))
    expect(bursts).toEqual([30, 30, 0, 30, 30, 0].slice(0, some.length))
    await passes('1 day')
    expect((await login({ email })).status).toBe(401)
  }, 120_000)

  it('from everywhere is told to its owner, once a day and by letter', async () => {
    const member = await app.member()
    const guess = (count: number) => times(count, () => login({ email: member.email }))
    const waiting = async () =>
      (await app.owner`select 1 from mail_outbox`).count +
      (await mail.emailsTo(member.email)).length
    await guess(2 * per_email - 1)
    expect(await waiting()).toBe(0)
    await guess(1)
    await mail.emailTo(member.email, /^Someone is trying to sign in to your account$/)
    await guess(5)
    expect(await waiting()).toBe(1)
  })

  it('never keeps the owner out on a device of the owner’s own, wherever it is', async () => {
    const member = await app.member()
    const { device_token } = (await rightly(member)).data
    const guesses = 10 * per_email - 1
    await times(guesses, () => login({ email: member.email }))
    expectSlowed(await rightly(member))
    expect((await rightly(member, { device_token })).status).toBe(200)
    // It opens nothing, and has no more tries than an address.
    const guess = () => login({ email: member.email, device_token })
    expect(statusesOf(await times(per_email, guess))).toEqual(all(per_email, 401))
    expectSlowed(await guess())
    // Nobody else's helps, nor one that was made up.
    const other = (await rightly(await app.member())).data.device_token
    for (const wrong of [other, 'dev_1.2.3', `${device_token}x`]) {
      expectSlowed(await rightly(member, { device_token: wrong }))
    }
  })

  it('is no easier from an address that another person has signed in from', async () => {
    const [member, neighbour] = [await app.member(), await app.member()]
    const ip = newAddress()
    expect((await rightly(neighbour, { ip })).status).toBe(200)
    await times(10 * per_email, () => login({ email: member.email }))
    expectSlowed(await login({ email: member.email, ip }))
  })

  const signedInAgo = ({ person_id }: SignedInCaller, ip: string, ago: string) => app.owner`
    update sessions set created_at = now() - ${ago}::text::interval
     where person_id = ${person_id} and ip = ${ip}`
})

describe('trying many accounts from one address', () => {
  it('is refused there and nowhere else, before anything is looked up or hashed', async () => {
    const member = await app.member()
    const ip = newAddress()
    const guess = () => login({ email: `${randomUUID()}@shop.example`, ip })
    expect(statusesOf(await times(per_address, guess))).toEqual(all(per_address, 401))
    expectSlowed(await guess())
    expectSlowed(await rightly(member, { ip }))
    expect((await rightly(member)).status).toBe(200)
  })

  it('keeps no owner there from a device of the owner’s own, nor gives a stranger more tries', async () => {
    const [member, other] = [await app.member(), await app.member()]
    const { device_token } = (await rightly(member)).data
    const { device_token: others } = (await rightly(other)).data
    const ip = newAddress()
    await times(per_address, () => login({ email: `${randomUUID()}@shop.example`, ip }))
    expect((await rightly(member, { ip, device_token })).status).toBe(200)
    const guess = () => login({ email: member.email, ip, device_token })
    expect(statusesOf(await times(per_email, guess))).toEqual(all(per_email, 401))
    expectSlowed(await guess())
    // Another's, and one that was made up in its form, are none.
    for (const wrong of [others, device_token.replace(/.{9}$/, 'AAAAAAAAA')]) {
      expectSlowed(await rightly(member, { ip, device_token: wrong }))
      expectSlowed(await login({ email: `${randomUUID()}@shop.example`, ip, device_token: wrong }))
    }
  })
})

describe('guessing codes', () => {
  const wrong = '000000'

  it('is refused for the person after a few tries, wherever the code is asked for', async () => {
    const member = await app.member()
    const phone = await enrol(app, member)
    const { password } = member
    const tries = [
      ['verify', { code: wrong }],
      ['recovery-codes', { code: 'AAAAA-AAAAA' }],
      ['disable', { password, code: wrong }],
    ] as const
    for (const [route, body] of tries) {
      expect((await fromAnywhere(member, route, body)).status).toBe(400)
    }
    expect((await rightly(member, { totp: wrong })).status).toBe(401)
    for (const [route, body] of tries) {
      expectSlowed(await fromAnywhere(member, route, { ...body, code: phone.code() }))
    }
    expectSlowed(await fromAnywhere(member, 'confirm', { code: phone.code() }))
    expectSlowed(await rightly(member, { totp: phone.code() }))
    await tenMinutesPass()
    expect((await fromAnywhere(member, 'verify', { code: phone.code() })).status).toBe(200)
  })

  it('gets no more tries twenty at once than one by one', async () => {
    const member = await app.member()
    await enrol(app, member)
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => fromAnywhere(member, 'verify', { code: wrong })),
    )
    const statuses = statusesOf(replies).sort()
    expect(statuses).toEqual([...all(codes_per_person, 400), ...all(20 - codes_per_person, 429)])
  })

  it('is forgotten by a right code', async () => {
    const member = await app.member()
    const phone = await enrol(app, member)
    const verify = (code: string) => fromAnywhere(member, 'verify', { code })
    await times(codes_per_person - 1, () => verify(wrong))
    expect((await verify(phone.code())).status).toBe(200)
    const again = await times(codes_per_person, () => verify(wrong))
    expect(statusesOf(again)).toEqual(all(codes_per_person, 400))
    expectSlowed(await verify(wrong))
  })

  it('of many people from one address is refused there', async () => {
    const ip = newAddress()
    const verify = (member: SignedInCaller, from = ip) =>
      member.post('/auth/totp/verify/', { code: wrong }, { 'x-forwarded-for': from })
    const members = await times(codes_per_address, () => app.member({ second_factor: 'NONE' }))
    const replies = await Promise.all(members.map((member) => verify(member)))
    expect(statusesOf(replies)).toEqual(all(codes_per_address, 409))
    const [member] = members
    if (member === undefined) throw new Error('nobody')
    expectSlowed(await verify(member))
    expect((await verify(member, newAddress())).status).toBe(409)
  })

  it('of strangers keeps nobody at that address from their own session and device', async () => {
    const member = await app.member()
    const phone = await enrol(app, member)
    const { device_token } = (await rightly(member, { totp: phone.code() })).data
    const ip = newAddress()
    const verify = (by: SignedInCaller, code: string) =>
      by.post('/auth/totp/verify/', { code }, { 'x-forwarded-for': ip })
    const strangers = await times(codes_per_address, () => app.member({ second_factor: 'NONE' }))
    for (const stranger of strangers) await verify(stranger, wrong)
    await phone.forget()
    expectSlowed(await rightly(member, { ip, totp: phone.code() }))
    expect((await rightly(member, { ip, totp: phone.code(), device_token })).status).toBe(200)
    await phone.forget()
    expect((await verify(member, phone.code())).status).toBe(200)
    // They are counted for the person all the same.
    const guessed = await times(codes_per_person, () => verify(member, wrong))
    expect(statusesOf(guessed)).toEqual(all(codes_per_person, 400))
    expectSlowed(await verify(member, wrong))
  })

  const fromAnywhere = (member: SignedInCaller, route: string, body: object) =>
    member.post(`/auth/totp/${route}/`, body, { 'x-forwarded-for': newAddress() })
})

describe('guessing the password in a stolen session', () => {
  it('is refused after a few tries, the right one too', async () => {
    const member = await app.member()
    const begin = (password: string) => member.post('/auth/totp/enrol/', { password })
    const guessed = await times(per_email, () => begin('not my pass phrase'))
    expect(statusesOf(guessed)).toEqual(all(per_email, 400))
    expectSlowed(await begin(member.password))
    const { password } = member
    expectSlowed(await member.post('/auth/totp/disable/', { password, code: '000000' }))
    await tenMinutesPass()
    expect((await begin(member.password)).status).toBe(200)
  })
})

describe('the answer to a wrong sign-in', () => {
  it('is the same, and takes the same time, for a wrong password, a wrong e-mail and an account that is off', async () => {
    const [member, off] = [await app.member(), await app.member()]
    await app.owner`update people set disabled_at = now() where id = ${off.person_id}`
    const many = String(1_000_000)
    const { public_url: url } = await app.another({
      LIMIT_LOGIN_PER_EMAIL_10MIN: many,
      LIMIT_LOGIN_PER_IP_10MIN: many,
    })
    const ip = newAddress()
    const tries = {
      wrong_password: () => login({ email: member.email, ip, url }),
      wrong_email: () => login({ email: 'nobody.at.all@shop.example', ip, url }),
      switched_off: () => rightly(off, { ip, url }),
    }
    const took = { wrong_password: [0], wrong_email: [0], switched_off: [0] }
    const bodies = new Set<string>()
    // The fastest of each: what a neighbour on the machine takes is added to some and to none of
    // them. Where it is added to all of one kind so far, one more round tells.
    const ratio = () => {
      const fastest = Object.values(took).map((times) => Math.min(...times))
      return Math.max(...fastest) / Math.min(...fastest)
    }
    const [rounds, rounds_max] = [sized(8, 40), 200]
    for (let round = -3; round < rounds || (ratio() >= 1.5 && round < rounds_max); round += 1) {
      for (const kind of ['wrong_password', 'wrong_email', 'switched_off'] as const) {
        const started = performance.now()
        const reply = await tries[kind]()
        // The first rounds warm up what is made once.
        if (round >= 0) took[kind][round] = performance.now() - started
        bodies.add(`${reply.status} ${JSON.stringify(reply.body)}`)
      }
    }
    expect(bodies.size).toBe(1)
    expect([...bodies][0]).toContain('not_authenticated')
    expect(ratio()).toBeLessThan(1.5)
  }, 120_000)

  it('is much dearer to us than the refusal of one try too many', async () => {
    const { email } = await app.member()
    const ip = newAddress()
    // Processor time, of all threads, and the least of many: neighbours add to some and to none.
    const spent = async () => {
      const before = process.cpuUsage()
      await login({ email, ip })
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    const answered = Math.min(...(await times(per_email, spent)))
    const refused = Math.min(...(await times(per_address - per_email, spent)))
    expect(refused).toBeLessThan(answered / 2)
  })
})

describe('what is kept of tries', () => {
  it('names no e-mail and no address', async () => {
    const { email } = await app.member()
    const ip = newAddress()
    await login({ email, ip })
    const rows = await app.owner<{ target: Buffer }[]>`select target from throttle_windows`
    expect(rows.length).toBeGreaterThan(0)
    for (const { target } of rows) {
      expect(target).toHaveLength(32)
      expect(target.includes(email) || target.includes(ip)).toBe(false)
    }
  })
})
