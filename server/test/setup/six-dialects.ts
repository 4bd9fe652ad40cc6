// The six operators' dialects, each with an account of ours and its adapter as it is opened, and
// what the operator has in its books of one of our keys.

import type { Chaos } from '../../../simulator/src/dialects/chaos.ts'
import { startFedapay } from '../../../simulator/src/dialects/fedapay/start.ts'
import { startMtn } from '../../../simulator/src/dialects/mtn/start.ts'
import { startOrange } from '../../../simulator/src/dialects/orange/start.ts'
import { startPawapay } from '../../../simulator/src/dialects/pawapay/start.ts'
import type { Resolved, Resolving } from '../../../simulator/src/dialects/resolving.ts'
import type { Source } from '../../../simulator/src/dialects/source.ts'
import { startStripe } from '../../../simulator/src/dialects/stripe/start.ts'
import { startWave } from '../../../simulator/src/dialects/wave/start.ts'
import type { AdapterTools } from '../../src/gateways/adapter.ts'
import { fedapayGateway } from '../../src/gateways/fedapay-api/fedapay-gateway.ts'
import type { Gateway, GatewayOrder } from '../../src/gateways/gateway.ts'
import { mtnGateway } from '../../src/gateways/mtn-momo-api/mtn-gateway.ts'
import { orangeGateway } from '../../src/gateways/orange-web-payment/orange-gateway.ts'
import { orderIdOf } from '../../src/gateways/orange-web-payment/wire.ts'
import { pawapayGateway } from '../../src/gateways/pawapay/pawapay-gateway.ts'
import { shortReference } from '../../src/gateways/reference-codec.ts'
import { stripeGateway } from '../../src/gateways/stripe-checkout/stripe-gateway.ts'
import { memoryTokens } from '../../src/gateways/tokens.ts'
import { waveGateway } from '../../src/gateways/wave-business-api/wave-gateway.ts'
import { createOutbound, type Outbound } from '../../src/platform/outbound/outbound.ts'
import { fedapayAccount } from './fedapay-account.ts'
import { ownAccount, provisioned } from './mtn-account.ts'
import { withOrange } from './orange-account.ts'
import { pawapayAccount } from './pawapay-account.ts'
import { stripeAccount, toolsWithoutTokens } from './stripe-account.ts'
import { webhookSecret, withWave } from './wave-account.ts'

/** Where nobody hears what they call back. */
export const nowhere = 'http://127.0.0.1:9/callbacks/none'

/** What an adapter is opened with, over this wire and by this clock (milliseconds). */
export const toolsOver = (outbound: Outbound, clock: () => number): AdapterTools => ({
  ...{ ...toolsWithoutTokens, outbound, clock },
  tokens: (obtain) => memoryTokens(obtain, clock),
})

export type Key = Pick<GatewayOrder, 'our_key' | 'msisdn'>

export type Page = Readonly<{ our_key: string; checkout_url: string }>

export type Dialect = Readonly<{
  url: string
  gateway: Gateway
  /** Of this order: the status of each of its lines. */
  lines(order: Key): string[]
  /** What moved by each of its lines that says so, in its own units. */
  moved?: (order: Key) => Moved[]
  /** What has failed succeeds after all, where the operator says so of any. */
  succeedAfterAll?: (of: OfKey) => Resolved
  /** What a refund gave back of a payment: the status of each of its lines, where it has any. */
  given?: (refund: Key, of: Key) => string[]
  /** Its payer pays on the page that they were given, where nobody pays by themselves. */
  pay?: (of: Page) => Promise<unknown>
  stop(): Promise<void>
}>

export type Moved = Readonly<{ status: string; amount: string; currency: string }>

export type OfKey = Pick<Resolving, 'direction' | 'is_refund' | 'our_key'>

/** How a test has it end so; some name things by a number of theirs. */
const afterAll = (of: OfKey, external_reference = ''): Resolving => ({
  ...{ ...of, external_reference, outcome: 'SUCCESS', failure_code: '', is_after_all: true },
})

const movedIn = (
  all: readonly Readonly<{ status: string; amount: string | number; currency: string }>[],
): Moved[] =>
  all.map(({ status, amount, currency }) => ({ status, amount: String(amount), currency }))

const statusesOf = (all: readonly Readonly<{ status: string }>[]): string[] =>
  all.map(({ status }) => status).sort()

// A held answer breaks after 30 s / 500; what is to end ends within milliseconds.
const speed = 500
const options = ({
  tools: _,
  plays: _plays,
  heard: _heard,
  page_life_s: _life,
  ...ways
}: Ways) => ({
  ...{ port: 0, speed },
  ...ways,
})

export type Ways = Readonly<{
  /** Without it nothing goes wrong by chance. */
  chaos?: Chaos
  /** Payers pay although nobody gave them the page. */
  plays?: boolean
  /** Where its callbacks are heard, without a code; without it nobody hears them. */
  heard?: string
  /** For how long a page of Wave's may be paid, by the clock; without it as fast as all else. */
  page_life_s?: number
  /** The file that it keeps; without one it keeps nothing. */
  journal?: string
  /** Its time and chance; without it the machine's. */
  source?: Source
  /** What our adapter is opened with; without it a wire of its own and the machine's clock. */
  tools?: AdapterTools
}>

/** Where an operator calls whose account has one address. */
const heardAt = ({ heard }: Ways, name: string): string =>
  heard === undefined ? nowhere : `${heard}/callbacks/${name}_test`

type Start = (tools: AdapterTools, ways: Ways) => Promise<Dialect>

const starters: Readonly<Record<string, Start>> = {
  async mtn(tools, ways) {
    const mtn = await startMtn(options(ways))
    const account =
      ways.source === undefined ? await provisioned(mtn.url, '127.0.0.1') : ownAccount(mtn)
    const gateway = mtnGateway(account, tools)
    const lines = ({ our_key }: Key) =>
      statusesOf(mtn.books().filter(({ reference }) => reference === our_key))
    const moved = ({ our_key }: Key) =>
      movedIn(mtn.books().filter(({ reference }) => reference === our_key))
    const succeedAfterAll = (of: OfKey) => mtn.resolve(afterAll(of))
    return {
      ...{ url: mtn.url, gateway, lines, given: lines, moved, succeedAfterAll },
      stop: mtn.stop,
    }
  },
  async pawapay(tools, ways) {
    const to = heardAt(ways, 'pawapay')
    const callbacks = { deposits: to, payouts: to, refunds: to }
    const pawapay = await startPawapay({ ...options(ways), callbacks })
    const gateway = pawapayGateway(pawapayAccount(pawapay), tools)
    const lines = ({ our_key }: Key) =>
      statusesOf(pawapay.books().filter(({ id }) => id === our_key))
    const moved = ({ our_key }: Key) => movedIn(pawapay.books().filter(({ id }) => id === our_key))
    const succeedAfterAll = (of: OfKey) => pawapay.resolve(afterAll(of))
    return {
      ...{ url: pawapay.url, gateway, lines, given: lines, moved, succeedAfterAll },
      stop: pawapay.stop,
    }
  },
  async wave(tools, ways) {
    const { page_life_s } = ways
    const life = page_life_s === undefined ? {} : { session_life_s: page_life_s * speed }
    const wave = await startWave({ ...options(ways), ...life, auto_pay: true })
    const signs = { secrets: [webhookSecret], strategy: 'SIGNING_SECRET' } as const
    if (ways.heard !== undefined) wave.register({ url: heardAt(ways, 'wave'), ...signs })
    const gateway = waveGateway(withWave(wave), tools)
    const lines = ({ our_key }: Key) =>
      statusesOf(wave.books().filter(({ reference }) => reference === our_key))
    // It gives a session back whole, once, under no reference of ours.
    const given = (_: Key, of: Key) =>
      wave
        .books()
        .flatMap(({ reference, refunded }) =>
          refunded && reference === of.our_key ? ['SUCCEEDED'] : [],
        )
    const moved = ({ our_key }: Key) =>
      movedIn(wave.books().filter(({ reference }) => reference === our_key))
    return { url: wave.url, gateway, lines, given, moved, stop: wave.stop }
  },
  async orange(tools, ways) {
    const orange = await startOrange({
      ...options(ways),
      plays: ways.plays ?? false,
      notices: ways.heard === undefined ? 'none' : 'once',
    })
    const gateway = orangeGateway(withOrange(orange), tools)
    const lines = ({ our_key }: Key) =>
      statusesOf(orange.books().filter(({ order_id }) => order_id === orderIdOf(our_key)))
    const pay = ({ checkout_url }: Page) => {
      const body = new URLSearchParams({ act: 'pay' })
      return fetch(checkout_url, { method: 'POST', body, redirect: 'manual' })
    }
    const succeedAfterAll = (of: OfKey) => orange.resolve(afterAll(of, orderIdOf(of.our_key)))
    return { url: orange.url, gateway, lines, pay, succeedAfterAll, stop: orange.stop }
  },
  async stripe(tools, ways) {
    const stripe = await startStripe(options(ways))
    const gateway = stripeGateway(await stripeAccount(stripe.url, heardAt(ways, 'stripe')), tools)
    const lines = ({ our_key }: Key) =>
      statusesOf(stripe.books().filter((one) => one.client_reference_id === our_key))
    const given = (_: Key, of: Key) =>
      statusesOf(
        stripe
          .books()
          .filter((one) => one.client_reference_id === of.our_key)
          .flatMap(({ refunds }) => refunds),
      )
    return {
      url: stripe.url,
      gateway,
      lines,
      given,
      moved: ({ our_key }) =>
        movedIn(stripe.books().filter((one) => one.client_reference_id === our_key)),
      pay: ({ our_key }) => stripe.pay(our_key),
      stop: stripe.stop,
    }
  },
  async fedapay(tools, ways) {
    const fedapay = await startFedapay(options(ways))
    const gateway = fedapayGateway(fedapayAccount(fedapay, heardAt(ways, 'fedapay')), tools)
    const ofKey = (our_key: string) =>
      fedapay.books().filter((one) => one.merchant_reference === shortReference(our_key))
    const lines = ({ our_key }: Key) => statusesOf(ofKey(our_key))
    const moved = ({ our_key }: Key) => movedIn(ofKey(our_key))
    const succeedAfterAll = (of: OfKey) => {
      const [one] = ofKey(of.our_key).filter(({ is_asked }) => is_asked)
      if (one === undefined) return 'missing' as const
      return fedapay.resolve(afterAll(of, `${one.kind}s/${one.id}`))
    }
    return {
      ...{ url: fedapay.url, gateway, lines, given: lines, moved, succeedAfterAll },
      stop: fedapay.stop,
    }
  },
}

export const dialectNames = Object.keys(starters)

export async function startDialect(name: string, ways: Ways = {}): Promise<Dialect> {
  const start = starters[name]
  if (start === undefined) throw new Error(`no dialect ${name}`)
  const outbound = createOutbound({ assertNoTransaction: () => undefined })
  const dialect = await start(ways.tools ?? toolsOver(outbound, Date.now), ways)
  const stop = async () => {
    await outbound.close()
    await dialect.stop()
  }
  return { ...dialect, stop }
}
