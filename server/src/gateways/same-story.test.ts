// Each dialect plays the same story for a reference by the same seed, whatever comes beside it: the
// answers to its create, by our adapter, and what the operator has in its books in the end. One by
// one and all at once, in two runs.

import { afterAll, describe, expect, it } from 'vitest'
import type { Chaos } from '../../../simulator/src/dialects/chaos.ts'
import { startFedapay } from '../../../simulator/src/dialects/fedapay/start.ts'
import { startMtn } from '../../../simulator/src/dialects/mtn/start.ts'
import { startOrange } from '../../../simulator/src/dialects/orange/start.ts'
import { startPawapay } from '../../../simulator/src/dialects/pawapay/start.ts'
import { startStripe } from '../../../simulator/src/dialects/stripe/start.ts'
import { startWave } from '../../../simulator/src/dialects/wave/start.ts'
import { fedapayAccount } from '../../test/setup/fedapay-account.ts'
import { provisioned } from '../../test/setup/mtn-account.ts'
import { withOrange } from '../../test/setup/orange-account.ts'
import { pawapayAccount } from '../../test/setup/pawapay-account.ts'
import { stripeAccount, toolsWithoutTokens } from '../../test/setup/stripe-account.ts'
import { withWave } from '../../test/setup/wave-account.ts'
import { newId } from '../platform/ids.ts'
import { createOutbound } from '../platform/outbound/outbound.ts'
import type { AdapterTools } from './adapter.ts'
import { fedapayGateway } from './fedapay-api/fedapay-gateway.ts'
import { collects, type Gateway, type GatewayOrder, prepares } from './gateway.ts'
import { mtnGateway } from './mtn-momo-api/mtn-gateway.ts'
import { orangeGateway } from './orange-web-payment/orange-gateway.ts'
import { orderIdOf } from './orange-web-payment/wire.ts'
import { pawapayGateway } from './pawapay/pawapay-gateway.ts'
import { shortReference } from './reference-codec.ts'
import { stripeGateway } from './stripe-checkout/stripe-gateway.ts'
import { memoryTokens } from './tokens.ts'
import { waveGateway } from './wave-business-api/wave-gateway.ts'

const outbound = createOutbound({ assertNoTransaction: () => undefined })
afterAll(() => outbound.close())

const tools: AdapterTools = {
  ...{ ...toolsWithoutTokens, outbound, clock: Date.now },
  tokens: (obtain) => memoryTokens(obtain, Date.now),
}
const nowhere = 'http://127.0.0.1:9/callbacks/none'

type Told = Readonly<{
  gateway: Gateway
  /** Of this order: the status of each of its lines. */
  lines(order: GatewayOrder): string[]
  stop(): Promise<void>
}>

const statusesOf = (all: readonly Readonly<{ status: string }>[]): string[] =>
  all.map(({ status }) => status).sort()

// A held answer breaks after 30 s / 500; what is to end ends within milliseconds.
const options = (chaos: Chaos) => ({ port: 0, speed: 500, chaos })

const dialects: Readonly<Record<string, (chaos: Chaos) => Promise<Told>>> = {
  async mtn(chaos) {
    const mtn = await startMtn(options(chaos))
    const gateway = mtnGateway(await provisioned(mtn.url, '127.0.0.1'), tools)
    const lines = ({ msisdn }: GatewayOrder) =>
      statusesOf(mtn.books().filter((one) => `+${one.msisdn}` === msisdn))
    return { gateway, lines, stop: mtn.stop }
  },
  async pawapay(chaos) {
    const pawapay = await startPawapay(options(chaos))
    const gateway = pawapayGateway(pawapayAccount(pawapay), tools)
    const lines = ({ our_key }: GatewayOrder) =>
      statusesOf(pawapay.books().filter(({ id }) => id === our_key))
    return { gateway, lines, stop: pawapay.stop }
  },
  async wave(chaos) {
    const wave = await startWave({ ...options(chaos), auto_pay: true })
    const gateway = waveGateway(withWave(wave), tools)
    const lines = ({ our_key }: GatewayOrder) =>
      statusesOf(wave.books().filter(({ reference }) => reference === our_key))
    return { gateway, lines, stop: wave.stop }
  },
  async orange(chaos) {
    const orange = await startOrange({ ...options(chaos), plays: true, notices: 'none' })
    const gateway = orangeGateway(withOrange(orange), tools)
    const lines = ({ our_key }: GatewayOrder) =>
      statusesOf(orange.books().filter(({ order_id }) => order_id === orderIdOf(our_key)))
    return { gateway, lines, stop: orange.stop }
  },
  async stripe(chaos) {
    const stripe = await startStripe(options(chaos))
    const gateway = stripeGateway(await stripeAccount(stripe.url, nowhere), tools)
    const lines = ({ our_key }: GatewayOrder) =>
      statusesOf(stripe.books().filter((one) => one.client_reference_id === our_key))
    return { gateway, lines, stop: stripe.stop }
  },
  async fedapay(chaos) {
    const fedapay = await startFedapay(options(chaos))
    const gateway = fedapayGateway(fedapayAccount(fedapay, nowhere), tools)
    const lines = ({ our_key }: GatewayOrder) =>
      statusesOf(
        fedapay.books().filter((one) => one.merchant_reference === shortReference(our_key)),
      )
    return { gateway, lines, stop: fedapay.stop }
  },
}

/** The same references in every run. */
const ordersOf = (name: string): GatewayOrder[] =>
  Array.from({ length: 40 }, (_, at) => {
    const isPage = ['wave', 'orange', 'stripe'].includes(name)
    const [country_code, network_code] = name === 'wave' ? ['SN', 'wave_sn'] : ['BJ', 'mtn_bj']
    const digits = String(at).padStart(2, '0')
    return {
      ...{ merchant_id: 'm', attempt_id: newId(), direction: 'COLLECT' },
      ...{ our_key: `6f2c1a52-52f7-4c1b-9a55-1f6f0f3c9d${digits}`, external_reference: '' },
      ...{ network_code, country_code, amount: 5_155_00n },
      currency: name === 'stripe' ? 'USD' : 'XOF',
      msisdn: name === 'wave' ? `+22177000${digits}55` : `+2299700${digits}55`,
      ...{ flow: isPage ? 'redirect' : 'push', otp_kind: 'NONE', otp: undefined },
      ...{ description: 'Panier', callback_url: nowhere, return_url: 'https://shop.example/b' },
    }
  })

type Story = Readonly<{ our_key: string; answer: string; lines: readonly string[] }>

/** What a new process is answered that sends it. */
async function answerTo(gateway: Gateway, order: GatewayOrder): Promise<string> {
  if (!collects(gateway)) throw new Error(`${gateway.code} collects nothing`)
  let { external_reference } = order
  if (prepares(gateway)) {
    const { answer } = await gateway.prepare(order)
    if (answer.is !== 'prepared') return `prepare: ${answer.is}`
    external_reference = answer.external_reference
  }
  const { answer } = await gateway.collect({ ...order, external_reference })
  return answer.is
}

async function storiesOf(name: string, seed: string, at_once: boolean): Promise<Story[]> {
  const told = await dialects[name]?.({ seed, rate: 0.5 })
  if (told === undefined) throw new Error(`no dialect ${name}`)
  const orders = ordersOf(name)
  const answers = new Map<string, string>()
  const send = async (order: GatewayOrder) => {
    answers.set(order.our_key, await answerTo(told.gateway, order))
  }
  if (at_once) await Promise.all(orders.map(send))
  else for (const order of orders) await send(order)
  const open = /PENDING|INITIATED|PROCESSING|ACCEPTED/
  await expect
    .poll(() => orders.flatMap(told.lines).filter((one) => open.test(one)), { timeout: 10_000 })
    .toEqual([])
  const stories = orders.map((order) => ({
    our_key: order.our_key,
    answer: answers.get(order.our_key) ?? '',
    lines: told.lines(order),
  }))
  await told.stop()
  return stories
}

describe('the same seed', () => {
  it.each(Object.keys(dialects))(
    'is the same story at %s, one by one and all at once',
    async (name) => {
      const seed = `told again: ${name}`
      const one_by_one = await storiesOf(name, seed, false)
      expect(await storiesOf(name, seed, true), seed).toEqual(one_by_one)
      expect(await storiesOf(name, `${seed}, another`, true)).not.toEqual(one_by_one)
      expect(new Set(one_by_one.map(({ answer }) => answer)).size).toBeGreaterThan(1)
    },
    60_000,
  )
})
