// What MTN documents of its MoMo open API, put down as schemas: facts in our own form, from its
// public documents alone. A field that stands here has its source beside it.
// O, an official text; T, a third party; ?, no document says so, and nothing is asserted.
// [1] MTN's definition of its products (OpenAPI, "Partner Gateway API document"), as pages of its
//     portals show it (O): momodeveloper.mtn.com/docs/services/collection/operations/
//     requesttopay-referenceId-GET, momoapi.mtn.com/docs/services/collection/operations/
//     requesttopay-POST, momoapi.mtn.co.rw/docs/services/disbursement and its operations/Transfer;
//     and whole as github.com/wondenge/momo-go, pkg/{collection,disbursement,user}, was made from
//     it (T, by a generator). It requires no field of a body. Its samples of a result have numbers
//     where its kinds say texts: those are in the adapter's own test.
// [2] github.com/MTN-Group/MoMoAPIs_Java_sdk, docs/{collection,disbursement}: MTN's own client and
//     its samples of answers (O).
// [3] momodevelopercommunity.mtn.com/errors-46/momo-api-common-errors-82 (O), and the same table at
//     momoapi.mtn.com/content/html_widgets/yhwUz.html.
// [4] momodevelopercommunity.mtn.com/product-updates, "Error response enrichment" (O): a sample of
//     a failed payment whose `reason` is a text.
// [5] ericssondeveloperapi.developer.azure-api.net/content/html_widgets/svamp.html, "Callback" (O,
//     MTN's portal under its supplier's name); momodeveloper.mtn.com/api-documentation/callback.
// [6] MTN-Group/MoMoAPIs_Java_sdk, src/test/java/com/momo/api/config/MSISDN.java (O): the test
//     numbers and their reasons; github.com/api-evangelist/mtn-group, errors and sandbox (T).
// [7] What integrations have seen in LIVE (T): docs/operators/mtn.md.

import { type TProperties, Type } from 'typebox'
import {
  type Choice,
  closed,
  currency,
  form,
  may,
  type Operation,
  oneOf,
  open,
  uuid4,
  words,
} from './held.ts'

/** [1]: the codes of `ErrorReason`, the kind of an error and of the reason of a payment alike. */
export const definedCodes = [
  ...['PAYEE_NOT_FOUND', 'PAYER_NOT_FOUND', 'NOT_ALLOWED', 'NOT_ALLOWED_TARGET_ENVIRONMENT'],
  ...['INVALID_CALLBACK_URL_HOST', 'INVALID_CURRENCY', 'SERVICE_UNAVAILABLE'],
  ...['INTERNAL_PROCESSING_ERROR', 'NOT_ENOUGH_FUNDS', 'PAYER_LIMIT_REACHED'],
  ...['PAYEE_NOT_ALLOWED_TO_RECEIVE', 'PAYMENT_NOT_APPROVED', 'RESOURCE_NOT_FOUND'],
  ...['APPROVAL_REJECTED', 'EXPIRED', 'TRANSACTION_CANCELED', 'RESOURCE_ALREADY_EXIST'],
]

/** In texts of MTN's, and not among those of its definition: [3], [6]. */
export const writtenCodes = ['COULD_NOT_PERFORM_TRANSACTION', 'TRANSFER_TYPE_UNKNOWN']

/** Seen in LIVE, in no text of MTN's: [7]. */
export const seenCodes = [
  ...['LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED', 'SENDER_ACCOUNT_NOT_ACTIVE'],
  ...['PAYEE_LIMIT_REACHED', 'VALIDATION_ERROR', 'TRANSACTION_NOT_FOUND'],
]

/** [1]: `RequestToPayResult.status`, `TransferResult.status`. */
export const statuses = ['PENDING', 'SUCCESSFUL', 'FAILED'] as const

const reasons = oneOf([...definedCodes, ...writtenCodes])

/** [1]: `ErrorReason`. */
const error = closed({ code: reasons, message: may(words) })

/** [1] has an `ErrorReason`; [2] reads a text, and [4] shows one. */
const reason = Type.Union([error, reasons])

/** [1]: a text; [2]: `6` and `6.0`. How many decimals: ? */
const amount = form(/^(?:0|[1-9]\d*)(?:\.\d+)?$/)

/** [1]: `Party`. Of MSISDN as in ITU-T E.164, without a plus in every sample. */
const party = closed({
  partyIdType: oneOf(['MSISDN', 'EMAIL', 'PARTY_CODE']),
  partyId: form(/^[1-9]\d{4,14}$/),
})

/** [3], 400: at most 160 characters, and no apostrophe. */
const note = form(/^[^']{0,160}$/)

const order = (who: 'payer' | 'payee') =>
  closed({
    amount,
    currency,
    externalId: words,
    [who]: party,
    payerMessage: may(note),
    payeeNote: may(note),
  })

/** [1], with what [2] shows of each status. A reason of one that has not failed: ? */
const resultOf = (who: 'payer' | 'payee', status: string, more: TProperties) =>
  closed({
    amount,
    currency,
    externalId: may(words),
    [who]: party,
    payerMessage: may(Type.String()),
    payeeNote: may(Type.String()),
    status: oneOf([status]),
    ...more,
  })

/** [2]: digits in every sample. */
const financialTransactionId = form(/^\d+$/)

export const shown = (who: 'payer' | 'payee'): Choice => ({
  by: 'status',
  of: {
    PENDING: resultOf(who, 'PENDING', { reason: may(reason) }),
    SUCCESSFUL: resultOf(who, 'SUCCESSFUL', { financialTransactionId }),
    FAILED: resultOf(who, 'FAILED', {
      reason,
      financialTransactionId: may(financialTransactionId),
    }),
  },
})

/** [5]: by PUT and POST, in the form of the answer to a question; of those that have ended. */
export const callback = (who: 'payer' | 'payee'): Choice => {
  const { PENDING: _, ...ended } = shown(who).of
  return { by: 'status', of: ended }
}

/** [1] of the token; [2] of the host that is registered. */
const subscription = form(/^[0-9a-f]{32}$/)
const basic = open({
  authorization: form(/^Basic [A-Za-z0-9+/]+={0,2}$/),
  'ocp-apim-subscription-key': subscription,
})
const bearer = {
  authorization: form(/^Bearer \S+$/),
  'ocp-apim-subscription-key': subscription,
  // [2]: `sandbox`, or `mtn` and a country.
  'x-target-environment': form(/^(?:sandbox|mtn[a-z]+)$/),
}
const creates = open({
  ...bearer,
  'content-type': form(/^application\/json\b/),
  'x-reference-id': uuid4, // [3], 400 and 409
  'x-callback-url': may(form(/^https?:\/\/[^\s/]+\/\S*$/)),
})

/**
 * [1]: of 400 there is no body; [3] names 401 and 403, and shows no body. Of a status that only [3]
 * has, the body is not known.
 */
const errors = { 400: 'UNKNOWN', 401: 'UNKNOWN', 403: 'UNKNOWN', 500: error, 503: error } as const

function productOf(product: string, create: string, who: 'payer' | 'payee'): Operation[] {
  const at = `/${product}/v1_0/${create}`
  return [
    {
      at: `POST /${product}/token/`,
      headers: basic,
      body: 'EMPTY', // [3], 400: "Inputting a Body" is an error
      answers: {
        200: closed({
          // [1]: a JWT.
          access_token: form(/^[\w-]+\.[\w-]+\.[\w-]+$/),
          token_type: words,
          expires_in: Type.Integer({ minimum: 1 }),
        }),
        401: closed({ error: words }),
        500: 'UNKNOWN',
      },
    },
    {
      at: `POST ${at}`,
      headers: creates,
      body: order(who),
      answers: { 202: 'EMPTY', 409: error, ...errors },
    },
    {
      at: `GET ${at}/{reference}`,
      headers: open(bearer),
      body: 'EMPTY',
      answers: { 200: shown(who), 404: error, ...errors },
    },
    {
      at: `GET /${product}/v1_0/account/balance`,
      headers: open(bearer),
      body: 'EMPTY',
      answers: {
        200: closed({ availableBalance: form(/^-?\d+(?:\.\d+)?$/), currency }),
        ...errors,
      },
    },
    // [2]: validateAccountHolderStatus, getBasicUserInfo. Which fields are always there: ?
    {
      at: `GET /${product}/v1_0/accountholder/msisdn/{msisdn}/active`,
      headers: open(bearer),
      body: 'EMPTY',
      answers: { 200: closed({ result: Type.Boolean() }), 404: error, ...errors },
    },
    {
      at: `GET /${product}/v1_0/accountholder/msisdn/{msisdn}/basicuserinfo`,
      headers: open(bearer),
      body: 'EMPTY',
      answers: {
        200: closed({
          // [2] of remittances, and MTN's client for Android, show these two as well.
          sub: may(words),
          name: may(words),
          given_name: may(words),
          family_name: may(words),
          birthdate: may(form(/^\d{4}-\d{2}-\d{2}$/)),
          locale: may(words),
          gender: may(words),
          updated_at: may(Type.Integer()),
        }),
        404: error,
        ...errors,
      },
    },
  ]
}

/** [1] user, [2] sandboxUserProvisioning: of the sandbox alone. */
const provisioning: readonly Operation[] = [
  {
    at: 'POST /v1_0/apiuser',
    headers: open({ 'ocp-apim-subscription-key': subscription, 'x-reference-id': uuid4 }),
    body: closed({ providerCallbackHost: words }),
    answers: { 201: 'EMPTY', 400: 'UNKNOWN', 409: error, 500: error },
  },
  {
    at: 'POST /v1_0/apiuser/{user}/apikey',
    headers: open({ 'ocp-apim-subscription-key': subscription }),
    body: 'EMPTY',
    answers: {
      201: closed({ apiKey: form(/^[0-9a-f]{32}$/) }),
      400: 'UNKNOWN',
      404: error,
      500: error,
    },
  },
]

export const operations: readonly Operation[] = [
  ...productOf('collection', 'requesttopay', 'payer'),
  ...productOf('disbursement', 'transfer', 'payee'),
  ...provisioning,
]
