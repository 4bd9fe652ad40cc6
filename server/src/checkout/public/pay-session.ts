// A payer pays a session (contract 6.1): the first time a new transaction; after a failure in the
// same country the same transaction again, in another country a new one, once its gateway has ended
// what went before. One unended payment at a time, however often the payer presses.

import { readPhone } from '../../customers/phone.ts'
import { refusePhone } from '../../customers/refuse-phone.ts'
import { formatAmount } from '../../money/format.ts'
import { orderErrors } from '../../orders/errors.ts'
import type { Session } from '../../orders/session.ts'
import { closeEarlierAttempts } from '../../payments/close-earlier-attempts.ts'
import { requirePayable } from '../../payments/require-payable.ts'
import { retryPayment } from '../../payments/retry-payment.ts'
import { paymentErrors } from '../../planning/errors.ts'
import { factsFor } from '../../planning/facts.ts'
import { planSoftpay, type SoftpayPlan } from '../../planning/plan-softpay.ts'
import { rowOfCall } from '../../planning/row-of-call.ts'
import { invalid, refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { firstAttempt } from '../../transactions/begin-transaction.ts'
import { lastAttempt } from '../../transactions/instructions.ts'
import { sendTransaction } from '../../transactions/send-transaction.ts'
import type { NewTransaction } from '../../transactions/statements.ts'
import {
  getTransactionNow,
  readTransactionNow,
  type TransactionNow,
} from '../../transactions/transaction-now.ts'
import { checkoutUrl } from '../view.ts'
import { beginPayment } from './begin-payment.ts'
import type { Checkout, PayBody, PublicDeps } from './payer.ts'

export type Paying = Readonly<{ checkout: Checkout; caller: Caller; body: PayBody }>

const by = { triggered_by: 'PAYER', once: { none: true } } as const

/** The payment after the first answer of an operator. */
export async function paySession(deps: PublicDeps, paying: Paying): Promise<TransactionNow> {
  const { checkout, caller, body } = paying
  const { session } = checkout.target
  requirePayable(checkout.target, deps.limits)
  const earlier = await earlierOf(deps, session)
  const phone = numberOf(paying, earlier)
  if (phone === '') throw invalid('customer.phone', phoneMissing)
  const request = await requestOf(deps, paying, phone)
  if (earlier !== undefined) {
    const { country_code } = earlier.transaction
    if (country_code === request.country)
      return payAgain(deps, { caller, body }, { earlier, phone })
    const closed = await closeEarlierAttempts(deps, { caller, triggered_by: 'PAYER' }, earlier)
    if (closed.transaction.status === 'SUCCESS') throw refuse(orderErrors.paid)
  }
  const plan = planSoftpay(await factsFor(deps, caller), caller, request)
  // An attempt that ended meanwhile has changed the session: the statement then reports it.
  return payAnew(deps, paying, plan)
}

/** As the payer states it; else the number of the try that failed, else the session's. */
function numberOf({ checkout, body }: Paying, earlier: TransactionNow | undefined): string {
  const last = earlier && lastAttempt(earlier)?.operation_msisdn
  return body.customer?.phone?.trim() || last || checkout.target.session.customer_phone.trim()
}

const phoneMissing = {
  en: 'A number to pay with is required.',
  fr: 'Le numéro à débiter est obligatoire.',
}

/** Country: as the payer names it, otherwise that of the chosen network. */
async function requestOf(deps: PublicDeps, { checkout, caller, body }: Paying, phone: string) {
  const { session } = checkout.target
  const catalogue = await deps.catalogue(caller.catalogue_version)
  const country = body.country || catalogue.networkByCode(body.network)?.country_code
  if (country === undefined) throw refuse(paymentErrors.invalid_method)
  return {
    amount: formatAmount(session.amount),
    currency: session.currency,
    country: country.toUpperCase(),
    network: body.network,
    phone,
    ...(body.otp === undefined ? {} : { otp: body.otp }),
    transaction_type: 'PAIEMENT' as const,
  }
}

async function earlierOf(deps: PublicDeps, session: Session): Promise<TransactionNow | undefined> {
  const { merchant_id, transaction_id: id } = session
  return id === null ? undefined : readTransactionNow(deps.db, { merchant_id, id })
}

type Retry = Readonly<{ earlier: TransactionNow; phone: string }>

function payAgain(
  deps: PublicDeps,
  { caller, body }: Pick<Paying, 'caller' | 'body'>,
  { earlier, phone }: Retry,
): Promise<TransactionNow> {
  const { country_code: country } = earlier.transaction
  const reading = readPhone(phone, country)
  if (reading.is === 'impossible') {
    throw refusePhone(paymentErrors.invalid_customer, { field: 'customer.phone', country })
  }
  const { network, otp } = body
  const retry = { methods: [network], ...(otp === undefined ? {} : { otp }) }
  return retryPayment(deps, { ...by, caller, body: retry, phone: reading.e164 }, earlier)
}

async function payAnew(
  deps: PublicDeps,
  paying: Paying,
  plan: SoftpayPlan,
): Promise<TransactionNow> {
  const { checkout, caller, body } = paying
  const { merchant_id, environment } = caller
  const { session } = checkout.target
  const row = rowOf(deps, paying, plan)
  const attempt = firstAttempt(deps, row, plan.plans[0])
  const since_ms = deps.clock()
  await beginPayment(deps, { row, attempt, version: session.version })
  const outcome = await sendTransaction(deps, {
    ...by,
    merchant_id,
    environment,
    transaction_id: row.id,
    version: 1,
    plans: plan.plans,
    first_priority: 1,
    since_ms,
    otp: body.otp,
    description: row.description,
    return_url: row.return_url,
    request_id: caller.request_id,
    answerWaiting: () => ({ status: 201, json: '' }),
  })
  if (outcome.is === 'no_route') {
    throw refuse(paymentErrors.no_route_available, { extra: { transaction: row.id } })
  }
  return getTransactionNow(deps.db, row)
}

function rowOf(
  deps: PublicDeps,
  { checkout, caller, body }: Paying,
  plan: SoftpayPlan,
): NewTransaction {
  const { session } = checkout.target
  const [first_word = '', ...words] = session.customer_name.split(/\s+/)
  const { description, metadata, merchant_reference, payment_link } = session
  return {
    ...rowOfCall(caller, { description, metadata, merchant_reference }, plan),
    merchant_id: session.merchant_id,
    environment: session.environment,
    transaction_type: 'PAIEMENT',
    customer_email: body.customer?.email || session.customer_email,
    customer_first_name: body.customer?.first_name || first_word,
    customer_last_name: body.customer?.last_name || words.join(' '),
    customer_phone: plan.phone,
    // An operator's own page leads back to ours, which knows what became of it.
    return_url: checkoutUrl(deps.public_url, session),
    checkout_session: session.id,
    payment_link,
    // By a payer: no key and no member.
    api_key_id: null,
    member_id: null,
  }
}
