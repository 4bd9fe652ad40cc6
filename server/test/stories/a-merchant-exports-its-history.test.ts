// A merchant takes its history away as a file: the right columns and rows, safe in a spreadsheet,
// begun at once, in little memory, and nothing goes on for a reader who has gone. Without these an
// export eats the connections or the memory that payments need, or runs a formula on their machine.
// How much memory a million rows take is in a story of their own.

import { get as httpGet, type IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { csvForm, plainSql, plainText } from '../../src/platform/csv.ts'
import { fileOfRows } from '../../src/platform/export/export-route.ts'
import { exportsOn } from '../../src/platform/export/exports.ts'
import { columns, transactionRows } from '../../src/transactions/export/store.ts'
import { readTransactionFilters } from '../../src/transactions/filters.ts'
import {
  connectionTo,
  eventually,
  newPayer,
  type Shop,
  startApp,
  type TestApp,
} from '../harness.ts'
import { plantTransaction } from '../setup/transaction-rows.ts'

const header =
  'reference,external_reference,merchant,customer_name,customer_email,customer_phone,country,' +
  'network,transaction_type,flow_direction,requested_amount,client_fee,gateway_fee,platform_fee,' +
  'debited_amount,net_amount,currency,status,gateway,ip_address,created_at'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

type File = Readonly<{ status: number; headers: Headers; bytes: Buffer; lines: string[] }>

async function download(shop: Shop, query = '', headers = {}): Promise<File> {
  const reply = await fetch(`${app.url}/api/v1/transactions/export/${query}`, {
    headers: { authorization: `Bearer ${shop.key}`, ...headers },
  })
  const bytes = Buffer.from(await reply.arrayBuffer())
  const lines = bytes.toString().replace('\ufeff', '').trimEnd().split('\n')
  return { status: reply.status, headers: reply.headers, bytes, lines }
}

const plant = (shop: Shop, changes: object = {}) =>
  plantTransaction(app.owner, shop.merchant_id, { status: 'SUCCESS', ...changes })

/** Many rows in one statement: copies of one. */
async function plantMany(shop: Shop, count: number): Promise<void> {
  const { id } = await plant(shop)
  const own = {
    id: `gen_random_uuid()`,
    reference: `'TXN-' || n`,
    created_at: `now() - n * '1 second'::interval`,
  }
  const columns = await app.owner<{ name: string }[]>`
    select column_name as name from information_schema.columns
     where table_name = 'transactions' and is_generated = 'NEVER' order by ordinal_position`
  const names = columns.map(({ name }) => name)
  const values = names.map((name) => Object.entries(own).find(([of]) => of === name)?.[1] ?? name)
  await app.owner.unsafe(
    `insert into transactions (${names}) select ${values} from transactions,
       generate_series(1, ${count}) n where id = '${id}'`,
  )
}

/** The response as it comes, unread. */
const begin = (shop: Shop, url = app.url): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${shop.key}` }
    httpGet(`${url}/api/v1/transactions/export/`, { headers }, resolve).on('error', reject)
  })

const exporting = async (): Promise<number> => {
  const [row] = await app.owner<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
     where application_name = 'pirogue-export' and datname = current_database()`
  return row?.count ?? 0
}

/** The file of a search, on exports of a test's own. */
const fileOf = (search: Parameters<typeof transactionRows>[0]) =>
  fileOfRows(search, {
    columns,
    form: csvForm({}),
    rowsOf: transactionRows(search),
  })

describe('the file', () => {
  it('has the columns of the interface, from its first byte, and the payment as it is', async () => {
    const shop = await app.shop()
    const customer = { ...newPayer(), first_name: 'Élodie', last_name: 'Œuvrard, née "Ba"' }
    const paid = await shop.pay({ amount: '10000', customer })
    const { reference, external_reference, created_at } = await shop.becomes(
      paid.data.id,
      'SUCCESS',
    )
    const file = await download(shop)
    expect(file.status).toBe(200)
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="transactions.csv"')
    expect(file.bytes.toString().startsWith('reference,')).toBe(true)
    for (const yes of ['true', 'True', '1']) {
      const marked = await download(shop, `?bom=${yes}`)
      expect(marked.bytes.toString()).toBe(`\ufeff${file.bytes.toString()}`)
    }
    expect((await download(shop, '?bom=False')).bytes).toEqual(file.bytes)
    expect((await download(shop, '?bom=yes')).status).toBe(400)
    const { data } = await shop.get(`/transactions/${paid.data.id}/`)
    expect(file.lines).toEqual([
      header,
      [
        ...[reference, external_reference, shop.merchant_id],
        ...['"Élodie Œuvrard, née ""Ba"""', customer.email, customer.phone, 'BJ', 'mtn_bj'],
        ...['PAIEMENT', 'INBOUND', '10000.00', data.client_fee, data.gateway_fee],
        ...[data.platform_fee, data.debited_amount, data.net_amount, 'XOF', 'SUCCESS'],
        ...['simulator_a', '127.0.0.1', created_at],
      ].join(','),
    ])
  })

  it('takes the filters and the search of the list, and nobody else’s rows', async () => {
    const [shop, other] = [await app.shop(), await app.shop()]
    await plant(other, { reference: 'THEIRS', customer_first_name: 'Awa' })
    await plant(shop, { reference: 'AWA-SN', customer_first_name: 'Awa' })
    await plant(shop, { reference: 'AWA-CI', customer_first_name: 'Âwa', country_code: 'CI' })
    await plant(shop, { reference: 'KOFI', customer_first_name: 'Kofi', status: 'FAILED' })
    await plant(shop, { reference: 'LIVE', environment: 'LIVE' })
    await app.owner`
      insert into ${app.owner('transaction_search')} (merchant_id, id, environment, created_at,
        status, transaction_type, currency, country_code, network_code, words,
        members, moments)
      select merchant_id, id, environment, created_at, status, transaction_type, currency,
             country_code, network_code, fold_text(concat(' ', reference, ' ', customer_first_name)),
             array[id], array[created_at]
        from transactions where merchant_id = ${shop.merchant_id}`
    const found = async (query: string) =>
      (await download(shop, query)).lines.slice(1).map((line) => line.split(',')[0])
    expect(await found('')).toEqual(['KOFI', 'AWA-CI', 'AWA-SN'])
    expect(await found('?status=FAILED')).toEqual(['KOFI'])
    expect(await found('?country=ci&created_at__gte=2020-01-01')).toEqual(['AWA-CI'])
    expect(await found('?search=awa')).toEqual(['AWA-CI', 'AWA-SN'])
    expect(await found('?search=awa&country=SN')).toEqual(['AWA-SN'])
    expect(await found(`?search=${encodeURIComponent(`' or '1'='1`)}`)).toEqual([])
    expect(await found('?search=%25')).toEqual([])
    expect(await found(`?merchant=${other.merchant_id}`)).toEqual([])
    expect(await found('?page_size=1&cursor=none')).toHaveLength(3)
  })

  it('runs nothing in a spreadsheet, and leaves a phone a phone', async () => {
    const shop = await app.shop()
    const texts = [
      ...['=1+1', '+1+cmd', '-1-2', '@SUM(A1)', '\t=1', '\r=1', '\n=1', 'fine', '+2290197'],
      // A French Excel cuts at semicolons, where quotes do not help.
      ...['Awa;=HYPERLINK(A1);', 'a; +1', 'a\n=1', '＝1+1', ' =1', 'Awa; née Ba', '-5.50'],
    ]
    for (const [at, external_reference] of texts.entries()) {
      await plant(shop, { external_reference, created_at: new Date(Date.now() - at * 1000) })
    }
    const { bytes } = await download(shop)
    const cells = [...bytes.toString().matchAll(/^TXN-[^,]+,("(?:[^"]|"")*"|[^,]*),/gm)]
    expect(cells.map(([, cell]) => cell?.replace(/^"|"$/g, ''))).toEqual([
      ...["'=1+1", "'+1+cmd", "'-1-2", "'@SUM(A1)", "'\t'=1", "'\r'=1", "'\n'=1", 'fine'],
      ...['+2290197', "Awa;'=HYPERLINK(A1);", "a;' +1", "a\n'=1", "'＝1+1", "' =1"],
      ...['Awa; née Ba', '-5.50'],
    ])
  })

  it('is written by PostgreSQL as the reports are by us: one rule for every text', async () => {
    const sign = fc.constantFrom(...'=+-@＝＋－＠;\t\r\n "\'\u00a0\u200b\u3000\ufeff0.9aé,|')
    const text = fc.oneof(
      { weight: 4, arbitrary: fc.string({ unit: sign, maxLength: 8 }) },
      fc.string({ unit: 'binary', maxLength: 12 }).map((any) => any.replaceAll('\0', '')),
    )
    const texts = fc.sample(text, 5_000).map((any) => Buffer.from(any).toString())
    const rows = await app.owner<{ t: string; plain: string }[]>`
      select t, ${app.owner.unsafe(plainSql('t'))} as plain
        from unnest(${texts}::text[]) with ordinality as given (t, n) order by n`
    expect(rows.map(({ t }) => t)).toEqual(texts)
    for (const { t, plain } of rows) {
      expect(plain, JSON.stringify(t)).toBe(plainText(t))
      // No program that cuts at commas, semicolons, tabs or line ends finds a sign in front.
      const cut = /^[+-][0-9]+(\.[0-9]+)?$/.test(t) ? [] : plain.split(/[;\t\r\n]/)
      for (const field of cut) expect(field.replace(/^[\s"]+/, '')).not.toMatch(/^[=+\-@＝＋－＠]/)
    }
  })

  it('is gzip for those who take it, and says so', async () => {
    const shop = await app.shop()
    await plant(shop)
    const headers = { authorization: `Bearer ${shop.key}`, 'accept-encoding': 'br, gzip;q=0.5' }
    const chunks: Buffer[] = []
    const reply = await new Promise<IncomingMessage>((resolve) => {
      httpGet(`${app.url}/api/v1/transactions/export/`, { headers }, resolve)
    })
    for await (const chunk of reply) chunks.push(chunk)
    expect(reply.headers['content-encoding']).toBe('gzip')
    expect(reply.headers.vary).toBe('Accept-Encoding')
    expect(gunzipSync(Buffer.concat(chunks)).toString()).toContain(`${header}\nTXN-`)
    const bare = await download(shop, '', { 'accept-encoding': 'gzip;q=0' })
    expect(bare.headers.get('content-encoding')).toBeNull()
  })
})

describe('a refusal', () => {
  it('has the envelope: 400 for every wrong field, 401', async () => {
    const shop = await app.shop()
    const wrong = await shop.get(
      `/transactions/export/?status=x&columns=x&created_at__lte=y&search=${'z'.repeat(201)}`,
    )
    expect(wrong).toMatchObject({ status: 400, body: { success: false, code: 400 } })
    expect(Object.keys(wrong.error).sort()).toEqual([
      'columns',
      'created_at__lte',
      'search',
      'status',
    ])
    const nobody = await shop.get('/transactions/export/', { authorization: 'Bearer none' })
    expect(nobody).toMatchObject({ status: 401, body: { success: false } })
  })
})

describe('a long file', () => {
  let shop: Shop

  beforeAll(async () => {
    shop = await app.shop()
    await plantMany(shop, 60_000)
  })

  it('ends with its reader, wherever they stop: no statement and no connection is left', async () => {
    for (const after of ['the head', 'a piece', 'a pause']) {
      const reply = await begin(shop)
      if (after !== 'the head') await new Promise((resolve) => reply.once('data', resolve))
      if (after === 'a pause') {
        reply.pause()
        await eventually(async () => expect(await exporting()).toBeGreaterThan(0))
      }
      reply.destroy()
      await eventually(async () => expect(await exporting()).toBe(0))
    }
  })

  it('ends when its reader all but stops, and not while they read on', async () => {
    const { openAlone } = connectionTo(app.database)
    const patience_ms = 4_000
    const exports = exportsOn(() => openAlone('pirogue_app', 'pirogue-export'), patience_ms)
    const { merchant_id } = shop
    const all = { ...readTransactionFilters({}), terms: [], ids: [] }
    const query = { ...all, merchant_id, environment: 'SANDBOX' as const }
    const stopped = await exports.startFile(fileOf(query))
    const failed = new Promise((resolve) => stopped.once('error', resolve))
    const reading = await exports.startFile(fileOf(query))
    let bytes = 0
    for await (const piece of reading) {
      bytes += piece.length
      // Slower than the patience in all, quicker than what is too slow.
      if (bytes < 2_500_000) await new Promise((resolve) => setTimeout(resolve, 150))
    }
    expect(bytes).toBeGreaterThan(5_000_000)
    expect(await failed).toMatchObject({ message: 'the reader is too slow' })
    await eventually(async () => expect(await exporting()).toBe(0))
  })

  it('ends when its reader crawls: never still for long, and below 16 kB a second', async () => {
    const { openAlone } = connectionTo(app.database)
    const exports = exportsOn(() => openAlone('pirogue_app', 'pirogue-export'), 6_000)
    const all = { ...readTransactionFilters({}), terms: [], ids: [] }
    const query = { ...all, merchant_id: shop.merchant_id, environment: 'SANDBOX' as const }
    const crawling = await exports.startFile(fileOf(query))
    let pieces = 0
    const read = async () => {
      for await (const _piece of crawling) {
        pieces += 1
        // A piece is 64 kB: each comes in time, and all of them too slowly.
        if (pieces > 4) return 'was let crawl'
        await new Promise((resolve) => setTimeout(resolve, 5_000))
      }
      return 'came to its end'
    }
    await expect(read()).rejects.toThrow('the reader is too slow')
    await eventually(async () => expect(await exporting()).toBe(0))
  })

  it('is not made for a HEAD, which has no use for it', async () => {
    const reply = await shop.call('HEAD', '/transactions/export/')
    // The address of one transaction, called `export`, which there is not.
    expect(reply.status).toBe(404)
    expect(await exporting()).toBe(0)
  })

  it('is one of two of a merchant and four in all; payments and LIVE go on beside them', async () => {
    const others = [await app.shop(), await app.shop()]
    for (const other of others) await plantMany(other, 30_000)
    const [second, third] = others
    const unread = [await begin(shop), await begin(shop)]
    const refused = await shop.get('/transactions/export/')
    expect(refused).toMatchObject({ status: 429, error: { code: 'rate_limited', retryable: true } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    if (second !== undefined && third !== undefined) {
      unread.push(await begin(second), await begin(second))
      expect((await third.get('/transactions/export/')).status).toBe(429)
      const live = await app.shop({ environment: 'LIVE', live: true })
      expect((await live.get('/transactions/export/')).status).toBe(200)
    }
    const paid = await shop.pay({ customer: newPayer() })
    await shop.becomes(paid.data.id, 'SUCCESS')
    for (const reply of unread) reply.destroy()
    await eventually(async () => expect((await download(shop, '?status=FAILED')).status).toBe(200))
  })

  it('is cut, and seen to be, when the process ends; the end does not wait for a reader', async () => {
    const process_two = await app.another()
    const reply = await begin(shop, process_two.public_url)
    const began = Date.now()
    await process_two.stop()
    expect(Date.now() - began).toBeLessThan(20_000)
    await expect(reply.toArray()).rejects.toThrow('aborted')
  }, 60_000)
})
