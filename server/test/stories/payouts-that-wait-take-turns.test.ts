// Payouts that wait are looked at by turns: a merchant who has many of them, or whose balance is
// frozen, holds up nobody else's, and SANDBOX does not hold up LIVE. Each look in vain makes the
// next one later; who makes room makes it due at once. Without workers: the test itself claims.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { inTransaction } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import {
  claimDueWaits,
  type DueWait,
  hastenWaits,
  mayLeave,
  noteWaiting,
  putWaitOff,
} from '../../src/transactions/wait-statements.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { plantAttempt, plantMark, plantTransaction } from '../setup/transaction-rows.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
beforeEach(() => database.owner`delete from payout_waits`)
afterAll(() => database.drop())

type Environment = 'SANDBOX' | 'LIVE'
type Owner = Readonly<{ merchant_id: string; environment: Environment }>

async function newOwner(environment: Environment, is_frozen = false): Promise<Owner> {
  const merchant_id = newId()
  const merchant = { id: merchant_id, name: 'Waits', live_enabled: environment === 'LIVE' }
  await database.owner`insert into merchants ${database.owner(merchant)}`
  await database.owner`
    insert into balances ${database.owner({
      ...{ merchant_id, environment, is_frozen, id: newId() },
      ...{ country: 'SN', currency: 'XOF' },
    })}`
  return { merchant_id, environment }
}

/** A payout that waits, due for so many seconds. */
async function plantWait(owner: Owner, due_s: number, reason = 'GATEWAY_FLOAT'): Promise<string> {
  const { merchant_id, environment } = owner
  const changes = { environment, transaction_type: 'RETRAIT' }
  const { id } = await plantTransaction(database.owner, merchant_id, changes)
  const due_at = new Date(Date.now() - due_s * 1000)
  const row = { merchant_id, transaction_id: id, environment, reason, due_at }
  await plantMark(database.owner, 'payout_waits', row)
  return id
}

/** As many as that, the same payout again and again but for its id. */
async function plantWaits(owner: Owner, count: number, due_s: number): Promise<void> {
  const { owner: sql } = database
  const id = await plantWait(owner, due_s)
  const own: Record<string, string> = {
    id: 'gen_random_uuid()',
    reference: `'TXN-' || gen_random_uuid()`,
  }
  const columns = await sql<{ name: string }[]>`
    select column_name as name from information_schema.columns
     where table_name = 'transactions' and is_generated = 'NEVER'`
  const names = columns.map(({ name }) => name)
  await sql.unsafe(
    `insert into transactions (${names})
     select ${names.map((name) => own[name] ?? name)}
       from transactions, generate_series(2, ${count}) where id = '${id}'`,
  )
  await sql`
    insert into payout_waits (merchant_id, transaction_id, environment, reason, due_at)
    select merchant_id, id, environment, 'GATEWAY_FLOAT', now() - ${due_s} * interval '1 second'
      from transactions t
     where merchant_id = ${owner.merchant_id} and environment = ${owner.environment}
       and not exists (select 1 from payout_waits w where w.transaction_id = t.id)`
}

const claim = (limit = 20) => claimDueWaits(database.owner, limit)
const idsOf = (due: readonly DueWait[]) => due.map(({ transaction_id }) => transaction_id)
const of = (due: readonly DueWait[], { merchant_id }: Owner) =>
  due.filter((one) => one.merchant_id === merchant_id)

it('the first of each merchant and environment before the second of any, LIVE before SANDBOX', async () => {
  const [many, second, live] = [
    await newOwner('SANDBOX'),
    await newOwner('SANDBOX'),
    await newOwner('LIVE'),
  ]
  await plantWaits(many, 60, 3600)
  const of_second = [await plantWait(second, 2), await plantWait(second, 1)]
  const of_live = [await plantWait(live, 2), await plantWait(live, 1)]
  expect(idsOf(await claim(1))).toEqual([of_live[0]])
  const next = await claim(3)
  expect(new Set(idsOf(next))).toEqual(
    new Set([of_live[1], of_second[0], ...idsOf(of(next, many))]),
  )
  expect(of(next, many)).toHaveLength(1)
  const rest = await claim()
  expect(of(rest, second)).toHaveLength(1)
  expect(of(rest, many)).toHaveLength(19)
})

it('whom staff have stopped sends nothing: suspended anywhere, sent back to the sandbox in LIVE', async () => {
  const [suspended, rejected, sandbox] = [
    await newOwner('SANDBOX'),
    await newOwner('LIVE'),
    await newOwner('SANDBOX'),
  ]
  const waits = [await plantWait(suspended, 9), await plantWait(rejected, 9)]
  const free = await plantWait(sandbox, 9)
  const change = (to: 'stopped' | 'on') => database.owner`
    update merchants
       set status = case when id = ${suspended.merchant_id} and ${to} = 'stopped'
                         then 'SUSPENDED' else 'ACTIVE' end,
           live_enabled = id = ${rejected.merchant_id} and ${to} = 'on'`
  const mayGo = async ({ merchant_id, environment }: Owner, transaction_id: string) =>
    inTransaction(database.owner, (tx) =>
      mayLeave(tx, { merchant_id, transaction_id, environment }),
    )
  const may = () => Promise.all([mayGo(suspended, waits[0] ?? ''), mayGo(rejected, waits[1] ?? '')])
  await change('stopped')
  expect(idsOf(await claim())).toEqual([free])
  expect(await may()).toEqual([false, false])
  await change('on')
  expect(new Set(idsOf(await claim()))).toEqual(new Set(waits))
  expect(await may()).toEqual([true, true])
})

it('thousands of one merchant hide nobody’s, due for as long or a moment ago', async () => {
  const [many, other, frozen] = [
    await newOwner('SANDBOX'),
    await newOwner('SANDBOX'),
    await newOwner('SANDBOX', true),
  ]
  await plantWaits(frozen, 3_000, 7_200)
  await plantWaits(many, 5_000, 3600)
  const [late, early] = [await plantWait(other, 1), await plantWait(other, 9_999)]
  const first = await claim(2)
  expect(idsOf(of(first, other))).toEqual([early])
  expect(idsOf(of(await claim(2), other))).toEqual([late])
  // What was claimed is not there again a moment later, and what is frozen never was.
  const more = await claim(1_000)
  expect(of(more, many)).toHaveLength(1_000)
  expect(new Set(idsOf([...first, ...more])).size).toBe(first.length + 1_000)
})

it('two who claim at the same moment share what is due', async () => {
  const owners = await Promise.all([1, 2, 3].map(() => newOwner('SANDBOX')))
  for (const owner of owners) await plantWaits(owner, 20, 60)
  const claims = await Promise.all([claim(), claim(), claim()])
  const ids = claims.flatMap(idsOf)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.length).toBe(60)
})

it('one that has perhaps been paid is looked at no more than every five minutes', async () => {
  const owner = await newOwner('SANDBOX')
  const [asked, free] = [await plantWait(owner, 9), await plantWait(owner, 1)]
  await plantAttempt(
    database.owner,
    { merchant_id: owner.merchant_id, id: asked },
    { direction: 'DISBURSE', status: 'FAILED', due_at: new Date() },
  )
  const due = await claim()
  expect(due.map(({ transaction_id, may_leave }) => [transaction_id, may_leave])).toEqual(
    expect.arrayContaining([
      [asked, false],
      [free, true],
    ]),
  )
  expect(step(await inS(asked))).toBe(300)
  expect(step(await inS(free))).toBe(30)
})

async function inS(id: string): Promise<number> {
  const [row] = await database.owner<{ s: number }[]>`
    select round(extract(epoch from due_at - now()))::int as s from payout_waits
     where transaction_id = ${id}`
  return row?.s ?? 0
}

async function claimOne(id: string): Promise<DueWait> {
  await database.owner`
    update payout_waits set due_at = now() - interval '1 second' where transaction_id = ${id}`
  const [due] = await claim(1)
  if (due === undefined) throw new Error('nothing was due')
  return due
}

/** As it was set, however long ago: a busy machine looks later. */
const step = (s: number) => Math.ceil(s / 30) * 30

type Look = Readonly<{ reason: 'GATEWAY_FLOAT' | 'NO_ROUTE' | 'GATEWAY_CLOSED'; opens_ms?: number }>

const noted = async (id: string, { reason, opens_ms }: Look): Promise<number> => {
  const look = { reason, passed_over: [], opens_ms: opens_ms ?? null }
  await noteWaiting(database.owner, await claimOne(id), look)
  return inS(id)
}

it('each look in vain for the same makes the next later, four minutes at most', async () => {
  const id = await plantWait(await newOwner('SANDBOX'), 1)
  const float = { reason: 'GATEWAY_FLOAT' } as const
  const steps = []
  for (let look = 0; look < 6; look += 1) steps.push(step(await noted(id, float)))
  expect(steps).toEqual([30, 60, 120, 240, 240, 240])
  // For something else it has not waited yet.
  expect(step(await noted(id, { reason: 'NO_ROUTE' }))).toBe(30)
  expect(step(await noted(id, { reason: 'NO_ROUTE' }))).toBe(60)
})

it('one that waits for an opening is looked at when it opens', async () => {
  const id = await plantWait(await newOwner('SANDBOX'), 1, 'GATEWAY_CLOSED')
  const closed = (in_s: number) =>
    noted(id, { reason: 'GATEWAY_CLOSED', opens_ms: Date.now() + in_s * 1000 })
  const soon = await closed(12)
  expect(soon).toBeGreaterThanOrEqual(5)
  expect(soon).toBeLessThanOrEqual(13)
  expect(step(await closed(9_999))).toBe(60)
  // It should be open already: whoever looked has another clock.
  const open = await closed(-60)
  expect(open).toBeLessThanOrEqual(1)
  expect(open).toBeGreaterThan(-20)
})

it('room that is made while a look is under way is not forgotten for what the look saw before', async () => {
  const owner = await newOwner('SANDBOX')
  const id = await plantWait(owner, 1)
  const room = { environment: 'SANDBOX', country: 'SN', waited_for: 'GATEWAY_FLOAT' } as const
  const looks = [
    (due: DueWait) =>
      noteWaiting(database.owner, due, {
        ...{ reason: 'GATEWAY_FLOAT', passed_over: [], opens_ms: null },
      }),
    (due: DueWait) => putWaitOff(database.owner, due, 'FAILED'),
  ]
  for (const look of looks) {
    const due = await claimOne(id)
    expect(await hastenWaits(database.owner, room)).toBe(1)
    await look(due)
    expect(await inS(id)).toBeLessThanOrEqual(0)
    expect(idsOf(await claim())).toEqual([id])
  }
})
