// `GET /quotes/`: what a call that moves money would cost, before it is made.

import { countPrediction } from '../customers/prediction/count-prediction.ts'
import { payoutMethodErrors } from '../merchants/payout-methods/errors.ts'
import { payoutErrors } from '../payouts/errors.ts'
import { paymentErrors } from '../planning/errors.ts'
import { type Caller, ok, type Route } from '../platform/http/route.ts'
import { reads } from '../platform/http/route-list.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { checkQuoteQuery, QuoteQuery, type QuoteQuestion, readQuestion } from './query.ts'
import type { Quote, QuoteKind } from './quote.ts'
import { type OwnMoneyDeps, quoteSettlement, quoteTransfer } from './quote-own-money.ts'
import { quotePayment } from './quote-payment.ts'
import { quotePayout } from './quote-payout.ts'
import type { RecipientDeps } from './recipient.ts'
import { QuoteView, quoteExample, viewQuote } from './view.ts'

export type QuoteDeps = OwnMoneyDeps & RecipientDeps

type QuoteOf = (deps: QuoteDeps, caller: Caller, asked: QuoteQuestion) => Promise<Quote>

const quotes: Readonly<Record<QuoteKind, QuoteOf>> = {
  PAYIN: quotePayment,
  PAYOUT: quotePayout,
  TOP_UP: quotePayment,
  SETTLEMENT: quoteSettlement,
  TRANSFER: quoteTransfer,
}

export const quoteRoutes = (deps: QuoteDeps): Route[] => [
  {
    path: '/quotes/',
    access: 'any',
    suspended: 'refused',
    query: QuoteQuery,
    check_query: checkQuoteQuery,
    summary: 'Quote a payment, payout, top-up, settlement or transfer',
    description:
      'Planned as the call itself would be, and refused as it would be: the amount, the country, ' +
      'the network. Obstacles that may pass (the balance, a limit) are under `refusals`. ' +
      'Nothing is made or held, so figures may change before the call. Of a payout by whoever ' +
      'may make it, `recipient` says whose the number is where its operator shows that: it is ' +
      'waited for two seconds at most, and 120 such quotes an hour are answered of a merchant. ' +
      'Who looked is in the audit log.',
    tag: 'Pricing',
    errors: [
      paymentErrors.invalid_country,
      paymentErrors.invalid_method,
      paymentErrors.invalid_customer,
      paymentErrors.no_exchange_rate,
      paymentErrors.fee_charge_mode_locked,
      paymentErrors.no_route_available,
      payoutErrors.currency_country_mismatch,
      payoutErrors.payout_not_enabled,
      payoutMethodErrors.payout_method_cooling_off,
      accessErrors.rate_limited,
    ],
    ...reads(QuoteView, quoteExample),
    handler: async (input) => {
      const { caller, locale } = input
      const asked = readQuestion(input)
      const { msisdn } = asked
      if (msisdn !== undefined) await countPrediction({ db: deps.db, macs: deps.keyring }, caller)
      return ok(viewQuote(asked, await quotes[asked.kind](deps, caller, asked), locale))
    },
  },
]
