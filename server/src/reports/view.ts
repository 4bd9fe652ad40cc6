// A day as a merchant reads it: as JSON, and as one table for a spreadsheet program.

import { type Static, Type } from 'typebox'
import { formatAmount } from '../money/format.ts'
import { type CsvForm, csvDay, csvDecimal, csvText } from '../platform/csv.ts'
import type { BalanceDay, DailyReport } from './make-daily-report.ts'
import { type Cut, movementKinds, type TypeTotal } from './store.ts'

const amount = Type.String({ description: 'Decimal with two decimal places.' })
const country = Type.String({ description: 'ISO 3166 alpha-2.' })
const currency = Type.String({ description: 'ISO 4217.' })
const count = Type.Integer()

const kind = Type.Enum(movementKinds, { description: 'What moved the available balance.' })

const Movement = Type.Object({ kind, count, credits: amount, debits: amount })

export const DailyReportSchema = Type.Object(
  {
    date: Type.String({ format: 'date' }),
    time_zone: Type.String({
      description: 'The time zone whose midnight ends the day: an IANA name.',
    }),
    environment: Type.Enum(['SANDBOX', 'LIVE']),
    provisional: Type.Boolean({
      description:
        'True while the day is not over, or ended so recently that something may be added.',
    }),
    transactions: Type.Array(
      Type.Object({
        country,
        network: Type.String({ description: 'Empty for a transfer between countries.' }),
        type: Type.Enum(['PAIEMENT', 'RECHARGE', 'RETRAIT', 'TRANSFERT']),
        currency,
        count,
        requested: amount,
        fees: amount,
        net: amount,
      }),
      { description: 'Number of operations that succeeded on the day.' },
    ),
    balances: Type.Array(
      Type.Object({
        country,
        currency,
        opening_balance: Type.String({
          description: 'Available balance at the close of the day before.',
        }),
        credits: amount,
        debits: amount,
        closing_balance: amount,
        movements: Type.Array(Movement, {
          description:
            'What the money moved for: PAYIN, PAYOUT, REFUND, SETTLEMENT, TRANSFER (held: ' +
            'debits; given back: credits), INCIDENT, FREEZE, ADJUSTMENT, SANDBOX.',
        }),
      }),
    ),
  },
  { title: 'DailyReport' },
)
type View = Static<typeof DailyReportSchema>

export const viewDailyReport = (
  { day, transactions, balances }: DailyReport,
  environment: View['environment'],
) => ({
  date: day.date,
  time_zone: day.time_zone,
  environment,
  provisional: day.is_provisional,
  transactions: transactions.map(viewTotal),
  balances: balances.map(viewBalance),
})

const viewTotal = (total: TypeTotal) => ({
  country: total.country,
  network: total.network,
  type: total.type,
  currency: total.currency,
  count: total.count,
  requested: formatAmount(total.requested),
  fees: formatAmount(total.fees),
  net: formatAmount(total.net),
})

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, one) => sum + one, 0n)

const viewBalance = ({ movements, ...cut }: BalanceDay) => ({
  country: cut.country,
  currency: cut.currency,
  opening_balance: formatAmount(cut.opening_balance),
  credits: formatAmount(sumOf(movements.map(({ credits }) => credits))),
  debits: formatAmount(sumOf(movements.map(({ debits }) => debits))),
  closing_balance: formatAmount(cut.closing_balance),
  movements: movements.map(({ kind, count, credits, debits }) => ({
    kind,
    count,
    credits: formatAmount(credits),
    debits: formatAmount(debits),
  })),
})

const columns = [
  ...['date', 'provisional', 'country', 'currency', 'network', 'type', 'count', 'requested'],
  ...['fees', 'net', 'opening_balance', 'closing_balance', 'time_zone'],
  ...['movement', 'credits', 'debits'],
]

/**
 * Two kinds of lines, by whether there is a `movement`. Without one: a country, network and type; a
 * country without a success has one all the same. Below them, with one: what moved the balance,
 * refunds too, so that opening, credits and debits of a country give its closing balance.
 */
export function dailyReportCsv(report: DailyReport, form: CsvForm): string {
  const rows = report.balances.flatMap((balance) => [
    ...typeRows(report, balance, form),
    ...movementRows(report, balance, form),
  ])
  return form.start + csvText(form, [columns, ...rows])
}

const dayCells = ({ day }: DailyReport, { country, currency }: Cut, form: CsvForm) => [
  csvDay(form, day.date),
  String(day.is_provisional),
  country,
  currency,
]

const endCells = (
  { day }: DailyReport,
  { opening_balance, closing_balance }: Cut,
  form: CsvForm,
) => [...[opening_balance, closing_balance].map(writeIn(form)), day.time_zone]

const writeIn = (form: CsvForm) => (amount: bigint) => csvDecimal(form, formatAmount(amount))

function typeRows(report: DailyReport, balance: BalanceDay, form: CsvForm): string[][] {
  const own = report.transactions.filter(({ country }) => country === balance.country)
  return (own.length === 0 ? [nothing] : own).map((total) => [
    ...dayCells(report, balance, form),
    ...[total.network, total.type],
    String(total.count),
    ...[total.requested, total.fees, total.net].map(writeIn(form)),
    ...endCells(report, balance, form),
    ...['', '', ''],
  ])
}

function movementRows(report: DailyReport, balance: BalanceDay, form: CsvForm): string[][] {
  return balance.movements.map(({ kind, count, credits, debits }) => [
    ...dayCells(report, balance, form),
    ...['', ''],
    String(count),
    ...['', '', ''],
    ...endCells(report, balance, form),
    kind,
    ...[credits, debits].map(writeIn(form)),
  ])
}

const nothing = { network: '', type: '', count: 0, requested: 0n, fees: 0n, net: 0n }

/** For OpenAPI. */
export const dailyReportExample: View = {
  date: '2026-11-21',
  time_zone: 'Africa/Dakar',
  environment: 'LIVE',
  provisional: false,
  transactions: [
    {
      country: 'SN',
      network: 'orange_sn',
      type: 'PAIEMENT',
      currency: 'XOF',
      count: 2,
      requested: '20000.00',
      fees: '650.00',
      net: '20000.00',
    },
  ],
  balances: [
    {
      country: 'SN',
      currency: 'XOF',
      opening_balance: '150000.00',
      credits: '20000.00',
      debits: '5000.00',
      closing_balance: '165000.00',
      movements: [
        { kind: 'PAYIN', count: 2, credits: '20000.00', debits: '0.00' },
        { kind: 'PAYOUT', count: 1, credits: '0.00', debits: '5000.00' },
      ],
    },
  ],
}
