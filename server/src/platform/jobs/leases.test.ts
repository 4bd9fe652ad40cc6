// A lease has one holder at a time, and a holder that slept too long is found out by its number.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import { type Db, openDb } from '../db.ts'
import { giveUpLease, takeLease } from './leases.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  db = openDb({ ...database.options, ...name, connections_max: 10, durable: false })
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

const lapse = (name: string) => db`
  update leases set leased_until = now() - interval '1 second' where name = ${name}`

it('is taken by one of many who ask at once', async () => {
  const owners = Array.from({ length: 30 }, (_, index) => `process ${index}`)
  const taken = await Promise.all(owners.map((owner) => takeLease(db, 'crowd', 15, owner)))
  expect(taken.filter((lease) => lease !== undefined)).toEqual([{ lease_no: 1n }])
})

it('is renewed by its holder under the same number, and refused to others', async () => {
  expect(await takeLease(db, 'mine')).toEqual({ lease_no: 1n })
  expect(await takeLease(db, 'mine')).toEqual({ lease_no: 1n })
  expect(await takeLease(db, 'mine', 15, 'another')).toBeUndefined()
})

it('goes to another with a higher number when it is over, and the first cannot end it', async () => {
  await takeLease(db, 'lapsed')
  await lapse('lapsed')
  expect(await takeLease(db, 'lapsed', 15, 'another')).toEqual({ lease_no: 2n })
  await giveUpLease(db, { name: 'lapsed', lease_no: 1n })
  expect(await takeLease(db, 'lapsed')).toBeUndefined()
})

it('has a new number even for the same holder when it was over in between', async () => {
  await takeLease(db, 'slept')
  await lapse('slept')
  expect(await takeLease(db, 'slept')).toEqual({ lease_no: 2n })
})

it('can be taken at once when it was given up, and its number never goes back', async () => {
  await takeLease(db, 'given')
  await giveUpLease(db, { name: 'given', lease_no: 1n })
  expect(await takeLease(db, 'given', 15, 'another')).toEqual({ lease_no: 2n })
})
