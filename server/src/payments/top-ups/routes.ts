// `POST /top-ups/initialize/` (contract 5.11). Codes, retries and verify are those of payments.

import { noRouteTook, paymentErrors } from '../../planning/errors.ts'
import type { PaymentDeps } from '../../planning/facts.ts'
import type { Input, Route } from '../../platform/http/route.ts'
import { idempotencyErrors } from '../../platform/idempotency/run-once.ts'
import { resumeTransaction } from '../../transactions/verify-transaction.ts'
import { currentSoftpay } from '../initialize-softpay.ts'
import { amountsExample, SoftpayReply } from '../schema.ts'
import { checkTopUp, initializeTopUp, TopUpBody } from './initialize-top-up.ts'

const { idempotency_conflict, idempotency_in_progress } = idempotencyErrors

export const topUpRoutes = (deps: PaymentDeps): Route[] => [
  {
    method: 'POST',
    path: '/top-ups/initialize/',
    access: 'PAYIN',
    permission: 'top_ups',
    idempotent: true,
    claims: 'verb',
    resume: async (input: Input<TopUpBody>, { transaction_id }) => {
      const { caller, body } = input
      const now = await resumeTransaction(deps, caller, transaction_id, body.otp)
      return now && currentSoftpay(deps, input, transaction_id)
    },
    body: TopUpBody,
    check: checkTopUp,
    summary: 'Top up the merchant’s own balance',
    description:
      'Works like a softpay payment, from the merchant’s own phone: in LIVE, the number of a ' +
      'mobile-money payout method whose cooling-off is over. There is no fee unless GET ' +
      '/pricing/my-rates/ gives one under `top_up`.',
    tag: 'Payments',
    responses: { 201: SoftpayReply },
    errors: [
      paymentErrors.invalid_country,
      paymentErrors.invalid_method,
      paymentErrors.invalid_customer,
      paymentErrors.topup_number_not_owned,
      paymentErrors.fee_charge_mode_locked,
      paymentErrors.no_exchange_rate,
      paymentErrors.prepayment_otp_missing,
      noRouteTook,
      idempotency_conflict,
      idempotency_in_progress,
    ],
    example: {
      body: {
        amount: '50000',
        currency: 'XOF',
        country: 'BJ',
        network: 'mtn_bj',
        phone: '+2290197000010',
      },
      reply: {
        message: 'Payment initiated.',
        id: '01981f3a-5b60-7c11-9a52-0242ac120002',
        reference: 'TXN-20261121-7K2MPQ9RST',
        status: 'PENDING',
        checkout_url: '',
        instructions: 'Approve the payment on the phone.',
        otp_required: false,
        next_action: 'APPROVE_ON_PHONE',
        failure_code: '',
        amounts: {
          ...amountsExample,
          ...{ requested: '50000.00', fee: '0.00', charged: '50000.00', net: '50000.00' },
        },
        warning: null,
      },
    },
    handler: (input: Input<TopUpBody>) => initializeTopUp(deps, input),
  },
]
