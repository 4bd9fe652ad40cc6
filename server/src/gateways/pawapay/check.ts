// Looks whether an account is set up as this operator needs it. It reads only: a question about a
// key that nobody has, how the account is set up there, its keys and balances.

import { randomUUID } from 'node:crypto'
import { isCurrency, minorUnits } from '../../money/currency.ts'
import { formatAmount } from '../../money/format.ts'
import type { Account } from '../adapter.ts'
import { clockFindings } from '../clock-findings.ts'
import type { CheckedRoute, Finding } from '../gateway.ts'
import type { Caller, CallResult } from './client.ts'
import { readStatus } from './read-answer.ts'
import { type Offer, readBalances, readKeys, readSetup, type Setup } from './read-lists.ts'
import { providers } from './settings.ts'
import { statusPath } from './wire.ts'

const checkMs = 20_000
const setup_bytes_max = 1024 * 1024
const skewFailS = 60

const pass = (what: string, found: string): Finding => ({ what, is: 'PASS', found, fix: '' })

const saidBy = (result: CallResult): string =>
  result.is === 'answered' ? `status ${result.status}` : `${result.is} ${result.because}`

type Looking = Readonly<{
  clock: () => number
  our_address: string | undefined
  routes?: readonly CheckedRoute[] | undefined
}>

/** What was looked at, in the order in which it is mended. */
export async function checkAccount(
  account: Account,
  call: Caller,
  { clock, our_address, routes = [] }: Looking,
): Promise<readonly Finding[]> {
  const until = performance.now() + checkMs
  const our_key = randomUUID()
  const asked = await call({ method: 'GET', path: statusPath('deposits', our_key) }, until)
  const question = questionFinding(our_key, asked)
  const because = 'signed callbacks last for a minute'
  const clocks = clockFindings(asked, { now_ms: clock(), fail_s: skewFailS, because })
  if (question.is === 'FAIL') return [question, ...clocks]
  const [setup, keys, balances] = [
    await call({ method: 'GET', path: '/v2/active-conf', max_bytes: setup_bytes_max }, until),
    await call({ method: 'GET', path: '/v2/public-key/http' }, until),
    await call({ method: 'GET', path: '/v2/wallet-balances' }, until),
  ]
  return [
    question,
    ...clocks,
    ...setupFindings(account, setup, { our_address, routes }),
    keysFinding(keys),
    balanceFinding(balances),
  ]
}

/** A key that nobody has: "not found" proves address, access and environment at once. */
function questionFinding(our_key: string, result: CallResult): Finding {
  const what = 'question'
  const about = { operation: 'deposits', attempt: { our_key } } as const
  const read = result.is === 'answered' ? readStatus(about, result, () => undefined) : result
  if (read.is === 'not_found') return pass(what, 'not found, as it must be')
  const isDenied = result.is === 'answered' && (result.status === 401 || result.status === 403)
  return {
    what,
    is: 'FAIL',
    found: saidBy(result),
    fix: isDenied
      ? 'The token is not one of this environment, or was revoked: make another in the ' +
        'dashboard, under System configuration, and rotate.'
      : 'Nobody answers as this operator does: compare base_url, and ask whether it is up.',
  }
}

function setupFindings(
  account: Account,
  result: CallResult,
  { our_address, routes = [] }: Pick<Looking, 'our_address' | 'routes'>,
): Finding[] {
  const setup = result.is === 'answered' ? readSetup(result) : undefined
  if (setup === undefined) {
    const fix = 'Ask the operator why the configuration is not shown to this token.'
    return [{ what: 'configuration', is: 'WARN', found: saidBy(result), fix }]
  }
  const ours = setup.offers.filter(({ provider }) => Object.values(providers).includes(provider))
  return [
    providersFinding(ours),
    signingFinding(setup),
    callbackFinding(account, setup.offers, our_address),
    ...ours.filter(isOtherAmount).map(amountFinding),
    ...routes.map((route) => limitFinding(route, setup.offers)),
  ]
}

/** What the operator takes of one payment against what we would send it. */
function limitFinding(route: CheckedRoute, offers: readonly Offer[]): Finding {
  const { network_code, direction, currency } = route
  const what = `limits of ${network_code} ${direction}`
  const provider = providers[network_code]
  const offer = offers.find((one) => one.provider === provider && one.direction === direction)
  const warn = (found: string, fix: string): Finding => ({ what, is: 'WARN', found, fix })
  if (provider === undefined || offer === undefined) {
    return warn('not open to this account', 'Ask the operator to open it, or switch our route off.')
  }
  if (offer.status === 'CLOSED') return warn('closed at the operator', 'Wait, or ask it why.')
  const theirs = rangeText(offer.least, offer.most, currency)
  const ours = rangeText(route.least ?? undefined, route.most ?? undefined, currency)
  if (route.least === null) return pass(what, `it takes ${theirs}; we have no price`)
  const isBelow = offer.least !== undefined && route.least < offer.least
  const isAbove = offer.most !== undefined && route.most !== null && route.most > offer.most
  const found = `it takes ${theirs}, we send ${ours}`
  if (!isBelow && !isAbove) return pass(what, found)
  const fix =
    'What lies outside is refused by the operator, and goes to the next route: set our prices, ' +
    'or the account’s limit of one payment, within what it takes.'
  return warn(found, fix)
}

const rangeText = (least: bigint | undefined, most: bigint | undefined, currency: string): string =>
  `${amountText(least)} to ${amountText(most)} ${currency}`

const amountText = (hundredths: bigint | undefined): string =>
  hundredths === undefined ? 'any' : formatAmount(hundredths)

function providersFinding(ours: readonly Offer[]): Finding {
  const names = [...new Set(ours.map(({ provider }) => provider))].sort()
  if (names.length > 0) return pass('providers', names.join(', '))
  const fix = 'Ask the operator to open the providers of the countries that you want.'
  return { what: 'providers', is: 'FAIL', found: 'none that we reach', fix }
}

function signingFinding({ signs_callbacks }: Setup): Finding {
  if (signs_callbacks === true) return pass('signed callbacks', 'on')
  const found = signs_callbacks === false ? 'off' : 'not shown'
  const fix =
    'Switch signed callbacks on in the dashboard: unsigned ones prove nothing, and each payment ' +
    'is asked about.'
  return { what: 'signed callbacks', is: 'WARN', found, fix }
}

function callbackFinding(
  { code }: Account,
  offers: readonly Offer[],
  our_address: string | undefined,
): Finding {
  const wanted = `/callbacks/${code}`
  const given = [...new Set(offers.map(({ callback_url }) => callback_url))]
  const host = our_address === undefined ? undefined : new URL(our_address).host
  const isOurs = (url: string) => {
    if (!URL.canParse(url)) return false
    const { pathname, host: given } = new URL(url)
    const isThere = pathname.replace(/\/$/, '') === wanted
    return isThere && (host === undefined || given === host)
  }
  const others = given.filter((url) => !isOurs(url))
  if (given.length > 0 && others.length === 0) return pass('callback address', given.join(', '))
  return {
    what: 'callback address',
    is: 'WARN',
    found: others.map((url) => url || 'none').join(', ') || 'none',
    fix: `Set PUBLIC_URL with ${wanted} for each operation in the dashboard, Callback URLs.`,
  }
}

/** A provider that takes cents is sent whole units where the currency has no others. */
const isOtherAmount = ({ currency, decimals }: Offer): boolean =>
  decimals === 'NONE' && isCurrency(currency) && minorUnits(currency) > 0

const amountFinding = ({ provider, direction, currency }: Offer): Finding => ({
  what: `amounts of ${provider}`,
  is: 'WARN',
  found: `${direction} takes no cents of ${currency}`,
  fix: 'Leave its routes off, or make its network’s amount_step a whole unit.',
})

function keysFinding(result: CallResult): Finding {
  const keys = result.is === 'answered' ? readKeys(result) : undefined
  if (keys !== undefined) return pass('public keys', keys.map(({ id }) => id).join(', '))
  const fix = 'Ask the operator where its keys are: without them no callback is believed.'
  return { what: 'public keys', is: 'WARN', found: saidBy(result), fix }
}

function balanceFinding(result: CallResult): Finding {
  const balances = result.is === 'answered' ? readBalances(result) : undefined
  if (balances !== undefined && balances.length > 0) {
    const wallets = balances.map(({ wallet, currency }) => `${wallet} ${currency}`)
    return pass('wallets', wallets.join(', '))
  }
  const fix = 'Ask the operator to open a wallet of the country, and its balance to this token.'
  const found = balances === undefined ? saidBy(result) : 'none that can be read'
  return { what: 'wallets', is: 'WARN', found, fix }
}
