// The forms in which a journal is written: our own table, and those that two programs for books
// import by their own documents (read on 2026-11-23):
//
// Odoo: "Export and import data" of its documentation: a record's own columns stand on its first
// row alone, each further line has a row without them; a row with a known External ID changes what
// was imported before, so pieces and their lines have one each. Columns by technical names of
// `account.move`, journals are found by name or code, partners by name or reference among others
// (`_rec_names_search` of `account.journal` and `res.partner`).
//
// Sage: "Exemples mappage import texte" (developer.sage.com/100/fr/saas/guides/samples): eleven
// columns between tabs, days as 221126, a decimal comma, and lines of one journal, day and number
// are one piece. Its `.PNM` is not written: no document of Sage's that describes it was found.

import { type CsvForm, csvDay, csvDecimal, csvLine, plainText } from '../../platform/csv.ts'
import type { Locale } from '../../platform/errors.ts'
import { labelOf } from './labels.ts'
import { type JournalLine, journalColumns } from './store.ts'

export type Layout = Readonly<{
  head: string
  content_type: string
  /** What the file's name ends in. */
  ending: string
  /** Of whole pieces, in their order. */
  write(lines: readonly JournalLine[]): Buffer
}>

export type ProgramForm = Readonly<{
  locale: Locale
  /** The code of the journal there. */
  journal: string
  /** Whether any line has one: without, an import leaves alone what was entered there by hand. */
  has_third_parties: boolean
}>

const csv = 'text/csv; charset=utf-8'

export const ownLayout = (form: CsvForm, locale: Locale): Layout => ({
  head: form.start + csvLine(form, journalColumns),
  content_type: csv,
  ending: '.csv',
  write: (lines) => Buffer.from(lines.map((line) => ownLine(form, locale, line)).join('')),
})

function ownLine(form: CsvForm, locale: Locale, line: JournalLine): string {
  const { date = '', debit = '', credit = '' } = line
  const cells: JournalLine = {
    ...line,
    label: labelOf(line, locale),
    date: csvDay(form, date),
    debit: csvDecimal(form, debit),
    credit: csvDecimal(form, credit),
  }
  return csvLine(
    form,
    journalColumns.map((name) => cells[name] ?? ''),
  )
}

const odooColumns = (has_third_parties: boolean): string[] => [
  ...['id', 'date', 'journal_id', 'ref', 'line_ids/id', 'line_ids/account_id'],
  ...(has_third_parties ? ['line_ids/partner_id'] : []),
  ...['line_ids/name', 'line_ids/debit', 'line_ids/credit'],
]
const commas = { separator: ',' } as const

export const odooLayout = (form: ProgramForm): Layout => ({
  head: csvLine(commas, odooColumns(form.has_third_parties)),
  content_type: csv,
  ending: '.odoo.csv',
  write: (lines) => Buffer.from(odooRows(lines, form).join('')),
})

function odooRows(lines: readonly JournalLine[], form: ProgramForm): string[] {
  const { locale, journal, has_third_parties } = form
  let nth = 0
  return lines.map((line, at) => {
    const { date = '', piece = '', account = '', debit = '', credit = '' } = line
    const id = externalId(line)
    const before = lines[at - 1]
    const isFirst = before === undefined || externalId(before) !== id
    nth = isFirst ? 1 : nth + 1
    const own = isFirst ? [id, date, journal, piece] : ['', '', '', '']
    const whose = has_third_parties ? [line['third_party'] ?? ''] : []
    const cells = [labelOf(line, locale), debit, credit]
    return csvLine(commas, [...own, `${id}_${lineName(line, nth)}`, account, ...whose, ...cells])
  })
}

/** A day that is not over may get lines between those that were imported: they keep their names. */
const lineName = ({ operations, slot, debit }: JournalLine, nth: number): string =>
  operations === undefined ? `${nth}` : `${slot}_${debit === '0.00' ? 'credit' : 'debit'}`

/** A transfer between countries is a piece of each of the two. */
const externalId = ({ entry, country }: JournalLine): string => `pirogue_${entry}_${country}`

export const sageLayout = (form: ProgramForm): Layout => ({
  head: '',
  content_type: 'text/plain; charset=iso-8859-1',
  ending: '.sage.txt',
  write: (lines) => Buffer.from(lines.map((line) => sageLine(line, form)).join(''), 'latin1'),
})

const decimal_comma = { is_french: true } as const

function sageLine(line: JournalLine, { locale, journal }: ProgramForm): string {
  const { date = '', piece = '', account = '', third_party = '', debit = '', credit = '' } = line
  const [year = '', month = '', day = ''] = date.split('-')
  const [in_debit, in_credit] = [debit, credit].map((sum) => csvDecimal(decimal_comma, sum))
  const cells = [
    // A line of general accounts; how and when it is to be paid is not ours to say.
    ...['G', journal, `${day}${month}${year.slice(2)}`, numberOf(piece), account, third_party],
    ...[labelOf(line, locale), '', '', in_debit ?? '', in_credit ?? ''],
  ]
  return `${cells.map(latin).join('\t')}\r\n`
}

/**
 * `7KQ2MX9PWA` of `TXN-20261122-7KQ2MX9PWA`, `R7C2A91F0` of a refund of it: the day has a column of
 * its own.
 */
const numberOf = (piece: string): string => piece.split('-').at(-1) ?? piece

/** One cell in letters that ISO-8859-1 and Windows-1252 write alike. */
const latin = (text: string): string =>
  plainText(text.replace(/[\t\r\n]+/g, ' '))
    .normalize('NFC')
    .replace(/[’‘ʼ]/g, "'")
    .replace(/[–—]/g, '-')
    .replace(/œ/g, 'oe')
    .replace(/Œ/g, 'OE')
    .replace(/[^\x20-\x7e\xa0-\xff]/g, (letter) => {
      const [plain = ''] = letter.normalize('NFD')
      return /[\x20-\x7e]/.test(plain) ? plain : '?'
    })
