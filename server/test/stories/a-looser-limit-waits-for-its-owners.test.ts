// What a merchant allows itself less strictly than before counts only after a time in which its
// owners can object, or when a second member says so; what is stricter counts at once. Whoever
// steals one session, or one member's word, cannot open the door and walk through it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyCoolingOffs } from '../../src/merchants/settings/cooling-off.ts'
import { applyDueLimits } from '../../src/payouts/limits/loosen-limit.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import type { Mail } from '../../src/platform/mail/mail.ts'
import {
  newPayer,
  type Reply,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { emailsWaiting } from '../setup/emails-waiting.ts'

let app: TestApp
beforeAll(async () => {
  // No worker: letters stay where they can be read, and the due work is done by hand.
  app = await startApp({ env: { ROLE: 'api' } })
})
afterAll(() => app.stop())

const deps = () => ({
  db: app.service.db,
  keyring: openKeyring(app.config.secret_key ?? ''),
  cooling_hours: app.config.payout_method_cooling_hours,
})

async function openMerchant() {
  const { merchant_id } = await app.shop({ live: true })
  const member = (role: 'OWNER' | 'ADMIN') =>
    app.member({ merchant_id, role, second_factor: 'FRESH', environment: 'LIVE' })
  const owner = await member('OWNER')
  const admin = await member('ADMIN')
  return { merchant_id, owner, admin }
}

/** As if they were a member, with their factor, for so many hours. */
async function since({ merchant_id, person_id }: SignedInCaller, hours: number): Promise<void> {
  await app.owner`
    update memberships
       set created_at = now() - ${hours} * interval '1 hour',
           updated_at = now() - ${hours} * interval '1 hour'
     where merchant_id = ${merchant_id} and person_id = ${person_id}`
  await app.owner`
    update people set totp_enrolled_at = now() - ${hours} * interval '1 hour'
     where id = ${person_id}`
}

const limit = (who: Shop, figures: object) =>
  who.post('/merchant-payout-limits/', { country: 'BJ', ...figures })
const pathOf = (id: string, act = '') => `/merchant-payout-limits/${id}/${act}`
const codeOf = ({ status, error }: Reply) => [status, error?.code]
const patch = (who: Shop, body: object) =>
  who.call('PATCH', '/merchant/', {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
const emailsTo = async ({ email }: SignedInCaller, about: RegExp) =>
  (await emailsWaiting(app)).filter(({ to, subject }) => to === email && about.test(subject))
const plain = (email: Mail | undefined) => email?.text.replaceAll('\u00a0', ' ')
const hoursAhead = (moment: string) => (Date.parse(moment) - Date.now()) / 3_600_000
const actsOf = async (merchant_id: string) =>
  (
    await app.owner<{ action: string }[]>`
      select action from audit_logs
       where merchant_id = ${merchant_id} and action ~ '^(payout_limit|merchant)[.]' order by id`
  ).map(({ action }) => action)
/** The time of every change that waits is over. */
const passTime = async (merchant_id: string) => {
  await app.owner`
    update payout_limits set next_at = now() - interval '1 s' where merchant_id = ${merchant_id}
       and next_at is not null`
  await app.owner`
    update merchants set cooling_off_next_at = now() - interval '1 second' where id = ${merchant_id}
       and cooling_off_next_at is not null`
}

describe('a limit of LIVE', () => {
  it('that is raised counts a day later, the stricter part at once, and the owners are told', async () => {
    const { merchant_id, owner, admin } = await openMerchant()
    const set = await limit(admin, { per_payout: '100000', approval_above: '50000' })
    expect([set.status, set.data.next]).toEqual([201, null])
    const raised = await limit(admin, { per_payout: '900000', approval_above: '20000' })
    expect(raised.status).toBe(201)
    expect(raised.data).toMatchObject({
      id: set.data.id,
      per_payout: '100000.00',
      approval_above: '20000.00',
      next: {
        per_payout: '900000.00',
        approval_above: '20000.00',
        is_dropped: false,
        requested_by: admin.person_id,
      },
    })
    expect(hoursAhead(raised.data.next.effective_at)).toBeGreaterThan(23.9)
    const [asked, ...more] = await emailsTo(owner, /higher payout limit was requested/)
    expect(more).toEqual([])
    // Every figure in their own page's words; what is not limited is said too.
    expect(plain(asked)).toContain(
      'A member requested this payout limit in Benin:\n\n' +
        'At most per payout: FCFA 900,000\nAt most per day: no limit\n' +
        'Second approval above: FCFA 20,000\n\nIt takes effect in 24 hours',
    )
    await app.owner`update people set locale = 'fr' where id = ${owner.person_id}`
    await passTime(merchant_id)
    // By its moment, before any worker has come.
    expect((await owner.get(pathOf(set.data.id))).data).toMatchObject({
      per_payout: '900000.00',
      next: null,
    })
    await Promise.all([applyDueLimits(deps()), applyDueLimits(deps())])
    expect((await owner.get(pathOf(set.data.id))).data.per_payout).toBe('900000.00')
    const [inForce, ...others] = await emailsTo(owner, /limite de versement plus élevée$/)
    expect(others).toEqual([])
    expect(plain(inForce)).toContain(
      'Cette limite de versement (Bénin) est en vigueur :\n\n' +
        'Au plus par versement : 900 000 FCFA\nAu plus par jour : sans limite\n' +
        'Deuxième accord au-dessus de : 20 000 FCFA',
    )
    expect(await actsOf(merchant_id)).toEqual([
      'payout_limit.set',
      'payout_limit.loosening_asked',
      'payout_limit.in_force',
    ])
  })

  it('that is dropped stands until then, and is gone after it', async () => {
    const { merchant_id, owner } = await openMerchant()
    const { data } = await limit(owner, { approval_above: '50000' })
    const dropped = await owner.call('DELETE', pathOf(data.id))
    expect(dropped.status).toBe(202)
    expect(dropped.data).toMatchObject({ approval_above: '50000.00', next: { is_dropped: true } })
    // Sent again, as networks do, it waits no longer and is told no second time.
    const again = await owner.call('DELETE', pathOf(data.id))
    expect([again.status, again.data]).toEqual([202, dropped.data])
    expect(await emailsTo(owner, /higher payout limit was requested/)).toHaveLength(1)
    await passTime(merchant_id)
    expect((await owner.get(pathOf(data.id))).status).toBe(404)
    expect((await owner.get('/merchant-payout-limits/')).data.count).toBe(0)
    // Set anew before the worker came: it is a new one.
    expect((await limit(owner, { approval_above: '70000' })).data.approval_above).toBe('70000.00')
    await applyDueLimits(deps())
    expect((await owner.get('/merchant-payout-limits/')).data.count).toBe(1)
  })

  it('waits as long as the longer cooling-off, and asking again does not shorten it', async () => {
    const { owner } = await openMerchant()
    await patch(owner, { cooling_off_hours: 72 })
    await patch(owner, { cooling_off_hours: 0 })
    await limit(owner, { per_day: '100000' })
    const first = await limit(owner, { per_day: '200000' })
    expect(hoursAhead(first.data.next.effective_at)).toBeGreaterThan(71.9)
    const second = await limit(owner, { per_day: '300000' })
    expect(second.data.per_day).toBe('100000.00')
    expect(hoursAhead(second.data.next.effective_at)).toBeGreaterThan(71.9)
    const back = await limit(owner, { per_day: '90000' })
    expect(back.data).toMatchObject({ per_day: '90000.00', next: null })
  })

  it('is raised at once by a second member, who was there before and was not brought by the first', async () => {
    const { merchant_id, owner, admin } = await openMerchant()
    const { data } = await limit(admin, { per_day: '100000' })
    const confirm = (who: Shop) => who.post(pathOf(data.id, 'confirm/'))
    expect(codeOf(await confirm(owner))).toEqual([409, 'no_pending_change'])
    await limit(admin, { per_day: '900000' })
    const refused = [409, 'second_member_required']
    // Whoever reads of it is told what the API would answer them.
    const mayConfirm = async (who: Shop) => {
      const [listed] = (await who.get('/merchant-payout-limits/')).data.results
      const { next } = (await who.get(pathOf(data.id))).data
      expect(listed.next).toEqual(next)
      return next.may_confirm
    }
    await since(admin, 100)
    expect(codeOf(await confirm(admin))).toEqual(refused)
    expect(codeOf(await confirm(owner))).toEqual(refused)
    expect([await mayConfirm(admin), await mayConfirm(owner)]).toEqual([false, false])
    await since(owner, 100)
    const become = (role: string) => app.owner`
      update memberships set role = ${role}
       where merchant_id = ${merchant_id} and person_id = ${owner.person_id}`
    await become('FINANCE')
    expect(await mayConfirm(owner)).toBe(false)
    await become('OWNER')
    expect([await mayConfirm(admin), await mayConfirm(owner)]).toEqual([false, true])
    await app.owner`
      insert into invitations (merchant_id, id, email, role, token_hash, invited_by, expires_at,
        accepted_at)
      values (${merchant_id}, gen_random_uuid(), ${owner.email}, 'OWNER',
        sha256(${owner.email}::bytea), ${admin.person_id}, now(), now())`
    expect(codeOf(await confirm(owner))).toEqual(refused)
    expect(await mayConfirm(owner)).toBe(false)
    await app.owner`delete from invitations where merchant_id = ${merchant_id}`
    const all = await Promise.all([confirm(owner), confirm(owner)])
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await admin.get(pathOf(data.id))).data).toMatchObject({
      per_day: '900000.00',
      next: null,
    })
    await admin.call('DELETE', pathOf(data.id))
    expect((await confirm(owner)).status).toBe(204)
    expect((await admin.get(pathOf(data.id))).status).toBe(404)
  })

  it('is not raised at once for whoever came just now, though an old member confirms it', async () => {
    const { merchant_id, owner, admin } = await openMerchant()
    const { data } = await limit(owner, { per_day: '100000' })
    await since(owner, 100)
    // Whoever stole the owner's session has invited a second self, which asks.
    await limit(admin, { per_day: '900000' })
    const confirm = () => owner.post(pathOf(data.id, 'confirm/'))
    expect(codeOf(await confirm())).toEqual([409, 'second_member_required'])
    await since(admin, 100)
    await app.owner`update people set totp_enrolled_at = now() where id = ${admin.person_id}`
    expect(codeOf(await confirm())).toEqual([409, 'second_member_required'])
    // Nor for one who asked and was taken out again.
    await app.owner`delete from memberships
      where merchant_id = ${merchant_id} and person_id = ${admin.person_id}`
    expect(codeOf(await confirm())).toEqual([409, 'second_member_required'])
  })

  it('is confirmed as it was read: what was asked for since is read first', async () => {
    const { owner, admin } = await openMerchant()
    for (const who of [owner, admin]) await since(who, 100)
    const { data } = await limit(admin, { per_day: '100000' })
    const confirm = (effective_at?: string) =>
      owner.post(pathOf(data.id, 'confirm/'), effective_at === undefined ? {} : { effective_at })
    const pending = async () => (await owner.get(pathOf(data.id))).data
    const refused = [409, 'pending_change_replaced']
    await limit(admin, { per_day: '110000' })
    const read = await pending()
    await limit(admin, { per_day: '900000000' })
    expect(codeOf(await confirm(read.next.effective_at))).toEqual(refused)
    expect(await pending()).toMatchObject({
      per_day: '100000.00',
      next: { per_day: '900000000.00' },
    })
    const raised = (await pending()).next.effective_at
    // To be dropped, which is looser than any figure.
    await admin.call('DELETE', pathOf(data.id))
    expect(codeOf(await confirm(raised))).toEqual(refused)
    expect(await pending()).toMatchObject({ per_day: '100000.00', next: { is_dropped: true } })
    const dropped = (await pending()).next.effective_at
    await limit(admin, { per_day: '110000' })
    expect(codeOf(await confirm(dropped))).toEqual(refused)
    expect(Object.keys((await confirm('tomorrow')).error)).toEqual(['effective_at'])
    const last = await confirm((await pending()).next.effective_at)
    expect(last.data).toMatchObject({ per_day: '110000.00', next: null })
  })

  it('is never to come at the very moment at which another was to, so that each has its own', async () => {
    const { merchant_id, admin } = await openMerchant()
    const { data } = await limit(admin, { per_day: '100000' })
    await limit(admin, { per_day: '110000' })
    // As if it had been asked for in the millisecond of the next.
    await app.owner`
      update payout_limits set next_at = next_at + interval '400 milliseconds'
       where merchant_id = ${merchant_id}`
    const moments = new Set<number>()
    for (const per_day of ['120000', '130000', '110000']) {
      const [{ next_at }] = await app.owner<[{ next_at: Date }]>`
        select next_at from payout_limits where id = ${data.id}`
      const { next } = (await limit(admin, { per_day })).data
      expect(Date.parse(next.effective_at)).toBeGreaterThan(next_at.getTime())
      moments.add(Date.parse(next.effective_at))
    }
    expect(moments.size).toBe(3)
  })

  it('is taken back by any member with the right, and is then as it was', async () => {
    const { merchant_id, owner, admin } = await openMerchant()
    const { data } = await limit(admin, { per_day: '100000' })
    await limit(admin, { per_day: '900000' })
    const cancel = () => owner.post(pathOf(data.id, 'cancel/'))
    expect((await cancel()).data).toMatchObject({ per_day: '100000.00', next: null })
    expect(codeOf(await cancel())).toEqual([409, 'no_pending_change'])
    await passTime(merchant_id)
    await applyDueLimits(deps())
    expect((await owner.get(pathOf(data.id))).data.per_day).toBe('100000.00')
    const stranger = await openMerchant()
    expect(codeOf(await stranger.owner.post(pathOf(data.id, 'cancel/')))).toEqual([
      403,
      'permission_denied',
    ])
  })
})

describe('a limit of a key that is replaced', () => {
  it('passes on as it is in force: what was asked for is asked for anew', async () => {
    const { merchant_id, owner, admin } = await openMerchant()
    await app.shop({ merchant_id, environment: 'LIVE' })
    const [key] = await app.owner<{ id: string }[]>`
      select id from api_keys where merchant_id = ${merchant_id} and environment = 'LIVE'
       order by created_at desc`
    const { data } = await limit(admin, { api_key: key?.id, per_day: '100000' })
    await limit(admin, { api_key: key?.id, per_day: '900000' })
    const rotated = await owner.post(`/merchant-api-keys/${key?.id}/rotate/`)
    expect(rotated.status, JSON.stringify(rotated.body)).toBe(201)
    expect((await owner.post(pathOf(data.id, 'cancel/'))).status).toBe(200)
    await passTime(merchant_id)
    await applyDueLimits(deps())
    const { results } = (await owner.get('/merchant-payout-limits/')).data
    expect(results).toHaveLength(2)
    for (const one of results) expect(one).toMatchObject({ per_day: '100000.00', next: null })
  })

  it('passes on a change that has come into force, before any worker has written it', async () => {
    const { merchant_id, owner, admin } = await openMerchant()
    await app.shop({ merchant_id, environment: 'LIVE' })
    const [key] = await app.owner<{ id: string }[]>`
      select id from api_keys where merchant_id = ${merchant_id} and environment = 'LIVE'
       order by created_at desc`
    await limit(admin, { api_key: key?.id, per_day: '100000' })
    await limit(admin, { api_key: key?.id, per_day: '900000' })
    await passTime(merchant_id)
    expect((await owner.post(`/merchant-api-keys/${key?.id}/rotate/`)).status).toBe(201)
    const { results } = (await owner.get('/merchant-payout-limits/')).data
    expect(results).toHaveLength(2)
    for (const one of results) expect(one).toMatchObject({ per_day: '900000.00', next: null })
  })
})

describe('a payout', () => {
  it('meets the limit that is in force, not the one that is to come', async () => {
    const { merchant_id } = await openMerchant()
    const shop = await app.shop({ merchant_id })
    await app.owner`
      insert into ip_whitelist (merchant_id, id, ip_address)
      values (${merchant_id}, gen_random_uuid(), '127.0.0.1')`
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '100000' })
    const owner = await app.member({ merchant_id })
    const pay = () =>
      shop.post('/payouts/initialize/', {
        amount: '6000',
        currency: 'XOF',
        country: 'BJ',
        method: 'mtn_bj',
        recipient: { msisdn: newPayer().phone },
        customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
      })
    await limit(owner, { per_payout: '5000' })
    await limit(owner, { per_payout: '9000' })
    expect(codeOf(await pay())).toEqual([422, 'payout_limit_exceeded'])
    await passTime(merchant_id)
    expect((await pay()).status).toBe(201)
  })
})

describe('the cooling-off of payout methods', () => {
  it('that is shortened counts after the longer of both times, and is told twice', async () => {
    const { merchant_id, owner, admin } = await openMerchant()
    expect((await patch(owner, { cooling_off_hours: 48 })).data).toMatchObject({
      cooling_off_hours: 48,
      cooling_off_change: null,
    })
    const refusal = await patch(admin, { cooling_off_hours: 0, branding: { colour: '#0a7d4f' } })
    expect(refusal.data).toMatchObject({
      cooling_off_hours: 48,
      cooling_off_change: { cooling_off_hours: 0, requested_by: admin.person_id },
      branding: { colour: '#0a7d4f' },
    })
    expect(hoursAhead(refusal.data.cooling_off_change.effective_at)).toBeGreaterThan(47.9)
    expect(await emailsTo(owner, /cooling-off period was requested/)).toHaveLength(1)
    const method = await owner.post('/merchant-payout-methods/', {
      country: 'BJ',
      type: 'MOBILE_MONEY',
      network: 'mtn_bj',
      msisdn: newPayer().phone,
      account_name: 'Awa Diop',
    })
    expect(method.status, JSON.stringify(method.body)).toBe(201)
    expect(hoursAhead(method.data.usable_from)).toBeGreaterThan(47.9)
    await passTime(merchant_id)
    expect((await owner.get('/merchant/')).data).toMatchObject({
      cooling_off_hours: 0,
      cooling_off_change: null,
    })
    await Promise.all([applyCoolingOffs(deps()), applyCoolingOffs(deps())])
    expect((await owner.get('/merchant/')).data.cooling_off_hours).toBe(0)
    expect(await emailsTo(owner, /shorter cooling-off period for/)).toHaveLength(1)
    expect((await actsOf(merchant_id)).at(-1)).toBe('merchant.cooling_off_in_force')
  })

  it('is shortened at once by a second member, and taken back by any', async () => {
    const { owner, admin } = await openMerchant()
    const act = (who: Shop, how: string) => who.post(`/merchant/cooling-off/${how}/`)
    expect(codeOf(await act(owner, 'confirm'))).toEqual([409, 'no_pending_change'])
    await patch(admin, { cooling_off_hours: 2 })
    for (const who of [admin, owner]) {
      expect(codeOf(await act(who, 'confirm'))).toEqual([409, 'second_member_required'])
    }
    expect((await act(admin, 'cancel')).data.cooling_off_change).toBe(null)
    expect(codeOf(await act(admin, 'cancel'))).toEqual([409, 'no_pending_change'])
    await patch(admin, { cooling_off_hours: 2 })
    await since(owner, 100)
    expect(codeOf(await act(owner, 'confirm'))).toEqual([409, 'second_member_required'])
    const mayConfirm = async (who: Shop) =>
      (await who.get('/merchant/')).data.cooling_off_change.may_confirm
    expect(await mayConfirm(owner)).toBe(false)
    await since(admin, 100)
    expect([await mayConfirm(admin), await mayConfirm(owner)]).toEqual([false, true])
    expect((await act(owner, 'confirm')).data).toMatchObject({
      cooling_off_hours: 2,
      cooling_off_change: null,
    })
  })

  it('waits on while the settings are saved as they are, and a longer one withdraws it', async () => {
    const { merchant_id, owner, admin } = await openMerchant()
    const change = async () => (await owner.get('/merchant/')).data.cooling_off_change
    const cancelled = async () =>
      (await actsOf(merchant_id)).filter((one) => one === 'merchant.cooling_off_cancelled')
    await patch(owner, { cooling_off_hours: 48 })
    await patch(admin, { cooling_off_hours: 2 })
    const pending = await change()
    expect(pending).toMatchObject({ cooling_off_hours: 2, requested_by: admin.person_id })
    await patch(owner, { cooling_off_hours: 48, branding: { colour: '#0a7d4f' } })
    await patch(owner, { cooling_off_hours: 48 })
    expect([await change(), await cancelled()]).toEqual([pending, []])
    expect((await patch(owner, { cooling_off_hours: 72 })).data).toMatchObject({
      cooling_off_hours: 72,
      cooling_off_change: null,
    })
    expect(await cancelled()).toHaveLength(1)
    // With nothing pending there is nothing to withdraw.
    await patch(owner, { cooling_off_hours: 96 })
    expect(await cancelled()).toHaveLength(1)
  })

  it('is confirmed as it was read: what was asked for since is read first', async () => {
    const { owner, admin } = await openMerchant()
    for (const who of [owner, admin]) await since(who, 100)
    const change = async () => (await owner.get('/merchant/')).data.cooling_off_change
    const confirm = (effective_at: string) =>
      owner.post('/merchant/cooling-off/confirm/', { effective_at })
    await patch(admin, { cooling_off_hours: 20 })
    const read = await change()
    await patch(admin, { cooling_off_hours: 0 })
    const reply = await confirm(read.effective_at)
    expect(codeOf(reply)).toEqual([409, 'pending_change_replaced'])
    expect(await change()).toMatchObject({ cooling_off_hours: 0 })
    expect((await owner.get('/merchant/')).data.cooling_off_hours).not.toBe(0)
    expect((await confirm((await change()).effective_at)).data).toMatchObject({
      cooling_off_hours: 0,
      cooling_off_change: null,
    })
  })
})
