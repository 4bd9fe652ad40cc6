// Law: test files never see each other, however many clone the template at the same moment.
import { expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'

const has = async ({ owner }: TestDatabase, table: string): Promise<boolean> => {
  const [row] = await owner<{ there: boolean }[]>`
    select to_regclass(${table}) is not null as there`
  return row?.there ?? false
}

it('clones the template for many at once, each clone migrated and separate', async () => {
  const databases = await Promise.all(Array.from({ length: 8 }, () => createTestDatabase()))
  try {
    expect(new Set(databases.map((one) => one.name)).size).toBe(8)
    for (const one of databases.slice(0, 1)) await one.owner`create table boats (id int)`
    const boats = await Promise.all(databases.map((one) => has(one, 'boats')))
    expect(boats).toEqual(databases.map((_, index) => index === 0))
    const lists = await Promise.all(databases.map((one) => has(one, 'schema_migrations')))
    expect(lists).toEqual(databases.map(() => true))
  } finally {
    await Promise.all(databases.map((one) => one.drop()))
  }
})
