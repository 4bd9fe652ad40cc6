// A settlement that succeeded and whose money comes back: staff say so, or its operator does, and
// what arrived is the merchant's again when a second person has said so too, once, and they are
// told. Its status stays SUCCESS.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyAnswer } from '../../src/attempts/apply-answer.ts'
import { settlementPurpose } from '../../src/settlements/settlement-purpose.ts'
import { examplePayloads } from '../../src/webhooks/catalogue-routes.ts'
import {
  eventually,
  type Json,
  type Reply,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { leftToday, legsToday } from '../setup/report-days.ts'
import { reversedThere } from '../setup/reversing.ts'
import { refusedBy } from '../setup/scripted-operator.ts'
import { brokenLaws, eventsOf, richSettler, type Settler } from '../setup/settling.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
let first: SignedInCaller
let second: SignedInCaller
beforeAll(async () => {
  app = await startApp({ env: { SETTLEMENT_BANK_FEE_PERCENT: '2' } })
  first = await app.staff({ role: 'FINANCE' })
  second = await app.staff({ role: 'OPERATIONS' })
})
afterAll(async () => {
  const broken = await brokenLaws(app)
  await app.stop()
  expect(broken).toEqual([])
})

const answerOf = ({ status, error }: Reply) => [status, error?.code]
const note = 'The bank’s notice of today'

/** 10 000 of their 100 000 have been paid out to them: by the bank, or by their operator. */
async function paidOut(to: 'bank' | '10'): Promise<{ shop: Settler; id: string; net: string }> {
  const shop = await richSettler(app)
  const { data } = await shop.settle(to)
  const { id } = data
  expect((await first.post(`/admin/settlements/${id}/approve/`)).status).toBe(200)
  if (to === 'bank') {
    await first.post(`/admin/settlements/${id}/execute/`, { gateway_reference: 'VIR-1' })
  }
  const { net_amount: net } = await shop.ends(id, 'SUCCESS')
  expect(await shop.sums()).toEqual(['90000.00', '0.00'])
  return { shop, id, net }
}

const declare = (by: SignedInCaller, id: string, body: object = { note }) =>
  untilServed(() => by.post(`/admin/settlements/${id}/return/`, body))
const confirm = (by: SignedInCaller, incident: string, resolution?: string) =>
  by.post(`/admin/incidents/${incident}/confirm/`, { resolution })
/** Two people say of what was declared that nothing has come back. */
async function foundWrong(incident: string, amount: string): Promise<void> {
  const request = { resolution: 'RECOVERED', amount, note: 'Another’s' }
  expect((await second.post(`/admin/incidents/${incident}/resolve/`, request)).status).toBe(200)
  expect((await confirm(first, incident, 'RECOVERED')).data.status).toBe('RESOLVED')
}
/** Of each field, what kind of value it has; a status is itself. */
const formOf = (data: object): Json =>
  Object.entries(data).map(([name, value]) => {
    if (name === 'status') return [name, value]
    return [name, value === null || value === '' ? value : typeof value]
  })
const more = (net: string) => (90_000 + Number(net)).toFixed(2)

/** What was booked in the end, as kinds of account. */
const bookedFor = (incident: string): Promise<Json> => app.owner`
  select d.kind as debit, c.kind as credit, e.amount / 100 as amount
    from ledger_entries e
    join accounts d on d.merchant_id = e.merchant_id and d.id = e.debit_account
    join accounts c on c.merchant_id = e.merchant_id and c.id = e.credit_account
   where e.cause_kind = 'RESOLUTION' and e.cause_id = ${incident}`

/** In the merchant's own books: what had been booked as paid to the bank, and under its name. */
async function expectUndone(shop: Settler, { reference, net_amount }: Json): Promise<void> {
  expect(await legsToday(app, shop, 'RESOLUTION')).toEqual([
    `${reference} Dr 552 ${net_amount}`,
    `${reference} Cr 521 ${net_amount}`,
  ])
  expect(await leftToday(app, shop, '521')).toBe(0)
  expect(await leftToday(app, shop, '4711')).toBe(0)
}

describe('a settlement that staff say has come back', () => {
  it.each([
    ['bank', 'bank'],
    ['10', 'gateway'],
  ] as const)('by %s is the merchant’s again when another confirms', async (to, source) => {
    const { shop, id, net } = await paidOut(to)
    const declared = await declare(first, id)
    expect([declared.status, declared.data]).toMatchObject([
      201,
      {
        type: 'RETURNED',
        status: 'OPEN',
        amount: net,
        resolution: 'CREDIT_MERCHANT',
        resolution_note: note,
        proposed_by: first.person_id,
      },
    ])
    const incident = declared.data.id
    expect(answerOf(await confirm(first, incident))).toEqual([409, 'second_person_required'])
    expect(await shop.sums()).toEqual(['90000.00', '0.00'])
    expect(await bookedFor(incident)).toEqual([])
    expect(await brokenLaws(app)).toEqual([])
    const both = await Promise.all(Array.from({ length: 10 }, () => confirm(second, incident)))
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await shop.sums()).toEqual([more(net), '0.00'])
    expect(await bookedFor(incident)).toEqual([
      { debit: source, credit: 'available', amount: BigInt(Number(net)) },
    ])
    const now = await shop.settlement(id)
    expect(now).toMatchObject({ status: 'SUCCESS', returned_at: expect.any(String) })
    await expectUndone(shop, now)
    const { groups } = (await shop.get(`/search/?q=${now.reference}`)).data
    expect(groups).toMatchObject([{ results: [{ id, status: 'RETURNED' }] }])
    const events = await eventsOf(app, id)
    expect(events.filter(({ type }) => type === 'settlement.returned')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({
      type: 'settlement.returned',
      data: { id, status: 'SUCCESS', returned_at: now.returned_at, net_amount: net },
    })
    expect(events.at(-1)?.data.version).toBeGreaterThan(events.at(-2)?.data.version)
    // What is published of it shows the same, name by name.
    expect(formOf(examplePayloads['settlement.returned'])).toEqual(formOf(events.at(-1)?.data))
  })

  it('is declared once, of ten who do at the same time, and leaves one line', async () => {
    const { id } = await paidOut('bank')
    const replies = await Promise.all(Array.from({ length: 10 }, () => declare(first, id)))
    expect(replies.map(answerOf).toSorted()).toEqual([
      [201, undefined],
      ...Array(9).fill([409, 'settlement_return_known']),
    ])
    const acts: Json = await app.owner`
      select action, actor_id, after->>'note' as note from audit_logs
       where target_id = ${id} and action like 'settlement.return%'`
    expect(acts).toEqual([
      { action: 'settlement.return_declared', actor_id: first.person_id, note },
    ])
  })

  it('and has not, is resolved as such: nothing is booked', async () => {
    const { shop, id, net } = await paidOut('bank')
    const { data } = await declare(first, id)
    const request = { resolution: 'RECOVERED', amount: net, note: 'Another’s' }
    expect((await second.post(`/admin/incidents/${data.id}/resolve/`, request)).status).toBe(200)
    expect(answerOf(await confirm(second, data.id))).toEqual([409, 'second_person_required'])
    expect((await confirm(first, data.id, 'RECOVERED')).data.status).toBe('RESOLVED')
    expect(await shop.sums()).toEqual(['90000.00', '0.00'])
    expect(await bookedFor(data.id)).toEqual([])
    expect((await shop.settlement(id)).returned_at).toBeNull()
    const wrong = await first.post(`/admin/incidents/${data.id}/resolve/`, request)
    expect(answerOf(wrong)).toEqual([409, 'incident_resolved'])
  })

  it('and had not, may come back truly afterwards: that is declared once, and theirs', async () => {
    const { shop, id, net } = await paidOut('bank')
    const slip = (await declare(first, id)).data.id
    await foundWrong(slip, net)
    const both = await Promise.all([declare(first, id), declare(first, id)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409])
    const { data } = both.find(({ status }) => status === 201) ?? both[0]
    expect(data.id).not.toBe(slip)
    expect(answerOf(await declare(first, id))).toEqual([409, 'settlement_return_known'])
    expect((await confirm(second, data.id, 'CREDIT_MERCHANT')).data.status).toBe('RESOLVED')
    expect(await shop.sums()).toEqual([more(net), '0.00'])
    expect((await shop.settlement(id)).returned_at).toEqual(expect.any(String))
    expect(answerOf(await declare(first, id))).toEqual([409, 'settlement_return_known'])
  })

  it('can only be found to be theirs, or not to have come back; and its amount is its own', async () => {
    const { id, net } = await paidOut('bank')
    const { data } = await declare(first, id)
    const resolve = (changes: object) =>
      first.post(`/admin/incidents/${data.id}/resolve/`, {
        resolution: 'RECOVERED',
        amount: net,
        note,
        ...changes,
      })
    for (const resolution of ['CHARGE_MERCHANT', 'REFUND_PAYER', 'WRITE_OFF']) {
      expect(Object.keys((await resolve({ resolution })).error)).toEqual(['resolution'])
    }
    expect(Object.keys((await resolve({ amount: '1' })).error)).toEqual(['amount'])
  })
})

describe('a settlement that its operator takes back', () => {
  /** They say so when we ask. */
  async function takenBack({ merchant_id }: Settler, id: string, known = 1): Promise<Json> {
    const [attempt] = await app.owner`select id from attempts where settlement_id = ${id}`
    await applyAnswer({ db: app.service.db, wake: () => undefined }, settlementPurpose, {
      merchant_id,
      attempt_id: attempt?.['id'],
      answer: refusedBy('gateway'),
      hash: Buffer.alloc(32),
      triggered_by: 'POLLER',
      evidence_kind: 'STATUS_ANSWER',
      request_id: 'test',
      status_at_query: 'SUCCESS',
      gateway: { create_is_idempotent: true, not_found_grace_s: 900 },
    })
    const rows = await app.owner`
      select id, type, suspense_side, (amount / 100)::text as amount from incidents
       where settlement_id = ${id} and merchant_id = ${merchant_id} order by created_at, id`
    expect(rows).toHaveLength(known)
    return rows.at(-1)
  }

  it.each([
    ['CREDIT_MERCHANT', 'available', true],
    ['RECOVERED', 'gateway', false],
  ])('waits in suspense until two people say %s', async (resolution, credit, isHis) => {
    const { shop, id, net } = await paidOut('10')
    const incident = await takenBack(shop, id)
    expect(incident).toMatchObject({ type: 'RETURNED', suspense_side: 'CREDIT' })
    expect(await shop.sums()).toEqual(['90000.00', '0.00'])
    expect(await brokenLaws(app)).toEqual([])
    expect(answerOf(await declare(first, id))).toEqual([409, 'settlement_return_known'])
    const request = { resolution, amount: incident.amount, note }
    expect((await first.post(`/admin/incidents/${incident.id}/resolve/`, request)).status).toBe(200)
    expect((await confirm(second, incident.id)).data.status).toBe('RESOLVED')
    expect(await bookedFor(incident.id)).toMatchObject([{ debit: 'suspense', credit }])
    expect(await shop.sums()).toEqual([isHis ? more(net) : '90000.00', '0.00'])
    const types = (await eventsOf(app, id)).map(({ type }) => type)
    expect(types.includes('settlement.returned')).toBe(isHis)
    const now = await shop.settlement(id)
    expect(now.returned_at !== null).toBe(isHis)
    expect(await brokenLaws(app)).toEqual([])
    if (isHis) await expectUndone(shop, now)
    else expect(await legsToday(app, shop, 'RESOLUTION')).toEqual([])
  })

  it('after staff had said so by mistake is known, however often it is said, and theirs', async () => {
    const { shop, id, net } = await paidOut('10')
    await foundWrong((await declare(first, id)).data.id, net)
    for (const _again of [1, 2]) await takenBack(shop, id, 2)
    const incident = await takenBack(shop, id, 2)
    expect(incident).toMatchObject({ type: 'RETURNED', suspense_side: 'CREDIT' })
    const request = { resolution: 'CREDIT_MERCHANT', amount: incident.amount, note }
    expect((await first.post(`/admin/incidents/${incident.id}/resolve/`, request)).status).toBe(200)
    expect((await confirm(second, incident.id)).data.status).toBe('RESOLVED')
    expect(await shop.sums()).toEqual([more(net), '0.00'])
    await takenBack(shop, id, 2)
  })

  it('after staff have said so opens nothing more', async () => {
    const { shop, id, net } = await paidOut('10')
    const { data } = await declare(first, id)
    const [known] = [await takenBack(shop, id)]
    expect(known).toMatchObject({ id: data.id, suspense_side: null })
    await confirm(second, data.id)
    await takenBack(shop, id)
    expect(await shop.sums()).toEqual([more(net), '0.00'])
  })

  it('while staff had said so by mistake is asked again once that is known', async () => {
    const { shop, id, net } = await paidOut('10')
    const [attempt] = await app.owner`select id from attempts where settlement_id = ${id}`
    const slip = (await declare(first, id)).data.id
    await reversedThere(app, attempt?.['id'])
    // It is the same money by all that is known yet, and asked about no more.
    await takenBack(shop, id)
    await app.owner`update attempts set due_at = null where id = ${attempt?.['id']}`
    await foundWrong(slip, net)
    const [found] = await eventually(async () => {
      const rows = await app.owner`
        select suspense_side, follows from incidents
         where settlement_id = ${id} and status = 'OPEN'`
      expect(rows).toHaveLength(1)
      return rows
    }, 20_000)
    expect(found).toEqual({ suspense_side: 'CREDIT', follows: slip })
  })
})

describe('who and what is refused', () => {
  it('a settlement that has not succeeded cannot come back', async () => {
    const shop = await richSettler(app)
    const { data: waiting } = await shop.settle('bank')
    const { data: sent } = await shop.settle('04')
    await first.post(`/admin/settlements/${sent.id}/approve/`)
    const { data: cancelled } = await shop.settle('bank')
    await shop.post(`/settlements/${cancelled.id}/cancel/`)
    for (const { id } of [waiting, sent, cancelled]) {
      expect(answerOf(await declare(first, id))).toEqual([409, 'settlement_not_paid'])
    }
  })

  it('only those who approve settlements say it, with a note, of one that is there', async () => {
    const { shop, id } = await paidOut('bank')
    expect(answerOf(await declare(second, id))).toEqual([403, 'permission_denied'])
    expect((await shop.post(`/admin/settlements/${id}/return/`, { note })).status).toBe(403)
    for (const body of [{}, { note: '' }, { note: '  ' }, { note: 'x'.repeat(1001) }]) {
      const { status, error } = await declare(first, id, body)
      expect([status, Object.keys(error)]).toEqual([400, ['note']])
    }
    const live = { 'x-environment': 'LIVE' }
    const elsewhere = await first.post(`/admin/settlements/${id}/return/`, { note }, live)
    expect(answerOf(elsewhere)).toEqual([404, 'not_found'])
    for (const unknown of [randomUUID(), 'x']) {
      expect(answerOf(await declare(first, unknown))).toEqual([404, 'not_found'])
    }
  })
})
