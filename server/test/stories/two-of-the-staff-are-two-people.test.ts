// What gives rights or moves everybody's price takes two of the staff: one proposes, another
// confirms, and nobody makes their own second person. What nobody confirms ends by itself.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addGateways } from '../../src/gateways/gateways.ts'
import { lapseProposals } from '../../src/people/proposals/decide-proposal.ts'
import { createStaff } from '../../src/people/staff/add-staff.ts'
import { newId } from '../../src/platform/ids.ts'
import { eventually, type Json, type Reply, type Shop, startApp, type TestApp } from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { confirmedByAnother } from '../setup/second-person.ts'
import { richSettler } from '../setup/settling.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } })
})
afterAll(() => app?.stop())

const codeOf = ({ status, error }: Reply) => [status, error?.code]
const newEmail = () => `${randomUUID()}@pirogue.example`
const confirm = (by: Shop, { data }: Reply) => by.post(`/admin/proposals/${data.id}/confirm/`)
const withdraw = (by: Shop, { data }: Reply) => by.post(`/admin/proposals/${data.id}/withdraw/`)
const statusOf = async (by: Shop, { data }: Reply) =>
  (await by.get(`/admin/proposals/${data.id}/`)).data.status

const patch = (by: Shop, id: string, body: object) =>
  by.call('PATCH', `/admin/staff/${id}/`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
const roleOf = async (by: Shop, id: string) => (await by.get(`/admin/staff/${id}/`)).data.role

describe('more rights', () => {
  it('are proposed by one superadmin and given by another, never by one alone', async () => {
    const [boss, other] = [await app.staff(), await app.staff()]
    const clerk = await app.staff({ role: 'SUPPORT' })
    const requested = await patch(boss, clerk.person_id, { role: 'SUPERADMIN', first_name: 'Awa' })
    expect([requested.status, requested.data]).toMatchObject([
      202,
      {
        kind: 'STAFF_CHANGED',
        subject: clerk.person_id,
        content: { staff_role: 'SUPERADMIN', first_name: 'Awa' },
        status: 'PENDING',
        proposed_by: boss.person_id,
      },
    ])
    expect(codeOf(await confirm(boss, requested))).toEqual([409, 'same_person'])
    // Not by whom it is for, nor by anybody without the right.
    for (const role of ['SUPPORT', 'FINANCE', 'OPERATIONS'] as const) {
      expect(codeOf(await confirm(await app.staff({ role }), requested))).toEqual([
        403,
        'permission_denied',
      ])
    }
    expect(codeOf(await confirm(clerk, requested))).toEqual([403, 'permission_denied'])
    expect(await roleOf(boss, clerk.person_id)).toBe('SUPPORT')
    expect((await confirm(other, requested)).data.status).toBe('CONFIRMED')
    expect(await roleOf(boss, clerk.person_id)).toBe('SUPERADMIN')
    expect(codeOf(await confirm(other, requested))).toEqual([409, 'proposal_decided'])
  })

  it.each([
    ['was switched off', { disabled: true }],
    ['lost the right', { role: 'FINANCE' }],
  ])('are not given on the word of somebody who %s since', async (_, change) => {
    const [boss, other, third] = [await app.staff(), await app.staff(), await app.staff()]
    const proposed = await boss.post('/admin/staff/', {
      ...{ email: newEmail(), role: 'SUPERADMIN', first_name: 'Awa', last_name: 'Diop' },
    })
    expect(proposed.status).toBe(202)
    expect((await patch(other, boss.person_id, change)).status).toBe(200)
    expect(codeOf(await confirm(third, proposed))).toEqual([409, 'proposer_gone'])
    expect(await statusOf(third, proposed)).toBe('PENDING')
    expect((await withdraw(third, proposed)).data.status).toBe('WITHDRAWN')
  })

  it('wait for who is just being switched off', async () => {
    const [boss, other] = [await app.staff(), await app.staff()]
    const clerk = await app.staff({ role: 'SUPPORT' })
    const proposed = await patch(boss, clerk.person_id, { role: 'SUPERADMIN' })
    const confirming = await app.owner.begin(async (sql) => {
      await sql`update people set disabled_at = now() where id = ${boss.person_id}`
      const confirming = confirm(other, proposed)
      await eventually(async () => {
        const waiting = await app.owner`
          select 1 from pg_stat_activity
           where wait_event_type = 'Lock' and query like '%staff_role from people%'`
        expect(waiting.count).toBe(1)
      })
      return { confirming }
    })
    expect(codeOf(await confirming.confirming)).toEqual([409, 'proposer_gone'])
    expect(await roleOf(other, clerk.person_id)).toBe('SUPPORT')
  })

  it('are not needed to take rights away: that is done at once', async () => {
    const boss = await app.staff()
    const clerk = await app.staff({ role: 'FINANCE' })
    expect((await patch(boss, clerk.person_id, { role: 'SUPPORT' })).status).toBe(200)
    expect((await patch(boss, clerk.person_id, { disabled: true })).status).toBe(200)
    expect((await patch(boss, clerk.person_id, { disabled: false })).status).toBe(202)
    // From OPERATIONS to FINANCE some rights go and others come: those take two.
    const third = await app.staff({ role: 'OPERATIONS' })
    expect((await patch(boss, third.person_id, { role: 'FINANCE' })).status).toBe(202)
  })

  it('are judged again when they are confirmed', async () => {
    const [boss, other] = [await app.staff(), await app.staff()]
    const email = newEmail()
    const requested = await boss.post('/admin/staff/', { email, role: 'FINANCE' })
    await app.owner`
      update people set disabled_at = now() where id = ${other.person_id}`
    expect(codeOf(await confirm(other, requested))).toEqual([401, 'session_expired'])
    // Somebody else of this e-mail came by the command line meanwhile.
    const third = await app.staff()
    await app.owner`update people set email = ${email} where id = ${other.person_id}`
    expect(codeOf(await confirm(third, requested))).toEqual([409, 'email_taken'])
    expect(await statusOf(boss, requested)).toBe('PENDING')
  })

  it('of two who confirm and withdraw at once one decides', async () => {
    const [boss, other] = [await app.staff(), await app.staff()]
    for (let round = 0; round < 5; round += 1) {
      const email = newEmail()
      const requested = await boss.post('/admin/staff/', { email, role: 'SUPPORT' })
      const replies = await Promise.all([confirm(other, requested), withdraw(boss, requested)])
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
      const there = (await boss.get(`/admin/staff/?search=${email}`)).data.count
      const isConfirmed = (await statusOf(boss, requested)) === 'CONFIRMED'
      expect(there).toBe(isConfirmed ? 1 : 0)
    }
  })
})

describe('a proposal', () => {
  it('ends by itself after 72 hours, and makes room for the next', async () => {
    const [boss, other] = [await app.staff(), await app.staff()]
    const body = { email: newEmail(), role: 'SUPPORT' }
    const requested = await boss.post('/admin/staff/', body)
    const left_ms = Date.parse(requested.data.expires_at) - Date.now()
    expect(Math.abs(left_ms - 72 * 3_600_000)).toBeLessThan(60_000)
    expect(codeOf(await other.post('/admin/staff/', body))).toEqual([409, 'proposal_pending'])
    await app.owner`
      update staff_proposals set expires_at = now() - interval '1 second'
       where id = ${requested.data.id}`
    expect(codeOf(await confirm(other, requested))).toEqual([409, 'proposal_decided'])
    expect(await statusOf(boss, requested)).toBe('LAPSED')
    const again = await boss.post('/admin/staff/', body)
    expect(again.status).toBe(202)
    await app.owner`
      update staff_proposals set expires_at = now() - interval '1 second'
       where id = ${again.data.id}`
    expect(await lapseProposals(app.owner)).toBe(1)
    const rows = await app.owner`
      select 1 from staff_proposals where status = 'PENDING' and expires_at < now()`
    expect(rows.count).toBe(0)
  })

  it('is refused with the code of its kind, as published, where it is not possible by then', async () => {
    const boss = await app.staff()
    const other = await heldToPublished(await app.staff())
    const email = newEmail()
    const staff = await boss.post('/admin/staff/', { email, role: 'SUPPORT' })
    const names = { email, first_name: 'Ines', last_name: 'Sow', locale: 'en' } as const
    await createStaff(app.service.db, { ...names, role: 'SUPPORT', password: 'a long phrase' })
    expect(codeOf(await confirm(other, staff))).toEqual([409, 'email_taken'])
    const id = newId()
    // As one looks that was proposed before its pair was pegged, and one whose moment has passed.
    for (const [content, wanted] of [
      [{ base: 'EUR', quote: 'XOF', rate: '700' }, [409, 'rate_is_pegged']],
      [
        { base: 'EUR', quote: 'GNF', rate: '9', effective_at: '2020-01-01T00:00:00Z' },
        [400, undefined],
      ],
    ] as const) {
      await app.owner`
        insert into staff_proposals (id, kind, subject, content, proposed_by, expires_at)
        values (${id}, 'EXCHANGE_RATE', ${id}, ${JSON.stringify(content)}::text::jsonb,
          ${boss.person_id}, now() + interval '1 hour')`
      const reply = await other.post(`/admin/proposals/${id}/confirm/`)
      expect(codeOf(reply)).toEqual(wanted)
      await app.owner`delete from staff_proposals where id = ${id}`
    }
  })

  it('is withdrawn by who made it, or refused by another; one that is nobody’s is not found', async () => {
    const [boss, other] = [await app.staff(), await app.staff()]
    for (const by of [boss, other]) {
      const requested = await boss.post('/admin/staff/', { email: newEmail(), role: 'SUPPORT' })
      expect((await withdraw(by, requested)).data).toMatchObject({
        status: 'WITHDRAWN',
        decided_by: by.person_id,
      })
      expect(codeOf(await withdraw(by, requested))).toEqual([409, 'proposal_decided'])
    }
    for (const act of ['confirm', 'withdraw']) {
      const none = await boss.post(`/admin/proposals/${randomUUID()}/${act}/`)
      expect(codeOf(none)).toEqual([404, 'not_found'])
    }
    expect(codeOf(await boss.get(`/admin/proposals/${randomUUID()}/`))).toEqual([404, 'not_found'])
  })

  it('is listed by kind and status', async () => {
    const boss = await app.staff()
    const email = newEmail()
    await boss.post('/admin/staff/', { email, role: 'SUPPORT' })
    const list = async (query: string): Promise<string[]> =>
      (await boss.get(`/admin/proposals/?page_size=100&${query}`)).data.results.map(
        (one: Json) => one.subject,
      )
    expect(await list('kind=STAFF_ADDED&status=PENDING')).toContain(email)
    expect(await list('status=CONFIRMED')).not.toContain(email)
    expect(await list('kind=EXCHANGE_RATE')).toEqual([])
    const wrong = await boss.get('/admin/proposals/?kind=ANY&status=OPEN')
    expect([wrong.status, Object.keys(wrong.error).sort()]).toEqual([400, ['kind', 'status']])
  })
})

describe('an exchange rate', () => {
  const add = (by: Shop, rate: string, more: object = {}) =>
    by.post('/admin/exchange-rates/', { base: 'EUR', quote: 'GNF', rate, ...more })
  const inForce = async (by: Shop) =>
    (await by.get('/admin/exchange-rates/?base=EUR&quote=GNF')).data.results.find(
      (one: Json) => one.status === 'CURRENT',
    ).rate

  it('that moves far is one person’s while there is play money only', async () => {
    const clerk = await app.staff({ role: 'FINANCE' })
    expect((await add(clerk, '9000')).status).toBe(201)
    expect((await add(clerk, '10000')).status).toBe(201)
  })

  it('that moves far takes two once LIVE has a gateway, at once or in small steps', async () => {
    const operator = { id: newId(), code: 'live_one' }
    await addGateways(app.owner, [
      { ...operator, adapter: 'not_here', name: 'Operator', environment: 'LIVE', is_active: true },
    ])
    const [clerk, other] = [await app.staff({ role: 'FINANCE' }), await app.staff()]
    await app.owner`
      update exchange_rates set effective_at = effective_at - interval '2 days'
       where from_currency = 'EUR' and to_currency = 'GNF'`
    const far = await add(clerk, '10500.01')
    expect([far.status, far.data]).toMatchObject([
      202,
      { kind: 'EXCHANGE_RATE', subject: 'EUR/GNF', content: { rate: '10500.01' } },
    ])
    expect(await inForce(clerk)).toBe('10000.00000000')
    expect((await add(clerk, '10400')).status).toBe(201)
    expect(codeOf(await add(clerk, '10600'))).toEqual([409, 'proposal_pending'])
    expect(codeOf(await confirm(clerk, far))).toEqual([409, 'same_person'])
    expect((await withdraw(clerk, far)).status).toBe(200)
    // Within five percent of the last, further from what was in force a day ago.
    const step = await add(clerk, '10600')
    expect(step.status).toBe(202)
    expect(codeOf(await confirm(await app.staff({ role: 'SUPPORT' }), step))).toEqual([
      403,
      'permission_denied',
    ])
    expect((await confirm(other, step)).status).toBe(200)
    expect(await inForce(clerk)).toBe('10600.00000000')
    // Before one that is to come, too: at its moment the pair would move by both steps at once.
    const ahead = (hours: number) => ({
      effective_at: new Date(Date.now() + hours * 3_600_000).toISOString(),
    })
    expect((await add(clerk, '10900', ahead(24 * 12))).status).toBe(201)
    for (const hours of [24 * 12 - 1, 24, 1]) {
      const before = await add(clerk, '10200', ahead(hours))
      expect([hours, before.status]).toEqual([hours, 202])
      expect((await withdraw(clerk, before)).status).toBe(200)
    }
    // A pair that has none yet could be anything.
    const first = await clerk.post('/admin/exchange-rates/', {
      base: 'EUR',
      quote: 'JPY',
      rate: '160',
    })
    expect(first.status).toBe(202)
    await confirmedByAnother(app, first)
  })
})

describe('a settlement by bank', () => {
  it('of real money is approved by one and paid by another', async () => {
    const [one, other] = [await app.staff(), await app.staff()]
    const shop = await richSettler(app)
    const { data } = await shop.settle('bank')
    expect((await one.post(`/admin/settlements/${data.id}/approve/`)).status).toBe(200)
    const live = { 'x-environment': 'LIVE' }
    const pay = (by: Shop, headers = {}) =>
      by.post(`/admin/settlements/${data.id}/execute/`, { gateway_reference: 'VIR-1' }, headers)
    // As if it had been LIVE from the start; its entries are not, so another is refused by those.
    const become = (environment: string) => app.owner`
      update settlements set environment = ${environment} where id = ${data.id}`
    await become('LIVE')
    expect(codeOf(await pay(one, live))).toEqual([409, 'same_person'])
    expect(codeOf(await pay(other, live))).not.toEqual([409, 'same_person'])
    // Play money needs nobody else.
    await become('SANDBOX')
    expect((await pay(one)).status).toBe(200)
  })

  it.each([
    ['was switched off', { disabled: true }],
    ['lost the right', { role: 'SUPPORT' }],
  ])('is not paid on the approval of somebody who %s since', async (_, change) => {
    const [one, other, third] = [await app.staff(), await app.staff(), await app.staff()]
    const shop = await richSettler(app)
    const { data } = await shop.settle('bank')
    const approve = (by: Shop, headers = {}) =>
      by.post(`/admin/settlements/${data.id}/approve/`, {}, headers)
    const pay = (by: Shop, headers = {}) =>
      by.post(`/admin/settlements/${data.id}/execute/`, { gateway_reference: 'VIR-1' }, headers)
    const become = (environment: string) => app.owner`
      update settlements set environment = ${environment} where id = ${data.id}`
    const live = { 'x-environment': 'LIVE' }
    expect((await approve(one)).status).toBe(200)
    await become('LIVE')
    expect(codeOf(await approve(other, live))).toEqual([409, 'settlement_already_approved'])
    expect((await patch(third, one.person_id, change)).status).toBe(200)
    expect(codeOf(await pay(other, live))).toEqual([409, 'proposer_gone'])
    // What staff have stopped since is approved again once the bank’s proof says that it was paid.
    await app.owner`
      update merchants set status = 'SUSPENDED' where id = ${shop.merchant_id}`
    expect(codeOf(await approve(other, live))).toEqual([403, 'merchant_suspended'])
    await app.owner`
      update settlements set proof_key = 'proof', proof_type = 'application/pdf'
       where id = ${data.id}`
    // The bank may have paid it by now: another approves it, and a second one may record that.
    const again = await approve(other, live)
    expect([again.status, again.data.status]).toEqual([200, 'APPROVED'])
    expect(codeOf(await approve(third, live))).toEqual([409, 'settlement_already_approved'])
    expect(codeOf(await pay(other, live))).toEqual([409, 'same_person'])
    expect(codeOf(await pay(third, live))).not.toContain('proposer_gone')
    const acts = await app.owner<Json[]>`
      select actor_id, before from audit_logs
       where target_id = ${data.id} and action = 'settlement.approved' order by id`
    expect(acts).toEqual([
      { actor_id: one.person_id, before: { status: 'PENDING' } },
      { actor_id: other.person_id, before: { status: 'APPROVED', approved_by: one.person_id } },
    ])
    // Play money asks after nobody.
    await become('SANDBOX')
    expect(codeOf(await approve(third))).toEqual([409, 'settlement_already_approved'])
    expect((await pay(other)).status).toBe(200)
  })

  it('of real money by phone is approved once, whoever did it: its operator has it', async () => {
    const [one, other] = [await app.staff(), await app.staff()]
    const shop = await richSettler(app)
    const { data } = await shop.settle('04')
    const approve = (by: Shop, headers = {}) =>
      by.post(`/admin/settlements/${data.id}/approve/`, {}, headers)
    expect((await approve(one)).status).toBe(200)
    expect((await patch(other, one.person_id, { disabled: true })).status).toBe(200)
    await app.owner`update settlements set environment = 'LIVE' where id = ${data.id}`
    const again = await approve(other, { 'x-environment': 'LIVE' })
    expect(codeOf(again)).toEqual([409, 'settlement_already_approved'])
    await app.owner`update settlements set environment = 'SANDBOX' where id = ${data.id}`
  })
})
