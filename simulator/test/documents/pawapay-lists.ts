// What pawaPay documents of its lists (how an account is set up, what works now, wallets, keys),
// put down as schemas; the sources are those of pawapay.ts.

import { Type } from 'typebox'
import { address, closed, currency, form, may, type Operation, oneOf, open, words } from './held.ts'
import { country, errors, payments, withToken } from './pawapay.ts'

/** [3] toolkit: where a provider works. */
const works = oneOf(['OPERATIONAL', 'DELAYED', 'CLOSED'])
const operationTypes = [
  ...['DEPOSIT', 'PAYOUT', 'REFUND', 'REMITTANCE', 'PUSH_DEPOSIT', 'USSD_DEPOSIT', 'NAME_LOOKUP'],
]
const limit = form(/^\d+(?:\.\d+)?$/)

/** Of one operation of a provider. [1] calls its limits otherwise than [3] toolkit does. */
const offer = closed({
  authType: may(oneOf(['PROVIDER_AUTH', 'PREAUTH', 'REDIRECT_AUTH'])),
  pinPrompt: may(oneOf(['AUTOMATIC', 'MANUAL'])),
  pinPromptRevivable: may(Type.Boolean()),
  pinPromptInstructions: may(Type.Object({})),
  authTokenInstructions: may(Type.Object({})),
  minTransactionLimit: may(limit),
  maxTransactionLimit: may(limit),
  minAmount: may(limit),
  maxAmount: may(limit),
  decimalsInAmount: may(oneOf(['NONE', 'TWO_PLACES'])),
  status: may(works),
  callbackUrl: may(address),
})

const inBoth = closed({ en: words, fr: words })

/** [3] toolkit, "active-conf"; [1] has the operations as a list, two of them of another shape. */
const configuration = closed({
  companyName: words,
  signatureConfiguration: closed({
    signedRequestsOnly: Type.Boolean(),
    signedCallbacks: Type.Boolean(),
  }),
  countries: Type.Array(
    closed({
      country,
      displayName: may(inBoth),
      prefix: may(form(/^\d{1,4}$/)),
      flag: may(address),
      providers: Type.Array(
        closed({
          provider: words,
          displayName: may(words),
          logo: may(address),
          nameDisplayedToCustomer: may(words),
          currencies: Type.Array(
            closed({
              currency,
              displayName: may(words),
              operationTypes: closed(
                Object.fromEntries(operationTypes.map((type) => [type, may(offer)])),
              ),
            }),
          ),
        }),
      ),
    }),
  ),
})

const narrowed = closed({ country: may(country), operationType: may(oneOf(operationTypes)) })

const lists: readonly Operation[] = [
  {
    at: 'GET /v2/active-conf',
    query: narrowed,
    headers: withToken,
    body: 'EMPTY',
    answers: { 200: configuration, ...errors() },
  },
  {
    // [3] toolkit: asked without a token too.
    at: 'GET /v2/availability',
    query: narrowed,
    headers: open({}),
    body: 'EMPTY',
    answers: {
      200: Type.Array(
        closed({
          country,
          providers: Type.Array(
            closed({
              provider: words,
              operationTypes: Type.Array(
                closed({ operationType: oneOf(operationTypes), status: works }),
              ),
            }),
          ),
        }),
      ),
      500: errors()[500],
    },
  },
  {
    at: 'GET /v2/wallet-balances',
    query: closed({ country: may(country) }),
    headers: withToken,
    body: 'EMPTY',
    answers: {
      200: closed({
        balances: Type.Array(
          // An empty provider: the wallet of a country.
          closed({ country, balance: limit, currency, provider: may(Type.String()) }),
        ),
      }),
      ...errors(),
    },
  },
  {
    at: 'GET /v2/public-key/http',
    headers: open({}), // with or without a token: ?
    body: 'EMPTY',
    answers: {
      200: Type.Array(
        closed({
          id: words,
          key: form(/^-----BEGIN PUBLIC KEY-----\n[\s\S]+-----END PUBLIC KEY-----/),
        }),
      ),
      ...errors(),
    },
  },
]

export const operations: readonly Operation[] = [...payments, ...lists]
