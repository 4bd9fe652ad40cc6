// What a list shows, its file has: movements, settlements, transfers, links and the audit log, each
// row with the values of its fields, by the same filters, in the form of the other files; and every
// file has the columns that are asked for. Without it an accountant's file and the screen beside it
// disagree, or somebody else's rows stand in it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCsv } from '../../src/app/read-csv.ts'
import { type Json, newPayer, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { paidPayment, refund, refundEnds, refundingShop } from '../setup/refunds.ts'

type Row = Readonly<Record<string, string>>
type Listed = Readonly<{
  list: string
  file: string
  /** Columns that the list has not, or has under another name: from its row. */
  other?: Readonly<Record<string, (row: Json) => unknown>>
  /** Queries that each leave some rows out and some in. */
  queries: readonly string[]
}>

const hostile = '=HYPERLINK("https://evil.example";"x")'
const kindOf = { 'the only method': 'MOBILE_MONEY' }

const files: readonly Listed[] = [
  {
    list: '/merchant-ledger-entries/',
    file: 'movements.csv',
    other: { environment: () => 'SANDBOX' },
    queries: [
      ...['?kind=PAYMENT', '?kind=REFUND', '?kind=SANDBOX', '?kind=TRANSFER', '?kind=SETTLEMENT'],
      ...['?direction=DEBIT', '?country=bj', '?currency=XAF', '?transaction={payment}'],
      ...['?settlement={settlement}', '?wallet_transfer={transfer}', '?reference={reference}'],
      ...['?reference={moved}', '?reference={settled}'],
      '?kind=TRANSFER&direction=CREDIT',
    ],
  },
  {
    list: '/settlements/',
    file: 'settlements.csv',
    other: { method: () => kindOf['the only method'] },
    queries: ['?status=CANCELLED', '?country=bj&search={settled}'],
  },
  {
    list: '/wallet-transfers/',
    file: 'transfers.csv',
    queries: ['?status=SUCCESS', '?status=REJECTED', '?search={moved}'],
  },
  {
    list: '/payment-links/',
    file: 'payment-links.csv',
    queries: ['?is_active=false', '?search=hyperlink'],
  },
  {
    list: '/audit-logs/',
    file: 'audit-log.csv',
    other: {
      actor_kind: ({ actor }) => actor.kind,
      actor_role: ({ actor }) => actor.role,
      actor_name: ({ actor }) => actor.name,
      actor_id: ({ actor }) => actor.id,
      target_kind: ({ target }) => target.kind,
      target_id: ({ target }) => target.id,
      before: ({ before }) => before,
      after: ({ after }) => after,
    },
    queries: ['?actor_kind=STAFF', '?action=webhook.registered', '?search=WEBHOOK', '?search=@'],
  },
]

let app: TestApp
/** Its merchant's owner: a key may not read the audit log. */
let owner: SignedInCaller
let named: Readonly<Record<string, string>>

beforeAll(async () => {
  app = await startApp()
  const shop = await refundingShop(app, { live: true }, '500000')
  const { merchant_id } = shop
  owner = await app.member({ merchant_id, second_factor: 'FRESH' })
  const payment = await paidPayment(shop, { customer: newPayer(), merchant_reference: hostile })
  const given = await refund(shop, payment, { amount: '1000' })
  await refundEnds(shop, given.data.id, 'SUCCESS')
  const { transfer, settlement } = await moneyMoved(merchant_id)
  for (const [name, is_active] of [
    [hostile, true],
    ['Thé, "vert"; bio', false],
  ] as const) {
    const body = { name, is_active, amount: '2500', currency: 'XOF', usage_limit: 3 }
    expect((await shop.post('/payment-links/', body)).status).toBe(201)
  }
  await owner.post('/merchant-webhooks/', { url: 'https://shop.example.com/hook' })
  const staff = await app.staff()
  await staff.post(`/admin/merchants/${merchant_id}/suspend/`, { reason: 'Looked at.' })
  await staff.post(`/admin/merchants/${merchant_id}/restore/`)
  named = {
    ...{ payment: payment.id, settlement: settlement.id, transfer: transfer.id },
    reference: payment.reference.toLowerCase(),
    settled: settlement.reference.toLowerCase(),
    moved: transfer.reference.toLowerCase(),
  }
})
afterAll(() => app?.stop())

/** A transfer that arrived, one that was rejected; a settlement that is held, one cancelled. */
async function moneyMoved(merchant_id: string) {
  const staff = await app.staff({ role: 'FINANCE' })
  const [method] = await app.owner`
    insert into payout_methods (merchant_id, id, country, type, network_id, msisdn)
    select ${merchant_id}, gen_random_uuid(), 'BJ', 'MOBILE_MONEY', n.id, '+2290197000010'
      from networks n where n.code = 'mtn_bj'
    returning id`
  const settle = () =>
    owner.post('/settlements/', {
      ...{ country: 'BJ', requested_amount: '1000', payout_method: method?.['id'] },
    })
  const [settlement, cancelled] = [await settle(), await settle()]
  expect(settlement.status, JSON.stringify(settlement.body)).toBe(201)
  await owner.post(`/settlements/${cancelled.data.id}/cancel/`)
  const move = () =>
    owner.post('/wallet-transfers/', {
      ...{ from_country: 'BJ', to_country: 'CM', from_amount: '10000' },
    })
  const [transfer, refused] = [await move(), await move()]
  expect(transfer.status, JSON.stringify(transfer.body)).toBe(201)
  await staff.post(`/admin/wallet-transfers/${transfer.data.id}/approve/`)
  await staff.post(`/admin/wallet-transfers/${refused.data.id}/reject/`, { reason: hostile })
  return { transfer: transfer.data, settlement: settlement.data }
}

const filled = (query: string): string =>
  query.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(named[name] ?? ''))

async function download(path: string, by = owner) {
  const headers = { authorization: `Bearer ${by.key}`, 'x-merchant': by.merchant_id }
  const reply = await fetch(`${app.url}/api/v1${path}`, { headers })
  const text = Buffer.from(await reply.arrayBuffer()).toString()
  return { status: reply.status, headers: reply.headers, text }
}

async function rowsOf(path: string): Promise<Row[]> {
  const { status, text } = await download(path)
  expect([path, status]).toEqual([path, 200])
  const names = text.slice(0, text.indexOf('\n')).split(',')
  return readCsv(text).map((row) => Object.fromEntries(names.map((name) => [name, row.text(name)])))
}

/** As a cell has it: nothing is empty, an object is JSON, and no text is a formula. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.startsWith('=') ? `'${text}` : text
}

const isJson = (name: string): boolean => name === 'before' || name === 'after'
const sameJson = (name: string, text: string): string =>
  isJson(name) && text !== '' ? JSON.stringify(JSON.parse(text), null, 0) : text

it('of movements of one country, they are in the order in which its balance moved', async () => {
  const other = await app.member()
  for (const amount of ['5000', '700', '90']) {
    await other.post('/sandbox/balances/', { country: 'BJ', amount })
  }
  // The third had waited for the second, which began after it.
  await app.owner`
    update ledger_entries set created_at = created_at - interval '10 seconds'
     where merchant_id = ${other.merchant_id} and entry_no in (1, 3)`
  const balances = async (query: string) => {
    const { text } = await download(`/merchant-ledger-entries/export/${query}`, other)
    return readCsv(text).map((row) => row.text('balance_after'))
  }
  expect(await balances('?country=BJ')).toEqual(['5790.00', '5700.00', '5000.00'])
  expect(await balances('')).toEqual(['5700.00', '5790.00', '5000.00'])
})

describe.each(files)('the file of $list', ({ list, file, other = {}, queries }) => {
  it.each(['', ...queries])('has the rows and values of the list: %s', async (query) => {
    const asked = filled(query)
    const sized = `${asked}${asked === '' ? '?' : '&'}page_size=100`
    const { data } = await owner.get(`${list}${sized}`)
    const rows = await rowsOf(`${list}export/${asked}`)
    expect(rows.length).toBeGreaterThan(0)
    const shown = data.results.map((row: Json) =>
      Object.fromEntries(
        Object.keys(rows[0] ?? {}).map((name) => [
          name,
          cellOf((other[name] ?? (() => row[name]))(row)),
        ]),
      ),
    )
    const sorted = (row: Row) =>
      Object.fromEntries(Object.entries(row).map(([name, text]) => [name, sameJson(name, text)]))
    expect(rows.map(sorted)).toEqual(shown.map(sorted))
  })

  it('leaves rows out by each of its filters', async () => {
    const all = await rowsOf(`${list}export/`)
    for (const query of queries) {
      const some = await rowsOf(`${list}export/${filled(query)}`)
      expect([query, some.length < all.length]).toEqual([query, true])
    }
  })

  it('is narrowed to a time', async () => {
    const all = await rowsOf(`${list}export/`)
    const times = all.map(({ created_at = '' }) => created_at)
    const before = (await rowsOf(`${list}export/?created_at__lte=${times[1]}`)).length
    const isTimed = list !== '/payment-links/'
    expect(before).toBe(isTimed ? times.filter((at) => at <= (times[1] ?? '')).length : all.length)
    const wrong = await download(`${list}export/?created_at__gte=soon`)
    expect(wrong.status).toBe(isTimed ? 400 : 200)
  })

  it('is named, and written for French spreadsheets where that is asked for', async () => {
    const plain = await download(`${list}export/`)
    expect(plain.headers.get('content-disposition')).toBe(`attachment; filename="${file}"`)
    const labelled = await download(`${list}export/?file_label=awa-live-2026-11`)
    expect(labelled.headers.get('content-disposition')).toBe(
      `attachment; filename="${file.replace('.csv', '')}-awa-live-2026-11.csv"`,
    )
    expect(labelled.text).toBe(plain.text)
    expect((await download(`${list}export/?file_label=..%2Fawa`)).status).toBe(400)
    expect(plain.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const french = await download(`${list}export/?locale=fr`)
    expect(french.text.startsWith('\ufeff')).toBe(true)
    expect(french.text.split('\n')[0]).toContain(';')
    expect(french.text).toMatch(/;\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d/)
  })

  it('has no row of anybody else', async () => {
    const stranger = await app.member()
    const { status, text } = await download(`${list}export/`, stranger)
    expect([status, text.trimEnd().split('\n').length]).toEqual([200, 1])
  })

  it('is fetched by a ticket, once', async () => {
    const { data } = await owner.post('/downloads/', { path: `${list}export/` })
    const [first, second] = [await fetch(data.url), await fetch(data.url)]
    expect([first.status, second.status]).toEqual([200, 401])
    expect(await first.text()).toBe((await download(`${list}export/`)).text)
  })
})

const lists = [...files.map(({ list }) => list), '/refunds/', '/transactions/', '/webhook-logs/']

describe.each(lists)('the columns of the file of %s', (list) => {
  const file = `${list}export/`
  const headOf = (text: string) => text.slice(0, text.indexOf('\n'))
  const namesOf = async (query = '') => headOf((await download(file + query)).text).split(',')

  it('are those that are asked for, in that order, each once', async () => {
    const [last = '', other = '', third = ''] = (await namesOf()).toReversed()
    const asked = `?columns=${last},%20${third},${other},${last}`
    expect(await namesOf(asked)).toEqual([last, third, other])
    const whole = await rowsOf(file)
    const wanted = whole.map((row) => ({
      ...{ [last]: row[last], [third]: row[third], [other]: row[other] },
    }))
    expect(await rowsOf(file + asked)).toEqual(wanted)
    const french = await download(`${file}${asked}&locale=fr`)
    expect(headOf(french.text)).toBe(`\ufeff${last};${third};${other}`)
  })

  it('have a line for each row where one is alone, and empty in some', async () => {
    const whole = await rowsOf(`${file}?columns=all`)
    for (const name of await namesOf('?columns=all')) {
      const alone = await rowsOf(`${file}?columns=${name}`)
      expect(alone).toEqual(whole.map((row) => ({ [name]: row[name] })))
    }
  })

  it('are as without a choice by `default`, and every one by `all`', async () => {
    const names = await namesOf()
    for (const query of ['?columns=', '?columns=default']) {
      expect((await download(file + query)).text).toBe((await download(file)).text)
    }
    const all = await namesOf('?columns=all')
    expect(all.slice(0, names.length)).toEqual(names)
    expect(all.length - names.length).toBe(list === '/transactions/' ? 4 : 0)
    expect(await namesOf(`?columns=${all.toReversed()}`)).toEqual(all.toReversed())
  })

  it('are refused where one is not there, with the names of those that are', async () => {
    const all = await namesOf('?columns=all')
    const [first = ''] = all
    const unknown = ['colour', `${first},colour`, `${first},`, ',', `all,${first}`, 'constructor']
    for (const choice of [...unknown, first.toUpperCase(), `${first};${first}`, `${first}--`]) {
      const { status, error } = await owner.get(`${file}?columns=${encodeURIComponent(choice)}`)
      const text =
        'Must name columns of this file, separated by commas, or be default or all. ' +
        `Its columns: ${all.join(', ')}.`
      expect([choice, status, error]).toEqual([choice, 400, { columns: [text] }])
    }
    const french = await owner.get(`${file}?columns=colour&locale=de`, { 'accept-language': 'fr' })
    expect(Object.keys(french.error).sort()).toEqual(['columns', 'locale'])
    expect(french.error.columns[0]).toContain(`Ses colonnes : ${all.join(', ')}.`)
  })
})

describe('the audit log', () => {
  it('as a file is for those who may read it, and not for keys', async () => {
    const { merchant_id } = owner
    const viewer = await app.member({ merchant_id, role: 'VIEWER' })
    expect((await download('/audit-logs/export/', viewer)).status).toBe(403)
    const key = await app.shop({ merchant_id })
    expect((await key.get('/audit-logs/export/')).error.code).toBe('dashboard_only')
  })
})
