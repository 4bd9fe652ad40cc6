// Lists (contract 1.6): sizes, links, and cursors that stay exact while rows are inserted.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Invalid, Refusal } from '../errors.ts'
import {
  type Cursor,
  type CursorPage,
  type CursorSecret,
  keysetPage,
  numberPage,
  readCursor,
  readCursorRequest,
  readNumberRequest,
  signCursor,
} from './pages.ts'

const secretOf = (...kept: Buffer[]): CursorSecret => ({
  signing: () => kept[0] ?? Buffer.alloc(0),
  kept: () => kept,
})
const [own, other] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)]
const secret = secretOf(own)
const url = new URL('https://pay.example.org/api/v1/transactions/?status=FAILED&page_size=2')

type Row = { created_at: string; id: string }

const fieldsOf = (act: () => unknown): string[] => {
  try {
    act()
  } catch (error) {
    if (error instanceof Invalid) return Object.keys(error.fields)
    throw error
  }
  return []
}

describe('a cursor', () => {
  const cursor: Cursor = { dir: 'next', created_at: '2026-11-21 08:00:00.123456+00', id: 'a' }

  it('comes back as it went', () => {
    expect(readCursor(secret, signCursor(secret, cursor))).toEqual(cursor)
  })

  it('is refused when any character is changed, added or taken away', () => {
    const text = signCursor(secret, cursor)
    for (let at = 0; at < text.length; at += 1) {
      const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
      expect(fieldsOf(() => readCursor(secret, changed))).toEqual(['cursor'])
    }
    for (const wrong of [`${text}A`, `${text}=`, text.slice(1), text.slice(0, -1), `${text} `]) {
      expect(fieldsOf(() => readCursor(secret, wrong))).toEqual(['cursor'])
    }
  })

  it('is refused when another secret signed it', () => {
    const text = signCursor(secretOf(other), cursor)
    expect(fieldsOf(() => readCursor(secret, text))).toEqual(['cursor'])
  })

  it('is believed as long as the secret that signed it is kept', () => {
    const text = signCursor(secret, cursor)
    expect(readCursor(secretOf(other, own), text)).toEqual(cursor)
    expect(signCursor(secretOf(other, own), cursor)).toBe(signCursor(secretOf(other), cursor))
  })

  it('is refused when it is any other text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(fieldsOf(() => readCursor(secret, text))).toEqual(['cursor'])
      }),
    )
  })
})

/** Newest first: what `order by created_at desc, id desc` gives. */
const byNewest = (one: Row, other: Row): number => {
  const [a, b] = [one.created_at + one.id, other.created_at + other.id]
  return a === b ? 0 : a < b ? 1 : -1
}

/** A list as a store keeps it: the rows asked for, in the order asked for, and one more. */
function pageOf(table: readonly Row[], link: URL): CursorPage<Row> {
  const request = readCursorRequest(Object.fromEntries(link.searchParams), secret)
  const { cursor, page_size } = request
  const newest = [...table].sort(byNewest)
  const older = newest.filter((row) => cursor === undefined || byNewest(row, cursor) > 0)
  const newer = newest.filter((row) => cursor !== undefined && byNewest(row, cursor) < 0)
  const rows = cursor?.dir === 'prev' ? newer.reverse() : older
  return keysetPage({
    ...request,
    rows: rows.slice(0, page_size + 1),
    url: link,
    secret,
    keyOf: ({ created_at, id }) => ({ created_at, id }),
  })
}

const row = (at: number, id: number): Row => ({
  created_at: `2026-11-21 08:00:00.${String(at).padStart(6, '0')}+00`,
  id: String(id).padStart(3, '0'),
})

describe('a cursor list', () => {
  it('gives every row once and walks back the same way, though rows share their moment', () => {
    const tables = fc.uniqueArray(fc.tuple(fc.nat(5), fc.nat(20)), { maxLength: 30 })
    fc.assert(
      fc.property(tables, fc.integer({ min: 1, max: 7 }), (keys, page_size) => {
        const table = [...new Set(keys.map(String))].map((key) => {
          const [at = 0, id = 0] = key.split(',').map(Number)
          return row(at, id)
        })
        const start = new URL(url)
        start.searchParams.set('page_size', String(page_size))
        const there: CursorPage<Row>[] = [pageOf(table, start)]
        for (let page = there[0]; page?.next; page = there.at(-1)) {
          there.push(pageOf(table, new URL(page.next)))
        }
        expect(there.flatMap((page) => page.results)).toEqual([...table].sort(byNewest))
        const back: CursorPage<Row>[] = []
        for (let page = there.at(-1); page?.previous; page = back.at(-1)) {
          back.push(pageOf(table, new URL(page.previous)))
        }
        const rows = back.reverse().flatMap((page) => page.results)
        expect(rows).toEqual(there.slice(0, -1).flatMap((page) => page.results))
      }),
    )
  })

  it('shows no row twice and misses none while rows are inserted, and finds them on the way back', () => {
    const table = [1, 2, 3, 4, 5, 6].map((at) => row(at, at))
    const first = pageOf(table, url)
    table.push(row(7, 7), row(8, 8), row(9, 9))
    const second = pageOf(table, new URL(first.next ?? ''))
    const third = pageOf(table, new URL(second.next ?? ''))
    const ids = (page: CursorPage<Row>) => page.results.map(({ id }) => Number(id))
    expect([first, second, third].map(ids)).toEqual([
      [6, 5],
      [4, 3],
      [2, 1],
    ])
    const back = pageOf(table, new URL(third.previous ?? ''))
    const newer = pageOf(table, new URL(back.previous ?? ''))
    const newest = pageOf(table, new URL(newer.previous ?? ''))
    const top = pageOf(table, new URL(newest.previous ?? ''))
    expect([back, newer, newest, top].map(ids)).toEqual([[4, 3], [6, 5], [8, 7], [9]])
    expect(top.previous).toBeNull()
  })

  it('has no links when everything is on one page', () => {
    expect(pageOf([row(1, 1)], url)).toMatchObject({ next: null, previous: null })
    expect(pageOf([], url)).toEqual({ next: null, previous: null, results: [] })
  })

  it('has absolute links that keep the query and end their path in a slash', () => {
    const bare = new URL('https://pay.example.org/api/v1/transactions?status=FAILED&page_size=1')
    const { next } = pageOf([row(1, 1), row(2, 2)], bare)
    expect(next).toMatch(
      /^https:\/\/pay\.example\.org\/api\/v1\/transactions\/\?status=FAILED&page_size=1&cursor=[\w-]+$/,
    )
  })

  it('keeps the microseconds of a place', () => {
    const { next } = pageOf([row(123_456, 1), row(123_455, 1), row(123_454, 1)], url)
    const cursor = new URL(next ?? '').searchParams.get('cursor')
    expect(readCursor(secret, cursor ?? '').created_at).toContain('.123455')
  })
})

describe('a list that looks at so many rows a page', () => {
  type Looked = Readonly<{ most: number; isSought: (row: Row) => boolean }>

  /** As a store without an index does: what it seeks among the next so many, and where it ended. */
  function looked(table: readonly Row[], link: URL, { most, isSought }: Looked): CursorPage<Row> {
    const request = readCursorRequest(Object.fromEntries(link.searchParams), secret)
    const { cursor, page_size } = request
    const isUp = cursor?.dir === 'prev'
    const beyond = table.filter((row) => {
      const after = cursor === undefined ? 1 : byNewest(row, cursor)
      return isUp ? after < 0 : after > 0
    })
    const seen = beyond.sort((a, b) => (isUp ? byNewest(b, a) : byNewest(a, b))).slice(0, most)
    const rows = seen.filter(isSought).slice(0, page_size + 1)
    const stopped_at = rows.length > page_size ? undefined : seen[most - 1]
    return keysetPage({ ...request, rows, stopped_at, url: link, secret, keyOf: (row) => row })
  }

  /** All pages from a link on. */
  function follow(
    read: (link: URL) => CursorPage<Row>,
    from: string | null,
    way: 'next' | 'previous',
  ) {
    const pages: CursorPage<Row>[] = []
    for (let link = from; link !== null && pages.length < 200; link = pages.at(-1)?.[way] ?? null) {
      pages.push(read(new URL(link)))
    }
    return pages
  }

  it('loses no row where one turns round, on an empty page neither', () => {
    const sought = fc.array(fc.boolean(), { maxLength: 24 })
    const [most, page_size] = [fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 4 })]
    fc.assert(
      fc.property(sought, most, page_size, (flags, steps, size) => {
        const table = flags.map((_, at) => ({
          created_at: row(Math.floor(at / 3), 0).created_at,
          id: `01981f3a-0000-7000-8000-${String(at).padStart(12, '0')}`,
        }))
        const wanted = new Set(table.filter((_, at) => flags[at]).map(({ id }) => id))
        const order = { most: steps, isSought: ({ id }: Row) => wanted.has(id) }
        const read = (link: URL) => looked([...table], link, order)
        const all = table.filter(({ id }) => wanted.has(id)).sort(byNewest)
        const start = new URL(url)
        start.searchParams.set('page_size', String(size))
        const there = follow(read, start.href, 'next')
        const rowsOf = (pages: readonly CursorPage<Row>[]) =>
          pages.flatMap(({ results }) => results)
        expect(rowsOf(there)).toEqual(all)
        for (const [at, page] of there.entries()) {
          if (page.previous === null) continue
          const back = follow(read, page.previous, 'previous')
          expect(rowsOf([...back].reverse())).toEqual(rowsOf(there.slice(0, at)))
          for (const [times, one] of back.entries()) {
            const shown = rowsOf(back.slice(0, times + 1)).length
            const newer = rowsOf(there.slice(0, at)).length
            const on = rowsOf(follow(read, one.next, 'next'))
            expect(on).toEqual(all.slice(newer - shown + one.results.length))
          }
        }
      }),
    )
  })
})

describe('page_size', () => {
  it.each([
    [undefined, 50, 50],
    ['', 50, 50],
    ['1', 1, 1],
    ['007', 7, 7],
    ['100', 100, 100],
    ['200', 200, 100],
    ['201', 200, 100],
    ['99999999999999999999', 200, 100],
  ])('%s is %i by cursor and %i by number', (text, by_cursor, by_number) => {
    const query = text === undefined ? {} : { page_size: text }
    expect(readCursorRequest(query, secret).page_size).toBe(by_cursor)
    expect(readNumberRequest(query).page_size).toBe(by_number)
  })

  it.each(['0', '-1', '1.5', 'x', '1e2', ' 1', '+1', '٣'])('"%s" is refused', (page_size) => {
    expect(fieldsOf(() => readCursorRequest({ page_size }, secret))).toEqual(['page_size'])
    expect(fieldsOf(() => readNumberRequest({ page_size }))).toEqual(['page_size'])
    expect(fieldsOf(() => readNumberRequest({ page: page_size }))).toEqual(['page'])
  })
})

describe('a page-number list', () => {
  const pageAt = (page: string, count: number) => {
    const request = readNumberRequest({ page, page_size: '2' })
    return numberPage(request, { count, results: ['r'], url })
  }

  it('counts, and links to its neighbours', () => {
    expect(pageAt('2', 5)).toEqual({
      count: 5,
      next: `${url}&page=3`,
      previous: `${url}&page=1`,
      results: ['r'],
    })
    expect(pageAt('1', 2)).toMatchObject({ next: null, previous: null })
    expect(pageAt('3', 5)).toMatchObject({ next: null, previous: `${url}&page=2` })
  })

  it('has a first page even when it is empty', () => {
    expect(pageAt('1', 0)).toMatchObject({ count: 0, next: null, previous: null })
  })

  it.each([
    ['2', 0],
    ['2', 2],
    ['4', 5],
    ['99999999999999999999', 5],
  ])('answers page %s of %i rows with not_found', (page, count) => {
    expect(() => pageAt(page, count)).toThrow(Refusal)
    expect(() => pageAt(page, count)).toThrow('not_found')
  })
})
