// The overview as it is shown: every figure, change and share as the reader needs it, so that
// nobody works one out again.

import { type Static, Type } from 'typebox'
import { failureText } from '../../attempts/failure-texts.ts'
import type { Availability } from '../../gateways/availability.ts'
import { BalanceView, balanceExample, viewBalance } from '../../ledger/view.ts'
import { formatAmount } from '../../money/format.ts'
import { divideHalfUp } from '../../money/round.ts'
import type { Locale } from '../../platform/errors.ts'
import { type CountryToday, type Overview, oldestOf, type Totals } from './overview.ts'
import type { PendingLine } from './store.ts'

const amount = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ description })
const momentOrNull = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description })
const moment = (description: string) => Type.String({ format: 'date-time', description })

const percent = Type.Union([Type.Integer(), Type.Null()], {
  description: 'Of those that ended, in whole percent; null where fewer than 20 did.',
})

const TotalsView = Type.Object(
  {
    succeeded: count('Payments that were paid.'),
    ended: count('Payments that were paid or failed; one that did both counts for both.'),
    success_percent: percent,
    taken: amount('What the paid ones asked for.'),
    payouts: count('Payouts that were paid.'),
    paid_out: amount('What their receivers got.'),
    fees: amount('Fees of both.'),
  },
  { title: 'OverviewTotals' },
)

const ChangeView = Type.Object(
  {
    succeeded: count('More paid than then; negative: fewer.'),
    success_points: Type.Union([Type.Integer(), Type.Null()], {
      description:
        '`success_percent`, in points more than then; negative: fewer. Null where either is.',
    }),
    taken: amount('More taken than then; negative: less.'),
    paid_out: amount('More paid out than then; negative: less.'),
    fees: amount('More fees than then; negative: less.'),
  },
  { title: 'OverviewChange' },
)

const PointView = Type.Object(
  {
    at: moment('When the hour begins.'),
    succeeded: count('Payments that were paid in it.'),
    taken: amount('What they asked for.'),
    compared: amount('What was taken in the same hour a week before.'),
    height: count('0 to 100: `taken`, of the most that any hour here or then took.'),
    compared_height: count('The same of `compared`.'),
  },
  { title: 'OverviewPoint' },
)

const NetworkView = Type.Object(
  {
    network: Type.String({ description: 'The network’s code; empty where none was chosen.' }),
    succeeded: count('Payments that were paid.'),
    ended: count('Payments that were paid or failed.'),
    success_percent: percent,
    taken: amount('What the paid ones asked for.'),
    pending: Type.Object(
      {
        count: count('Payments that are under way now.'),
        amount: amount('What they ask for.'),
        oldest_at: momentOrNull('When the oldest began; null where none is.'),
      },
      { title: 'OverviewPending', description: 'What is under way now, whenever it began.' },
    ),
  },
  { title: 'OverviewNetwork' },
)

const FailureView = Type.Object(
  {
    code: Type.String({ description: 'The `failure_code`.' }),
    message: Type.String({ description: 'What it means, in the caller’s language.' }),
    count: count('How many payments failed so today.'),
    percent: count('Of all that failed today, in whole percent.'),
  },
  { title: 'OverviewFailure' },
)

const CountryView = Type.Object(
  {
    country: Type.String({ description: 'ISO 3166 alpha-2.' }),
    currency: Type.String({ description: 'ISO 4217, of every amount here.' }),
    today: TotalsView,
    compared: TotalsView,
    change: ChangeView,
    points: Type.Array(PointView, {
      maxItems: 26,
      description: 'By hour, from the day’s beginning until now.',
    }),
    networks: Type.Array(NetworkView, { maxItems: 200, description: 'By code.' }),
    failures: Type.Array(FailureView, { maxItems: 3, description: 'The commonest first.' }),
  },
  { title: 'OverviewCountry' },
)

const attentionKinds = [
  ...(['PAYOUT_APPROVAL', 'REFUND_APPROVAL', 'PAYOUT_UNKNOWN', 'PAYMENT_UNKNOWN'] as const),
  ...(['PAYOUT_INCIDENT', 'PAYMENT_INCIDENT', 'PAYOUT_WAITS', 'PAYMENT_PENDING'] as const),
  ...(['WEBHOOK_OFF', 'WEBHOOK_FAILING', 'BALANCE_FROZEN'] as const),
] as const

const AttentionView = Type.Object(
  {
    kind: Type.Enum([...attentionKinds], { description: 'What waits. The list may grow.' }),
    count: count('How many.'),
    oldest_at: momentOrNull('Since when the oldest waits; null where that is not known.'),
  },
  { title: 'OverviewAttention' },
)

const InterruptionView = Type.Object(
  {
    country: Type.String({ description: 'ISO 3166 alpha-2.' }),
    network: Type.String({ description: 'The network’s code.' }),
    direction: Type.Enum(['COLLECT', 'DISBURSE']),
    status: Type.Enum(['DELAYED', 'CLOSED'], { description: 'As in `/availability/`.' }),
    since: momentOrNull('Since when, where that is known.'),
    message: Type.String({ description: 'A sentence for people, in the caller’s language.' }),
  },
  { title: 'OverviewInterruption' },
)

export const OverviewView = Type.Object(
  {
    as_of: moment('Until when it counts.'),
    time_zone: Type.String({ description: 'Whose midnight the day begins with: an IANA name.' }),
    date: Type.String({ format: 'date', description: 'The merchant’s today.' }),
    compared_date: Type.String({
      format: 'date',
      description: 'The same weekday a week before; it counts until the same time of the day.',
    }),
    countries: Type.Array(CountryView, { maxItems: 100, description: 'Where something happened.' }),
    balances: Type.Array(BalanceView, { maxItems: 100, description: 'By country.' }),
    attention: Type.Array(AttentionView, {
      maxItems: attentionKinds.length,
      description: 'What waits for somebody, the gravest first; only what there is.',
    }),
    interruptions: Type.Array(InterruptionView, {
      maxItems: 1_000,
      description:
        'Networks that do not work as they should, closed ones first: of the merchant’s own ' +
        'country, and of those where it has a balance or something happened.',
    }),
  },
  { title: 'Overview' },
)
type View = Static<typeof OverviewView>

/** In whole percent, rounded half up. */
const partOf = (part: number, whole: number): number =>
  Number(divideHalfUp(BigInt(part) * 100n, BigInt(whole)))

/** Under so many a share says nothing. */
const ended_min = 20

/** In whole percent; null where too few ended to speak of a share. */
export const percentOf = ({
  succeeded,
  ended,
}: Pick<Totals, 'succeeded' | 'ended'>): number | null =>
  ended < ended_min ? null : partOf(succeeded, ended)

function pointsBetween(today: Totals, compared: Totals): number | null {
  const [now, then] = [percentOf(today), percentOf(compared)]
  return now === null || then === null ? null : now - then
}

const viewTotals = (totals: Totals): Static<typeof TotalsView> => ({
  succeeded: totals.succeeded,
  ended: totals.ended,
  success_percent: percentOf(totals),
  taken: formatAmount(totals.taken),
  payouts: totals.payouts,
  paid_out: formatAmount(totals.paid_out),
  fees: formatAmount(totals.fees),
})

function viewCountry(of: CountryToday, locale: Locale): Static<typeof CountryView> {
  const { today, compared } = of
  const sums = of.points.flatMap((point) => [point.taken, point.compared])
  const most = sums.reduce((least, sum) => (sum > least ? sum : least), 1n)
  const heightOf = (sum: bigint) => Number(divideHalfUp(sum * 100n, most))
  return {
    country: of.country,
    currency: of.currency,
    today: viewTotals(today),
    compared: viewTotals(compared),
    change: {
      succeeded: today.succeeded - compared.succeeded,
      success_points: pointsBetween(today, compared),
      taken: formatAmount(today.taken - compared.taken),
      paid_out: formatAmount(today.paid_out - compared.paid_out),
      fees: formatAmount(today.fees - compared.fees),
    },
    points: of.points.map((point) => ({
      at: point.at.toISOString(),
      succeeded: point.succeeded,
      taken: formatAmount(point.taken),
      compared: formatAmount(point.compared),
      height: heightOf(point.taken),
      compared_height: heightOf(point.compared),
    })),
    networks: of.networks.map(({ network, succeeded, ended, taken, pending }) => ({
      ...{ network, succeeded, ended, taken: formatAmount(taken) },
      success_percent: percentOf({ succeeded, ended }),
      pending: {
        count: pending.count,
        amount: formatAmount(pending.amount),
        oldest_at: pending.oldest_at?.toISOString() ?? null,
      },
    })),
    failures: of.failures.map(({ code, count: how_many }) => ({
      ...{ code, message: failureText(code, locale), count: how_many },
      percent: partOf(how_many, of.failed),
    })),
  }
}

function attentionOf({ pending, open, balances }: Overview): View['attention'] {
  const some = (kind: PendingLine['kind'], way: 'IN' | 'OUT') => {
    const lines = pending.filter(
      (line) => line.kind === kind && (line.type === 'RETRAIT') === (way === 'OUT'),
    )
    return { count: lines.reduce((sum, line) => sum + line.count, 0), since: oldestOf(lines) }
  }
  const frozen = { count: balances.filter(({ is_frozen }) => is_frozen).length, since: null }
  const found = {
    PAYOUT_APPROVAL: some('APPROVAL', 'OUT'),
    REFUND_APPROVAL: { count: open.refunds, since: open.refunds_since },
    PAYOUT_UNKNOWN: some('UNKNOWN', 'OUT'),
    PAYMENT_UNKNOWN: some('UNKNOWN', 'IN'),
    PAYOUT_INCIDENT: { count: open.payouts_contradicted, since: open.payouts_since },
    PAYMENT_INCIDENT: { count: open.payments_contradicted, since: open.payments_since },
    PAYOUT_WAITS: some('WAITS', 'OUT'),
    PAYMENT_PENDING: some('PENDING', 'IN'),
    WEBHOOK_OFF: { count: open.webhooks_off, since: open.webhooks_since },
    WEBHOOK_FAILING: { count: open.webhooks_failing, since: open.failing_since },
    BALANCE_FROZEN: frozen,
  }
  return attentionKinds
    .map((kind) => ({ kind, ...found[kind] }))
    .filter((one) => one.count > 0)
    .map((one) => ({
      ...{ kind: one.kind, count: one.count, oldest_at: one.since?.toISOString() ?? null },
    }))
}

const viewInterruption = (
  { country_code, network_code, direction, since, message }: Availability,
  status: 'DELAYED' | 'CLOSED',
  locale: Locale,
): View['interruptions'][number] => ({
  ...{ country: country_code, network: network_code },
  ...{ direction, status, since, message: message[locale] },
})

export const viewOverview = (overview: Overview, locale: Locale): View => ({
  as_of: overview.days.now.toISOString(),
  time_zone: overview.days.time_zone,
  date: overview.days.today,
  compared_date: overview.days.compared,
  countries: overview.countries.map((one) => viewCountry(one, locale)),
  balances: overview.balances.map(viewBalance),
  attention: attentionOf(overview),
  interruptions: overview.interruptions.flatMap((one) =>
    one.status === 'OPERATIONAL' ? [] : [viewInterruption(one, one.status, locale)],
  ),
})

const totalsExample = {
  ...{ succeeded: 83, ended: 91, success_percent: 91, taken: '412500.00' },
  ...{ payouts: 3, paid_out: '60000.00', fees: '13406.00' },
}

export const overviewExample: View = {
  as_of: '2026-11-22T14:05:00.000Z',
  time_zone: 'Africa/Porto-Novo',
  date: '2026-11-22',
  compared_date: '2026-11-15',
  countries: [
    {
      country: 'BJ',
      currency: 'XOF',
      today: totalsExample,
      compared: { ...totalsExample, succeeded: 76, ended: 82, success_percent: 93 },
      change: {
        ...{ succeeded: 7, success_points: -2, taken: '38000.00' },
        ...{ paid_out: '0.00', fees: '1235.00' },
      },
      points: [
        {
          ...{ at: '2026-11-22T13:00:00.000Z', succeeded: 12, taken: '60000.00' },
          ...{ compared: '45000.00', height: 100, compared_height: 75 },
        },
      ],
      networks: [
        {
          ...{ network: 'mtn_bj', succeeded: 51, ended: 54, success_percent: 94 },
          taken: '255000.00',
          pending: { count: 2, amount: '9000.00', oldest_at: '2026-11-22T13:39:00.000Z' },
        },
      ],
      failures: [
        {
          ...{ code: 'INSUFFICIENT_FUNDS', count: 5, percent: 63 },
          message: 'The account does not have enough money.',
        },
      ],
    },
  ],
  balances: [{ ...balanceExample, environment: 'SANDBOX', country: 'BJ' }],
  attention: [{ kind: 'PAYOUT_APPROVAL', count: 2, oldest_at: '2026-11-22T11:30:00.000Z' }],
  interruptions: [
    {
      ...{ country: 'BJ', network: 'moov_bj', direction: 'COLLECT', status: 'CLOSED' },
      ...{ since: '2026-11-22T13:52:00.000Z', message: 'Moov Money does not answer.' },
    },
  ],
}
