// One customer for one phone, whatever is written at the same moment; and an existing customer
// stays as the merchant knows them (contract 5.3).

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Db, openDb, retryOnDeadlock } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { composed, oneRow, part } from '../platform/sql.ts'
import { type CustomerFacts, upsertCustomers } from './statements.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  db = openDb({ ...database.options, ...name, connections_max: 25, durable: false })
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

type Facts = Omit<CustomerFacts, 'gate_id'>

const facts = (changes: Partial<Facts> = {}): Facts => ({
  id: newId(),
  merchant_id: newId(),
  environment: 'SANDBOX',
  phone: '+221770000001',
  email: 'awa@example.test',
  first_name: 'Awa',
  last_name: 'Diop',
  ...changes,
})

/** The ids the statement answers: one when the gate is open. */
async function upsert(customer: Facts, open = true): Promise<string[]> {
  const gate_id = newId()
  const when = part('opened', db`opened as (select ${gate_id}::uuid as id where ${open})`)
  const parts = [when, upsertCustomers(db, [{ ...customer, gate_id }], { when })]
  const last = db`select customer_id as id from customer where id = ${gate_id}`
  const rows = await retryOnDeadlock(() => composed(db, parts, last))
  return rows.map((row) => String(row['id']))
}

const rowsOf = ({ merchant_id }: Facts) => db`
  select id, environment, phone, email, first_name, last_name from customers
   where merchant_id = ${merchant_id} order by id`

describe('a customer with a phone', () => {
  it('is made with what the merchant said of them', async () => {
    const awa = facts()
    expect(await upsert(awa)).toEqual([awa.id])
    const { merchant_id: _merchant, ...row } = awa
    expect(await rowsOf(awa)).toEqual([row])
  })

  it('is found by it, whatever else is said, and left as they are', async () => {
    const awa = facts()
    await upsert(awa)
    const before = await db`
      select id, email, first_name, last_name, created_at, updated_at from customers
       where merchant_id = ${awa.merchant_id}`
    const other = { first_name: 'Other', last_name: 'Name', email: 'other@example.test' }
    expect(await upsert({ ...awa, ...other, id: newId() })).toEqual([awa.id])
    const after = await db`
      select id, email, first_name, last_name, created_at, updated_at from customers
       where merchant_id = ${awa.merchant_id}`
    expect([...after]).toEqual([...before])
  })

  it('is not found by their e-mail under another phone: that is somebody else', async () => {
    const awa = facts()
    await upsert(awa)
    const sister = { ...awa, id: newId(), phone: '+221770000002' }
    expect(await upsert(sister)).toEqual([sister.id])
    expect(await rowsOf(awa)).toHaveLength(2)
  })

  it('is another one for another merchant, and in the other environment', async () => {
    const awa = facts()
    const live = { ...awa, id: newId(), environment: 'LIVE' as const }
    const elsewhere = { ...awa, id: newId(), merchant_id: newId() }
    for (const one of [awa, live, elsewhere]) expect(await upsert(one)).toEqual([one.id])
  })
})

describe('a customer without a phone', () => {
  const byMail = (changes: Partial<Facts> = {}) => facts({ phone: null, ...changes })

  it('is found by their e-mail and left as they are', async () => {
    const awa = byMail()
    expect(await upsert(awa)).toEqual([awa.id])
    expect(await upsert({ ...awa, id: newId(), first_name: 'Other' })).toEqual([awa.id])
    expect(await rowsOf(awa)).toMatchObject([{ first_name: 'Awa' }])
  })

  it('is not the one who has a phone and the same e-mail, nor the other way about', async () => {
    const phoned = facts()
    const mailed = { ...phoned, id: newId(), phone: null }
    expect(await upsert(phoned)).toEqual([phoned.id])
    expect(await upsert(mailed)).toEqual([mailed.id])
    expect(await upsert({ ...phoned, id: newId() })).toEqual([phoned.id])
    expect(await upsert({ ...mailed, id: newId() })).toEqual([mailed.id])
  })

  it('50 at the same time with one e-mail make one, and all get their id', async () => {
    const awa = byMail()
    await expectOneOf(Array.from({ length: 50 }, () => ({ ...awa, id: newId() })))
  })
})

describe('at the same moment', () => {
  it('50 with one phone make one, and all get their id', async () => {
    const awa = facts()
    await expectOneOf(
      Array.from({ length: 50 }, (_, at) => ({ ...awa, id: newId(), first_name: `Awa ${at}` })),
    )
  })

  it('a rival who is undone leaves the customer to the one who waited', async () => {
    const awa = facts()
    const second = { ...awa, id: newId() }
    let waiting: Promise<string[]> | undefined
    const undone = db.begin(async (tx) => {
      const gate_id = newId()
      const when = oneRow(tx, 'opened', gate_id)
      const parts = [when, upsertCustomers(tx, [{ ...awa, gate_id }], { when })]
      await composed(tx, parts, tx`select id from customer`)
      waiting = upsert(second)
      await untilWaiting()
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await waiting).toEqual([second.id])
  })

  /** Until some statement of this database waits for another. */
  async function untilWaiting(): Promise<void> {
    for (;;) {
      const rows = await database.owner`
        select 1 from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`
      if (rows.length > 0) return
    }
  }
})

async function expectOneOf(rivals: Facts[]): Promise<void> {
  const answers = await Promise.all(rivals.map((one) => upsert(one)))
  const ids = new Set(answers.flat())
  expect(answers.every((ids) => ids.length === 1)).toBe(true)
  expect(ids.size).toBe(1)
  const [first] = rivals
  const rows = first === undefined ? [] : await rowsOf(first)
  expect(rows.map((row) => row['id'])).toEqual([...ids])
}

describe('the gate', () => {
  it('without a row makes nobody and finds nobody', async () => {
    const awa = facts()
    expect(await upsert(awa, false)).toEqual([])
    expect(await rowsOf(awa)).toHaveLength(0)
    await upsert(awa)
    expect(await upsert(awa, false)).toEqual([])
  })
})
