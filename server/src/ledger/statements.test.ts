// Booking on real PostgreSQL: entries numbered without gap when many book at the same time, a chain
// of balances that never breaks, and all of a posting or nothing of it.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Db, openDb, retryOnDeadlock } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { composed, part, selectIds } from '../platform/sql.ts'
import { type Account, account, accountId, type Place } from './account.ts'
import * as postings from './postings.ts'
import { type CauseKind, type Posting, postEntries } from './statements.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  const { options } = database
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  db = openDb({ ...options, ...name, connections_max: 20, durable: false })
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

const newPlace = (more: Partial<Place> = {}): Place => ({
  merchant_id: newId(),
  environment: 'SANDBOX',
  country: 'SN',
  currency: 'XOF',
  ...more,
})

type Cause = { cause_kind?: CauseKind; cause_id?: string; gate_id?: string }

const causeOf = (
  lines: readonly postings.Line[],
  cause: Cause = {},
): Omit<Posting, 'merchant_id' | 'environment'> => {
  const { cause_kind = 'ADJUSTMENT', cause_id = newId() } = cause
  return { cause_kind, cause_id, gate_id: cause.gate_id ?? cause_id, attempt_id: null, lines }
}

/** Books postings in one statement; the gates that are open let theirs through. */
async function book(
  place: Place,
  causes: readonly Omit<Posting, 'merchant_id' | 'environment'>[],
  open: readonly string[] = causes.map(({ gate_id }) => gate_id),
): Promise<number> {
  const { merchant_id, environment } = place
  const own = causes.map((cause) => ({ merchant_id, environment, ...cause }))
  const opened = db`opened as (select distinct id from unnest(${[...open]}::uuid[]) as v (id))`
  const when = part('opened', opened)
  const made = postEntries(db, own, { when })
  const rows = await retryOnDeadlock(() => composed(db, [when, made], selectIds(db, made)))
  return rows.length
}

const fund = (place: Place, amount: bigint) =>
  book(place, [causeOf(postings.sandboxFunding(place, amount), { cause_kind: 'SANDBOX' })])

async function balanceOf(place: Place) {
  const [row] = await db`
    select available, pending, frozen, entry_no, currency from balances
     where merchant_id = ${place.merchant_id} and environment = ${place.environment}
       and country = ${place.country}`
  return row
}

type Entry = { entry_no: bigint | null; available_change: bigint; balance_after: bigint | null }

const entriesOf = (place: Place) => db<Entry[]>`
  select entry_no, available_change, balance_after from ledger_entries
   where merchant_id = ${place.merchant_id} and environment = ${place.environment}
     and country = ${place.country}
   order by entry_no nulls last, id`

/** Everything of a merchant: what a statement that failed must leave as it was. */
async function allOf({ merchant_id }: Place) {
  const [entries, balances, accounts] = await Promise.all([
    db`select id from ledger_entries where merchant_id = ${merchant_id} order by id`,
    db`select id, available, pending, frozen, entry_no from balances
        where merchant_id = ${merchant_id} order by id`,
    db`select id from accounts where merchant_id = ${merchant_id} order by id`,
  ])
  return { entries: [...entries], balances: [...balances], accounts: [...accounts] }
}

/** Numbers 1, 2, 3 … and each balance the one before plus the entry's own change. */
async function expectChain(place: Place, count: number): Promise<void> {
  const numbered = (await entriesOf(place)).filter(({ entry_no }) => entry_no !== null)
  expect(numbered.map(({ entry_no }) => entry_no)).toEqual(
    Array.from({ length: count }, (_, at) => BigInt(at + 1)),
  )
  let available = 0n
  for (const entry of numbered) {
    available += entry.available_change
    expect(entry.balance_after).toBe(available)
  }
  expect(await balanceOf(place)).toMatchObject({ available, entry_no: BigInt(count) })
}

describe('numbers and balances', () => {
  it('20 statements at the same time on one new balance: no gap, no number twice', async () => {
    const place = newPlace()
    const sums = Array.from({ length: 20 }, (_, at) => BigInt(at + 1) * 100n)
    await Promise.all(sums.map((sum) => fund(place, sum)))
    await expectChain(place, 20)
    expect(await balanceOf(place)).toMatchObject({ available: 21_000n, pending: 0n, frozen: 0n })
  })

  it('20 credits and 20 debits at the same time, each of several lines', async () => {
    const place = newPlace()
    await fund(place, 1_000_000n)
    const credit = () =>
      book(place, [causeOf([...postings.sandboxFunding(place, 700n), ...renumbered(place, 300n)])])
    const debit = () => book(place, [causeOf(postings.hold(place, 1_000n))])
    await Promise.all(Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? credit() : debit())))
    await expectChain(place, 1 + 20 * 2 + 20)
    expect(await balanceOf(place)).toMatchObject({ available: 1_000_000n, pending: 20_000n })
  })

  const renumbered = (place: Place, sum: bigint) =>
    postings.sandboxFunding(place, sum).map((line) => ({ ...line, line: 2 }))

  it('several causes of one statement are numbered one after the other', async () => {
    const place = newPlace()
    await fund(place, 50_000n)
    const causes = [10_000n, 20_000n, 5_000n].map((sum) =>
      causeOf(postings.hold(place, sum), { cause_kind: 'HOLD' }),
    )
    expect(await book(place, causes)).toBe(3)
    await expectChain(place, 4)
    expect(await balanceOf(place)).toMatchObject({ available: 15_000n, pending: 35_000n })
  })

  it('several causes that one gate lets through are numbered apart as well', async () => {
    const place = newPlace()
    const gate_id = newId()
    const causes = [100n, 200n, 300n, 400n].map((sum) =>
      causeOf(postings.sandboxFunding(place, sum), { gate_id }),
    )
    expect(await book(place, causes)).toBe(4)
    await expectChain(place, 4)
  })

  it('a line that leaves available alone has no number', async () => {
    const place = newPlace()
    await fund(place, 1_000n)
    await book(place, [causeOf(postings.hold(place, 1_000n))])
    await book(place, [causeOf([{ ...freed(place), amount: 400n }])])
    await expectChain(place, 2)
    const unnumbered = (await entriesOf(place)).filter(({ entry_no }) => entry_no === null)
    expect(unnumbered).toEqual([{ entry_no: null, available_change: 0n, balance_after: null }])
    expect(await balanceOf(place)).toMatchObject({ available: 0n, pending: 600n })
  })

  const freed = (place: Place) => ({
    line: 1,
    debit: account(place, 'pending'),
    credit: account(place, 'platform_fees'),
  })

  it('each environment and each country has its own balance and its own numbers', async () => {
    const senegal = newPlace()
    const live = { ...senegal, environment: 'LIVE' as const }
    const cameroon = { ...senegal, country: 'CM', currency: 'XAF' }
    for (const place of [senegal, live, cameroon, senegal]) await fund(place, 500n)
    await expectChain(senegal, 2)
    await expectChain(live, 1)
    await expectChain(cameroon, 1)
  })
})

describe('a transfer between two countries', () => {
  const figures = { from_amount: 10_000n, fee_amount: 100n, to_amount: 9_900n }

  it('makes the balance of a country where the merchant had none', async () => {
    const from = newPlace({ country: 'CI' })
    const to = { ...from, country: 'CM', currency: 'XAF' }
    await fund(from, 10_000n)
    await book(from, [causeOf(postings.hold(from, 10_000n), { cause_kind: 'HOLD' })])
    const lines = postings.transferApproved(from, to, figures)
    expect(await book(from, [causeOf(lines, { cause_kind: 'TRANSFER' })])).toBe(3)
    expect(await balanceOf(from)).toMatchObject({ available: 0n, pending: 0n })
    expect(await balanceOf(to)).toMatchObject({ available: 9_900n, currency: 'XAF' })
    await expectChain(to, 1)
  })

  it('adds to the balance that is there, and back again', async () => {
    const from = newPlace({ country: 'CI' })
    const to = { ...from, country: 'CM', currency: 'XAF' }
    for (const place of [from, to]) await fund(place, 10_000n)
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      await book(one, [causeOf(postings.hold(one, 5_000n))])
      const half = { from_amount: 5_000n, fee_amount: 0n, to_amount: 5_000n }
      await book(one, [causeOf(postings.transferApproved(one, other, half))])
    }
    for (const place of [from, to]) {
      await expectChain(place, 3)
      expect(await balanceOf(place)).toMatchObject({ available: 10_000n, pending: 0n })
    }
  })

  it('many in both directions at the same time lose nothing', async () => {
    const from = newPlace({ country: 'CI' })
    const to = { ...from, country: 'CM', currency: 'XAF' }
    const half = { from_amount: 100n, fee_amount: 0n, to_amount: 100n }
    for (const place of [from, to]) {
      await fund(place, 10_000n)
      await book(place, [causeOf(postings.hold(place, 1_000n))])
    }
    const approve = (at: number) => {
      const [one, other] = at % 2 === 0 ? ([from, to] as const) : ([to, from] as const)
      return book(one, [causeOf(postings.transferApproved(one, other, half))])
    }
    await Promise.all(Array.from({ length: 20 }, (_, at) => approve(at)))
    for (const place of [from, to]) {
      await expectChain(place, 12)
      expect(await balanceOf(place)).toMatchObject({ available: 10_000n, pending: 0n })
    }
  })
})

describe('all of it or nothing', () => {
  it('a debit below zero fails whole and leaves nothing', async () => {
    const place = newPlace()
    await fund(place, 1_000n)
    const before = await allOf(place)
    const causes = [causeOf(postings.hold(place, 1_000n)), causeOf(postings.freeze(place, 1n))]
    await expect(book(place, causes)).rejects.toThrow('balances_available_check')
    expect(await allOf(place)).toEqual(before)
    expect(await book(place, causes.slice(0, 1))).toBe(1)
  })

  it('pending cannot be spent beyond what was held, nor frozen be lifted', async () => {
    const place = newPlace()
    await fund(place, 1_000n)
    await book(place, [causeOf(postings.hold(place, 400n))])
    const before = await allOf(place)
    const release = book(place, [causeOf(postings.release(place, 401n))])
    await expect(release).rejects.toThrow('balances_pending_check')
    const lift = book(place, [causeOf(postings.liftFreeze(place, 1n))])
    await expect(lift).rejects.toThrow('balances_frozen_check')
    expect(await allOf(place)).toEqual(before)
  })

  it('a merchant without any balance has nothing to take', async () => {
    const place = newPlace()
    const nothing = { entries: [], balances: [], accounts: [] }
    const holding = book(place, [causeOf(postings.hold(place, 1n))])
    await expect(holding).rejects.toThrow('balances_available_check')
    const spent = book(place, [
      causeOf([
        {
          line: 1,
          debit: account(place, 'pending'),
          credit: account(place, 'bank'),
          amount: 1n,
        },
      ]),
    ])
    await expect(spent).rejects.toThrow('balances_pending_check')
    expect(await allOf(place)).toEqual(nothing)
  })

  it('of 20 debits at the same time exactly those pass that the balance bears', async () => {
    const place = newPlace()
    await fund(place, 700n)
    const debits = Array.from({ length: 20 }, () =>
      book(place, [causeOf(postings.hold(place, 100n))]),
    )
    const ends = await Promise.allSettled(debits)
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(7)
    expect(await balanceOf(place)).toMatchObject({ available: 0n, pending: 700n })
    await expectChain(place, 8)
  })

  it('the same cause twice is refused by its unique key, and the second leaves nothing', async () => {
    const place = newPlace()
    const cause = { cause_kind: 'TRANSACTION', cause_id: newId() } as const
    await book(place, [causeOf(postings.sandboxFunding(place, 500n), cause)])
    const before = await allOf(place)
    const twice = book(place, [causeOf(postings.sandboxFunding(place, 500n), cause)])
    await expect(twice).rejects.toThrow('ledger_entries_merchant_id_cause_kind_cause_id_line_key')
    expect(await allOf(place)).toEqual(before)
    const other = { ...cause, cause_kind: 'SANDBOX' } as const
    expect(await book(place, [causeOf(postings.sandboxFunding(place, 500n), other)])).toBe(1)
  })

  it('of 20 bookings of one cause at the same time one is booked', async () => {
    const place = newPlace()
    const cause = { cause_kind: 'TRANSACTION', cause_id: newId() } as const
    const ends = await Promise.allSettled(
      Array.from({ length: 20 }, () =>
        book(place, [causeOf(postings.sandboxFunding(place, 500n), cause)]),
      ),
    )
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await balanceOf(place)).toMatchObject({ available: 500n, entry_no: 1n })
  })

  it('another currency than the balance has is refused, whether it adds or takes', async () => {
    const place = newPlace()
    await fund(place, 1_000n)
    const before = await allOf(place)
    const dollars = { ...place, currency: 'USD' }
    const added = book(place, [causeOf(postings.sandboxFunding(dollars, 100n))])
    await expect(added).rejects.toThrow('ledger_entries_check')
    const taken = book(place, [causeOf(postings.hold(dollars, 100n))])
    await expect(taken).rejects.toThrow('ledger_entries_check')
    expect(await allOf(place)).toEqual(before)
    const both = [place, dollars].map((one) => causeOf(postings.sandboxFunding(one, 1n)))
    await expect(book(place, both)).rejects.toThrow('bug: one balance in XOF and USD')
  })
})

describe('a first entry', () => {
  it('in another currency than the country’s makes no balance, and books nothing', async () => {
    const place = newPlace({ currency: 'XAF' })
    const added = book(place, [causeOf(postings.sandboxFunding(place, 100n))])
    await expect(added).rejects.toThrow('ledger_entries_check')
    const given = postings.capturedToSuspense(
      { place, incident_id: newId(), gateway_id: newId() },
      100n,
    )
    // What touches no balance has no currency of its own to keep.
    expect(await book(place, [causeOf(given)])).toBe(1)
    expect(await balanceOf(place)).toBeUndefined()
  })

  it('finds a balance that was made before this was law, and goes on in what it has', async () => {
    const place = newPlace({ currency: 'XAF' })
    const { merchant_id, environment, country, currency } = place
    await database.owner`
      insert into balances (merchant_id, id, environment, country, currency)
      values (${merchant_id}, ${newId()}, ${environment}, ${country}, ${currency})`
    await fund(place, 100n)
    expect(await balanceOf(place)).toMatchObject({ currency: 'XAF', available: 100n })
  })
})

describe('the gate', () => {
  it('without a row books nothing: no entry, no account, no balance', async () => {
    const place = newPlace()
    expect(await book(place, [causeOf(postings.sandboxFunding(place, 500n))], [])).toBe(0)
    expect(await book(place, [causeOf(postings.hold(place, 500n))], [])).toBe(0)
    expect(await allOf(place)).toEqual({ entries: [], balances: [], accounts: [] })
  })

  it('lets through the postings of its own rows only', async () => {
    const place = newPlace()
    await fund(place, 1_000n)
    const causes = [100n, 200n, 400n].map((sum) => causeOf(postings.hold(place, sum)))
    const open = causes.flatMap(({ gate_id }, at) => (at === 1 ? [] : [gate_id]))
    expect(await book(place, causes, open)).toBe(2)
    expect(await balanceOf(place)).toMatchObject({ available: 500n, pending: 500n })
    await expectChain(place, 3)
  })

  it('a posting without lines changes nothing', async () => {
    const place = newPlace()
    expect(await book(place, [causeOf(postings.hold(place, 0n))])).toBe(0)
    expect(await book(place, [])).toBe(0)
    expect(await allOf(place)).toEqual({ entries: [], balances: [], accounts: [] })
  })
})

describe('accounts', () => {
  it('are made by the first entry that needs them, once, with what they are', async () => {
    const place = newPlace()
    const gateway_id = newId()
    const lines: postings.Line[] = [
      {
        line: 1,
        debit: { ...account(place, 'gateway', 'COLLECT'), gateway_id },
        credit: account(place, 'available'),
        amount: 5n,
      },
    ]
    await Promise.all(Array.from({ length: 10 }, () => book(place, [causeOf(lines)])))
    const rows = await db`
      select id, kind, gateway_id, purpose, country, currency, environment from accounts
       where merchant_id = ${place.merchant_id} order by kind`
    const { country, currency, environment } = place
    const where = { country, currency, environment }
    const idOf = (one: Account | undefined) => (one === undefined ? '' : accountId(one))
    const nil = '00000000-0000-0000-0000-000000000000'
    expect(rows).toEqual([
      { id: idOf(lines[0]?.credit), kind: 'available', gateway_id: nil, purpose: '', ...where },
      { id: idOf(lines[0]?.debit), kind: 'gateway', gateway_id, purpose: 'COLLECT', ...where },
    ])
  })
})

describe('whatever is booked', () => {
  type Step = Readonly<{ what: number; amount: bigint; other: boolean }>

  const linesFor = (place: Place, { what, amount }: Step): postings.Line[] => {
    switch (what) {
      case 0:
        return postings.sandboxFunding(place, amount)
      case 1:
        return postings.hold(place, amount)
      case 2:
        return postings.release(place, amount)
      case 3:
        return postings.freeze(place, amount)
      default:
        return postings.liftFreeze(place, amount)
    }
  }

  it('balances are the sums of the entries, and no number is missing', async () => {
    const step = fc.record({
      what: fc.integer({ min: 0, max: 4 }),
      amount: fc.bigInt({ min: 1n, max: 1_000n }),
      other: fc.boolean(),
    })
    const statements = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(statements, async (plan) => {
        const here = newPlace()
        const there = { ...here, country: 'CM', currency: 'XAF' }
        for (const place of [here, there]) await fund(place, 2_000n)
        const bookings = plan.map((steps) => {
          const lines = steps.map((one) => linesFor(one.other ? there : here, one))
          return book(
            here,
            lines.map((some) => causeOf(some)),
          )
        })
        await Promise.allSettled(bookings)
        for (const place of [here, there]) await expectSums(place)
      }),
      { numRuns: 25 },
    )
  })

  async function expectSums(place: Place): Promise<void> {
    const ids = (['available', 'pending', 'frozen'] as const).map((kind) =>
      accountId(account(place, kind)),
    )
    const [available = '', pending = '', frozen = ''] = ids
    const sum = (id: string) => db`
      (coalesce(sum(amount) filter (where credit_account = ${id}), 0)
       - coalesce(sum(amount) filter (where debit_account = ${id}), 0))::bigint`
    const [sums] = await db`
      select ${sum(available)} as available, ${sum(pending)} as pending, ${sum(frozen)} as frozen
        from ledger_entries where merchant_id = ${place.merchant_id}`
    expect(await balanceOf(place)).toMatchObject({ ...sums })
    const balance = await balanceOf(place)
    await expectChain(place, Number(balance?.['entry_no']))
  }
})
