// The messages of every state a payment can be in, in both languages: what a payer reads now is the
// same after a crash, and an unknown outcome never invites a second payment.

import { describe, expect, it } from 'vitest'
import type { NextAction } from '../attempts/attempt.ts'
import type { Locale } from '../platform/errors.ts'
import { instructionsOf } from '../transactions/instructions.ts'
import type { TransactionState } from '../transactions/transaction-now.ts'
import {
  type InitialFacts,
  type MessageName,
  messageOf,
  messageText,
  softpayReply,
} from './payment-reply.ts'

const stateOf = (changes: Partial<TransactionState> = {}): TransactionState => ({
  id: 'id-1',
  reference: 'TXN-20261121-ABCDEFGHJK',
  status: 'PENDING',
  failure_code: '',
  next_action: 'APPROVE_ON_PHONE',
  checkout_url: '',
  unknown: false,
  otp_instructions: '',
  ...changes,
})

const facts: InitialFacts = {
  figures: {
    requested_amount: 327_979n,
    client_fee: 10_700n,
    debited_amount: 338_679n,
    net_amount: 327_979n,
    currency: 'XOF',
    fee_charge_mode: 'ADD_ON',
    exchange_rate: 65_595_700_000n,
    original_amount: 500n,
    original_currency: 'EUR',
  },
  warning: null,
}
const amounts = {
  ...{ requested: '3279.79', fee: '107.00', charged: '3386.79', net: '3279.79' },
  ...{ currency: 'XOF', fee_charge_mode: 'ADD_ON', exchange_rate: '655.95700000' },
  ...{ original_amount: '5.00', original_currency: 'EUR' },
}

type Row = [what: string, state: TransactionState, en: Words, fr: Words, asks: Asks]
type Words = { message: string; instructions: string }
type Asks = { next_action: NextAction; otp_required: boolean; checkout_url: string }

const nothing: Asks = { next_action: 'NONE', otp_required: false, checkout_url: '' }
const initiated = { en: 'Payment initiated.', fr: 'Paiement initié.' }
const waiting = {
  en: 'The operator has not answered yet. Do not pay again: the outcome will follow.',
  fr: 'L’opérateur n’a pas encore répondu. Ne payez pas à nouveau : l’issue suivra.',
}
const page = 'http://127.0.0.1:9090/approve/1'

const rows: Row[] = [
  [
    'waits for the payer’s approval',
    stateOf(),
    { message: initiated.en, instructions: 'Approve the payment on the phone.' },
    { message: initiated.fr, instructions: 'Approuvez le paiement sur le téléphone.' },
    { ...nothing, next_action: 'APPROVE_ON_PHONE' },
  ],
  [
    'waits for a code',
    stateOf({ next_action: 'ENTER_OTP' }),
    {
      message: initiated.en,
      instructions: 'Enter the code sent to your phone.',
    },
    {
      message: initiated.fr,
      instructions: 'Entrez le code reçu sur votre téléphone.',
    },
    { ...nothing, next_action: 'ENTER_OTP', otp_required: true },
  ],
  [
    'waits for a code and the network has its own instruction',
    stateOf({ next_action: 'ENTER_OTP', otp_instructions: 'Enter the code received by SMS' }),
    { message: initiated.en, instructions: 'Enter the code received by SMS' },
    { message: initiated.fr, instructions: 'Entrez le code reçu par SMS' },
    { ...nothing, next_action: 'ENTER_OTP', otp_required: true },
  ],
  [
    'waits for the payer on the operator’s page',
    stateOf({ next_action: 'REDIRECT', checkout_url: page }),
    { message: initiated.en, instructions: 'Continue on the operator’s page.' },
    { message: initiated.fr, instructions: 'Continuez sur la page de l’opérateur.' },
    { next_action: 'REDIRECT', otp_required: false, checkout_url: page },
  ],
  [
    'has not been answered yet',
    stateOf({ next_action: 'NONE' }),
    { message: initiated.en, instructions: waiting.en },
    { message: initiated.fr, instructions: waiting.fr },
    nothing,
  ],
  [
    'has an unknown outcome: the payer is told not to pay again, and is asked nothing',
    stateOf({ unknown: true }),
    { message: initiated.en, instructions: waiting.en },
    { message: initiated.fr, instructions: waiting.fr },
    nothing,
  ],
  [
    'has an unknown outcome though a code was asked for',
    stateOf({ unknown: true, next_action: 'ENTER_OTP', otp_instructions: 'Enter the code' }),
    { message: initiated.en, instructions: waiting.en },
    { message: initiated.fr, instructions: waiting.fr },
    nothing,
  ],
  [
    'has succeeded: nothing is asked any more',
    stateOf({ status: 'SUCCESS', next_action: 'REDIRECT', checkout_url: page }),
    { message: 'Payment successful.', instructions: '' },
    { message: 'Paiement réussi.', instructions: '' },
    nothing,
  ],
  [
    'has failed, and why',
    stateOf({ status: 'FAILED', failure_code: 'INSUFFICIENT_FUNDS' }),
    { message: 'Payment failed. The account does not have enough money.', instructions: '' },
    { message: 'Échec du paiement. Le solde du compte est insuffisant.', instructions: '' },
    nothing,
  ],
  [
    'has failed for no reason that we have words for',
    stateOf({ status: 'FAILED', failure_code: '', next_action: 'REDIRECT', checkout_url: page }),
    { message: 'Payment failed.', instructions: '' },
    { message: 'Échec du paiement.', instructions: '' },
    nothing,
  ],
]

describe('the answer to a payment that', () => {
  it.each(rows)('%s', (_what, state, en, fr, asks) => {
    const same = {
      id: state.id,
      reference: state.reference,
      status: state.status,
      failure_code: state.failure_code,
      amounts,
      warning: null,
      ...asks,
    }
    expect(softpayReply(state, facts, 'en')).toEqual({ ...same, ...en })
    expect(softpayReply(state, facts, 'fr')).toEqual({ ...same, ...fr })
  })

  it('is asked for a code is exactly one whose next action says so', () => {
    for (const [, state] of rows) {
      const { otp_required, next_action } = softpayReply(state, facts, 'en')
      expect(otp_required).toBe(next_action === 'ENTER_OTP')
    }
  })

  it('is given instructions exactly while it is pending, in either language', () => {
    for (const [, state] of rows) {
      for (const locale of ['en', 'fr'] as const) {
        expect(instructionsOf(state, locale) !== '').toBe(state.status === 'PENDING')
      }
    }
  })
})

describe('the message of a failure', () => {
  const codes = [
    ...['PAYER_NOT_FOUND', 'INSUFFICIENT_FUNDS', 'NOT_APPROVED', 'LIMIT_REACHED', 'INVALID_OTP'],
    ...['EXPIRED', 'GATEWAY_UNAVAILABLE', 'GATEWAY_REFUSED', 'UNKNOWN'],
  ]

  it.each(codes)('%s says more than that it failed, in its own words in each language', (code) => {
    const [en, fr] = (['en', 'fr'] as const).map((locale) =>
      messageOf({ status: 'FAILED', failure_code: code }, locale),
    )
    expect(en).toMatch(/^Payment failed\. \S.*\.$/)
    expect(fr).toMatch(/^Échec du paiement\. \S.*\.$/)
  })
})

describe('messageText', () => {
  const names: MessageName[] = [
    ...(['initiated', 'succeeded', 'failed', 'verified', 'retried', 'confirmed'] as const),
    'code_taken',
  ]

  it('has each message in both languages, and no two alike', () => {
    for (const locale of ['en', 'fr'] satisfies Locale[]) {
      const texts = names.map((name) => messageText(name, locale))
      expect(texts.every((text) => /^\S.*\.$/.test(text))).toBe(true)
      expect(new Set(texts).size).toBe(names.length)
    }
    for (const name of names) expect(messageText(name, 'en')).not.toBe(messageText(name, 'fr'))
  })
})
