// One list of columns gives the text of each list that a statement needs, and the type of a row.

import { afterAll, describe, expect, expectTypeOf, it } from 'vitest'
import {
  bigint,
  jsonList,
  nameList,
  omitColumns,
  orNull,
  pickColumns,
  type RowOf,
  selectList,
  setList,
  text,
  timestamptz,
  typedList,
  uuid,
} from './columns.ts'
import { openDb } from './db.ts'

const boats = {
  id: uuid(),
  name: text<'AWA' | 'KOFI'>(),
  weight: orNull(bigint()),
  built_at: timestamptz(),
}

describe('columns', () => {
  // Never connected: only the texts of fragments are looked at.
  const none = { url: 'postgres://127.0.0.1:1/none', connections_max: 1, durable: false }
  const sql = openDb({ ...none, application_name: 'columns test' })
  afterAll(() => sql.end({ timeout: 0 }))
  const textOf = (fragment: unknown) => Reflect.get(Object(fragment), 'strings')?.join('') as string

  it('are listed by name, by relation, for set and with their types', () => {
    expect(textOf(nameList(sql, boats))).toBe('id, name, weight, built_at')
    expect(textOf(selectList(sql, boats, 'b'))).toBe('b.id, b.name, b.weight, b.built_at')
    expect(textOf(setList(sql, pickColumns(boats, ['name', 'weight']), 'm'))).toBe(
      'name = m.name, weight = m.weight',
    )
    expect(textOf(jsonList(sql, pickColumns(boats, ['id', 'name']), 'b'))).toBe(
      "'id', b.id, 'name', b.name",
    )
    expect(textOf(typedList(sql, omitColumns(boats, ['id'])))).toBe(
      'name text, weight bigint, built_at timestamptz',
    )
  })

  it('say what a row holds', () => {
    expectTypeOf<RowOf<typeof boats>>().toEqualTypeOf<{
      readonly id: string
      readonly name: 'AWA' | 'KOFI'
      readonly weight: bigint | null
      readonly built_at: Date
    }>()
  })
})
