// The sandbox's own routes (contract 6.9): they do not exist for LIVE credentials.

import { type Static, Type } from 'typebox'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { CountryInput } from '../catalogue/view.ts'
import { readBalance } from '../ledger/read-balance.ts'
import { BalanceView, balanceExample } from '../ledger/view.ts'
import { amountFaultText, checkDecimal, parseAmount } from '../money/parse-amount.ts'
import { paymentErrors } from '../planning/errors.ts'
import { AmountInput } from '../planning/softpay-body.ts'
import { invalid, refuse } from '../platform/errors.ts'
import { uuidParam } from '../platform/http/filters.ts'
import { created, type Input, ok, type ServedRoute } from '../platform/http/route.ts'
import { type Listed, routesWith } from '../platform/http/route-list.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { getOwnRefund } from '../refunds/request-refund.ts'
import { RefundSchema, refundExample, viewRefund } from '../refunds/view.ts'
import { settlementErrors } from '../settlements/errors.ts'
import { getOwnSettlement } from '../settlements/get-settlement.ts'
import { SettlementView, settlementExample, viewSettlement } from '../settlements/view.ts'
import { transactionExample } from '../transactions/example.ts'
import { TransactionSchema } from '../transactions/schema.ts'
import { getOwnTransaction } from '../transactions/transaction-now.ts'
import { viewTransaction } from '../transactions/view.ts'
import { fundBalance } from './fund-balance.ts'
import {
  type Outcome,
  type ResolveDeps,
  resolveRefund,
  resolveSettlement,
  resolveTransaction,
  sandboxErrors,
  sandboxOnly,
} from './resolve.ts'

const ResolveBody = Type.Object(
  {
    outcome: Type.Enum(['SUCCESS', 'FAILED']),
    failure_code: Type.Optional(
      Type.Enum([
        'PAYER_NOT_FOUND',
        'RECIPIENT_NOT_FOUND',
        'INSUFFICIENT_FUNDS',
        'NOT_APPROVED',
        'LIMIT_REACHED',
        'INVALID_OTP',
        'EXPIRED',
        'GATEWAY_UNAVAILABLE',
        'GATEWAY_REFUSED',
        'REJECTED_BY_MERCHANT',
        'UNKNOWN',
      ]),
    ),
  },
  { title: 'SandboxResolve' },
)

const FundBody = Type.Object(
  { country: CountryInput, amount: AmountInput },
  { title: 'SandboxFund' },
)

export function sandboxRoutes(deps: ResolveDeps): ServedRoute[] {
  return routesWith({ tag: 'Sandbox', access: 'any' }, [
    resolveRoute(deps),
    resolveSettlementRoute(deps),
    resolveRefundRoute(deps),
    fundRoute(deps),
  ])
}

const resolveRoute = (deps: ResolveDeps): Listed<ServedRoute> => ({
  guard: sandboxOnly,
  method: 'POST',
  path: '/sandbox/transactions/:id/resolve/',
  permission: 'payins',
  body: ResolveBody,
  summary: 'Set the outcome of a pending sandbox transaction',
  responses: { 200: TransactionSchema },
  errors: [paymentErrors.transaction_terminal, sandboxErrors.not_resolvable],
  example: { body: { outcome: 'SUCCESS' }, reply: transactionExample },
  handler: async ({ caller, params, body, locale }: Input<Static<typeof ResolveBody>>) => {
    const transaction = await getOwnTransaction(deps.db, caller, params['id'] ?? '')
    await resolveTransaction(deps, caller, transaction, outcomeOf(body))
    return ok(viewTransaction(await getOwnTransaction(deps.db, caller, transaction.id), locale))
  },
})

const outcomeOf = ({ outcome, failure_code }: Static<typeof ResolveBody>): Outcome =>
  outcome === 'SUCCESS'
    ? { is: 'SUCCESS' }
    : { is: 'FAILED', failure_code: failure_code ?? 'NOT_APPROVED' }

const resolveSettlementRoute = (deps: ResolveDeps): Listed<ServedRoute> => ({
  guard: sandboxOnly,
  method: 'POST',
  path: '/sandbox/settlements/:id/resolve/',
  permission: 'payins',
  body: ResolveBody,
  summary: 'Set the outcome of a processing sandbox settlement',
  responses: { 200: SettlementView },
  errors: [settlementErrors.transaction_terminal, sandboxErrors.not_resolvable],
  example: { body: { outcome: 'SUCCESS' }, reply: settlementExample },
  handler: async (input: Input<Static<typeof ResolveBody>>) => {
    const { caller, body, locale } = input
    const id = uuidParam(input, 'id')
    const settlement = await getOwnSettlement(deps.db, caller, id)
    await resolveSettlement(deps, caller, settlement, outcomeOf(body))
    return ok(viewSettlement(await getOwnSettlement(deps.db, caller, id), locale))
  },
})

const resolveRefundRoute = (deps: ResolveDeps): Listed<ServedRoute> => ({
  guard: sandboxOnly,
  method: 'POST',
  path: '/sandbox/refunds/:id/resolve/',
  permission: 'payins',
  body: ResolveBody,
  summary: 'Set the outcome of a pending sandbox refund',
  responses: { 200: RefundSchema },
  errors: [paymentErrors.transaction_terminal, sandboxErrors.not_resolvable],
  example: { body: { outcome: 'SUCCESS' }, reply: refundExample },
  handler: async (input: Input<Static<typeof ResolveBody>>) => {
    const { caller, body, locale } = input
    const id = uuidParam(input, 'id')
    const refund = await getOwnRefund(deps.db, caller, id)
    await resolveRefund(deps, caller, refund, outcomeOf(body))
    return ok(viewRefund(await getOwnRefund(deps.db, caller, id), locale))
  },
})

const fundRoute = (deps: ResolveDeps): Listed<ServedRoute> => ({
  guard: sandboxOnly,
  method: 'POST',
  path: '/sandbox/balances/',
  permission: 'payins',
  body: FundBody,
  check: checkDecimal,
  summary: 'Fund a sandbox balance',
  responses: { 201: BalanceView },
  errors: [paymentErrors.invalid_country, transportErrors.not_found],
  example: { body: { country: 'BJ', amount: '100000' }, reply: balanceExample },
  handler: async ({ caller, body }: Input<Static<typeof FundBody>>) => {
    const country = countryOf(await deps.catalogue(caller.catalogue_version), body.country)
    const currency = country.default_currency
    const reading = parseAmount(body.amount, currency)
    if (reading.is === 'invalid') throw invalid('amount', amountFaultText[reading.why])
    const amount = reading.hundredths
    const { merchant_id } = caller
    await fundBalance(deps.db, { merchant_id, country: country.iso_code, currency, amount })
    return created(await readBalance(deps.db, caller, country.iso_code))
  },
})

function countryOf(catalogue: Catalogue, code: string) {
  const country = catalogue.countryByCode(code)
  if (country === undefined) throw refuse(paymentErrors.invalid_country)
  return country
}
