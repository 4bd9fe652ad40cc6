// The public JSON behind the hosted page (contract 6.1): no credential but the slug, counted by
// address. A session that is over answers 410 with its status; a paid one still shows that it is.

import { type Static, Type } from 'typebox'
import { CountryInput } from '../../catalogue/view.ts'
import { orderErrors } from '../../orders/errors.ts'
import { OtpBody } from '../../payments/schema.ts'
import { noRouteTook, paymentErrors } from '../../planning/errors.ts'
import { created, type Input, ok, type Route } from '../../platform/http/route.ts'
import { type Listed, reads, routesWith } from '../../platform/http/route-list.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { idempotencyErrors } from '../../platform/idempotency/run-once.ts'
import { stateOf, type TransactionNow } from '../../transactions/transaction-now.ts'
import {
  confirmAsPayer,
  networksForPayer,
  offeredNow,
  openForPayer,
  payAsPayer,
  paymentOf,
  requireShowable,
} from './act-as-payer.ts'
import { keptIn } from './list-networks.ts'
import { type Checkout, PayBody, type PublicDeps, requireServed } from './payer.ts'
import {
  NetworkRow,
  PayReply,
  PublicSchema,
  PublicStatusSchema,
  viewPayment,
  viewPublic,
  viewStatus,
} from './view.ts'

const { expired, cancelled, paid } = orderErrors
const over = [expired, cancelled, paid]
const ofAll = {} as const
const ended = [accessErrors.rate_limited, expired, cancelled]
const usual = [...ended, paymentErrors.no_route_available]

export const publicCheckoutRoutes = (deps: PublicDeps): Route[] =>
  routesWith({ tag: 'Hosted checkout', access: 'public' }, [
    readRoute(deps),
    networksRoute(deps),
    payRoute(deps),
    statusRoute(deps),
    confirmRoute(deps),
  ])

const openCheckout = (deps: PublicDeps, input: Input): Promise<Checkout> =>
  openForPayer(deps, input, input.params['slug'] ?? '')

const stateIn = async (deps: PublicDeps, { profile }: Checkout, now: TransactionNow | undefined) =>
  now && stateOf(now, await deps.catalogue(profile.catalogue_version))

const slug = 'q3Vd0mY7x1Zs5kN8bT2wR6cL9aH4gJfP'
const stateExample = {
  slug,
  status: 'PENDING',
  transaction_status: 'PENDING',
  next_action: 'APPROVE_ON_PHONE',
}

const networkExample = {
  code: 'mtn_bj',
  name: 'MTN Bénin',
  confirmation: 'PHONE',
  otp_required: false,
  otp_instructions: '',
  fee: '100.00',
  total: '5100.00',
  currency: 'XOF',
  unavailable: false,
  condition: 'OPEN',
  opens_at: null,
  time_zone: null,
  notice: '',
}

const readRoute = (deps: PublicDeps): Listed => ({
  ...ofAll,
  path: '/checkout/:slug/',
  summary: 'Retrieve the public view of a checkout session',
  description: '`return_url` is shown once the session is PAID.',
  errors: usual,
  ...reads(PublicSchema, {
    ...stateExample,
    transaction_status: null,
    next_action: 'NONE',
    merchant: { name: 'Chez Awa', colour: '#0a7d4f', logo_url: null },
    merchant_name: 'Chez Awa',
    is_usable: true,
    networks: [networkExample],
    payment_url: '',
    amount: '5000.00',
    currency: 'XOF',
    description: 'Order 1042',
    expires_at: '2026-11-22T08:00:00.000Z',
    fee_charge_mode: null,
    customer: { name: 'A*** D***', email: 'a***@example.com', phone: '***10' },
  }),
  handler: async (input) => {
    const checkout = await openCheckout(deps, input)
    const { target, profile } = checkout
    if (target.session.status !== 'PAID') requireServed(profile)
    requireShowable(target.session)
    const now = await paymentOf(deps, target.session)
    const payment = now?.transaction
    const networks = await offeredNow(deps, checkout, input, { payment })
    const { public_url } = deps
    const shown = {
      profile,
      public_url,
      is_usable: networks !== undefined,
      networks: networks ?? [],
      kept: payment && keptIn(target.session.country ?? payment.country_code, payment),
    }
    return ok(viewPublic(target.session, await stateIn(deps, checkout, now), shown))
  },
})

const NetworksReply = Type.Object(
  {
    networks: Type.Array(NetworkRow),
    amount: Type.String(),
    currency: Type.String(),
    exchange_rate_error: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'CheckoutNetworks' },
)

const networksRoute = (deps: PublicDeps): Listed => ({
  ...ofAll,
  path: '/checkout/:slug/networks/',
  query: Type.Object({
    country: Type.Optional({ ...CountryInput, description: 'Defaults to the session’s country.' }),
  }),
  summary: 'List the networks that can pay a session in a country',
  errors: [...usual, paid, paymentErrors.invalid_country],
  ...reads(NetworksReply, {
    networks: [networkExample],
    amount: '5000.00',
    currency: 'XOF',
    exchange_rate_error: null,
  }),
  handler: async (input) => {
    const checkout = await openCheckout(deps, input)
    const now = await paymentOf(deps, checkout.target.session)
    const listing = { country: input.query['country'], payment: now?.transaction }
    return ok(await networksForPayer(deps, checkout, input, listing))
  },
})

const payRoute = (deps: PublicDeps): Listed => ({
  ...ofAll,
  method: 'POST',
  path: '/checkout/:slug/pay/',
  body: PayBody,
  summary: 'Pay a checkout session',
  description:
    'One payment at a time: a second call while one is under way is refused. After a failure in ' +
    'the same country it retries the same transaction.',
  responses: { 201: PayReply },
  errors: [
    ...ended,
    noRouteTook,
    paid,
    orderErrors.payment_link_inactive,
    orderErrors.payment_link_expired,
    orderErrors.payment_link_exhausted,
    paymentErrors.payment_already_pending,
    paymentErrors.invalid_country,
    paymentErrors.invalid_method,
    paymentErrors.invalid_customer,
    paymentErrors.no_exchange_rate,
    paymentErrors.prepayment_otp_missing,
    paymentErrors.not_retryable,
  ],
  example: {
    body: { network: 'mtn_bj', customer: { phone: '+2290197000010' } },
    reply: {
      message: 'Payment initiated.',
      transaction_id: '01981f3a-5b60-7c11-9a52-0242ac120002',
      status: 'PENDING',
      payment_url: '',
      otp_required: false,
      instructions: 'Approve the payment on the phone.',
      next_action: 'APPROVE_ON_PHONE',
    },
  },
  handler: async (input: Input<PayBody>) => {
    const checkout = await openCheckout(deps, input)
    const now = await payAsPayer(deps, checkout, input, input.body)
    const catalogue = await deps.catalogue(checkout.profile.catalogue_version)
    return created(viewPayment(stateOf(now, catalogue), input.locale))
  },
})

const statusRoute = (deps: PublicDeps): Listed => ({
  ...ofAll,
  path: '/checkout/:slug/status/',
  summary: 'Retrieve the payment status of a session',
  errors: [accessErrors.rate_limited, expired, cancelled],
  ...reads(PublicStatusSchema, {
    ...stateExample,
    amount: '5000.00',
    currency: 'XOF',
    transaction_id: '01981f3a-5b60-7c11-9a52-0242ac120002',
    transaction_reference: 'TXN-20261121-7K2MPQ9RST',
    otp_required: false,
    instructions: 'Approve the payment on the phone.',
    payment_url: '',
  }),
  handler: async (input) => {
    const checkout = await openCheckout(deps, input)
    const { session } = checkout.target
    requireShowable(session)
    const state = await stateIn(deps, checkout, await paymentOf(deps, session))
    return ok(viewStatus(session, state, input.locale))
  },
})

const confirmRoute = (deps: PublicDeps): Listed => ({
  ...ofAll,
  method: 'POST',
  path: '/checkout/:slug/confirm-otp/',
  body: OtpBody,
  summary: 'Submit the code sent to the payer',
  responses: { 200: PayReply },
  errors: [
    accessErrors.rate_limited,
    ...over,
    paymentErrors.no_attempt,
    paymentErrors.otp_not_applicable,
    paymentErrors.otp_confirmation_failed,
    paymentErrors.transaction_terminal,
    idempotencyErrors.idempotency_in_progress,
  ],
  example: {
    body: { otp: '123456' },
    reply: {
      message: 'Payment successful.',
      transaction_id: '01981f3a-5b60-7c11-9a52-0242ac120002',
      status: 'SUCCESS',
      payment_url: '',
      otp_required: false,
      instructions: '',
      next_action: 'NONE',
    },
  },
  handler: async (input: Input<Static<typeof OtpBody>>) => {
    const checkout = await openCheckout(deps, input)
    const after = await confirmAsPayer(deps, checkout, input, input.body)
    const catalogue = await deps.catalogue(checkout.profile.catalogue_version)
    return ok(viewPayment(stateOf(after, catalogue), input.locale))
  },
})
