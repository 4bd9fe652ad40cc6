// A quote as it is shown: every figure as text, so that nobody works one out again.

import { type Static, Type } from 'typebox'
import { feeChargeModes } from '../money/fee-charge-mode.ts'
import { formatAmount, formatRate } from '../money/format.ts'
import type { Locale } from '../platform/errors.ts'
import type { QuoteQuestion } from './query.ts'
import { type Quote, type QuoteLimits, quoteKinds } from './quote.ts'

const amount = (description: string) => Type.String({ description })
const amountOrNull = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description })
const textOrNull = amountOrNull

const LimitsView = Type.Object(
  {
    min_amount: amountOrNull('The least that the price has an amount for.'),
    max_amount: amountOrNull('The most that the price has an amount for.'),
    per_payout: amountOrNull('The most that one payout may take; null where no limit is set.'),
    left_today: amountOrNull('What the day’s limit leaves (UTC); null where none is set.'),
  },
  { title: 'QuoteLimits', description: 'In `currency`, each null where there is no such limit.' },
)

const NumberView = Type.Object(
  {
    e164: Type.String({ description: 'The number in today’s numbering plan, as E.164.' }),
    was_old_plan: Type.Boolean({ description: 'The number was of the plan before today’s.' }),
    network_guess: textOrNull('The code of the likely network; null if the plan does not say.'),
    is_sure: Type.Boolean({
      description: 'False where numbers are portable: preselect by it, never force.',
    }),
    other_network: textOrNull(
      'The code of the network that the number seems to be of, where the chosen one is another.',
    ),
  },
  { title: 'QuotedNumber', description: 'What the numbering plan says of `msisdn`.' },
)

const RecipientView = Type.Object(
  {
    active: Type.Boolean({ description: 'The operator has an account that the number can use.' }),
    name: textOrNull('The account holder’s; null where the operator names nobody.'),
  },
  { title: 'QuotedRecipient', description: 'By the operator’s own records, at most a day old.' },
)

export const QuoteView = Type.Object(
  {
    kind: Type.Enum([...quoteKinds]),
    country: Type.String({ description: 'ISO 3166 alpha-2.' }),
    network: textOrNull('The network’s code; null where the money goes through none.'),
    fee_charge_mode: Type.Enum([...feeChargeModes]),
    requested: amount('The amount of the call, in `currency`.'),
    fee: amount('What the call costs, in `currency`.'),
    charged: amount('What the payer pays, or what leaves the balance, in `currency`.'),
    net: amount('What reaches the balance or the recipient, in `net_currency`.'),
    currency: Type.String({ description: 'ISO 4217.' }),
    net_currency: Type.String({ description: 'ISO 4217; another than `currency` in transfers.' }),
    original_amount: amountOrNull('What was asked for, where it was in another currency.'),
    original_currency: textOrNull('In which currency it was asked for; null where in `currency`.'),
    rate: textOrNull('With eight decimal places; null where nothing is converted.'),
    rate_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Since when the oldest part of the rate has counted.',
    }),
    limits: LimitsView,
    needs_approval: Type.Boolean({
      description: 'It would wait: a payout for a second member, the others for our staff.',
    }),
    insufficient: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'The balance has too little for it now; null where it takes from none.',
    }),
    refusals: Type.Array(
      Type.Object(
        { code: Type.String({ description: 'The error’s code.' }), message: Type.String() },
        { title: 'QuoteRefusal' },
      ),
      { maxItems: 4, description: 'What the call would be refused with as things stand.' },
    ),
    number: Type.Union([NumberView, Type.Null()], {
      description: 'Null where no `msisdn` was sent.',
    }),
    recipient: Type.Union([RecipientView, Type.Null()], {
      description:
        'Whose the number of a payout is, for whoever may make it. Null where its operator was ' +
        'not asked (it never is with `refusals`), did not say, or not within two seconds.',
    }),
  },
  { title: 'Quote' },
)

const sumOrNull = (sum: bigint | null) => (sum === null ? null : formatAmount(sum))

const viewLimits = (limits: QuoteLimits): Static<typeof LimitsView> => ({
  min_amount: sumOrNull(limits.min_amount),
  max_amount: sumOrNull(limits.max_amount),
  per_payout: sumOrNull(limits.per_payout),
  left_today: sumOrNull(limits.left_today),
})

export const viewQuote = (
  { kind, country }: Pick<QuoteQuestion, 'kind' | 'country'>,
  quote: Quote,
  locale: Locale,
): Static<typeof QuoteView> => ({
  kind,
  country: country.toUpperCase(),
  network: quote.network,
  fee_charge_mode: quote.fee_charge_mode,
  requested: formatAmount(quote.requested),
  fee: formatAmount(quote.fee),
  charged: formatAmount(quote.charged),
  net: formatAmount(quote.net),
  currency: quote.currency,
  net_currency: quote.net_currency,
  original_amount: sumOrNull(quote.original?.amount ?? null),
  original_currency: quote.original?.currency ?? null,
  rate: quote.rate && formatRate(quote.rate.rate_e8),
  rate_at: quote.rate === null ? null : quote.rate.at.toISOString(),
  limits: viewLimits(quote.limits),
  needs_approval: quote.needs_approval,
  insufficient: quote.insufficient,
  refusals: quote.refusals.map(({ code, message }) => ({ code, message: message[locale] })),
  number: quote.number,
  recipient: quote.recipient,
})

export const quoteExample: Static<typeof QuoteView> = {
  kind: 'PAYOUT',
  country: 'BJ',
  network: 'mtn_bj',
  fee_charge_mode: 'DEDUCTED',
  requested: '5000.00',
  fee: '175.00',
  charged: '5000.00',
  net: '4825.00',
  currency: 'XOF',
  net_currency: 'XOF',
  original_amount: null,
  original_currency: null,
  rate: null,
  rate_at: null,
  limits: {
    min_amount: '200.00',
    max_amount: '1000000.00',
    per_payout: '500000.00',
    left_today: '1995000.00',
  },
  needs_approval: false,
  insufficient: false,
  refusals: [],
  number: {
    e164: '+2290197000010',
    was_old_plan: false,
    network_guess: 'mtn_bj',
    is_sure: false,
    other_network: null,
  },
  recipient: { active: true, name: 'Awa Diop' },
}
