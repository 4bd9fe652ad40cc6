// The rate that counts: append-only, the latest effective row of a pair, and one written for later
// takes effect by itself.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectTo, createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import type { Db } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { addRates } from './add-rate.ts'
import { currentRatesIn } from './current-rates.ts'
import type { StoredRate } from './store.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  db = database.owner
})
afterAll(() => database.drop())

const minute_ms = 60_000
const ago = (ms: number) => new Date(Date.now() - ms)

/** Adds a rate of a pair of its own, so that no test meets another's. */
const add = (from_currency: string, rate: string, effective_at: Date) =>
  addRates(db, [
    { id: newId(), from_currency, to_currency: 'XOF', rate, source: 'test', effective_at },
  ])

const rateOf = (rates: readonly StoredRate[], from: string) =>
  rates.filter((row) => row.from_currency === from && row.to_currency === 'XOF')

/** What a process without a copy sees now. */
const readNow = async (from: string) => rateOf(await currentRatesIn(db)(1n), from)

function fixture() {
  let now_ms = Date.now()
  const pass = (ms: number) => {
    now_ms += ms
  }
  return { clock: () => now_ms, pass }
}

describe('of several rates of a pair', () => {
  it('the one with the latest effective moment counts, in whatever order they were written', async () => {
    await add('AED', '160', ago(2 * minute_ms))
    await add('AED', '170.5', ago(minute_ms))
    await add('AED', '150', ago(3 * minute_ms))
    const rates = await readNow('AED')
    expect(rates.map(({ rate }) => rate)).toEqual(['170.5'])
  })

  it('a later one replaces it and changes nothing that was written', async () => {
    await add('ARS', '1', ago(minute_ms))
    await add('ARS', '2', ago(0))
    expect((await readNow('ARS'))[0]?.rate).toBe('2')
    const [row] = await db`
      select count(*)::int as written from exchange_rates where from_currency = 'ARS'`
    expect(row).toEqual({ written: 2 })
  })

  it('the same pair and moment is written once, the first stands', async () => {
    const moment = ago(minute_ms)
    expect(await add('AUD', '400', moment)).toBe(1)
    expect(await add('AUD', '500', moment)).toBe(0)
    expect((await readNow('AUD'))[0]?.rate).toBe('400')
  })

  it('is read exactly: no digit passes through a float, no zero is added', async () => {
    await add('BDT', '655.957000000001', ago(0))
    await add('BHD', '100', ago(0))
    expect((await readNow('BDT'))[0]?.rate).toBe('655.957000000001')
    expect((await readNow('BHD'))[0]?.rate).toBe('100')
  })

  it('a pair and its inverse are two pairs', async () => {
    await add('BRL', '110', ago(0))
    const inverse = {
      id: newId(),
      from_currency: 'XOF',
      to_currency: 'BRL',
      rate: '0.009',
      source: 'test',
      effective_at: ago(0),
    }
    await addRates(db, [inverse])
    const rates = await currentRatesIn(db)(1n)
    const found = rates.filter((row) => [row.from_currency, row.to_currency].includes('BRL'))
    expect(found.map(({ rate }) => rate).sort()).toEqual(['0.009', '110'])
  })
})

describe('a rate for later', () => {
  it('does not count before its moment', async () => {
    await add('CAD', '430', ago(minute_ms))
    await add('CAD', '999', new Date(Date.now() + 3_600_000))
    expect((await readNow('CAD')).map(({ rate }) => rate)).toEqual(['430'])
    await add('CHF', '999', new Date(Date.now() + 3_600_000))
    expect(await readNow('CHF')).toEqual([])
  })

  it('takes effect at its moment, though no version moved and nothing was read again', async () => {
    const time = fixture()
    const read = currentRatesIn(db, time.clock)
    await add('CNY', '80', ago(minute_ms))
    await add('CNY', '90', new Date(Date.now() + 20_000))
    await add('CNY', '95', new Date(Date.now() + 40_000))
    const current = () => read(1n).then((rates) => rateOf(rates, 'CNY').map(({ rate }) => rate))
    expect(await current()).toEqual(['80'])
    time.pass(10_000)
    expect(await current()).toEqual(['80'])
    time.pass(11_000)
    expect(await current()).toEqual(['90'])
    time.pass(20_000)
    expect(await current()).toEqual(['95'])
  })

  it('of a pair that had none makes it a pair, in its place', async () => {
    const time = fixture()
    const read = currentRatesIn(db, time.clock)
    await add('CZK', '28', new Date(Date.now() + 10_000))
    expect(rateOf(await read(1n), 'CZK')).toEqual([])
    time.pass(10_100)
    const rates = await read(1n)
    expect(rateOf(rates, 'CZK')).toHaveLength(1)
    const pairs = rates.map((row) => `${row.from_currency} ${row.to_currency}`)
    expect(pairs).toEqual([...pairs].sort())
  })

  it('written past every version is known within a minute', async () => {
    const time = fixture()
    const read = currentRatesIn(db, time.clock)
    expect(rateOf(await read(1n), 'DJF')).toEqual([])
    await add('DJF', '3.3', ago(minute_ms))
    time.pass(minute_ms)
    expect(rateOf(await read(1n), 'DJF')).toEqual([])
    time.pass(1)
    expect(rateOf(await read(1n), 'DJF')[0]?.rate).toBe('3.3')
  })
})

describe('the copy of a process', () => {
  it('holds though the machine’s clock is set back an hour', async () => {
    await add('EGP', '12', ago(minute_ms))
    const set_at = Date.now()
    const machine = vi.spyOn(Date, 'now').mockReturnValue(set_at)
    try {
      const read = currentRatesIn(db)
      expect(rateOf(await read(1n), 'EGP')).toHaveLength(1)
      machine.mockReturnValue(set_at - 60 * minute_ms)
      expect(rateOf(await read(1n), 'EGP')).toHaveLength(1)
    } finally {
      machine.mockRestore()
    }
  })

  it('is read once for callers at the same time, and again when the version moves on', async () => {
    const read = currentRatesIn(db)
    const [one, other] = await Promise.all([read(1n), read(1n)])
    expect(one).toBe(other)
    await add('DKK', '88', ago(0))
    expect(rateOf(await read(1n), 'DKK')).toEqual([])
    expect(rateOf(await read(2n), 'DKK')).toHaveLength(1)
    expect(rateOf(await read(1n), 'DKK')).toHaveLength(1)
  })

  it('that could not be read is tried again', async () => {
    const flaky = connectTo(database.options, 1)
    const read = currentRatesIn(flaky)
    await flaky.unsafe(`set statement_timeout = '1ms'`)
    const blocker = database.owner.begin(async (tx) => {
      await tx`lock table exchange_rates in access exclusive mode`
      await expect(read(1n)).rejects.toThrow('statement timeout')
    })
    await blocker
    await flaky.unsafe('set statement_timeout = 0')
    expect((await read(1n)).length).toBeGreaterThan(0)
    await flaky.end()
  })
})
