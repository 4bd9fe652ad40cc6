// What members do on the dashboard with what is sold, collected, given back and paid out, as data.

import type { Act } from './member-act.ts'

const receiver = '+2290197000010'

const selling: readonly Act[] = [
  {
    call: 'POST /payment-links/',
    at: '/links/new',
    steps: [{ name: 'Order 7', amount: '5000' }, 'Create the link'],
  },
  { call: 'PATCH /payment-links/{id}/', at: '/links/{link}', steps: ['Turn the link off'] },
  {
    call: 'DELETE /payment-links/{id}/',
    at: '/links/{link}',
    steps: ['Delete the link', /^Delete the link$/],
  },
  {
    call: 'POST /checkout-sessions/',
    at: '/checkouts/new',
    steps: [
      { amount: '5000', customer_name: 'Awa Diop', customer_email: 'awa@example.com' },
      'Create the checkout',
    ],
  },
  {
    call: 'POST /checkout-sessions/{id}/cancel/',
    at: '/checkouts/{checkout}',
    steps: ['Cancel the checkout', /^Cancel the request for/],
  },
  {
    call: 'POST /customers/',
    at: '/customers/new',
    steps: [{ first_name: 'Awa', phone: '+2290197000021' }, 'Create the customer'],
  },
  {
    call: 'PATCH /customers/{id}/',
    at: '/customers/{customer}',
    steps: ['Change', { last_name: 'Sow' }, 'Save'],
  },
  {
    call: 'DELETE /customers/{id}/',
    at: '/customers/{stranger}',
    steps: ['Erase', { proof: '22' }, 'Erase for ever'],
  },
]

const collecting: readonly Act[] = [
  {
    call: 'POST /payments/softpay/initialize/',
    at: '/payments/new',
    steps: [
      { msisdn: receiver, country: 'BJ', network: 'mtn_bj', amount: '5000' },
      'Continue',
      /^Ask for/,
    ],
  },
  {
    call: 'POST /payments/{payment_id}/confirm-otp/',
    at: '/payments/{coded}',
    steps: [{ otp: '123456' }, 'Continue'],
  },
  {
    call: 'POST /payments/{payment_id}/retry/',
    at: '/payments/{failed}',
    steps: ['Ask for the payment again', /^Ask for .* again$/],
  },
  {
    call: 'POST /sandbox/transactions/{id}/resolve/',
    at: '/payments/{waiting}',
    steps: ['Decide the outcome (test)', 'Decide'],
  },
  {
    call: 'POST /downloads/',
    at: '/payments/{paid}',
    steps: ['Receipt or invoice (PDF)'],
  },
  {
    call: 'POST /transactions/{id}/receipt/revoke/',
    at: '/payments/{paid}',
    behind: 'Link to the receipt',
    steps: ['Withdraw the receipt', 'Withdraw it for good'],
  },
]

const givingBack: readonly Act[] = [
  {
    call: 'POST /payments/{payment_id}/refunds/preview/',
    at: '/payments/{paid}/refund',
    steps: [{ amount: '1000', reason: 'Broken' }, 'Continue'],
  },
  {
    call: 'POST /payments/{payment_id}/refunds/',
    at: '/payments/{paid}/refund',
    after: 'POST /payments/{payment_id}/refunds/preview/',
    steps: [/^Refund FCFA/],
  },
  // Three refunds of this payment wait for a second person, and the operator has a fourth.
  {
    call: 'POST /refunds/{id}/approve/',
    at: '/payments/{returned}',
    steps: ['Approve', /^Approve FCFA/],
  },
  {
    call: 'POST /refunds/{id}/reject/',
    at: '/payments/{returned}',
    steps: ['Reject', { reason: 'Not broken' }, /^Reject FCFA/],
  },
  {
    call: 'POST /refunds/{id}/cancel/',
    at: '/payments/{returned}',
    steps: ['Cancel the request', /^Cancel FCFA/],
  },
  {
    call: 'POST /refunds/{id}/verify/',
    at: '/payments/{returned}',
    steps: ['Ask the operator'],
  },
  {
    call: 'POST /sandbox/refunds/{id}/resolve/',
    at: '/payments/{returned}',
    steps: ['Decide the outcome (test)', 'Decide'],
  },
]

const filling: readonly Act[] = [
  {
    call: 'POST /sandbox/balances/',
    at: '/balances/BJ',
    steps: ['Add some test money', { amount: '1000' }, 'Add'],
  },
  {
    call: 'PUT /sandbox/dialects/',
    at: '/developers/sandbox',
    steps: [{ network_code: 'mtn_bj COLLECT', dialect: 'mtn' }, 'Choose'],
  },
  {
    call: 'POST /top-ups/initialize/',
    at: '/balances/top-up',
    steps: [
      { msisdn: receiver, country: 'BJ', network: 'mtn_bj', amount: '3000' },
      'Continue',
      /^Top up/,
    ],
  },
  {
    call: 'POST /sandbox/examples/',
    at: '',
    isElsewhere: true,
    steps: ['Fill with 60 days of examples'],
  },
]

const paying: readonly Act[] = [
  {
    call: 'POST /payouts/initialize/',
    at: '/payouts/new',
    steps: [
      { msisdn: receiver, country: 'BJ', method: 'mtn_bj', amount: '2500' },
      'Continue',
      /^Pay out/,
    ],
  },
  {
    call: 'POST /payouts/{payout_id}/approve/',
    at: '/payouts/{waits}',
    steps: ['Approve', /^Approve FCFA/],
  },
  {
    call: 'POST /payouts/{payout_id}/reject/',
    at: '/payouts/{second}',
    steps: ['Reject', { reason: 'Not this month' }, /^Reject FCFA/],
  },
  {
    call: 'POST /payouts/{payout_id}/cancel/',
    at: '/payouts/{third}',
    steps: ['Cancel the request', /^Cancel FCFA/],
  },
  {
    call: 'POST /settlements/',
    at: '/settlements/new',
    steps: [{ requested_amount: '2000' }, 'Continue', /^Request/],
  },
  {
    call: 'POST /settlements/{id}/cancel/',
    at: '/settlements/{settlement}',
    steps: ['Cancel the request', /^Cancel FCFA/],
  },
  {
    call: 'POST /sandbox/settlements/{id}/resolve/',
    at: '/settlements/{sent}',
    steps: ['Decide the outcome (test)', 'Decide'],
  },
  {
    call: 'POST /wallet-transfers/',
    at: '/transfers/new',
    steps: [{ from_country: 'BJ', to_country: 'SN', amount: '5000' }, 'Continue', /^Transfer FCFA/],
  },
]

export const actsWithMoney: readonly Act[] = [
  ...selling,
  ...collecting,
  ...givingBack,
  ...filling,
  ...paying,
]
