// What FedaPay documents of its API, version 1, put down as schemas: facts in our own form, from
// its public documents alone. A field that stands here has its source beside it.
// O, an official text or official code; T, a third party; ?, no document says so, nothing asserted.
// [1] github.com/fedapay/fedapay-node, src and test (O, FedaPay's own client): what it sends, and
//     the answers that its tests have.
// [2] github.com/fedapay/fedapay-cli, README and docs/transactions.md (O): answers as they came.
// [3] docs.fedapay.com/api-reference: transactions/{create,get-by-id,send-payment},
//     payouts/{create,get-by-id,update-start}, balances/get-by-id (O): fields and their kinds.
// [4] github.com/fedapay/fedapay-php, lib/Error/Base.php and tests (O).
// [5] docs.fedapay.com/integration-api/en/webhooks-en (O): names of events, the signature.
// [6] Events and answers that integrations have kept (T): scribd.com/document/836824214, and
//     github.com/Lulu12024/wuloevent-reprise, commons/constants/transactions.py.
// [3] shows its answers bare; those of [1] and [6] are under `v1/transaction`: so are these.
// Not found: which fields are always there, codes of errors, refunds, what may be too many.

import { type TProperties, Type } from 'typebox'
import {
  address,
  closed,
  currency,
  form,
  may,
  moment,
  type Operation,
  oneOf,
  open,
  orNull,
  words,
} from './held.ts'

/** [1] `Transaction.PAID_STATUS`; [3] get-by-id; [5] lifecycle. */
export const paidStatuses = [
  ...['approved', 'transferred', 'refunded'],
  ...['approved_partially_refunded', 'transferred_partially_refunded'],
]
export const transactionStatuses = ['pending', 'declined', 'canceled', ...paidStatuses]

/** [3] payouts; `started`: [1] test/PayoutTest.ts; `processing`: ? */
export const payoutStatuses = ['pending', 'scheduled', 'started', 'sent', 'failed']

/**
 * Codes of `last_error_code` in texts and samples: [3], [6]. An approved transaction of [6] has
 * `API_ERROR`, so a code alone says nothing of an end. No list of them was found.
 */
export const shownCodes = ['NO_ERROR', 'INSUFFICIENT_FUND_ERROR', 'API_ERROR']

const id = Type.Integer({ minimum: 1 })
const whole = Type.Integer({ minimum: 0 })
/** [6] has a text, [4] a number, [3] says integer. */
const commission = may(orNull(Type.Union([Type.Number(), form(/^\d+(?:\.\d+)?$/)])))
const when = may(orNull(moment))
const thing = may(orNull(Type.Object({})))

/** [1] test/CurrencyTest.ts, [6]. */
const currencyThing = closed({
  klass: oneOf(['v1/currency']),
  id,
  name: may(words),
  iso: currency,
  code: may(Type.Integer()),
  prefix: may(orNull(Type.String())),
  suffix: may(orNull(Type.String())),
  div: may(Type.Integer({ minimum: 1 })),
  created_at: when,
  updated_at: when,
})

/** [3] get-by-id of both. */
const inBoth = {
  id,
  reference: words,
  amount: whole,
  customer_id: may(orNull(id)),
  currency_id: may(id),
  mode: may(orNull(words)),
  metadata: thing,
  custom_metadata: thing,
  commission,
  fees: may(orNull(whole)),
  fixed_commission: may(orNull(whole)),
  amount_transferred: may(orNull(whole)),
  amount_debited: may(orNull(whole)),
  created_at: moment,
  updated_at: moment,
  deleted_at: when,
  last_error_code: may(orNull(words)),
  last_error_message: may(orNull(words)), // [1] `Payout`; of a transaction: ?
  payment_method_id: may(orNull(id)),
  transaction_key: may(orNull(words)),
  merchant_reference: may(orNull(words)),
  account_id: may(id),
  balance_id: may(orNull(id)),
  customer: may(orNull(Type.Object({}))),
  currency: may(currencyThing), // where `include` asks for it: [1]
} satisfies TProperties

export const transaction = closed({
  ...inBoth,
  klass: oneOf(['v1/transaction']),
  status: oneOf(transactionStatuses),
  description: may(orNull(words)),
  callback_url: may(orNull(address)),
  operation: may(oneOf(['payment'])), // [2], [6]
  approved_at: when,
  canceled_at: when,
  declined_at: when,
  refunded_at: when,
  transferred_at: when,
  paid_at: when, // [1]
  receipt_url: may(orNull(address)),
  sub_accounts_commissions: may(orNull(Type.Array(Type.Unknown()))),
  payment_method: thing, // [6]
})

export const payout = closed({
  ...inBoth,
  klass: oneOf(['v1/payout']),
  status: oneOf(payoutStatuses),
  description: may(orNull(words)), // docs.fedapay.com/integration-api/en/payouts-management-en
  scheduled_at: when,
  started_at: when, // [1] test/PayoutTest.ts
  sent_at: when,
  failed_at: when,
})

/** [5], [6]; `object_id`, `account_id`: [1] test/EventTest.ts. */
const event = (object: string, entity: typeof transaction | typeof payout) =>
  closed({
    id: may(id),
    name: form(new RegExp(`^${object}\\.[a-z_]+$`)),
    object: oneOf([object]),
    entity,
    object_id: may(id),
    account_id: may(id),
    account: thing, // [6]
    created_at: when,
    updated_at: when,
  })
export const events = {
  by: 'object',
  of: { transaction: event('transaction', transaction), payout: event('payout', payout) },
} as const

/** [1] `X-FEDAPAY-SIGNATURE`: a time in seconds, and a MAC in hex. */
export const signature = form(/^t=\d{10},s=[0-9a-f]{64}$/)

/** [4]: a text, and perhaps lists of texts by field. With which status: ? */
const error = closed({
  message: words,
  errors: may(Type.Record(Type.String(), Type.Array(words))),
})
const errors = {
  ...{ 400: error, 401: error, 403: error, 404: error, 422: error },
  500: error, // [4] tests/CustomerTest.php has one of a field that is missing
} as const

const withKey = open({ authorization: form(/^Bearer sk_\S+$/) })
const withBody = open({
  authorization: form(/^Bearer sk_\S+$/),
  'content-type': form(/^application\/json\b/),
})

/** [3] create; the numbers of an object's owner are not sent by us. */
const iso = closed({ iso: currency })
/** [3] send-payment, update-start: with or without a plus, the country in either case. */
const phone_number = closed({
  number: form(/^\+?\d{8,15}$/),
  country: form(/^(?:[a-z]{2}|[A-Z]{2})$/),
})

/** [3] has 201 for both, the tests of [1] have 200. */
const made = (name: string, one: typeof transaction | typeof payout) => {
  const body = closed({ [name]: one })
  return { 200: body, 201: body, ...errors }
}

const transactions: readonly Operation[] = [
  {
    at: 'POST /v1/transactions',
    headers: withBody,
    body: closed({
      description: words,
      amount: Type.Integer({ minimum: 1 }),
      currency: iso,
      callback_url: may(address),
      customer: may(Type.Object({})),
      custom_metadata: may(Type.Object({})),
      merchant_reference: may(words),
      mode: may(words),
      include: may(words),
    }),
    answers: made('v1/transaction', transaction),
  },
  {
    at: 'GET /v1/transactions/{id}',
    query: closed({ include: may(words) }),
    headers: withKey,
    body: 'EMPTY',
    answers: { 200: closed({ 'v1/transaction': transaction }), ...errors },
  },
  {
    at: 'POST /v1/transactions/{id}/token',
    headers: withKey,
    body: 'UNKNOWN', // [1] sends an empty object
    answers: { 200: closed({ token: words, url: address }), ...errors },
  },
]

const payouts: readonly Operation[] = [
  {
    // Before the id, which is any part of a path.
    at: 'PUT /v1/payouts/start',
    headers: withBody,
    // [1]; [3] update-start shows the list alone.
    body: closed({
      payouts: Type.Array(
        closed({ id, phone_number: may(phone_number), scheduled_at: may(words) }),
      ),
    }),
    answers: { 200: closed({ 'v1/payouts': Type.Array(payout) }), ...errors },
  },
  {
    at: 'POST /v1/payouts',
    headers: withBody,
    body: closed({
      amount: Type.Integer({ minimum: 1 }),
      currency: iso,
      mode: may(words),
      customer: may(Type.Object({})),
      description: may(words),
      merchant_reference: may(words), // an answer has it: [3]. That it is taken: ?
      custom_metadata: may(Type.Object({})),
      include: may(words),
    }),
    answers: made('v1/payout', payout),
  },
  {
    at: 'GET /v1/payouts/{id}',
    query: closed({ include: may(words) }),
    headers: withKey,
    body: 'EMPTY',
    answers: { 200: closed({ 'v1/payout': payout }), ...errors },
  },
]

/** [1] test/BalanceTest.ts, and [3] without its currency. */
const balance = closed({
  klass: oneOf(['v1/balance']),
  id,
  currency_id: id,
  account_id: may(id),
  amount: Type.Integer(),
  mode: words,
  created_at: when,
  updated_at: when,
})
const meta = may(Type.Object({}))

const lists: readonly Operation[] = [
  {
    at: 'GET /v1/balances',
    headers: withKey,
    body: 'EMPTY',
    answers: { 200: closed({ 'v1/balances': Type.Array(balance), meta }), ...errors },
  },
  {
    at: 'GET /v1/currencies',
    headers: withKey,
    body: 'EMPTY',
    answers: { 200: closed({ 'v1/currencies': Type.Array(currencyThing), meta }), ...errors },
  },
  {
    at: 'GET /v1/currencies/{id}',
    headers: withKey,
    body: 'EMPTY',
    answers: { 200: closed({ 'v1/currency': currencyThing }), ...errors },
  },
]

/** [1] `sendNowWithToken`; [3] send-payment has it below `transactions`, answered by a list. */
const asksPayer: Operation = {
  at: 'POST /v1/{mode}',
  headers: withBody,
  body: closed({ token: words, phone_number: may(phone_number) }),
  answers: {
    200: Type.Union([closed({ message: words }), Type.Array(Type.Object({}))]),
    ...errors,
  },
}

export const operations: readonly Operation[] = [...transactions, ...payouts, ...lists, asksPayer]
