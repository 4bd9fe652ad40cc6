// What a retry tries: every route of each network that is asked for, in order. The sum, its
// currency and the mode of its fee stay those of the payment (contract 5.5).

import type { AttemptPlan } from '../attempts/attempt.ts'
import type { TriggeredBy } from '../attempts/evidence.ts'
import type { Network } from '../catalogue/catalogue.ts'
import { paymentErrors } from '../planning/errors.ts'
import { factsFor, type PaymentDeps } from '../planning/facts.ts'
import { feeOf, type Plans, planRoutes } from '../planning/plan-routes.ts'
import { findCountry, findNetwork, isCode, requireOtp } from '../planning/plan-softpay.ts'
import { Invalid, Refusal, refuse } from '../platform/errors.ts'
import type { Input } from '../platform/http/route.ts'
import type { Transaction } from '../transactions/transaction.ts'

export type RetryBody = Readonly<{ methods?: readonly string[]; otp?: string }>

/** The caller, and the number to pay with this time; without one, the last that was asked. */
export type Retry = Pick<Input<RetryBody>, 'caller' | 'body' | 'once'> &
  Readonly<{ triggered_by?: TriggeredBy; phone?: string }>

/** Every route of every requested network, in the order in which they are tried. */
export async function planRetry(
  deps: PaymentDeps,
  { caller, body, phone }: Retry,
  transaction: Transaction,
): Promise<Plans> {
  const facts = await factsFor(deps, caller)
  const country = findCountry(facts.catalogue, caller, transaction.country_code)
  const codes = networkCodes(body, transaction)
  const networks = codes.map((code) => findNetwork(facts.catalogue, country, code))
  const plans: AttemptPlan[] = []
  let fault: unknown
  for (const network of networks) {
    try {
      requireSameCurrency(network, transaction)
      const asked = { ...planRequestOn(network, transaction, phone), has_code: isCode(body.otp) }
      const some = planRoutes(facts, asked)
      requireOtp(network, body.otp, some[0])
      plans.push(...some)
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof Invalid)) throw error
      fault ??= error
    }
  }
  const [first, ...others] = plans
  if (first === undefined) throw fault ?? refuse(paymentErrors.no_route_available)
  return [first, ...others]
}

function networkCodes({ methods }: RetryBody, transaction: Transaction): readonly string[] {
  if (methods !== undefined && methods.length > 0) return [...new Set(methods)]
  return transaction.network_code === null ? [] : [transaction.network_code]
}

export const numberOf = (transaction: Transaction, phone?: string): string =>
  phone ?? (transaction.operation_msisdn || transaction.customer_phone)

/** The amount of a payment has one currency, so a network in another currency cannot take it. */
function requireSameCurrency({ code, currency }: Network, transaction: Transaction): void {
  if (currency === transaction.currency) return
  const owed = transaction.currency
  throw refuse(paymentErrors.invalid_method, {
    message: {
      en: `${code} takes ${currency} and this payment is in ${owed}. Choose a network in ${owed}.`,
      fr:
        `${code} fonctionne en ${currency} et ce paiement est en ${owed}. Choisissez un réseau ` +
        `en ${owed}.`,
    },
  })
}

function planRequestOn(network: Network, transaction: Transaction, phone: string | undefined) {
  return {
    direction: 'COLLECT' as const,
    fee: feeOf(transaction.transaction_type),
    environment: transaction.environment,
    network,
    requested: transaction.requested_amount,
    operation_msisdn: numberOf(transaction, phone),
    fee_charge_mode: transaction.fee_charge_mode,
    preferred_gateway: transaction.preferred_gateway,
  }
}
