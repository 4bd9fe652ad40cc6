// The two kinds of list page (contract 1.6): by cursor, which stays exact while rows are inserted,
// and by number, with an exact count. Links are absolute and keep the rest of the query.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Keyring } from '../crypto/seal.ts'
import { type Invalid, invalid, refuse } from '../errors.ts'
import { isUuid, uuidBeside } from '../ids.ts'
import type { Query } from './filters.ts'
import { transportErrors } from './transport-errors.ts'

const page_size_default = 50
const cursor_page_size_max = 200
const number_page_size_max = 100

const pageSizeSchema = (maximum: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      default: page_size_default,
      description: `Rows per page; a value above ${maximum} counts as ${maximum}.`,
    }),
  )

const noPagesText = {
  en: 'This list has no page numbers: follow `next` until it is null.',
  fr: 'Cette liste n’a pas de numéros de page : suivez `next` jusqu’à ce qu’il soit null.',
}

/**
 * Query properties of a cursor list, to spread into its query schema. `page` may only be 1: a
 * client that counts pages would read the first one for ever.
 */
export const cursorQuery = {
  page: Type.Optional(
    Type.Integer({
      maximum: 1,
      'x-message': noPagesText,
      description: 'Only 1, the start: follow `next` to continue this list.',
    }),
  ),
  cursor: Type.Optional(Type.String({ description: 'Position in the list; take it from a link.' })),
  page_size: pageSizeSchema(cursor_page_size_max),
}

/**
 * The one order that a cursor list has. Another one is refused: whoever asked for it would take
 * the rows that come for those they wanted.
 */
export const onlyOrder = (order: 'created_at' | '-created_at') =>
  Type.Optional(Type.Enum([order], { description: 'The order that this list always has.' }))

/** Query properties of a page-number list, to spread into its query schema. */
export const numberQuery = {
  page: Type.Optional(Type.Integer({ minimum: 1, default: 1, description: 'Page number.' })),
  page_size: pageSizeSchema(number_page_size_max),
}

/** Query properties of a list that has both kinds of page, to spread into its query schema. */
export const eitherQuery = {
  pagination: Type.Optional(
    Type.Enum(['number', 'cursor'], {
      default: 'number',
      description:
        '`cursor`: newest first, by cursor, as fast however long the list is; `count` is then ' +
        'null where there are very many, and a page may come short with a `next` all the same.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ description: 'With `pagination=cursor`: the place; take it from a link.' }),
  ),
  ...numberQuery,
  page_size: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: page_size_default,
      description:
        `Rows per page; a value above ${number_page_size_max} counts as it, by cursor one above ` +
        `${cursor_page_size_max} as that.`,
    }),
  ),
}

const link = Type.Union([Type.String({ format: 'uri' }), Type.Null()])

export const cursorPageSchema = <T extends TSchema>(row: T) =>
  Type.Object({ next: link, previous: link, results: Type.Array(row) })

export const numberPageSchema = <T extends TSchema>(row: T) =>
  Type.Object({
    count: Type.Integer({ minimum: 0 }),
    next: link,
    previous: link,
    results: Type.Array(row),
  })

export const eitherPageSchema = <T extends TSchema>(row: T) =>
  Type.Object({
    count: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'Exact; null only with `pagination=cursor`, of a list of very many.',
    }),
    next: link,
    previous: link,
    results: Type.Array(row),
  })

// Above this no list has a page; it keeps `page * page_size` a safe integer.
const number_max = 999_999_999

function readPositive(query: Query, name: string, fallback: number): number {
  const text = query[name]
  if (text === undefined || text === '') return fallback
  if (!/^0*[1-9]\d*$/.test(text)) {
    throw invalid(name, {
      en: 'Must be a whole number of 1 or more.',
      fr: 'Doit être un nombre entier supérieur ou égal à 1.',
    })
  }
  return Math.min(Number(text), number_max)
}

/** A link to the same list with other parameters; its path ends in `/`. */
export function linkTo(url: URL, changes: Record<string, string>): string {
  const target = new URL(url)
  if (!target.pathname.endsWith('/')) target.pathname += '/'
  for (const [name, value] of Object.entries(changes)) target.searchParams.set(name, value)
  return target.href
}

export type CursorRequest = Readonly<{ page_size: number; cursor: Cursor | undefined }>

/** Reads `page_size` and `cursor`. The store then fetches `page_size + 1` rows after the cursor. */
export function readCursorRequest(query: Query, secret: CursorSecret): CursorRequest {
  const page_size = readPositive(query, 'page_size', page_size_default)
  const text = query['cursor']
  return {
    page_size: Math.min(page_size, cursor_page_size_max),
    cursor: text === undefined || text === '' ? undefined : readCursor(secret, text),
  }
}

export type CursorPage<Row> = { next: string | null; previous: string | null; results: Row[] }

export type Keyset<Row> = Readonly<{
  /**
   * Up to `page_size + 1` rows. No cursor: newest first. `next`: those older than the cursor,
   * descending. `prev`: those newer than the cursor, ASCENDING (nearest first); reversed here.
   */
  rows: readonly Row[]
  /** Where looking ended before the page was full: it goes on from there. */
  stopped_at?: Pick<Cursor, 'created_at' | 'id'> | undefined
  page_size: number
  cursor: Cursor | undefined
  url: URL
  secret: CursorSecret
  /** The row's place: `created_at` with microseconds, as PostgreSQL prints it. */
  keyOf: (row: Row) => { created_at: string; id: string }
}>

/** Makes the page of a list that runs by `(created_at, id)` from the newest down. */
export function keysetPage<Row>(keyset: Keyset<Row>): CursorPage<Row> {
  const { rows, stopped_at, page_size, cursor, url, secret, keyOf } = keyset
  const backwards = cursor?.dir === 'prev'
  const more = rows.length > page_size
  const results = rows.slice(0, page_size)
  if (backwards) results.reverse()
  const [first, last] = [results.at(0), results.at(-1)]
  const linkAt = (dir: Cursor['dir'], { created_at, id }: Pick<Cursor, 'created_at' | 'id'>) =>
    linkTo(url, { cursor: signCursor(secret, { dir, created_at, id }) })
  const linkFrom = (dir: Cursor['dir'], row: Row | undefined): string | null => {
    // An empty page has no row of its own: its links turn round at the place of its cursor.
    const place = row === undefined ? cursor && turnedAt(cursor) : keyOf(row)
    return place === undefined ? null : linkAt(dir, place)
  }
  const page = {
    next: backwards || more ? linkFrom('next', last) : null,
    previous: cursor !== undefined && (!backwards || more) ? linkFrom('prev', first) : null,
    results,
  }
  if (more || stopped_at === undefined) return page
  return backwards
    ? { ...page, previous: linkAt('prev', stopped_at) }
    : { ...page, next: linkAt('next', stopped_at) }
}

/** The place beside the cursor's row, so that the row itself is on the page one turns back to. */
function turnedAt({ dir, created_at, id }: Cursor): Pick<Cursor, 'created_at' | 'id'> {
  return { created_at, id: isUuid(id) ? uuidBeside(id, dir === 'prev' ? 1n : -1n) : id }
}

export type NumberRequest = Readonly<{ page: number; page_size: number; offset: number }>

/** Reads `page` and `page_size`; the store takes `limit page_size offset offset` and counts. */
export function readNumberRequest(query: Query): NumberRequest {
  const page = readPositive(query, 'page', 1)
  const requested = readPositive(query, 'page_size', page_size_default)
  const page_size = Math.min(requested, number_page_size_max)
  return { page, page_size, offset: (page - 1) * page_size }
}

export type NumberPage<Row> = { count: number } & CursorPage<Row>

/** Makes a page with its exact count; beyond the end it is 404 (the first page always exists). */
export function numberPage<Row>(
  request: NumberRequest,
  found: Readonly<{ count: number; results: Row[]; url: URL }>,
): NumberPage<Row> {
  const { page, page_size, offset } = request
  const { count, results, url } = found
  if (page > 1 && offset >= count) throw refuse(transportErrors.not_found)
  const linkToPage = (number: number) => linkTo(url, { page: String(number) })
  return {
    count,
    next: offset + page_size < count ? linkToPage(page + 1) : null,
    previous: page > 1 ? linkToPage(page - 1) : null,
    results,
  }
}

// Opaque signed cursors (contract 1.6). A cursor is a position, not a right: it is signed so that
// nobody builds one, and the list's own filters still decide what is seen.

const CursorShape = Type.Object({
  dir: Type.Union([Type.Literal('next'), Type.Literal('prev')]),
  created_at: Type.String(),
  id: Type.String(),
})

/**
 * A place between two rows of a list that runs from the newest down. `created_at` keeps
 * PostgreSQL's microseconds as text: a `Date` would lose three digits and skip rows.
 */
export type Cursor = Readonly<Static<typeof CursorShape>>

/** What signs the cursors of a list. */
export type Signing = Readonly<{ cursor_secret: CursorSecret }>

/**
 * What the cursors of one kind of list are signed with, asked for at each use: a key of MACs begins
 * to sign while the process runs, and what an earlier one signed is believed as long as it is kept.
 */
export type CursorSecret = Readonly<{
  signing(): Uint8Array
  kept(): readonly Uint8Array[]
}>

/** `kind`: a cursor of one kind of list fits no other. */
export const cursorSecretOf = (
  keyring: Pick<Keyring, 'mac' | 'macs'>,
  kind: string,
): CursorSecret => ({
  signing: () => keyring.mac('cursor', kind),
  kept: () => keyring.macs('cursor', kind),
})

const mac_bytes = 16

const macOf = (secret: Uint8Array, payload: string): Buffer =>
  createHmac('sha256', secret).update(`cursor\0${payload}`).digest().subarray(0, mac_bytes)

export function signCursor(secret: CursorSecret, cursor: Cursor): string {
  const payload = JSON.stringify([cursor.dir, cursor.created_at, cursor.id])
  return Buffer.concat([macOf(secret.signing(), payload), Buffer.from(payload)]).toString(
    'base64url',
  )
}

const wrongCursor = (): Invalid =>
  invalid('cursor', {
    en: 'Use the cursor of a "next" or "previous" link unchanged.',
    fr: 'Utilisez tel quel le curseur d’un lien « next » ou « previous ».',
  })

/** Throws `Invalid` on `cursor` for anything that `signCursor` did not make with a kept secret. */
export function readCursor(secret: CursorSecret, text: string): Cursor {
  const bytes = Buffer.from(text, 'base64url')
  // A second spelling of the same bytes (padding, stray characters) is a changed cursor too.
  if (bytes.length <= mac_bytes || bytes.toString('base64url') !== text) throw wrongCursor()
  const payload = bytes.subarray(mac_bytes).toString()
  const tag = bytes.subarray(0, mac_bytes)
  // Compared with each: which of them signed must not show in the time taken.
  const signed = secret.kept().map((one) => timingSafeEqual(tag, macOf(one, payload)))
  if (!signed.includes(true)) throw wrongCursor()
  const [dir, created_at, id]: unknown[] = JSON.parse(payload)
  const cursor = { dir, created_at, id }
  if (!Value.Check(CursorShape, cursor)) throw wrongCursor()
  return cursor
}
