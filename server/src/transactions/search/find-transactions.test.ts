// Search and filters over a history longer than the walk, part of it indexed, part of it fresh.
// Every page is compared with what plain reading of all rows finds.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import {
  numberPlanted,
  plantEvent,
  plantLink,
  plantSession,
  plantTransaction,
  type Row,
} from '../../../test/setup/transaction-rows.ts'
import { readTerms } from '../../customers/search/terms.ts'
import { type Db, openDb } from '../../platform/db.ts'
import type { Cursor } from '../../platform/http/pages.ts'
import { newId } from '../../platform/ids.ts'
import { readTransactionFilters } from '../filters.ts'
import { findTransactions, lookForTransactions } from './find-transactions.ts'
import { indexThese, listFeedsBehind } from './index-store.ts'
import { indexTransactions } from './index-transactions.ts'
import { listByStatus, listCommon, listMatches, type Walked } from './store.ts'
import { piecesOf } from './telling-parts.ts'

const ours = '01981f3a-0000-7000-8000-00000000aa01'
const theirs = '01981f3a-0000-7000-8000-00000000aa02'
const never_aborted = { signal: new AbortController().signal }

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  const options = { connections_max: 3, durable: false, application_name: 'test' }
  db = openDb({ ...database.options, ...options, role: 'pirogue_app' })
})
afterAll(async () => {
  await db.end({ timeout: 5 })
  await database.drop()
})

const index = () => indexTransactions({ quick: db }).run(never_aborted)

let second = 0

/** A row a second older than the one before, so that the first planted is the newest. */
async function plant(merchant_id: string, how: 'numbered' | 'unnumbered' | 'silent', row: Row) {
  second += 1
  const created_at = new Date(Date.parse('2026-11-21T08:00:00Z') - second * 1000)
  const key = await plantTransaction(database.owner, merchant_id, { created_at, ...row })
  if (how !== 'silent') await plantEvent(database.owner, key, how)
  return key.id
}

type Query = Readonly<Record<string, string>>

const queryOf = (query: Query, merchant_id = ours) => ({
  ...readTransactionFilters(query),
  search: query['search'],
  merchant_id,
  environment: 'SANDBOX' as const,
})

/** All pages of three, walking two steps, there and back again; each way must find the same. */
async function found(query: Query, merchant_id = ours): Promise<string[]> {
  const page = { ...queryOf(query, merchant_id), limit: 3 }
  const [down, up]: [string[], string[]] = [[], []]
  const pages = async (
    dir: 'next' | 'prev',
    ids: string[],
    from?: { place: string; id: string },
  ) => {
    let last = from
    for (;;) {
      const cursor = last && { dir, created_at: last.place, id: last.id }
      const rows = await findTransactions(db, { ...page, cursor }, 2)
      ids.push(...rows.map(({ id }) => id))
      last = rows.at(-1)
      if (rows.length < page.limit) return
    }
  }
  await pages('next', down)
  const far_past = { place: '2000-01-01', id: '00000000-0000-0000-0000-000000000000' }
  await pages('prev', up, far_past)
  expect(up.reverse()).toEqual(down)
  return down
}

describe('in a history with indexed, changed and pending rows', () => {
  const planted: { id: string; row: Row }[] = []
  const names = ['Awa Diop', 'Élodie N’Diaye', 'Kofi Œuvrard', 'Ba Traoré']
  const countries = ['SN', 'CI', 'BJ']
  const types = ['PAIEMENT', 'RETRAIT', 'RECHARGE']

  beforeAll(async () => {
    for (let at = 0; at < 60; at += 1) {
      const [first = '', last = ''] = (names[at % names.length] ?? '').split(' ')
      const status = at % 7 === 3 ? 'FAILED' : at % 11 === 5 ? 'PENDING' : 'SUCCESS'
      const row = {
        reference: `TXN-20261121-${String(at).padStart(10, 'Q')}`,
        external_reference: at % 5 === 0 ? `OP_${at}%` : '',
        customer_first_name: first,
        customer_last_name: last,
        customer_email: `${first.toLowerCase()}.${at}@example.com`,
        customer_phone: `+2290197${String(at).padStart(6, '0')}`,
        country_code: countries[at % countries.length],
        transaction_type: types[at % types.length],
        status,
      }
      const how = status === 'PENDING' ? 'silent' : at % 6 === 0 ? 'unnumbered' : 'numbered'
      planted.push({ id: await plant(ours, how, row), row })
      if (at % 20 === 0) await plant(theirs, 'numbered', row)
    }
    await index()
    // What changed after it was indexed: one is tried again, one has failed after all.
    const moved = { version: 3, settled_attempt: null }
    await change(at(1), { status: 'PENDING', ...moved })
    await change(at(2), { status: 'FAILED', ...moved, external_reference: 'LATE-77' })
    await plantEvent(database.owner, { merchant_id: ours, id: at(2) }, 'numbered')
    await change(at(4), { status: 'FAILED', ...moved })
    await plantEvent(database.owner, { merchant_id: ours, id: at(4) }, 'unnumbered')
  })

  const at = (which: number) => planted[which]?.id ?? ''

  async function change(id: string, changes: Row) {
    const one = planted.find((other) => other.id === id)
    if (one !== undefined) one.row = { ...one.row, ...changes }
    await database.owner`
      update transactions set ${database.owner(changes)} where merchant_id = ${ours} and id = ${id}`
  }

  const those = (which: (row: Row) => boolean) =>
    planted.filter(({ row }) => which(row)).map(({ id }) => id)

  it('has rows of all three kinds', async () => {
    const [counts] = await database.owner<{ indexed: number; pending: number }[]>`
      select (select sum(cardinality(members)) from transaction_search
               where merchant_id = ${ours})::int as indexed,
             (select count(*) from transactions
               where merchant_id = ${ours} and status = 'PENDING')::int as pending`
    expect(counts?.indexed).toBeGreaterThan(30)
    expect(counts?.pending).toBeGreaterThan(4)
    expect(await listFeedsBehind(db, 9)).toEqual([{ merchant_id: ours, environment: 'SANDBOX' }])
  })

  it.each<[Query, (row: Row) => boolean]>([
    [{ status: 'SUCCESS' }, (row) => row['status'] === 'SUCCESS'],
    [{ status: 'FAILED' }, (row) => row['status'] === 'FAILED'],
    [{ status: 'PENDING' }, (row) => row['status'] === 'PENDING'],
    [{ country: 'CI' }, (row) => row['country_code'] === 'CI'],
    [{ currency: 'XOF' }, () => true],
    [{ currency: 'XAF' }, () => false],
    [{ flow_direction: 'OUTBOUND' }, (row) => row['transaction_type'] === 'RETRAIT'],
    [{ flow_direction: 'INBOUND' }, (row) => row['transaction_type'] !== 'RETRAIT'],
    [{ network: 'wave_sn' }, () => true],
    [
      { country: 'CI', transaction_type: 'RETRAIT', status: 'FAILED' },
      (row) => row['country_code'] === 'CI' && row['status'] === 'FAILED',
    ],
    [
      { country: 'SN', flow_direction: 'INBOUND', status: 'FAILED' },
      (row) => row['country_code'] === 'SN' && row['status'] === 'FAILED',
    ],
    [
      { transaction_type: 'RETRAIT', status: 'PENDING' },
      (row) => row['transaction_type'] === 'RETRAIT' && row['status'] === 'PENDING',
    ],
    [{ flow_direction: 'OUTBOUND', status: 'FAILED', country: 'BJ' }, () => false],
    [{ search: 'awa' }, (row) => row['customer_first_name'] === 'Awa'],
    [{ search: 'DIOP awa' }, (row) => row['customer_first_name'] === 'Awa'],
    [{ search: "elodie n'diaye" }, (row) => row['customer_first_name'] === 'Élodie'],
    [{ search: 'oeuvrard' }, (row) => row['customer_first_name'] === 'Kofi'],
    [{ search: 'ba' }, (row) => row['customer_first_name'] === 'Ba'],
    [{ search: 'traore', status: 'FAILED' }, (row) => isFailed(row, 'Ba')],
    [{ search: 'late-77' }, (row) => row['external_reference'] === 'LATE-77'],
    [{ search: 'awa.4@EXAMPLE' }, (row) => row['customer_email'] === 'awa.4@example.com'],
    [{ search: '97 00 00 41' }, (row) => row['customer_phone'] === '+2290197000041'],
    [{ search: '00229 01 97 00 00 41' }, (row) => row['customer_phone'] === '+2290197000041'],
    [{ search: '+229' }, () => true],
    [{ search: '%' }, () => false],
    [{ search: '_5%' }, (row) => String(row['external_reference']).endsWith('_5%')],
    [{ search: 'awa%example' }, () => false],
    [{ search: '\\' }, () => false],
    [{ search: 'awa', merchant: theirs }, () => false],
  ])('%j', async (query, which) => {
    expect(await found(query)).toEqual(those(which))
  })

  const isFailed = (row: Row, name: string) =>
    row['status'] === 'FAILED' && row['customer_first_name'] === name

  it('finds nothing of another merchant, however alike', async () => {
    expect(await found({ search: 'awa' }, theirs)).toHaveLength(3)
  })

  it('is the same once all is indexed, and indexing twice changes nothing', async () => {
    const before = await Promise.all([found({ search: 'awa' }), found({ status: 'SUCCESS' })])
    await numberPlanted(database.owner, ours)
    await Promise.all([index(), index(), index()])
    expect(await listFeedsBehind(db, 9)).toEqual([])
    const after = await Promise.all([found({ search: 'awa' }), found({ status: 'SUCCESS' })])
    expect(after).toEqual(before)
  })

  it('has each in one row, and up to eight that are alike in a row', async () => {
    const rows = await database.owner<{ members: string[]; kinds: number; lines: number }[]>`
      select s.members, array_length(string_to_array(s.words, chr(10)), 1) as lines,
             (select count(distinct (t.status, t.transaction_type, t.country_code))::int
                from transactions t
               where t.merchant_id = ${ours} and t.id = any(s.members)
                 and t.status <> 'PENDING') as kinds
        from transaction_search s where s.merchant_id = ${ours}`
    // The one that is tried again stays in the row of its first end, and is looked at itself.
    const ids = rows.flatMap(({ members }) => members).filter((id) => id !== at(1))
    expect(ids.toSorted()).toEqual(those((row) => row['status'] !== 'PENDING').toSorted())
    const sizes = rows.map(({ members }) => members.length)
    expect([Math.max(...sizes) > 2, Math.max(...sizes) <= 8]).toEqual([true, true])
    expect(rows.map(({ lines }) => lines)).toEqual(sizes)
    expect(rows.every(({ kinds }) => kinds === 1)).toBe(true)
  })
})

describe('one state, a country and a kind, of which a look reads twenty', () => {
  const merchant_id = newId()
  const wanted: string[] = []

  beforeAll(async () => {
    // Four of each moment, so that a look may end at any of them.
    for (let at = 0; at < 100; at += 1) {
      const created_at = new Date(Date.parse('2026-11-20T08:00:00Z') - Math.floor(at / 4) * 1000)
      const country_code = at % 9 === 0 || at > 90 ? 'TG' : 'SN'
      const row = { status: 'FAILED', country_code, created_at }
      const id = await plant(merchant_id, 'numbered', row)
      if (country_code === 'TG') wanted.push(id)
    }
    await index()
  })

  it('finds each once, either way, though a look ends among those of one moment', async () => {
    const ids = await found({ status: 'FAILED', country: 'TG' }, merchant_id)
    expect(ids.toSorted()).toEqual(wanted.toSorted())
    expect(await found({ status: 'FAILED', country: 'ML' }, merchant_id)).toEqual([])
  })

  it.each(['next', 'prev'] as const)('ends between two moments, to %s', async (dir) => {
    const edges = { next: ['2100-01-01', newId()], prev: ['2000-01-01', newId()] } as const
    const [created_at, id] = edges[dir]
    let cursor: Cursor | undefined = { dir, created_at, id }
    const ids: string[] = []
    const page = { ...queryOf({ status: 'FAILED', country: 'TG' }, merchant_id), limit: 99 }
    let looks = 0
    for (; cursor !== undefined; looks += 1) {
      const { rows, end }: Walked = await listByStatus(db, { ...page, terms: [], cursor }, 10)
      ids.push(...rows.map((row) => row.id))
      cursor = end
    }
    expect(ids.toSorted()).toEqual(wanted.toSorted())
    expect(looks).toBeGreaterThan(5)
  })
})

it('looks in the index for what tells of an address, and in what it finds for all of it', async () => {
  const merchant_id = newId()
  const ids: string[] = []
  for (let at = 0; at < 70; at += 1) {
    const row = { status: 'SUCCESS', customer_email: `kofi.${at}@example.com` }
    ids.push(await plant(merchant_id, 'silent', row))
    await indexThese(db, merchant_id, ids.slice(-1))
  }
  const owner = { merchant_id, environment: 'SANDBOX' as const }
  const commonTo = (of: typeof owner, search: string) =>
    listCommon(db, of, piecesOf(readTerms(search)))
  expect(await commonTo(owner, 'kofi.69 xyz')).toEqual(new Set(['kof', 'ofi', 'fi.']))
  expect(await commonTo({ ...owner, merchant_id: newId() }, 'kofi.69')).toEqual(new Set())
  for (const [search, which] of [
    ['kofi.6@example', [6]],
    ['kofi.69@example.com', [69]],
    ['6@example kofi', [66, 56, 46, 36, 26, 16, 6]],
    ['kofi.70@example', []],
    ['kofi.6@example.org', []],
  ] as const) {
    const wanted = which.map((at) => ids[at]).toSorted()
    expect((await found({ search }, merchant_id)).toSorted()).toEqual(wanted)
  }
})

it('finds by a row from before rows were of several, until its transaction changes', async () => {
  const merchant_id = newId()
  const id = await plant(merchant_id, 'silent', { status: 'SUCCESS', customer_first_name: 'Zoé' })
  for (let at = 0; at < 5; at += 1) await plant(merchant_id, 'silent', { status: 'SUCCESS' })
  // As one was from before that: no process of today writes such a row.
  await database.owner`
    alter table transaction_search drop constraint transaction_search_members`
  await database.owner`
    insert into transaction_search (merchant_id, id, environment, created_at, status,
      transaction_type, currency, country_code, network_code, words)
    select merchant_id, id, environment, created_at, status, transaction_type, currency,
           country_code, network_code, ${' zoe old\nline'}
      from transactions where merchant_id = ${merchant_id} and id = ${id}`
  const page = { ...queryOf({}, merchant_id), cursor: undefined, limit: 3 }
  const far = { dir: 'next' as const, created_at: '2100-01-01', id: newId() }
  const stored = async () =>
    (await listMatches(db, { ...page, terms: readTerms('line') }, far)).map((row) => row.id)
  expect(await stored()).toEqual([id])
  await database.owner`
    update transactions set version = 3 where merchant_id = ${merchant_id} and id = ${id}`
  await plantEvent(database.owner, { merchant_id, id }, 'numbered')
  await index()
  expect(await stored()).toEqual([])
  expect(await found({ search: 'zoe' }, merchant_id)).toEqual([id])
  const [row] = await database.owner<{ members: string[] }[]>`
    select members from transaction_search where merchant_id = ${merchant_id}`
  expect(row?.members).toEqual([id])
  await database.owner`
    alter table transaction_search add constraint transaction_search_members
      check (members is not null and moments is not null
        and cardinality(members) = cardinality(moments)) not valid`
})

it('makes one row of what has ended, though an event that is no end comes before the end’s', async () => {
  const merchant_id = newId()
  const id = await plant(merchant_id, 'silent', { status: 'SUCCESS', customer_first_name: 'Ama' })
  const key = { merchant_id, id }
  const rowsNow = async () =>
    (
      await database.owner<{ members: string[] }[]>`
        select members from transaction_search where merchant_id = ${merchant_id}`
    ).map(({ members }) => members)
  await plantEvent(database.owner, key, 'numbered', 'transaction.incident')
  await index()
  expect(await rowsNow()).toEqual([])
  expect(await found({ search: 'ama' }, merchant_id)).toEqual([id])
  await plantEvent(database.owner, key, 'numbered')
  await index()
  expect(await rowsNow()).toEqual([[id]])
  for (const type of ['transaction.refunded', 'transaction.success']) {
    await plantEvent(database.owner, key, 'numbered', type)
    await database.owner`
      update transactions set version = version + 1
       where merchant_id = ${merchant_id} and id = ${id}`
    await index()
    expect(await rowsNow()).toEqual([[id]])
  }
})

it('finds by the slug of the session and of the link', async () => {
  const merchant_id = newId()
  const session = await plantSession(database.owner, merchant_id, 'Sess-Ion_Slug')
  const link = await plantLink(database.owner, merchant_id, 'LinkSlug99')
  const row = { status: 'SUCCESS', checkout_session: session.id, payment_link: link.id }
  const id = await plant(merchant_id, 'numbered', row)
  for (let at = 0; at < 5; at += 1) await plant(merchant_id, 'numbered', { status: 'SUCCESS' })
  for (const search of ['sess-ion_slug', 'LinkSlug', 'sess-ion LINKSLUG']) {
    expect(await found({ search }, merchant_id)).toEqual([id])
  }
  await index()
  expect(await found({ search: 'linkslug' }, merchant_id)).toEqual([id])
  expect(await found({ payment_link: link.id }, merchant_id)).toEqual([id])
  expect(await found({ payment_link: link.id, status: 'FAILED' }, merchant_id)).toEqual([])
  expect(await found({ payment_link: session.id }, merchant_id)).toEqual([])
  const open = { status: 'PENDING', checkout_session: session.id }
  const waiting = await plant(merchant_id, 'silent', open)
  expect(await found({ checkout_session: session.id }, merchant_id)).toEqual([id, waiting])
  expect(await found({ checkout_session: link.id }, merchant_id)).toEqual([])
  expect(await found({ checkout_session: session.id, via: 'LINK' }, merchant_id)).toEqual([id])
})

describe('by what has no index, a page that looks at four', () => {
  const merchant_id = newId()
  const [key, member] = [newId(), newId()]
  const planted: { id: string; row: Row }[] = []

  beforeAll(async () => {
    const page = (await plantSession(database.owner, merchant_id, 'page-slug')).id
    const link = (await plantLink(database.owner, merchant_id, 'a-link-slug')).id
    const makers: Row[] = [
      { api_key_id: key },
      { api_key_id: key },
      { member_id: member },
      { checkout_session: page },
      { api_key_id: key },
      { checkout_session: page, payment_link: link },
      {},
    ]
    for (let at = 0; at < 41; at += 1) {
      const row = {
        ...{ status: at % 9 === 4 ? 'PENDING' : 'SUCCESS', ...makers[at % makers.length] },
        ...amounts(BigInt(at + 1) * 10_000n),
      }
      planted.push({ id: await plant(merchant_id, at % 2 ? 'numbered' : 'silent', row), row })
    }
    await index()
  })

  const amounts = (sum: bigint) => ({
    ...{ requested_amount: sum, net_amount: sum, debited_amount: sum + 32_500n },
  })

  /** All pages of three, one way and back; those that were short, and yet not the last. */
  async function looked(query: Query, dir: 'next' | 'prev'): Promise<[string[], number]> {
    const page = { ...queryOf(query, merchant_id), limit: 3 }
    const past = { created_at: '2000-01-01', id: '00000000-0000-0000-0000-000000000000' }
    let cursor: Cursor | undefined = dir === 'next' ? undefined : { dir, ...past }
    const ids: string[] = []
    let short = 0
    for (;;) {
      const { rows, stopped_at } = await lookForTransactions(db, { ...page, cursor }, 4)
      ids.push(...rows.map(({ id }) => id))
      const last = rows.at(-1)
      if (rows.length === page.limit && last !== undefined) {
        cursor = { dir, created_at: last.place, id: last.id }
      } else if (stopped_at !== undefined) {
        short += 1
        cursor = { dir, ...stopped_at }
      } else return [ids, short]
    }
  }

  const viaOf = (row: Row) => {
    if (row['payment_link']) return 'LINK'
    if (row['checkout_session']) return 'CHECKOUT'
    if (row['api_key_id']) return 'KEY'
    return row['member_id'] ? 'DASHBOARD' : null
  }

  it.each<[Query, (row: Row) => boolean]>([
    [{ via: 'LINK' }, (row) => viaOf(row) === 'LINK'],
    [{ via: 'CHECKOUT' }, (row) => viaOf(row) === 'CHECKOUT'],
    [{ via: 'KEY', status: 'PENDING' }, (row) => viaOf(row) === 'KEY' && isOpen(row)],
    [{ via: 'DASHBOARD' }, (row) => viaOf(row) === 'DASHBOARD'],
    [{ api_key: key }, (row) => row['api_key_id'] === key],
    [{ created_by_member: member }, (row) => row['member_id'] === member],
    [{ created_by_member: key }, () => false],
    [{ amount__gte: '3900', amount__lte: '4000.00' }, (row) => isWithin(row, 390_000n, 400_000n)],
    [{ amount__lte: '200', search: 'txn' }, (row) => isWithin(row, 0n, 20_000n)],
    [{ amount__gte: '1', currency: 'XAF' }, () => false],
  ])('finds by %j all there are, either way', async (query, which) => {
    const wanted = planted.filter(({ row }) => which(row)).map(({ id }) => id)
    const [down, short] = await looked(query, 'next')
    expect(down).toEqual(wanted)
    expect(short).toBeGreaterThan(0)
    expect((await looked(query, 'prev'))[0]).toEqual(wanted.toReversed())
  })

  const isOpen = (row: Row) => row['status'] === 'PENDING'
  const isWithin = (row: Row, from: bigint, to: bigint) => {
    const sum = row['requested_amount']
    return typeof sum === 'bigint' && sum >= from && sum <= to
  }
})

it('stays exact while rows come in between the pages', async () => {
  const merchant_id = newId()
  const before: string[] = []
  for (let at = 0; at < 12; at += 1) {
    const customer_first_name = at % 2 === 0 ? 'Mariam' : 'Paul'
    const id = await plant(merchant_id, 'numbered', { status: 'SUCCESS', customer_first_name })
    if (at % 2 === 0) before.push(id)
  }
  const page = { ...queryOf({ search: 'mariam' }, merchant_id), limit: 2 }
  const seen: string[] = []
  let cursor: Parameters<typeof findTransactions>[1]['cursor']
  for (;;) {
    const rows = await findTransactions(db, { ...page, cursor }, 2)
    seen.push(...rows.map(({ id }) => id))
    const last = rows.at(-1)
    if (last === undefined || rows.length < page.limit) break
    cursor = { dir: 'next', created_at: last.place, id: last.id }
    const newest = { status: 'SUCCESS', customer_first_name: 'Mariam', created_at: new Date() }
    await plant(merchant_id, 'numbered', newest)
    await index()
  }
  expect(seen).toEqual(before)
})

describe('what happens while a page is looked for', () => {
  const key = newId()

  /** The database, in which this happens after each statement. */
  const disturbedBy = (happens: () => Promise<unknown>): Db =>
    new Proxy(db, {
      apply(target, self, args) {
        const query = Reflect.apply(target, self, args)
        // What is no statement is a name.
        if (typeof query.then !== 'function') return query
        const run = query.then.bind(query)
        // biome-ignore lint/suspicious/noThenProperty: a query begins when it is awaited.
        query.then = (done: (rows: unknown) => never, failed: (error: unknown) => never) =>
          new Promise((answered, refused) => void run(answered, refused))
            .then((rows) => happens().then(() => rows))
            .then(done, failed)
        return query
      },
    })

  /** Twelve that are open, of which a key made the fifth, the seventh and the last. */
  async function plantTwelve(merchant_id: string): Promise<string[]> {
    const ids: string[] = []
    for (let at = 0; at < 12; at += 1) {
      const made = [4, 6, 11].includes(at) ? { api_key_id: key } : {}
      ids.push(await plant(merchant_id, 'silent', { status: 'PENDING', ...made }))
    }
    return ids
  }

  const comeIn = async (merchant_id: string) => {
    for (let nth = 0; nth < 3; nth += 1) {
      await plant(merchant_id, 'silent', { status: 'PENDING', created_at: new Date() })
    }
  }
  const end = (merchant_id: string, ids: readonly string[]) => database.owner`
    update transactions set status = 'SUCCESS', version = 2, settled_attempt = gen_random_uuid()
     where merchant_id = ${merchant_id} and id in ${database.owner(ids.slice(0, 3))}`

  it.each([
    ['come in', comeIn],
    ['end', end],
  ])('repeats none and passes none over: others %s', async (_what, happens) => {
    const merchant_id = newId()
    const ids = await plantTwelve(merchant_id)
    const disturbed = disturbedBy(() => Promise.resolve(happens(merchant_id, ids)))
    const page = { ...queryOf({ status: 'PENDING', api_key: key }, merchant_id), limit: 3 }
    const seen: string[] = []
    let cursor: Cursor | undefined
    for (;;) {
      const { rows, stopped_at } = await lookForTransactions(disturbed, { ...page, cursor }, 5)
      seen.push(...rows.map(({ id }) => id))
      if (stopped_at === undefined) break
      cursor = { dir: 'next', ...stopped_at }
    }
    expect(seen).toEqual([ids[4], ids[6], ids[11]])
  })
})
