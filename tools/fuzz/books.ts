// After the run: the service still works, its books are right, and nothing was left half-way.

import { setTimeout as sleep } from 'node:timers/promises'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import type { Db } from '../../server/src/platform/db.ts'
import { randomOf } from './random.ts'
import { payment } from './recipes.ts'
import type { Ground, World } from './world.ts'

/** What is wrong; nothing when all is well. */
export async function inspect({ url, db }: Ground, world: World): Promise<string[]> {
  const alive = await fetch(`${url}/healthz`).then(({ status }) => status)
  const wrong = alive === 200 ? [] : [`/healthz answers ${alive}`]
  wrong.push(...(await stillPays(world)))
  // What was being answered as the run ended has its time to be written.
  await sleep(1_000)
  for (const { check, broken, examples } of await verifyLedger(db)) {
    if (broken > 0) wrong.push(`ledger: ${check}: ${broken} (${examples.join('; ')})`)
  }
  for (const { what, rows } of await countHalfWritten(db)) {
    if (rows > 0n) wrong.push(`half-written: ${what}: ${rows}`)
  }
  return wrong
}

/** An ordinary payment, from the call to its success. */
async function stillPays(world: World): Promise<string[]> {
  const customer = {
    email: 'a@example.com',
    first_name: 'A',
    last_name: 'D',
    phone: '+2290197111110',
  }
  const body = { ...payment(randomOf(0, 0)), country: 'BJ', currency: 'XOF', network: 'mtn_bj' }
  const call = { ...body, amount: '5000', customer }
  const made = await world.call('POST', '/payments/softpay/initialize/', call)
  if (made.status !== 201) return [`a right payment is answered ${made.status}`]
  for (let tries = 0; tries < 150; tries += 1) {
    const { data } = await world.call('GET', `/transactions/${String(made.data['id'])}/`)
    if (data['status'] === 'SUCCESS') return []
    await sleep(200)
  }
  return ['a right payment does not end']
}

type Count = Readonly<{ what: string; rows: bigint }>

const countHalfWritten = (db: Db): Promise<readonly Count[]> => db<Count[]>`
  select 'transactions without an attempt' as what, count(*) as rows
    from transactions t
   where not exists (select from attempts a
                      where a.merchant_id = t.merchant_id and a.transaction_id = t.id)
  union all
  select 'ended transactions without a status log', count(*)
    from transactions t
   where t.status <> 'PENDING'
     and not exists (select from transaction_status_logs l
                      where l.merchant_id = t.merchant_id and l.transaction_id = t.id)
  union all
  select 'transactions without an event', count(*)
    from transactions t
   where not exists (select from events e
                      where e.merchant_id = t.merchant_id and e.transaction_id = t.id)
  union all
  select 'idempotency keys without an answer', count(*)
    from idempotency_keys k
   where k.status is null and k.leased_until < now() - interval '5 s'
  union all
  select 'idempotency keys of no transaction', count(*)
    from idempotency_keys k
   where k.transaction_id is not null
     and not exists (select from transactions t
                      where t.merchant_id = k.merchant_id and t.id = k.transaction_id)
  union all
  select 'webhooks without a lane', count(*)
    from webhooks w
   where not exists (select from webhook_lanes l
                      where l.merchant_id = w.merchant_id and l.webhook_id = w.id)
     and exists (select from deliveries d
                  where d.merchant_id = w.merchant_id and d.webhook_id = w.id)
  union all
  select 'more than 20 webhooks', count(*)
    from (select from webhooks where deleted_at is null
           group by merchant_id, environment having count(*) > 20) crowd`
