// The lists that this operator shows: balances, the keys that it signs with, how the account is
// set up, and what works just now. Law: a line that is not as documented is left out; a list that
// is none is undefined.

import { parseDecimal } from '../../money/parse-amount.ts'
import { type Fields, isFields, readFields, wordIn } from '../../platform/json-fields.ts'
import type { Direction, PublishedKey } from '../gateway.ts'
import type { AmountRule, NetworkState, OperatorState } from '../published.ts'
import { bothPurposes, type WalletBalance } from '../wallet.ts'
import type { Answered } from './read-answer.ts'
import { providers } from './settings.ts'

const listIn = (value: unknown): Fields[] | undefined =>
  Array.isArray(value) ? value.filter(isFields) : undefined

/** Its words for countries, by the networks that we know of it: three letters to our two. */
const countries: ReadonlyMap<string, string> = new Map(
  Object.entries(providers).map(([network_code, provider]) => [
    provider.slice(-3),
    network_code.slice(-2).toUpperCase(),
  ]),
)

/** One for each wallet: a country's, or that of one provider of it. It pays and is paid into. */
export function readBalances({ status, body }: Answered): WalletBalance[] | undefined {
  const wallets = status === 200 ? listIn(readFields(body)?.['balances']) : undefined
  return wallets?.flatMap((one) => {
    const [country, provider] = [wordIn(one, 'country'), wordIn(one, 'provider')]
    const [currency, balance] = [wordIn(one, 'currency'), wordIn(one, 'balance')]
    const reading = parseDecimal(balance)
    // An empty wallet is one, and the one that most wants to be known.
    const isEmpty = reading.is === 'invalid' && reading.why === 'zero'
    const amount = isEmpty ? 0n : reading.is === 'amount' ? reading.hundredths : undefined
    if (country === '' || currency === '' || amount === undefined) return []
    const wallet = [country, provider].filter(Boolean).join(' ')
    const ours = countries.get(country)
    const at = ours === undefined ? {} : { country: ours }
    return [{ wallet, currency, amount, purposes: bothPurposes, ...at }]
  })
}

const pem_max = 4_000
const keys_max = 50

export function readKeys({ status, body }: Answered): PublishedKey[] | undefined {
  const all = status === 200 ? listIn(readArray(body)) : undefined
  const keys = all?.flatMap((one) => {
    const [id, pem] = [wordIn(one, 'id'), one['key']]
    const isKey = typeof pem === 'string' && pem.length <= pem_max && pem.includes('PUBLIC KEY')
    return id !== '' && isKey ? [{ id, pem }] : []
  })
  // An empty list would take away every key that is known.
  return keys === undefined || keys.length === 0 ? undefined : keys.slice(0, keys_max)
}

function readArray(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What one provider does for us in one direction. */
export type Offer = Readonly<{
  provider: string
  direction: Direction
  currency: string
  decimals: string
  status: string
  /** What it takes of one payment, in hundredths; undefined where it is not shown. */
  least: bigint | undefined
  most: bigint | undefined
  /** False: it shows limits that are no amounts above zero. */
  has_sound_limits: boolean
  /** Empty where none is set. */
  callback_url: string
}>

export type Setup = Readonly<{
  /** Undefined where it is not shown, as of the other. */
  signs_callbacks: boolean | undefined
  /** It takes no request that moves money without our signature. */
  wants_signatures: boolean | undefined
  offers: readonly Offer[]
}>

/** Undefined where it is no configuration. */
export function readSetup({ status, body }: Answered): Setup | undefined {
  const fields = status === 200 ? readFields(body) : undefined
  const countries = listIn(fields?.['countries'])
  if (fields === undefined || countries === undefined) return undefined
  const { signatureConfiguration: signing } = fields
  const shown = (name: string): boolean | undefined => {
    const value = isFields(signing) ? signing[name] : undefined
    return typeof value === 'boolean' ? value : undefined
  }
  const offers = countries
    .flatMap((one) => listIn(one['providers']) ?? [])
    .flatMap((provider) =>
      (listIn(provider['currencies']) ?? []).flatMap((currency) => offersIn(provider, currency)),
    )
  return {
    signs_callbacks: shown('signedCallbacks'),
    wants_signatures: shown('signedRequestsOnly'),
    offers,
  }
}

function amountIn(fields: Fields, name: string): bigint | undefined {
  const reading = parseDecimal(wordIn(fields, name))
  return reading.is === 'amount' ? reading.hundredths : undefined
}

/** The guide of deposits calls them otherwise than the page of the list itself. */
const limitNames = {
  least: ['minAmount', 'minTransactionLimit'],
  most: ['maxAmount', 'maxTransactionLimit'],
} as const

function limitsIn(fields: Fields): Pick<Offer, 'least' | 'most' | 'has_sound_limits'> {
  const nameOf = (names: readonly string[]) => names.find((name) => fields[name] !== undefined)
  const [least, most] = [nameOf(limitNames.least), nameOf(limitNames.most)]
  const read = (name: string | undefined) => (name === undefined ? name : amountIn(fields, name))
  const isSound = (name: string | undefined) => name === undefined || read(name) !== undefined
  return {
    ...{ least: read(least), most: read(most) },
    has_sound_limits: isSound(least) && isSound(most),
  }
}

const directions = { DEPOSIT: 'COLLECT', PAYOUT: 'DISBURSE' } as const

function offersIn(provider: Fields, currency: Fields): Offer[] {
  const types = currency['operationTypes']
  return Object.entries(directions).flatMap(([name, direction]) => {
    const found = isFields(types) ? types[name] : undefined
    if (!isFields(found)) return []
    return [
      {
        ...{ provider: wordIn(provider, 'provider'), direction },
        ...{ currency: wordIn(currency, 'currency'), status: wordIn(found, 'status') },
        decimals: wordIn(found, 'decimalsInAmount'),
        ...limitsIn(found),
        callback_url: typeof found['callbackUrl'] === 'string' ? found['callbackUrl'] : '',
      },
    ]
  })
}

const networks: ReadonlyMap<string, string> = new Map(
  Object.entries(providers).map(([network_code, provider]) => [provider, network_code]),
)

/** Hundredths: whole units where it takes no cents; another word says nothing. */
const steps: ReadonlyMap<string, bigint> = new Map([
  ['NONE', 100n],
  ['TWO_PLACES', 1n],
])

/** What it takes on each of our networks. */
export const rulesIn = ({ offers }: Setup): AmountRule[] =>
  offers.flatMap(({ provider, direction, currency, least, most, decimals, has_sound_limits }) => {
    const network_code = networks.get(provider)
    if (network_code === undefined) return []
    return [
      {
        ...{ network_code, direction, currency, step: steps.get(decimals) ?? null },
        ...{ least: least ?? null, most: most ?? null, is_readable: has_sound_limits },
      },
    ]
  })

const states: readonly OperatorState[] = ['OPERATIONAL', 'DELAYED', 'CLOSED']

/** Of our networks, by direction; a word that is none of its own says nothing. */
export function readAvailability({ status, body }: Answered): NetworkState[] | undefined {
  const countries = status === 200 ? listIn(readArray(body)) : undefined
  return countries
    ?.flatMap((country) => listIn(country['providers']) ?? [])
    .flatMap((one) => {
      const network_code = networks.get(wordIn(one, 'provider'))
      if (network_code === undefined) return []
      return (listIn(one['operationTypes']) ?? []).flatMap((type) => {
        const direction = directionOf(wordIn(type, 'operationType'))
        const state = states.find((word) => word === wordIn(type, 'status'))
        if (direction === undefined || state === undefined) return []
        return [{ network_code, direction, state }]
      })
    })
}

const directionOf = (type: string): Direction | undefined =>
  type === 'DEPOSIT' || type === 'PAYOUT' ? directions[type] : undefined
