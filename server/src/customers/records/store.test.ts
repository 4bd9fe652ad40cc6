// The search of customers is exact, whether they have a search row already or none yet, and a
// payment writes nothing for it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import { systemActor } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { createMerchant } from '../../merchants/merchant.ts'
import { type Db, inTransaction, openDb, type Sql } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import { composed, oneRow } from '../../platform/sql.ts'
import { indexChanged, indexCustomers } from '../search/index-customers.ts'
import { upsertCustomers } from '../statements.ts'
import {
  type CustomerSortField,
  customerSortFields,
  deleteCustomer,
  listCustomers,
  lockCustomer,
  updateCustomer,
} from './store.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  db = openDb({ ...database.options, ...name, connections_max: 6, durable: false })
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

const newMerchant = async () => (await createMerchant(db, { name: 'Chez Awa' })).id

let phones = 0

/** As a payment makes a customer. */
async function paid(
  merchant_id: string,
  full_name: string,
  { environment = 'SANDBOX', sql = db, id = newId() }: Paid = {},
): Promise<string> {
  phones += 1
  const phone = `+22177${String(phones).padStart(7, '0')}`
  const [first_name = '', last_name = ''] = full_name.split(' ')
  const facts = { id, merchant_id, environment, phone, email: null, first_name, last_name }
  const gate_id = newId()
  const when = oneRow(sql, 'open_gate', gate_id)
  const parts = [when, upsertCustomers(sql, [{ ...facts, gate_id }], { when })]
  await composed(sql, parts, sql`select customer_id from customer`)
  return id
}
type Paid = Readonly<{ environment?: Environment; sql?: Sql; id?: string }>

const index = async () => {
  const job = indexCustomers({ quick: db })
  while ((await job.run({ signal: new AbortController().signal })) === 'more');
}

/** All that was is five minutes older; then the job runs. */
async function minutesPass(): Promise<void> {
  await db`update customers set created_at = created_at - interval '5 minutes'`
  await db`update customer_search_marks set made_at = made_at - interval '5 minutes'`
  await index()
}

type Asked = Readonly<{
  environment?: Environment
  field?: CustomerSortField
  descending?: boolean
  limit?: number
  offset?: number
  many?: number
}>

const list = (merchant_id: string, search: string, asked: Asked = {}) => {
  const { environment = 'SANDBOX', field = 'created_at', descending = true } = asked
  const { limit = 100, offset = 0 } = asked
  const order = { field, descending }
  const sought = { merchant_id, environment, search }
  return listCustomers(db, sought, { is: 'number', order, limit, offset }, asked.many)
}

async function found(merchant_id: string, search: string, asked: Asked = {}): Promise<string[]> {
  const { count, rows } = await list(merchant_id, search, asked)
  const ids = rows.map(({ id }) => id)
  expect([count, new Set(ids).size]).toEqual([ids.length, ids.length])
  return ids
}

const indexed = async (merchant_id: string): Promise<string[]> => {
  const rows = await db`select id from customer_search where merchant_id = ${merchant_id}`
  return rows.map((row) => String(row['id']))
}

const calledNow = (name: string) => ({
  ...{ phone: null, country: null, email: `${name}@example.test`.toLowerCase() },
  ...{ first_name: name, last_name: '' },
})

describe('who is found', () => {
  it('is whoever says it, some with a search row and some too new for one, on every page', async () => {
    const merchant_id = await newMerchant()
    const names = ['Awa Diop', 'Kofi Awale', 'Ama Mensah', 'Hawa Sow', 'Awa Ba', 'Yao 5%', 'Yao 5_']
    const ids: string[] = []
    for (const name of names) ids.push(await paid(merchant_id, name))
    await minutesPass()
    expect(await indexed(merchant_id)).toHaveLength(names.length)
    for (const name of ['Awa Zinsou', 'Kofi Ly', 'Zawadi Awa']) {
      ids.push(await paid(merchant_id, name))
    }
    await index()
    expect(await indexed(merchant_id)).toHaveLength(names.length)
    // Changed before there is a search row: it is made, and is in both parts of the search.
    await inTransaction(db, (tx) =>
      updateCustomer(tx, { merchant_id, id: ids[8] ?? '' }, calledNow('Awanou')),
    )
    const awas = [0, 1, 3, 4, 7, 8, 9].map((at) => ids[at])
    expect((await found(merchant_id, 'AWA')).toSorted()).toEqual(awas.toSorted())
    for (const field of customerSortFields) {
      for (const descending of [true, false]) {
        const whole = await found(merchant_id, 'awa', { field, descending })
        expect(await found(merchant_id, 'awa', { field, descending, many: 1 })).toEqual(whole)
        const pages: string[] = []
        for (let offset = 0; offset < 8; offset += 2) {
          const page = { field, descending, limit: 2, offset }
          const { count, rows } = await list(merchant_id, 'awa', page)
          expect(count).toBe(7)
          pages.push(...rows.map(({ id }) => id))
        }
        expect(pages).toEqual(whole)
      }
    }
    expect(await found(merchant_id, '')).toHaveLength(10)
    expect(await found(merchant_id, '5%')).toEqual([ids[5]])
    expect(await found(merchant_id, '5_')).toEqual([ids[6]])
    expect(await found(merchant_id, 'a%a')).toEqual([])
  })

  it('is of one merchant and one environment, before the job and after it', async () => {
    const [ours, theirs] = [await newMerchant(), await newMerchant()]
    const sandbox = await paid(ours, 'Awa Diop')
    const live = await paid(ours, 'Awa Diop', { environment: 'LIVE' })
    const other = await paid(theirs, 'Awa Diop')
    for (const pass of [index, minutesPass]) {
      await pass()
      expect(await found(ours, 'awa')).toEqual([sandbox])
      expect(await found(ours, 'awa', { environment: 'LIVE' })).toEqual([live])
      expect(await found(theirs, 'awa')).toEqual([other])
      expect(await found(theirs, 'awa', { environment: 'LIVE' })).toEqual([])
    }
  })

  it('is also who began before the newest that the job has seen, and was committed later', async () => {
    const merchant_id = await newMerchant()
    let [early, late] = ['', '']
    await inTransaction(db, async (tx) => {
      early = await paid(merchant_id, 'Awa Early', { sql: tx })
      late = await paid(merchant_id, 'Awa Late', { sql: database.owner })
      await index()
      expect(await idsBeside(merchant_id)).toEqual([late])
    })
    expect((await found(merchant_id, 'awa')).toSorted()).toEqual([early, late].toSorted())
    await minutesPass()
    expect((await indexed(merchant_id)).toSorted()).toEqual([early, late].toSorted())
    expect((await found(merchant_id, 'awa')).toSorted()).toEqual([early, late].toSorted())
  })

  it('is also whose id was made by a clock minutes behind, and who came after a clock set back', async () => {
    const merchant_id = await newMerchant()
    await paid(merchant_id, 'Kofi Ly')
    await minutesPass()
    const behind = await paid(merchant_id, 'Awa Diop', { id: newId(Date.now() - 3_600_000) })
    expect(await found(merchant_id, 'awa')).toEqual([behind])
    await db`
      update customer_search_marks set made_at = now() + interval '1 day'
       where merchant_id = ${merchant_id}`
    expect(await found(merchant_id, 'awa')).toEqual([behind])
    await index()
    expect(await found(merchant_id, 'awa')).toEqual([behind])
    await minutesPass()
    expect(await indexed(merchant_id)).toContain(behind)
  })
})

/** Found by another connection, while this line of work has a transaction open. */
async function idsBeside(merchant_id: string): Promise<string[]> {
  const { rows } = await list(merchant_id, 'awa')
  return rows.map(({ id }) => id)
}

describe('a search row', () => {
  it('says who they are now, also when the job reads them while they are changed or erased', async () => {
    const merchant_id = await newMerchant()
    const renamed = await paid(merchant_id, 'Awa Diop')
    const erased = await paid(merchant_id, 'Awa Sow')
    await db`
      update customers set created_at = created_at - interval '5 minutes'
       where merchant_id = ${merchant_id}`
    let running: Promise<void> | undefined
    await inTransaction(db, async (tx) => {
      for (const id of [renamed, erased]) await lockCustomer(tx, { merchant_id, id })
      await updateCustomer(tx, { merchant_id, id: renamed }, calledNow('Fatou'))
      await deleteCustomer(tx, { merchant_id, id: erased, is_finished: true })
      running = index()
      await waitsForUs()
    })
    await running
    expect([await found(merchant_id, 'awa'), await found(merchant_id, 'fatou')]).toEqual([
      [],
      [renamed],
    ])
    expect(await wordsOf(merchant_id)).toEqual(['', 'fatou  fatou@example.test'])
  })

  it('is put right when a version that knows none has changed or erased them', async () => {
    const merchant_id = await newMerchant()
    const renamed = await paid(merchant_id, 'Awa Diop')
    const erased = await paid(merchant_id, 'Awa Sow')
    await paid(merchant_id, 'Kofi Ly')
    await minutesPass()
    await database.owner`
      update customers set first_name = 'Fatou' where merchant_id = ${merchant_id}
         and id = ${renamed}`
    await database.owner`
      update customers set deleted_at = now(), phone = null, first_name = '', last_name = ''
       where merchant_id = ${merchant_id} and id = ${erased}`
    for (const [action, target_id] of [
      ['customer.changed', renamed],
      ['customer.deleted', erased],
    ] as const) {
      const of = { merchant_id, environment: 'SANDBOX', actor: systemActor } as const
      const act = { action, target_kind: 'customer' as const, target_id, before: null, after: null }
      await recordAct(db, { ...of, ...act })
    }
    // The customer is not shown, but counted until the search row is put right.
    expect(await list(merchant_id, 'sow')).toEqual({ count: 1, rows: [] })
    expect(await indexChanged(db)).toBe(2)
    expect(await indexChanged(db)).toBe(0)
    expect(await found(merchant_id, 'sow')).toEqual([])
    expect([await found(merchant_id, 'awa'), await found(merchant_id, 'fatou')]).toEqual([
      [],
      [renamed],
    ])
    expect(JSON.stringify(await wordsOf(merchant_id))).not.toContain('sow')
  })

  it('is not a payment’s to write: customers have no index but those of their keys and list', async () => {
    const merchant_id = await newMerchant()
    await paid(merchant_id, 'Awa Diop')
    expect(await indexed(merchant_id)).toEqual([])
    const rows = await database.owner`
      select indexname as name from pg_indexes where tablename = 'customers' order by 1`
    expect(rows.map((row) => row['name'])).toEqual([
      ...['customers_by_email', 'customers_by_phone', 'customers_forgotten'],
      ...['customers_listed', 'customers_pkey'],
    ])
  })
})

async function wordsOf(merchant_id: string): Promise<string[]> {
  const rows = await db`select words from customer_search where merchant_id = ${merchant_id}`
  return rows.map((row) => String(row['words']).trim()).sort()
}

/** Until somebody waits for a row that this line of work holds. */
async function waitsForUs(): Promise<void> {
  for (;;) {
    const rows = await database.owner`
      select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`
    if (rows.length > 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
