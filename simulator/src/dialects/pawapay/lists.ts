// The lists that this operator shows: wallets, what an account is set up with, its keys, which
// providers work, and which one a number belongs to.

import { faultOf } from '../chaos.ts'
import { balanceOf, limitsOf, type OperatorDeps, worksAt } from './operator.ts'
import { type Provider, providers } from './providers.ts'
import { json, type Reply } from './reply.ts'
import { type Incoming, readObject, technical } from './request.ts'
import type { Operation } from './scenarios.ts'

const inCountries = (): Map<string, Provider[]> => {
  const found = new Map<string, Provider[]>()
  for (const one of providers.values()) {
    found.set(one.country, [...(found.get(one.country) ?? []), one])
  }
  return found
}

const wanted = ({ query }: Incoming) =>
  [...inCountries()].filter(([country]) => [country, null].includes(query.get('country')))

export function balances(deps: OperatorDeps, incoming: Incoming): Reply {
  const lines = wanted(incoming).map(([country, [first]]) => ({
    country,
    balance: balanceOf(deps, country).toFixed(2),
    currency: first?.currency ?? '',
    provider: '',
  }))
  return json(200, { balances: lines })
}

const typeNames = { DEPOSIT: 'deposits', PAYOUT: 'payouts', REFUND: 'refunds' } as const

const listFaults = ['error', 'garbled', 'lost'] as const

/** What goes wrong with a list this time, by the seed and how often it was asked for. */
function faultyList(deps: OperatorDeps, name: string): Reply | undefined {
  const asks = deps.asked.get(name) ?? 0
  if (deps.chaos !== undefined) deps.asked.set(name, asks + 1)
  const fault = faultOf(deps.chaos, { subject: name, step: `ask ${asks}` }, listFaults)
  if (fault === 'error') return technical(500, 'UNKNOWN_ERROR', 'An unknown error occurred')
  return fault === undefined ? undefined : { is: fault }
}

export function setupOf(deps: OperatorDeps, incoming: Incoming): Reply {
  const faulty = faultyList(deps, 'active-conf')
  if (faulty !== undefined) return faulty
  const only = incoming.query.get('operationType')
  const types = Object.entries(typeNames).filter(([name]) => only === null || only === name)
  const operationTypes = (one: Provider) =>
    Object.fromEntries(
      types.map(([name, operation]) => [
        name,
        {
          minAmount: limitsOf(deps, one.provider, operation).least,
          maxAmount: limitsOf(deps, one.provider, operation).most,
          ...(name === 'DEPOSIT' ? { authType: one.auth } : {}),
          ...(name === 'DEPOSIT' && one.auth === 'PROVIDER_AUTH' ? { pinPrompt: 'AUTOMATIC' } : {}),
          status: worksAt(deps, one.provider, operation),
          decimalsInAmount: one.decimals,
          callbackUrl: deps.callback_of(operation),
        },
      ]),
    )
  const countries = wanted(incoming).map(([country, all]) => ({
    country,
    prefix: all[0]?.prefix ?? '',
    providers: all.map((one) => ({
      provider: one.provider,
      nameDisplayedToCustomer: 'PAWAPAY',
      currencies: [{ currency: one.currency, operationTypes: operationTypes(one) }],
    })),
  }))
  return json(200, {
    companyName: 'Demo',
    signatureConfiguration: {
      signedRequestsOnly: deps.caller_key() !== undefined,
      signedCallbacks: deps.signs(),
    },
    countries,
  })
}

export function availability(deps: OperatorDeps, incoming: Incoming): Reply {
  const faulty = faultyList(deps, 'availability')
  if (faulty !== undefined) return faulty
  const only = incoming.query.get('operationType')
  const types: [string, Operation][] = Object.entries(typeNames).filter(
    ([name]) => only === null || only === name,
  )
  return json(
    200,
    wanted(incoming).map(([country, all]) => ({
      country,
      providers: all.map(({ provider }) => ({
        provider,
        operationTypes: types.map(([operationType, operation]) => ({
          operationType,
          status: worksAt(deps, provider, operation),
        })),
      })),
    })),
  )
}

export const keyList = ({ books }: OperatorDeps): Reply =>
  json(
    200,
    books.keys().map(({ id, public_pem }) => ({ id, key: public_pem })),
  )

export function predicted(_deps: OperatorDeps, { body }: Incoming): Reply {
  const digits = String(readObject(body)?.['phoneNumber'] ?? '').replace(/\D/g, '')
  const found = [...providers.values()].find(({ prefix }) => digits.startsWith(prefix))
  if (found === undefined || digits.length < 10) {
    return technical(400, 'INVALID_PHONE_NUMBER', 'The phone number is not valid')
  }
  return json(200, { country: found.country, provider: found.provider, phoneNumber: digits })
}
