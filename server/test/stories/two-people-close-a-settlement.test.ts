// A settlement that its operator never told about is ended by two people with proof, and so is what
// an operator contradicted: one person alone, or twice, ends nothing, and the books agree after each.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, type Json, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { attemptsOf, brokenLaws, eventsOf, richSettler } from '../setup/settling.ts'

let app: TestApp
let first: SignedInCaller
let second: SignedInCaller
beforeAll(async () => {
  // Slow enough that we ask about a refusal before the operator takes it back, on a busy machine.
  app = await startApp({ speed: 0.4 })
  first = await app.staff({ role: 'FINANCE' })
  second = await app.staff({ role: 'OPERATIONS' })
})
afterAll(async () => {
  const broken = await brokenLaws(app)
  await app.stop()
  expect(broken).toEqual([])
})

const incidentOf = (id: string, type: string): Promise<Json> =>
  eventually(async () => {
    const [row] = await app.owner`
      select id, type, amount / 100 as amount from incidents
       where settlement_id = ${id} and type = ${type}`
    if (row === undefined) throw new Error('no incident')
    return row
  })

const propose = (by: SignedInCaller, incident: Json, resolution: string) =>
  by.post(`/admin/incidents/${incident.id}/resolve/`, {
    resolution,
    amount: String(incident.amount),
    note: 'The operator’s letter of today.',
  })
const confirm = (by: SignedInCaller, incident: Json, resolution?: string) =>
  by.post(`/admin/incidents/${incident.id}/confirm/`, { resolution })

/** At an operator who waits, and whom nobody will ask any more. */
async function unknown() {
  const shop = await richSettler(app)
  const { data } = await shop.settle('04')
  await first.post(`/admin/settlements/${data.id}/approve/`)
  await app.owner`
    update attempts set asking_until = now() - interval '1 s', due_at = now() - interval '1 second', asked_at = null
     where settlement_id = ${data.id}`
  return { shop, id: String(data.id), incident: await incidentOf(data.id, 'OUTCOME_UNKNOWN') }
}

describe('a settlement nobody knows of', () => {
  it.each([
    ['was paid', 'CHARGE_MERCHANT', 'SUCCESS', ['90000.00', '0.00']],
    ['was not paid', 'CREDIT_MERCHANT', 'FAILED', ['100000.00', '0.00']],
  ])('%s, by the word of two', async (_what, resolution, status, sums) => {
    const { shop, id, incident } = await unknown()
    expect((await propose(first, incident, resolution)).status).toBe(200)
    const alone = await confirm(first, incident)
    expect([alone.status, alone.error.code]).toEqual([409, 'second_person_required'])
    expect((await shop.settlement(id)).status).toBe('PROCESSING')
    expect(await shop.sums()).toEqual(['90000.00', '10000.00'])
    const both = await Promise.all(Array.from({ length: 5 }, () => confirm(second, incident)))
    expect(both.filter((reply) => reply.status === 200)).toHaveLength(1)
    expect((await shop.settlement(id)).status).toBe(status)
    expect(await shop.sums()).toEqual(sums)
    const [attempt] = await attemptsOf(app, id)
    expect(attempt?.status).toBe(status)
    const events = await eventsOf(app, id)
    expect(events.at(-1)?.type).toBe(`settlement.${status.toLowerCase()}`)
    expect(await brokenLaws(app)).toEqual([])
  })

  it('that its operator ended meanwhile is not ended a second time', async () => {
    const { shop, id, incident } = await unknown()
    await propose(first, incident, 'CREDIT_MERCHANT')
    await shop.post(`/sandbox/settlements/${id}/resolve/`, { outcome: 'SUCCESS' })
    const late = await confirm(second, incident)
    expect([late.status, late.error.code]).toEqual([409, 'outcome_known'])
    expect((await shop.settlement(id)).status).toBe('SUCCESS')
    expect(await shop.sums()).toEqual(['90000.00', '0.00'])
    // What is known needs no proof any more: two people say so, and nothing is booked.
    expect((await propose(first, incident, 'RECOVERED')).status).toBe(200)
    expect((await confirm(second, incident, 'RECOVERED')).data.status).toBe('RESOLVED')
    expect(await shop.sums()).toEqual(['90000.00', '0.00'])
  })

  it('and was closed as paid is contradicted by no late word of the operator', async () => {
    const { shop, id, incident } = await unknown()
    await propose(first, incident, 'CHARGE_MERCHANT')
    await confirm(second, incident)
    const late = await shop.post(`/sandbox/settlements/${id}/resolve/`, { outcome: 'SUCCESS' })
    expect([late.status, late.error.code]).toEqual([409, 'transaction_terminal'])
    expect(await shop.sums()).toEqual(['90000.00', '0.00'])
  })
})

describe('a settlement that was paid after its release', () => {
  it.each([
    ['CHARGE_MERCHANT', ['90000.00', '0.00']],
    ['RECOVERED', ['100000.00', '0.00']],
    ['WRITE_OFF', ['100000.00', '0.00']],
  ])('ends as %s, and its suspense is empty', async (resolution, sums) => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('09')
    await first.post(`/admin/settlements/${data.id}/approve/`)
    const incident = await incidentOf(data.id, 'PAID_AFTER_RELEASE')
    expect(await shop.sums()).toEqual(['100000.00', '0.00'])
    expect((await propose(first, incident, resolution)).status).toBe(200)
    expect((await confirm(second, incident)).data.status).toBe('RESOLVED')
    expect(await shop.sums()).toEqual(sums)
    expect((await shop.settlement(data.id)).status).toBe('FAILED')
    expect(await brokenLaws(app)).toEqual([])
  })
})
