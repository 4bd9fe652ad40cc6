// Days of a shop that is minutes old: what it has done is moved back in time, and its reports are
// read and compared with the ledger itself.

import type { Json, Shop, TestApp } from '../harness.ts'

/** Everything the shop has done so far happened a day earlier. */
export async function aDayPasses({ owner }: TestApp, { merchant_id }: Shop): Promise<void> {
  await owner.begin(async (tx) => {
    for (const table of ['transaction_status_logs', 'transactions']) {
      await tx`
        update ${tx(table)} set created_at = created_at - interval '1 day'
         where merchant_id = ${merchant_id}`
    }
    // An entry's id is its time too.
    await tx`
      update ledger_entries
         set created_at = created_at - interval '1 day',
             id = (left(uuid_floor(created_at - interval '1 day')::text, 14)
                   || substr(id::text, 15))::uuid
       where merchant_id = ${merchant_id}`
  })
}

const day_ms = 24 * 3600 * 1000

/** `2026-11-21`, so many days before today (UTC). */
export const daysAgo = (days: number): string =>
  new Date(Date.now() - days * day_ms).toISOString().slice(0, 10)

/** A balance on a day, by its own entries. */
export async function ledgerDay({ owner }: TestApp, { merchant_id }: Shop, date: string) {
  return owner<{ country: string; opening: string; closing: string }[]>`
    select country,
           to_char(coalesce(sum(available_change)
                     filter (where (created_at at time zone 'UTC')::date < ${date}::date), 0) / 100,
                   'FM9999999990.00') as opening,
           to_char(sum(available_change) / 100, 'FM9999999990.00') as closing
      from ledger_entries
     where merchant_id = ${merchant_id} and entry_no is not null
       and (created_at at time zone 'UTC')::date <= ${date}::date
     group by country order by country`
}

/** The text of a CSV answer, and what it was answered with. */
export async function readCsv({ url }: TestApp, { key }: Shop, path: string) {
  const reply = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } })
  // As bytes: reading it as text would take its first mark away.
  const text = Buffer.from(await reply.arrayBuffer()).toString()
  const [names = '', ...lines] = text
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split(/\r?\n/)
  const columns = names.split(',')
  const rows: Record<string, string>[] = lines.map((line) => {
    const cells = line.split(',')
    return Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? '']))
  })
  return { status: reply.status, headers: reply.headers, text, columns, rows }
}

/** Today's journal of a shop. */
const journalToday = async (app: TestApp, shop: Shop) =>
  (await readCsv(app, shop, `/reports/journal/?from=${daysAgo(0)}&to=${daysAgo(0)}`)).rows

/** `Dr 552 9675.00` after the name of its piece: the lines of an operation in today’s journal. */
export const legsToday = async (app: TestApp, shop: Shop, operation: string): Promise<string[]> =>
  (await journalToday(app, shop))
    .filter((row) => row['operation'] === operation)
    .map(({ piece, account, debit, credit }) =>
      debit === '0.00' ? `${piece} Cr ${account} ${credit}` : `${piece} Dr ${account} ${debit}`,
    )

/** What today's journal leaves on an account: a debit, or below zero a credit, in francs. */
export const leftToday = async (app: TestApp, shop: Shop, account: string): Promise<number> =>
  (await journalToday(app, shop))
    .filter((row) => row['account'] === account)
    .reduce((sum, { debit, credit }) => sum + Number(debit) - Number(credit), 0)

export const inHundredths = (text: string): bigint => BigInt(text.replace('.', ''))

export const dailyReport = async (shop: Shop, date: string): Promise<Json> => {
  const reply = await shop.get(`/reports/daily/?date=${date}`)
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
  return reply.data
}
