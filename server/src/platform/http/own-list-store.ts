// The page of a list that one merchant has, of either kind (contract 1.6): by number with an exact
// count, which reads every row; or by cursor, which reads so many and no more, however long the
// list has grown. Its index is `(merchant_id, environment, created_at desc, id desc)`.

import type { Fragment, Sql } from '../db.ts'
import { type Created, madeWithin } from '../sql.ts'
import type { Had, Wanted } from './lists.ts'
import type { Cursor } from './pages.ts'
import type { Environment } from './route.ts'

export type OwnList = Readonly<{
  table: string
  /** What `owned`, `where`, `columns` and `joined` call the table. */
  as: string
  /** Whose rows, and when they were made: what the index begins with. */
  owned: Fragment
  /** All that the filters let through, `owned` with them. */
  where: Fragment
  columns: Fragment
  /** ` left join …` */
  joined?: Fragment
}>

type Owner = Partial<Created> & Readonly<{ merchant_id: string; environment: Environment }>

/** ` … and …`: the merchant's own, made within these bounds, of the table that is called `as`. */
export const madeBy = (sql: Sql, owner: Owner, as: string): Fragment => sql`
  ${sql(as)}.merchant_id = ${owner.merchant_id}::uuid
  and ${sql(as)}.environment = ${owner.environment}
  ${madeWithin(sql, { ...unbounded, ...owner }, sql`${sql(as)}.created_at`)}`

const unbounded = { created_at__gte: undefined, created_at__lte: undefined }

/** How many rows a page by cursor looks at for filters without an index: tens of milliseconds. */
const looked_at_max = 20_000

/** A list of more is not counted. */
const counted_max = 5_000

type Bounds = Readonly<{ look: number; count: number }>

/** `at`: where the merchant's rows are, `sql` made the fragments. */
export const listOwn = async <Row extends Readonly<{ id: string }>>(
  { sql, at }: Readonly<{ sql: Sql; at: Sql }>,
  list: OwnList,
  wanted: Wanted<string>,
  bounds: Bounds = { look: looked_at_max, count: counted_max },
): Promise<Had<Row>> =>
  wanted.is === 'number'
    ? listNumbered({ sql, at }, list, wanted)
    : listDown({ sql, at }, { list, wanted, bounds })

async function listNumbered<Row extends Readonly<{ id: string }>>(
  { sql, at }: Readonly<{ sql: Sql; at: Sql }>,
  { table, as, where, columns, joined = sql`` }: OwnList,
  { order, limit, offset }: Extract<Wanted<string>, { is: 'number' }>,
): Promise<Had<Row>> {
  const way = order.descending ? sql`desc` : sql`asc`
  const found = sql`from ${sql(table)} ${sql(as)} ${joined} where ${where}`
  const [rows, [total]] = await Promise.all([
    at<Row[]>`
      select ${columns} ${found}
       order by ${sql(as)}.${sql(order.field)} ${way}, ${sql(as)}.id ${way}
       limit ${limit} offset ${offset}`,
    at<{ count: number }[]>`select count(*)::int as count ${found}`,
  ])
  return { count: total?.count ?? 0, rows }
}

type Down = Readonly<{
  list: OwnList
  wanted: Extract<Wanted<string>, { is: 'cursor' }>
  bounds: Bounds
}>

async function listDown<Row extends Readonly<{ id: string }>>(
  { sql, at }: Readonly<{ sql: Sql; at: Sql }>,
  { list, wanted: { cursor, limit }, bounds }: Down,
): Promise<Had<Row>> {
  const { table, owned, where, columns, joined = sql`` } = list
  const as = sql(list.as)
  const ordered = sql`order by ${newestDown(sql, cursor, list.as)}`
  const near = sql`
    from ${sql(table)} ${as}
   where ${owned} ${andBeyond(sql, cursor, list.as)}
   ${ordered}`
  // Of a subquery with a limit no row is read beyond the one that fills the page.
  const [rows, [total]] = await Promise.all([
    at<(Row & { place: string })[]>`
      select ${columns}, ${as}.created_at::text as place
        from (select ${as}.* ${near} limit ${bounds.look}) ${as} ${joined}
       where ${where} ${ordered} limit ${limit}`,
    at<{ count: number; seen: number }[]>`
      select count(*) filter (where ${where})::int as count, count(*)::int as seen
        from (select ${as}.* from ${sql(table)} ${as} where ${owned}
               order by ${newestDown(sql, undefined, list.as)} limit ${bounds.count + 1}) ${as}
             ${joined}`,
  ])
  const { count = 0, seen = 0 } = total ?? {}
  const had = { count: seen > bounds.count ? null : count, rows }
  if (rows.length >= limit || seen <= Math.min(bounds.count, bounds.look)) return had
  // After the rows were read: whoever comes meanwhile is looked at twice rather than never.
  const [stopped_at] = await at<{ created_at: string; id: string }[]>`
    select ${as}.created_at::text as created_at, ${as}.id ${near}
    offset ${bounds.look - 1} limit 1`
  return { ...had, stopped_at }
}

/** ` and …`: past the place of the cursor in its direction. */
export function andBeyond(sql: Sql, cursor: Cursor | undefined, as: string): Fragment {
  if (cursor === undefined) return sql``
  const place = sql`(${sql(as)}.created_at, ${sql(as)}.id)`
  const at = sql`(${cursor.created_at}::text::timestamptz, ${cursor.id}::uuid)`
  return cursor.dir === 'prev' ? sql`and ${place} > ${at}` : sql`and ${place} < ${at}`
}

/** From the newest down; before a `prev` cursor the nearest first. */
export function newestDown(sql: Sql, cursor: Cursor | undefined, as: string): Fragment {
  const way = cursor?.dir === 'prev' ? sql`asc` : sql`desc`
  return sql`${sql(as)}.created_at ${way}, ${sql(as)}.id ${way}`
}
