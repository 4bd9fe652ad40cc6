// A member has lost phone and codes, or somebody has taken their account: staff help, two of them
// and not at once, and nobody is let in by it who could not say who they are.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endDueResets } from '../../src/people/members/reset-factor.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import {
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { enrol } from '../setup/authenticator.ts'
import { emailsWaiting } from '../setup/emails-waiting.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } })
})
afterAll(() => app?.stop())

const codeOf = ({ status, error }: Reply) => [status, error?.code]
const anyone = () => shopWith(app.url, '', '')
const reason = { reason: 'Called back on the number that we have.' }
const login = ({ email, password }: SignedInCaller, more: object = {}) =>
  anyone().post('/auth/login/', { email, password, ...more })
const act = (staff: Shop, { person_id }: SignedInCaller, name: string, body: object = {}) =>
  staff.post(`/admin/members/${person_id}/${name}`, body)
const reset = 'reset-second-factor/'
const confirm = `${reset}confirm/`
const cancel = `${reset}cancel/`
const keep = (token: unknown) => anyone().post('/auth/totp/keep/', { token })

const endDue = () =>
  endDueResets({
    db: app.service.db,
    keyring: openKeyring(app.config.secret_key ?? ''),
    wake: () => undefined,
  })

/** As if the hours were over. */
const hoursLater = async ({ person_id }: SignedInCaller, hours: number) => {
  await app.owner`
    update factor_resets set due_at = due_at - ${hours} * interval '1 hour'
     where person_id = ${person_id}`
  await endDue()
}

const emailsTo = async ({ email }: SignedInCaller) =>
  (await emailsWaiting(app)).filter(({ to }) => to === email)
const subjectsTo = async (recipient: SignedInCaller) =>
  (await emailsTo(recipient)).map(({ subject }) => subject.replace(/^.*: /, ''))
const tokenOf = async (member: SignedInCaller) =>
  /#(\S+)/.exec((await emailsTo(member)).at(-1)?.text ?? '')?.[1]

const actsOn = async ({ person_id }: SignedInCaller, prefix: string) =>
  (
    await app.owner<{ action: string; actor_kind: string }[]>`
      select action, actor_kind from audit_logs
       where target_id = ${person_id} and action like ${`${prefix}.%`} order by id`
  ).map(({ action, actor_kind }) => [action, actor_kind])

const enrolled = async (options: Parameters<TestApp['member']>[0] = {}) => {
  const member = await app.member(options)
  const phone = await enrol(app, member)
  return { member, phone }
}

describe('a lost second factor', () => {
  it('goes when two of the staff agree and a day has passed, and its owner is back', async () => {
    const [asks, agrees] = [await app.staff({ role: 'OPERATIONS' }), await app.staff()]
    const { member } = await enrolled()
    const { merchant_id } = member
    const fellow = await app.member({ merchant_id, role: 'OWNER' })
    const viewer = await app.member({ merchant_id, role: 'VIEWER' })
    const requested = await act(asks, member, reset, reason)
    expect([requested.status, requested.data.factor_reset]).toMatchObject([
      200,
      { status: 'ASKED', asked_by: asks.person_id, confirmed_by: null, ...reason },
    ])
    expect(codeOf(await act(asks, member, confirm))).toEqual([409, 'same_person'])
    expect(codeOf(await act(agrees, member, reset, reason))).toEqual([409, 'reset_in_progress'])
    const agreed = await act(agrees, member, confirm)
    const due_ms = Date.parse(agreed.data.factor_reset.due_at) - Date.now()
    expect(Math.abs(due_ms - 24 * 3_600_000)).toBeLessThan(60_000)
    expect(await subjectsTo(member)).toContain('Your second factor will be removed')
    expect(await subjectsTo(fellow)).toEqual(['The second factor of a member will be removed'])
    expect(await emailsTo(viewer)).toEqual([])
    expect(JSON.stringify(await emailsTo(fellow))).not.toContain(member.email)
    await endDue()
    expect(codeOf(await login(member))).toEqual([401, 'totp_required'])
    await hoursLater(member, 25)
    expect((await member.get('/auth/me/')).status).toBe(401)
    const back = await login(member)
    expect([back.status, back.data.member.totp_enabled]).toEqual([200, false])
    expect((await subjectsTo(member)).at(-1)).toBe('Your second factor was removed')
    expect(await actsOn(member, 'factor_reset')).toEqual([
      ['factor_reset.asked', 'STAFF'],
      ['factor_reset.confirmed', 'STAFF'],
      ['factor_reset.done', 'SYSTEM'],
    ])
    expect((await asks.get(`/admin/members/${member.person_id}/`)).data.factor_reset).toBeNull()
  })

  it('stays when its owner says no by the letter, once', async () => {
    const [asks, agrees] = [await app.staff(), await app.staff()]
    const { member, phone } = await enrolled()
    await act(asks, member, reset, reason)
    expect((await act(agrees, member, confirm)).status).toBe(200)
    const token = await tokenOf(member)
    expect((await keep('nonsense')).status).toBe(400)
    const kept = await keep(token)
    expect([kept.status, kept.data]).toEqual([200, { kept: true }])
    expect((await keep(token)).error).toEqual({ token: [expect.any(String)] })
    await hoursLater(member, 48)
    expect(codeOf(await login(member))).toEqual([401, 'totp_required'])
    expect((await login(member, { totp: phone.code() })).status).toBe(200)
    expect(codeOf(await act(agrees, member, confirm))).toEqual([409, 'reset_not_open'])
    expect((await actsOn(member, 'factor_reset')).at(-1)).toEqual([
      'factor_reset.cancelled',
      'MEMBER',
    ])
  })

  it('that was enrolled since is not the lost one, and stays', async () => {
    const [asks, agrees] = [await app.staff(), await app.staff()]
    const { member, phone } = await enrolled()
    await act(asks, member, reset, reason)
    expect((await act(agrees, member, confirm)).status).toBe(200)
    // With a recovery code that they found again they take it away, and enrol another.
    const codes = { password: member.password, code: phone.code() }
    expect((await member.post('/auth/totp/disable/', codes)).status).toBe(200)
    const other = await enrol(app, member)
    await hoursLater(member, 25)
    expect(codeOf(await login(member))).toEqual([401, 'totp_required'])
    expect((await login(member, { totp: other.code() })).status).toBe(200)
    expect((await member.get('/auth/me/')).status).toBe(200)
    const texts = (await emailsTo(member)).map(({ text }) => text)
    expect(texts.filter((text) => text.includes('Our staff have removed'))).toEqual([])
    expect((await actsOn(member, 'factor_reset')).at(-1)).toEqual([
      'factor_reset.cancelled',
      'SYSTEM',
    ])
    expect((await asks.get(`/admin/members/${member.person_id}/`)).data.factor_reset).toBeNull()

    const { member: without, phone: found } = await enrolled()
    await act(asks, without, reset, reason)
    await act(agrees, without, confirm)
    const none = { password: without.password, code: found.code() }
    expect((await without.post('/auth/totp/disable/', none)).status).toBe(200)
    await hoursLater(without, 25)
    expect((await actsOn(without, 'factor_reset')).at(-1)).toEqual([
      'factor_reset.cancelled',
      'SYSTEM',
    ])
    // Their session goes on: nothing was done.
    expect((await without.get('/auth/me/')).status).toBe(200)
  })

  it('stays when whoever asked for it was switched off, or may not ask any more', async () => {
    const boss = await app.staff()
    const change = ({ person_id }: SignedInCaller, changes: object) =>
      boss.call('PATCH', `/admin/staff/${person_id}/`, {
        body: JSON.stringify(changes),
        headers: { 'content-type': 'application/json' },
      })
    for (const changes of [{ disabled: true }, { role: 'SUPPORT' }]) {
      const [asks, agrees] = [await app.staff({ role: 'OPERATIONS' }), await app.staff()]
      const { member } = await enrolled()
      await act(asks, member, reset, reason)
      expect((await change(asks, changes)).status).toBe(200)
      expect(codeOf(await act(agrees, member, confirm))).toEqual([409, 'proposer_gone'])
      expect(await subjectsTo(member)).not.toContain('Your second factor will be removed')
      expect((await act(agrees, member, cancel)).data.factor_reset).toBeNull()
      await act(agrees, member, reset, reason)
      expect((await act(boss, member, confirm)).status).toBe(200)
    }
  })

  it('stays when staff cancel, and when nobody confirms within three days', async () => {
    const [asks, agrees] = [await app.staff(), await app.staff()]
    const { member } = await enrolled()
    await act(asks, member, reset, reason)
    await act(agrees, member, confirm)
    expect((await act(asks, member, cancel)).data.factor_reset).toBeNull()
    expect(codeOf(await act(asks, member, cancel))).toEqual([409, 'reset_not_open'])
    await act(asks, member, reset, reason)
    await hoursLater(member, 73)
    expect(codeOf(await act(agrees, member, confirm))).toEqual([409, 'reset_not_open'])
    expect(codeOf(await login(member))).toEqual([401, 'totp_required'])
    expect((await actsOn(member, 'factor_reset')).at(-1)).toEqual(['factor_reset.lapsed', 'SYSTEM'])
  })

  it('is asked for and confirmed once, however many do at the same time', async () => {
    const staff = await Promise.all(Array.from({ length: 6 }, () => app.staff()))
    const { member } = await enrolled()
    const requested = await Promise.all(staff.map((one) => act(one, member, reset, reason)))
    expect(requested.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(409)])
    const confirmed = await Promise.all(staff.map((one) => act(one, member, confirm)))
    expect(confirmed.filter(({ status }) => status === 200)).toHaveLength(1)
    const subjects = await subjectsTo(member)
    expect(subjects.filter((one) => one.includes('will be removed'))).toHaveLength(1)
    await Promise.all([hoursLater(member, 25), endDue(), endDue()])
    const done = (await actsOn(member, 'factor_reset')).filter(([a]) => a === 'factor_reset.done')
    expect(done).toHaveLength(1)
  })

  it('is none where nothing is enrolled, nor of staff, nor of nobody', async () => {
    const staff = await app.staff()
    const other = await app.staff()
    const member = await app.member()
    const refused = await act(staff, member, reset, reason)
    expect(codeOf(refused)).toEqual([409, 'totp_not_enrolled'])
    expect(codeOf(await act(staff, other, reset, reason))).toEqual([404, 'not_found'])
    const nobody = await staff.post(`/admin/members/${randomUUID()}/${reset}`, reason)
    expect(codeOf(nobody)).toEqual([404, 'not_found'])
    expect((await act(staff, member, reset)).status).toBe(400)
  })
})

describe('an account in wrong hands', () => {
  it('is switched off at once in every process, and on again', async () => {
    const staff = await app.staff({ role: 'OPERATIONS' })
    const member = await app.member()
    const other = await app.another({ ROLE: 'api' })
    const there = shopWith(other.public_url, member.merchant_id, member.key)
    expect((await there.get('/auth/me/')).status).toBe(200)
    const off = await act(staff, member, 'disable/', reason)
    expect([off.status, off.data.disabled_at]).toEqual([200, expect.any(String)])
    expect(codeOf(await there.get('/auth/me/'))).toEqual([401, 'session_expired'])
    expect(codeOf(await login(member))).toEqual([401, 'not_authenticated'])
    expect((await act(staff, member, 'disable/', reason)).status).toBe(200)
    const on = await act(staff, member, 'enable/')
    expect([on.status, on.data.disabled_at]).toEqual([200, null])
    expect((await login(member)).status).toBe(200)
    expect(codeOf(await there.get('/auth/me/'))).toEqual([401, 'session_expired'])
    expect(await subjectsTo(member)).toEqual([
      'Your account was disabled',
      'Your account has been enabled again',
    ])
    expect(await actsOn(member, 'member')).toEqual([
      ['member.disabled', 'STAFF'],
      ['member.enabled', 'STAFF'],
    ])
    await other.stop()
  })

  it('loses its sessions, and can be logged in to again', async () => {
    const staff = await app.staff({ role: 'OPERATIONS' })
    const member = await app.member()
    expect((await act(staff, member, 'end-sessions/')).status).toBe(200)
    expect(codeOf(await member.get('/auth/me/'))).toEqual([401, 'session_expired'])
    expect((await login(member)).status).toBe(200)
    expect(await actsOn(member, 'member')).toEqual([['member.sessions_ended', 'STAFF']])
  })
})
