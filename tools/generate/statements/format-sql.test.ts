// A statement laid out says what it said: only white space changes, and a reader finds each relation
// on lines of its own.

import { describe, expect, it } from 'vitest'
import { formatSql } from './format-sql.ts'

const composed = `with   made as (
      insert into payments (id) select id from json_to_recordset($1) as r (id uuid)
      on conflict (id) do update set at = now(), note = 'two  blanks -- and no comment'
   returning id), "held" as ( -- locked
    select id from payments where status is distinct from 'PENDING' for update)
  select id from made`

describe('formatSql', () => {
  it('puts each relation and each clause on a line of its own', () => {
    expect(formatSql(composed).text.split('\n')).toEqual([
      'with',
      'made as (',
      '  insert into payments (id)',
      '  select id',
      '  from json_to_recordset($1) as r (id uuid)',
      '  on conflict (id) do update',
      "  set at = now(), note = 'two  blanks -- and no comment'",
      '  returning id',
      '),',
      '"held" as (',
      '  select id',
      '  from payments',
      "  where status is distinct from 'PENDING'",
      '  for update',
      ')',
      'select id',
      'from made',
    ])
  })

  it('puts a comment above a relation, and leaves out the body of one that was shown', () => {
    const { relations } = formatSql(composed)
    const above = new Map([['held', 'by somebody']])
    const seen = new Set(relations.slice(0, 1))
    const [, made, comment, held] = formatSql(composed, { above, seen }).text.split('\n')
    expect([made, comment, held]).toEqual(['made as (…),', '-- by somebody', '"held" as ('])
  })

  it('breaks what is long between commas, before `and`, and inside a case', () => {
    const columns = Array.from({ length: 20 }, (_, at) => `a_column_${at}`).join(', ')
    const sql =
      `update t set (${columns}) = (1), state = case when ${'x'.repeat(60)} then 1 ` +
      `else ${'y'.repeat(40)} end where ${'z'.repeat(60)} = 1 and ${'w'.repeat(60)} = 2`
    const lines = formatSql(sql).text.split('\n')
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100)
    expect(lines).toContain(`        when ${'x'.repeat(60)} then 1`)
    expect(lines).toContain(`    and ${'w'.repeat(60)} = 2`)
  })

  it('refuses what it cannot read whole', () => {
    expect(() => formatSql('select (1')).toThrow(/unbalanced/)
  })
})
