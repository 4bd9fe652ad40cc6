// What pawaPay documents of its merchant API, version 2, put down as schemas: facts in our own
// form, from its public documents alone. A field that stands here has its source beside it.
// O, an official text; T, a third party; ?, no document says so, and nothing is asserted.
// [1] The collection of pawaPay's own for Postman, "pawaPay Merchant API V2" (O), as two projects
//     keep it: github.com/ChimfwembeMLF/relay and github.com/overskilled/Allo-Tech-Backend.
// [2] docs.pawapay.io/v2/docs/failure_codes, "Technical failure codes" and "Transaction failure
//     codes" (O); the table by operation in [3].
// [3] github.com/joelpawapay/pawapay-builders-cits26, skill/references (O: by pawaPay's own people,
//     and not its reference): deposits, payouts, refunds, callbacks, toolkit, errors.
// [4] docs.pawapay.io/v2/docs/upgrade_from_v1, "Required changes" (O).
// [5] docs.pawapay.io/v2/api-reference: deposits/initiate-deposit, refunds/initiate-refund,
//     payouts/cancel-enqueued-payout (O): lengths, and which fields are required.
// [6] docs.pawapay.io/v2/docs/test_numbers (O).
// [7] github.com/johnnyyen/docs, v2/api-reference/openapi_v2.yaml, `Amount` (O: an earlier text).
// Not found whole: docs.pawapay.io/v2/api-reference/openapi_v2.yaml, which is of today.
// Lists and settings are in pawapay-lists.ts.

import { type TProperties, Type } from 'typebox'
import {
  address,
  type Choice,
  closed,
  currency,
  form,
  may,
  moment,
  type Operation,
  oneOf,
  open,
  orNull,
  uuid4,
  words,
} from './held.ts'

/** [2], [3] errors: what a call may be answered with, by its HTTP status. */
export const technicalCodes = {
  400: [
    ...['INVALID_INPUT', 'MISSING_PARAMETER', 'UNSUPPORTED_PARAMETER', 'INVALID_PARAMETER'],
    'DUPLICATE_METADATA_FIELD',
  ],
  // [1] has AUTHENTICATION_ERROR with 401, [2] with 403.
  401: ['NO_AUTHENTICATION', 'AUTHENTICATION_ERROR'],
  403: [
    ...['AUTHENTICATION_ERROR', 'AUTHORISATION_ERROR', 'HTTP_SIGNATURE_ERROR'],
    ...['DEPOSITS_NOT_ALLOWED', 'PAYOUTS_NOT_ALLOWED', 'REFUNDS_NOT_ALLOWED'],
  ],
  500: ['UNKNOWN_ERROR'],
} as const

/** [3] deposits, payouts, refunds, "Failure code summary": what answers 200 with `REJECTED`. */
const ofAll = ['INVALID_AMOUNT', 'AMOUNT_OUT_OF_BOUNDS', 'INVALID_CURRENCY']
const ofProviders = ['INVALID_PHONE_NUMBER', 'INVALID_PROVIDER', 'PROVIDER_TEMPORARILY_UNAVAILABLE']
export const rejectionCodes = {
  deposits: [...ofAll, ...ofProviders],
  payouts: [...ofAll, ...ofProviders, 'PAWAPAY_WALLET_OUT_OF_FUNDS'],
  refunds: [
    // [1] shows INVALID_PHONE_NUMBER for a refund too.
    ...[...ofAll, 'INVALID_PHONE_NUMBER', 'PROVIDER_TEMPORARILY_UNAVAILABLE'],
    ...['PAWAPAY_WALLET_OUT_OF_FUNDS', 'NOT_FOUND', 'INVALID_STATE', 'AMOUNT_TOO_LARGE'],
    ...['DEPOSIT_ALREADY_REFUNDED', 'REFUND_IN_PROGRESS'],
  ],
} as const

/** [3] errors, "Transaction failure codes": why something that was accepted has `FAILED`. */
const anyEnd = ['WALLET_LIMIT_REACHED', 'UNSPECIFIED_FAILURE', 'UNKNOWN_ERROR']
const outgoing = ['RECIPIENT_NOT_FOUND', 'MANUALLY_CANCELLED', 'PAWAPAY_WALLET_OUT_OF_FUNDS']
export const failureCodes = {
  deposits: [
    ...[...anyEnd, 'PAYMENT_NOT_APPROVED', 'INSUFFICIENT_BALANCE', 'PAYMENT_IN_PROGRESS'],
    ...['PAYER_NOT_FOUND', 'PAYER_LIMIT_REACHED', 'TRANSACTION_ALREADY_IN_PROCESS'],
  ],
  payouts: [...anyEnd, ...outgoing, 'RECIPIENT_LIMIT_REACHED'],
  refunds: [
    ...[...anyEnd, ...outgoing],
    ...['DEPOSIT_ALREADY_REFUNDED', 'AMOUNT_TOO_LARGE', 'REFUND_IN_PROGRESS'],
  ],
} as const

/** [3] errors, "Status enums by operation". */
const underWay = ['ACCEPTED', 'PROCESSING', 'IN_RECONCILIATION']
export const statuses = {
  // [6]: a deposit to one test number stays SUBMITTED; no other text of this version has the word.
  deposits: [...underWay, 'SUBMITTED', 'COMPLETED', 'FAILED'],
  payouts: [...underWay, 'SUBMITTED', 'ENQUEUED', 'COMPLETED', 'FAILED'],
  refunds: [...underWay, 'ENQUEUED', 'COMPLETED', 'FAILED'],
} as const

export type Kind = keyof typeof statuses
export const kinds: readonly Kind[] = ['deposits', 'payouts', 'refunds']
export const idOf = { deposits: 'depositId', payouts: 'payoutId', refunds: 'refundId' } as const

/** [1] and [4]: one object for every failure; its text is for people who integrate. */
const failure = (codes: readonly string[]) =>
  closed({ failureCode: oneOf(codes), failureMessage: words })

/** [1]: a mobile-money account. Digits with the country's code, without a plus: [3] deposits. */
const account = closed({
  type: oneOf(['MMO']),
  accountDetails: closed({
    phoneNumber: form(/^[1-9]\d{7,14}$/),
    provider: form(/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/),
  }),
})

/**
 * [7], and [3] deposits: no leading zero, and none at the end of decimals. The prose of the older
 * version, docs.pawapay.io/v1/api-reference/deposits/deposit-callback, lets zeros stand at the end:
 * without them it is right by both.
 */
const asked = Type.String({
  pattern: /^([0]|([1-9][0-9]{0,17}))([.][0-9]{0,3}[1-9])?$/.source,
  maxLength: 23, // [5]
})
/** [1]: with two decimals, whatever was sent. */
const shown = form(/^\d{1,18}\.\d{2}$/)
export const country = form(/^[A-Z]{3}$/)
/** [5]: 4 to 22; [3] deposits: letters, digits and spaces. */
const message = form(/^[a-zA-Z0-9 ]{4,22}$/)
/** [1], [3]: up to ten, each an object with one field, and perhaps `isPII`. */
const metadata = Type.Array(Type.Object({}), { maxItems: 10 })
const nextSteps = ['FINAL_STATUS', 'GET_AUTH_URL', 'REDIRECT_TO_AUTH_URL'] // [3] deposits

export const withToken = open({ authorization: form(/^Bearer \S+$/) })
const withBody = open({
  authorization: form(/^Bearer \S+$/),
  'content-type': form(/^application\/json\b/),
})

const requests = {
  deposits: closed({
    depositId: uuid4,
    payer: account,
    amount: asked,
    currency,
    preAuthorisationCode: may(Type.String({ minLength: 1, maxLength: 36 })), // [5]
    clientReferenceId: may(words),
    customerMessage: may(message),
    // [3] deposits: both where a page authorises.
    successfulUrl: may(address),
    failedUrl: may(address),
    metadata: may(metadata),
  }),
  payouts: closed({
    payoutId: uuid4,
    recipient: account,
    amount: asked,
    currency,
    clientReferenceId: may(words),
    customerMessage: may(message),
    metadata: may(metadata),
  }),
  // [3] refunds: without an amount it is the rest of the deposit.
  refunds: closed({
    refundId: uuid4,
    depositId: uuid4,
    amount: may(asked),
    currency: may(currency),
    clientReferenceId: may(words),
    metadata: may(metadata),
  }),
}

/** [1]: an id that could not be read is null, or not there. */
const errorOf = (kind: Kind | undefined, codes: readonly string[]) =>
  closed({
    ...(kind === undefined ? {} : { [idOf[kind]]: may(orNull(uuid4)) }),
    status: may(oneOf(['REJECTED'])),
    failureReason: failure(codes),
  })

export const errors = (kind?: Kind) => ({
  400: errorOf(kind, technicalCodes[400]),
  401: errorOf(kind, technicalCodes[401]),
  403: errorOf(kind, technicalCodes[403]),
  500: errorOf(kind, technicalCodes[500]),
})

/** [1], and [4]: the only statuses of a create. */
function createdOf(kind: Kind): Choice {
  const taken = closed({
    [idOf[kind]]: uuid4,
    status: oneOf(['ACCEPTED', 'DUPLICATE_IGNORED']),
    created: moment,
    // [3] deposits: of one that was accepted. Of a duplicate: ?
    ...(kind === 'deposits' ? { nextStep: may(oneOf(nextSteps)) } : {}),
  })
  const rejected = closed({
    [idOf[kind]]: orNull(uuid4),
    status: oneOf(['REJECTED']),
    failureReason: failure(rejectionCodes[kind]),
  })
  return { by: 'status', of: { ACCEPTED: taken, DUPLICATE_IGNORED: taken, REJECTED: rejected } }
}

/** [1]: what a question and a callback show alike. */
function recordOf(kind: Kind, status: string, more: TProperties) {
  const party = kind === 'deposits' ? 'payer' : 'recipient'
  return closed({
    [idOf[kind]]: uuid4,
    status: oneOf([status]),
    amount: shown,
    currency,
    country,
    [party]: account,
    customerMessage: may(orNull(message)), // [3] refunds: null where there is none
    created: moment,
    providerTransactionId: may(orNull(words)), // [4]: where the provider gives one
    // [1] leaves it out where nothing failed, [3] has null there.
    ...(status === 'FAILED'
      ? { failureReason: failure(failureCodes[kind]) }
      : { failureReason: may(Type.Null()) }),
    metadata: may(Type.Object({})),
    // [3] deposits, "REDIRECT_AUTH": of a deposit whose payer goes to a page.
    ...(kind === 'deposits'
      ? { nextStep: may(oneOf(nextSteps)), authorizationUrl: may(address) }
      : {}),
    ...(kind === 'deposits' ? { successfulUrl: may(address), failedUrl: may(address) } : {}),
    ...more,
  })
}

const records = (kind: Kind, among: readonly string[], more: TProperties): Choice => ({
  by: 'status',
  of: Object.fromEntries(among.map((status) => [status, recordOf(kind, status, more)])),
})

/** [1]: the data of a question that found something. */
export const dataOf = (kind: Kind): Choice =>
  records(kind, statuses[kind], { clientReferenceId: may(words) })

/** [3] callbacks: three statuses, and no `clientReferenceId`. PROCESSING: a page is ready. */
export const callbackOf = (kind: Kind): Choice =>
  records(
    kind,
    kind === 'deposits' ? ['COMPLETED', 'FAILED', 'PROCESSING'] : ['COMPLETED', 'FAILED'],
    {},
  )

const covered = '"@method" "@authority" "@path" "signature-date" "content-digest" "content-type"'
const parameters = 'alg="[a-z0-9-]+";keyid="[^"]+";created=\\d+;expires=\\d+'

/** [3] callbacks, "Signature verification": over six parts, or more, for as long as it says. */
export const callbackHeaders = open({
  'content-type': form(/^application\/json\b/),
  'content-digest': form(/^sha-(?:256|512)=:[A-Za-z0-9+/]+={0,2}:$/),
  'signature-date': moment,
  signature: form(/^sig-pp=:[A-Za-z0-9+/]+={0,2}:$/),
  'signature-input': form(new RegExp(`^sig-pp=\\(${covered}(?: "[a-z-]+")*\\);${parameters}$`)),
})

/** [1]: what was found, or nothing. `data` is held by `dataOf`. */
const asking: Choice = {
  by: 'status',
  of: {
    FOUND: closed({ status: oneOf(['FOUND']), data: Type.Object({}) }),
    NOT_FOUND: closed({ status: oneOf(['NOT_FOUND']) }),
  },
}

/** [1], [5]: to take back what is enqueued, to have a callback sent again. */
const acted = (kind: Kind): Choice => ({
  by: 'status',
  of: {
    ACCEPTED: closed({ [idOf[kind]]: uuid4, status: oneOf(['ACCEPTED']) }),
    REJECTED: closed({
      [idOf[kind]]: uuid4,
      status: oneOf(['REJECTED']),
      failureReason: failure(['NOT_FOUND', 'INVALID_STATE']),
    }),
  },
})

const perKind = kinds.flatMap((kind): Operation[] => [
  {
    at: `POST /v2/${kind}`,
    headers: withBody,
    body: requests[kind],
    answers: { 200: createdOf(kind), ...errors(kind) },
  },
  {
    at: `GET /v2/${kind}/{id}`,
    headers: withToken,
    body: 'EMPTY',
    answers: { 200: asking, ...errors(kind) },
  },
  {
    at: `POST /v2/${kind}/resend-callback/{id}`,
    headers: withToken,
    body: 'EMPTY',
    answers: { 200: acted(kind), ...errors(kind) },
  },
])

export const payments: readonly Operation[] = [
  // Before `{id}`, which is any part of a path.
  {
    at: 'POST /v2/payouts/fail-enqueued/{id}',
    headers: withToken,
    body: 'EMPTY',
    answers: { 200: acted('payouts'), ...errors('payouts') },
  },
  ...perKind,
]
