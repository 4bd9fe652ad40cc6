// The seed files' reader: quotes, commas, blank lines, and mistakes that name their line.

import { describe, expect, it } from 'vitest'
import { readCsv } from './read-csv.ts'

describe('readCsv', () => {
  it('reads commas and doubled quotes inside quotes, blank lines and CRLF', () => {
    const [row, next] = readCsv('a,b,c\r\n1,"x, ""y""",\r\n\r\n2,,z\r\n')
    expect([row?.text('a'), row?.text('b'), row?.text('c')]).toEqual(['1', 'x, "y"', ''])
    expect([next?.line, next?.text('b'), next?.text('c')]).toEqual([4, '', 'z'])
  })

  it('names the line that has another number of fields than the header', () => {
    expect(() => readCsv('a,b\n1,2\n1,2,3\n')).toThrow('line 3 has 3 fields, the header 2')
  })

  it('refuses an open quote and a column that is not there', () => {
    expect(() => readCsv('a\n"x\n')).toThrow(/quote/)
    expect(() => readCsv('a\n1\n')[0]?.text('b')).toThrow('there is no column b')
  })
})
