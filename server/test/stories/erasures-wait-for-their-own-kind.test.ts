// Erasures wait for their own environment only, and give their turn back between two portions; one
// trace that cannot be removed now holds up no other.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eraseCustomer, reasonTexts } from '../../src/erasure/erase-customer.ts'
import { eraseLateTraces } from '../../src/erasure/late-traces.ts'
import { type Db, openDb } from '../../src/platform/db.ts'
import type { Environment } from '../../src/platform/http/route.ts'
import { newId } from '../../src/platform/ids.ts'
import { eventually } from '../harness.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { openMerchant } from '../setup/open-merchant.ts'
import { someCaller } from '../setup/serve-routes.ts'
import { plantTransaction } from '../setup/transaction-rows.ts'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDb({
    ...database.options,
    connections_max: 8,
    durable: true,
    lock_timeout_ms: 20_000,
    role: 'pirogue_app',
    application_name: 'erasures',
  })
})
afterAll(async () => {
  await db?.end()
  await database?.drop()
})

type Payer = Readonly<{ merchant_id: string; id: string; environment: Environment }>

/** A customer of a merchant of their own, with so many payments in their name. */
async function payer(environment: Environment, payments = 1, status = 'SUCCESS'): Promise<Payer> {
  const { merchant_id } = await openMerchant(database.owner)
  const id = newId()
  const phone = '+22990000001'
  await database.owner`
    insert into customers (merchant_id, id, environment, phone, first_name, last_name)
    values (${merchant_id}, ${id}, ${environment}, ${phone}, 'Awa', 'Diop')`
  const paid = { environment, status, customer_id: id, customer_phone: phone }
  for (let n = 0; n < payments; n += 1) await plantTransaction(database.owner, merchant_id, paid)
  return { merchant_id, id, environment }
}

function erase({ merchant_id, id, environment }: Payer, live_payer_days = 0): Promise<void> {
  const from = { ip: '127.0.0.1', request_id: 'r-test', locale: 'en' } as const
  const caller = { ...someCaller, ...from, merchant_id, environment }
  const keyring = { mac: () => Buffer.alloc(32) }
  return eraseCustomer({ db, keyring, live_payer_days }, caller, id)
}

type Changing = Parameters<Parameters<TestDatabase['owner']['begin']>[1]>[0]

/** Nobody else changes them until `release`; `last` is what is done to them before. */
async function hold(
  table: 'customers' | 'transactions',
  payers: readonly Payer[],
  last: (tx: Changing) => Promise<unknown> = async () => {},
) {
  let release = () => {}
  const until = new Promise<void>((resolve) => {
    release = resolve
  })
  let locked = () => {}
  const held = new Promise<void>((resolve) => {
    locked = resolve
  })
  const over = database.owner.begin(async (tx) => {
    for (const { merchant_id } of payers) {
      await tx`select 1 from ${tx(table)} where merchant_id = ${merchant_id} for update`
    }
    locked()
    await until
    await last(tx)
  })
  await held
  return async () => {
    release()
    await over
  }
}

/** Until somebody has come to what is held. */
const isWaitedFor = () =>
  eventually(async () => {
    const waiting = await database.owner`
      select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`
    expect(waiting.count).toBeGreaterThan(0)
  })

const within = (ms: number, work: Promise<unknown>) =>
  Promise.race([work.then(() => 'done'), sleep(ms, 'waits')])

it('one in LIVE begins while those of SANDBOX wait for what others hold', async () => {
  const slow = await Promise.all([payer('SANDBOX'), payer('SANDBOX'), payer('SANDBOX')])
  const live = await payer('LIVE')
  const release = await hold('customers', slow)
  const erasing = slow.map(erase)
  expect(await within(10_000, erase(live))).toBe('done')
  expect(await within(200, Promise.race(erasing))).toBe('waits')
  await release()
  await Promise.all(erasing)
})

it('a long one lets the next merchant’s in between two of its portions', async () => {
  const [long, short] = [await payer('SANDBOX', 201), await payer('SANDBOX')]
  const release = await hold('transactions', [long])
  const erasing = erase(long)
  expect(await within(10_000, erase(short))).toBe('done')
  expect(await within(200, erasing)).toBe('waits')
  await release()
  await erasing
})

/** A payment of theirs that had failed has succeeded after all, a moment ago. */
const succeeded = (id: string) => (tx: Changing) =>
  tx`
  update transactions set status = 'SUCCESS', created_at = now(), settled_attempt = id
   where id = (select id from transactions where customer_id = ${id} limit 1)`

it('a success that the law keeps by now refuses it, also where it came meanwhile', async () => {
  const one = await payer('LIVE', 1, 'FAILED')
  const release = await hold('transactions', [one], succeeded(one.id))
  const erasing = erase(one, 30).catch((error) => error)
  await isWaitedFor()
  await release()
  expect(await erasing).toMatchObject({ detail: { message: reasonTexts.REQUIRED_BY_LAW } })
})

it('of a long history it is left out, and goes when the law lets it, however late', async () => {
  const one = await payer('LIVE', 201, 'FAILED')
  const release = await hold('transactions', [one], succeeded(one.id))
  const erasing = erase(one, 30)
  await isWaitedFor()
  await release()
  await erasing
  const left = async () => {
    const [row] = await database.owner<{ named: number; is_marked: boolean }[]>`
      select (select count(*)::int from transactions t
               where t.customer_id = c.id and t.customer_phone <> '') as named,
             unfinished_since is not null as is_marked
        from customers c where id = ${one.id}`
    return row
  }
  expect(await left()).toEqual({ named: 1, is_marked: true })
  await database.owner`
    update customers set deleted_at = now() - interval '40 days' where id = ${one.id}`
  await eraseLateTraces({ db, live_payer_days: 30 })
  expect(await left()).toEqual({ named: 1, is_marked: true })
  await eraseLateTraces({ db, live_payer_days: 0 })
  expect(await left()).toEqual({ named: 0, is_marked: false })
})

it('late traces write no search row anew that is as it should be', async () => {
  const { merchant_id, id } = await payer('SANDBOX')
  await database.owner`
    insert into transaction_search (merchant_id, id, environment, created_at, words, status,
      transaction_type, currency, country_code, network_code, members, moments)
    select merchant_id, id, environment, created_at, 'awa diop', status, transaction_type,
           currency, country_code, network_code, array[id], array[created_at]
      from transactions where merchant_id = ${merchant_id}`
  await erase({ merchant_id, id, environment: 'SANDBOX' })
  const found = async () => {
    const [row] = await database.owner<{ version: string; words: string }[]>`
      select xmin::text as version, words from transaction_search
       where merchant_id = ${merchant_id}`
    return row
  }
  const erased = await found()
  expect(erased?.words).not.toContain('awa')
  await eraseLateTraces({ db, live_payer_days: 0 })
  expect(await found()).toEqual(erased)
  // One that was being made from what was there before.
  const wrong = () => database.owner`
    update transaction_search set words = 'awa diop' where merchant_id = ${merchant_id}`
  await wrong()
  await eraseLateTraces({ db, live_payer_days: 0 })
  expect((await found())?.words).toBe(erased?.words)
})

it('a late trace that cannot be removed now holds up no other, whichever comes first', async () => {
  const impatient = openDb({
    ...database.options,
    connections_max: 2,
    durable: true,
    lock_timeout_ms: 200,
    role: 'pirogue_app',
    application_name: 'late-traces',
  })
  const named = async ({ merchant_id }: Payer) => {
    const rows = await database.owner`
      select 1 from transactions where merchant_id = ${merchant_id} and customer_phone <> ''`
    return rows.count
  }
  try {
    for (const bad of [0, 1]) {
      const payers = [await payer('SANDBOX'), await payer('SANDBOX')]
      const ids = payers.map(({ id }) => id)
      await database.owner`
        update customers set deleted_at = now(), phone = null where id = any(${ids}::uuid[])`
      const release = await hold('transactions', payers.slice(bad, bad + 1))
      await expect(eraseLateTraces({ db: impatient, live_payer_days: 0 })).rejects.toThrow(
        /lock timeout/,
      )
      expect(await Promise.all(payers.map(named))).toEqual(bad === 0 ? [1, 0] : [0, 1])
      await release()
      await eraseLateTraces({ db: impatient, live_payer_days: 0 })
      expect(await Promise.all(payers.map(named))).toEqual([0, 0])
    }
  } finally {
    await impatient.end()
  }
})
