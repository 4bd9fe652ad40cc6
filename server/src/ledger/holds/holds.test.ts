// Holds on real PostgreSQL over many connections: never more is promised than is there, one cause
// has one hold, a hold ends once however many end it, and what is held is neither made nor lost.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endHold, placeHold } from '../../../test/ledger/holds.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import { type Db, openDb } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { runPart } from '../../platform/sql.ts'
import type { Place } from '../account.ts'
import { bankSettlementSuccess, sandboxFunding } from '../postings.ts'
import { postEntries } from '../statements.ts'
import { verifyLedger } from '../verify.ts'
import type { HoldEnd, NewHold } from './hold.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  db = openDb({ ...database.options, ...name, connections_max: 25, durable: false })
})
afterAll(async () => {
  await db?.end({ timeout: 1 })
  await database?.drop()
})

async function placeWith(amount: bigint): Promise<Place> {
  const merchant_id = newId()
  const place: Place = { merchant_id, environment: 'SANDBOX', country: 'SN', currency: 'XOF' }
  if (amount === 0n) return place
  const id = newId()
  const lines = sandboxFunding(place, amount)
  const posting = {
    merchant_id,
    environment: 'SANDBOX' as const,
    gate_id: id,
    cause_kind: 'SANDBOX' as const,
    cause_id: id,
    attempt_id: null,
    lines,
  }
  await runPart(db, postEntries(db, [posting]))
  return place
}

const newHold = (place: Place, amount: bigint, more: Partial<NewHold> = {}): NewHold => ({
  ...place,
  id: newId(),
  amount,
  cause_kind: 'SETTLEMENT',
  cause_id: newId(),
  ...more,
})

const release: HoldEnd = { how: 'RELEASE' }

/** Spent as a settlement through the bank, with a fee of 1.00 each for gateway and platform. */
function spend(hold: NewHold, amount = hold.amount): HoldEnd {
  const fee = 100n
  const figures = {
    requested_amount: amount,
    client_fee: 2n * fee,
    gateway_fee: fee,
    platform_fee: fee,
    gateway_cost_excess: 0n,
    debited_amount: amount,
    net_amount: amount - 2n * fee,
  }
  const lines = bankSettlementSuccess(hold, figures)
  const { cause_id } = hold
  return { how: 'SPEND', on: { cause_kind: 'SETTLEMENT', cause_id, attempt_id: null, lines } }
}

type Sums = { available: bigint; pending: bigint }

async function sumsOf({ merchant_id }: Place): Promise<Sums> {
  const [row] = await db<Sums[]>`
    select available, pending from balances where merchant_id = ${merchant_id}`
  return row ?? { available: 0n, pending: 0n }
}

const count = (answers: readonly string[], one: string): number =>
  answers.filter((answer) => answer === one).length

const times = <T>(n: number, work: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: n }, (_, at) => work(at)))

describe('placing', () => {
  it('50 holds at the same time on a balance that covers 7: 7 are held, 43 are told', async () => {
    const place = await placeWith(7_500n)
    const answers = await times(50, () => placeHold(db, newHold(place, 1_000n)))
    expect(count(answers, 'held')).toBe(7)
    expect(count(answers, 'insufficient_balance')).toBe(43)
    expect(await sumsOf(place)).toEqual({ available: 500n, pending: 7_000n })
    const rows = await db`select id from holds where merchant_id = ${place.merchant_id}`
    expect(rows).toHaveLength(7)
  })

  it('one cause has one hold, however often and with whatever amount it is asked', async () => {
    const place = await placeWith(100_000n)
    const cause_id = newId()
    const answers = await times(20, (at) =>
      placeHold(db, newHold(place, BigInt(at + 1) * 100n, { cause_id })),
    )
    expect(count(answers, 'held')).toBe(1)
    expect(count(answers, 'held_before')).toBe(19)
    const rows = await db<{ amount: bigint }[]>`
      select amount from holds where merchant_id = ${place.merchant_id}`
    expect(rows).toHaveLength(1)
    const amount = rows[0]?.amount ?? 0n
    expect(await sumsOf(place)).toEqual({ available: 100_000n - amount, pending: amount })
    const other = newHold(place, 100n, { cause_id, cause_kind: 'PAYOUT' })
    expect(await placeHold(db, other)).toBe('held')
  })

  it('a cause keeps its hold when it has ended: the money is not promised again', async () => {
    const place = await placeWith(1_000n)
    const hold = newHold(place, 400n)
    await placeHold(db, hold)
    await endHold(db, hold, release)
    expect(await placeHold(db, { ...hold, id: newId() })).toBe('held_before')
    expect(await sumsOf(place)).toEqual({ available: 1_000n, pending: 0n })
  })

  it('a merchant without a balance is told, and nothing of the hold is left', async () => {
    const place = await placeWith(0n)
    const hold = newHold(place, 100n)
    expect(await placeHold(db, hold)).toBe('insufficient_balance')
    const left = await db`select id from holds where merchant_id = ${place.merchant_id}`
    expect(left).toHaveLength(0)
  })

  it('a hold takes only from its own country and environment', async () => {
    const place = await placeWith(1_000n)
    const elsewhere = newHold({ ...place, country: 'CI' }, 100n)
    expect(await placeHold(db, elsewhere)).toBe('insufficient_balance')
    const live = newHold({ ...place, environment: 'LIVE' }, 100n)
    expect(await placeHold(db, live)).toBe('insufficient_balance')
  })
})

describe('ending', () => {
  it('of 30 who release it, one does', async () => {
    const place = await placeWith(5_000n)
    const [hold, other] = [newHold(place, 2_000n), newHold(place, 3_000n)]
    await times(2, (at) => placeHold(db, at === 0 ? hold : other))
    const answers = await times(30, () => endHold(db, hold, release))
    expect(count(answers, 'ended')).toBe(1)
    expect(await sumsOf(place)).toEqual({ available: 2_000n, pending: 3_000n })
  })

  it('of 15 who release it and 15 who spend it, one does, and the books say which', async () => {
    for (let round = 0; round < 5; round += 1) {
      const place = await placeWith(9_000n)
      const [hold, other] = [newHold(place, 2_000n), newHold(place, 7_000n)]
      await times(2, (at) => placeHold(db, at === 0 ? hold : other))
      const answers = await times(30, (at) =>
        endHold(db, hold, at % 2 === 0 ? release : spend(hold)),
      )
      expect(count(answers, 'ended')).toBe(1)
      const released = answers.indexOf('ended') % 2 === 0
      const [end] = await db<{ how: string }[]>`
        select how from hold_ends where merchant_id = ${place.merchant_id}`
      expect(end?.how).toBe(released ? 'RELEASE' : 'SPEND')
      const available = released ? 2_000n : 0n
      expect(await sumsOf(place)).toEqual({ available, pending: 7_000n })
    }
  })

  it('a hold that nobody made, or of another amount, ends nothing and is a bug', async () => {
    const place = await placeWith(5_000n)
    const hold = newHold(place, 2_000n)
    await placeHold(db, hold)
    const strangers = [{ ...hold, id: newId() }, { ...hold, amount: 1_999n }, newHold(place, 1n)]
    for (const stranger of strangers) {
      await expect(endHold(db, stranger, release)).rejects.toThrow('no hold')
    }
    await expect(endHold(db, hold, spend(hold, 1_999n))).rejects.toThrow('is spent as')
    expect(await sumsOf(place)).toEqual({ available: 3_000n, pending: 2_000n })
    const ends = await db`select how from hold_ends where merchant_id = ${place.merchant_id}`
    expect(ends).toHaveLength(0)
  })
})

it('placed, released and spent all at once: what is there, held and spent is what came', async () => {
  const place = await placeWith(20_000n)
  const holds = Array.from({ length: 30 }, () => newHold(place, 1_000n))
  const ends = await Promise.all(
    holds.map(async (hold, at) => {
      if ((await placeHold(db, hold)) !== 'held') return 'none'
      const tries = await times(3, (one) =>
        endHold(db, hold, (at + one) % 2 === 0 ? release : spend(hold)),
      )
      expect(count(tries, 'ended')).toBe(1)
      return (at + tries.indexOf('ended')) % 2 === 0 ? 'released' : 'spent'
    }),
  )
  const spent = BigInt(count(ends, 'spent')) * 1_000n
  expect(await sumsOf(place)).toEqual({ available: 20_000n - spent, pending: 0n })
  // These are promised to settlements, and one to a payout, that nobody made.
  const broken = (await verifyLedger(database.owner)).filter(({ ok }) => !ok)
  const isPromise = ({ check }: { check: string }) => /^each (settlement|payout holds)/.test(check)
  expect(broken.filter((one) => !isPromise(one))).toEqual([])
})
