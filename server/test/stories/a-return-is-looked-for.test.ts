// Two people asked an operator for a payout, and it was given up: the operator refused, or nothing
// came of it. If its money comes back all the same, and no callback says so, it is found within a
// day, for 30 days; then nobody asks any more.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../../src/gateways/gateway.ts'
import { inTransaction } from '../../src/platform/db.ts'
import { failReversal, insertReversal } from '../../src/transactions/returns/statements.ts'
import { eventually, type Json, type Shop, startApp, type TestApp } from '../harness.ts'
import {
  attemptsOf,
  booksAgree,
  confirm,
  fund,
  openShop,
  payout,
  propose,
  receive,
} from '../setup/incidents.ts'
import { reversedThere } from '../setup/reversing.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  await booksAgree(app).finally(() => app.stop())
})

type GivenUp = Readonly<{ shop: Shop; id: string; attempt: Json }>

/** A payout that has succeeded, and whose reversal was given up. */
async function givenUp(): Promise<GivenUp> {
  const shop = await openShop(app)
  await fund(shop, '10000')
  const { data } = await payout(shop, '10')
  await shop.becomes(data.id, 'SUCCESS')
  const [attempt] = await attemptsOf(shop, data.id)
  const { merchant_id } = shop
  const reversal = {
    ...{ merchant_id, id: crypto.randomUUID(), environment: 'SANDBOX' as const },
    ...{ transaction_id: data.id as string, attempt_id: attempt.id as string, note: 'n' },
    ...{ proposed_by: crypto.randomUUID(), confirmed_by: crypto.randomUUID() },
  }
  const ended = await inTransaction(app.service.db, async (tx) => {
    expect(await insertReversal(tx, reversal)).toBe(true)
    return failReversal(tx, { ...reversal, sends: 1, answered: 'refused', age_s: 1 })
  })
  expect(ended).toBe(true)
  return { shop, id: data.id, attempt }
}

const reversalOf = async ({ id }: GivenUp): Promise<Json> => {
  const [row] = await app.owner`
    select look_again_at, extract(epoch from look_again_at - now())::float8 / 3600 as in_h
      from payout_reversals where transaction_id = ${id}`
  return row
}

/** Its next look is due. */
async function isLookedFor(of: GivenUp): Promise<void> {
  await eventually(async () => {
    const free = await app.owner`
      update attempts set asked_at = now() - interval '1 hour'
       where id = ${of.attempt.id} and leased_until is null`
    expect(free.count).toBe(1)
  }, 20_000)
  await app.owner`
    update payout_reversals set look_again_at = now() - interval '1 second'
     where transaction_id = ${of.id}`
  await eventually(async () => {
    const { look_again_at, in_h } = await reversalOf(of)
    expect(look_again_at === null || in_h > 0).toBe(true)
  }, 20_000)
}

const reversed = (amount: bigint): Answer => ({
  ...{ is: 'reversed', external_reference: 'OP-1', detail: 'returned', amount },
})

/** What operators owe the merchant by our books, without their fees. Hundredths. */
async function operatorsAccount({ merchant_id }: Shop): Promise<bigint> {
  const [row] = await app.owner<{ sum: bigint }[]>`
    select coalesce(sum(case when d.kind = 'gateway' then e.amount else -e.amount end), 0)::bigint
             as sum
      from ledger_entries e
      join accounts d on d.merchant_id = e.merchant_id and d.id = e.debit_account
      join accounts c on c.merchant_id = e.merchant_id and c.id = e.credit_account
     where e.merchant_id = ${merchant_id} and (d.kind = 'gateway') <> (c.kind = 'gateway')
       and 'gateway_fees' not in (d.kind, c.kind)`
  return row?.sum ?? 0n
}

const incidentsOf = ({ id }: GivenUp) =>
  app.owner`select type, amount from incidents where transaction_id = ${id}`

describe('a part of a payout, and then the whole', () => {
  it('are two incidents, which people end so that all accounts are right', async () => {
    const shop = await openShop(app)
    await fund(shop, '10000')
    const { data } = await payout(shop, '10')
    await shop.becomes(data.id, 'SUCCESS')
    const [attempt] = await attemptsOf(shop, data.id)
    const net = BigInt(Math.round(Number(attempt.net_amount) * 100))
    const before = await operatorsAccount(shop)
    const about = { shop, attempt_id: attempt.id }
    await receive(app, about, reversed(net / 4n))
    await receive(app, about, reversed(net))
    await receive(app, about, reversed(net))
    const [one, two] = [await app.staff(), await app.staff()]
    const ways = { AMOUNT_MISMATCH: 'RECOVERED', RETURNED: 'CREDIT_MERCHANT' } as const
    const incidents = await app.owner<{ id: string; type: keyof typeof ways; amount: bigint }[]>`
      select id, type, amount from incidents where transaction_id = ${data.id} order by type`
    expect(incidents.map(({ type }) => type)).toEqual(['AMOUNT_MISMATCH', 'RETURNED'])
    for (const incident of incidents) {
      await propose(one, incident, ways[incident.type])
      const done = await confirm(two, incident, ways[incident.type])
      expect(done.data?.status).toBe('RESOLVED')
    }
    expect((await operatorsAccount(shop)) - before).toBe(net)
    expect((await shop.get(`/transactions/${data.id}/`)).data.returned_at).not.toBeNull()
  })
})

describe('the return of a payout whose reversal was given up', () => {
  it('is found within a day though no callback says so, once', async () => {
    const of = await givenUp()
    expect((await reversalOf(of)).in_h).toBeGreaterThan(23.9)
    await isLookedFor(of)
    expect(await incidentsOf(of)).toHaveLength(0)
    await reversedThere(app, of.attempt.id)
    await isLookedFor(of)
    await eventually(async () => {
      expect(await incidentsOf(of)).toMatchObject([{ type: 'RETURNED' }])
    }, 20_000)
    // What is found is looked for no more.
    await isLookedFor(of)
    expect((await reversalOf(of)).look_again_at).toBeNull()
    expect(await incidentsOf(of)).toHaveLength(1)
  })

  it('is looked for by one of several processes, for 30 days', async () => {
    await app.another()
    const of = await givenUp()
    const asks = async () => {
      const [row] = await app.owner`select asks from attempts where id = ${of.attempt.id}`
      return Number(row?.['asks'])
    }
    const before = await asks()
    await isLookedFor(of)
    await eventually(async () => expect(await asks()).toBe(before + 1), 20_000)
    await app.owner`
      update payout_reversals set ended_at = now() - interval '29 days' - interval '1 second'
       where transaction_id = ${of.id}`
    await isLookedFor(of)
    await eventually(async () => expect(await asks()).toBe(before + 2), 20_000)
    expect((await reversalOf(of)).look_again_at).toBeNull()
  })
})
