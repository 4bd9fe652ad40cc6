// What an adapter costs by itself: one payment (its create and one question) with the answers that
// its dialect gave once, played again without a network. The sandbox operator's adapter stands
// beside it.

import { randomUUID } from 'node:crypto'
import type { AdapterTools, TokenStore } from '../../server/src/gateways/adapter.ts'
import { findAdapter } from '../../server/src/gateways/adapters.ts'
import {
  type Collects,
  collects,
  type Gateway,
  type GatewayOrder,
  prepares,
  type Received,
} from '../../server/src/gateways/gateway.ts'
import { simulatorGateway } from '../../server/src/gateways/simulator/simulator.ts'
import { memoryTokens } from '../../server/src/gateways/tokens.ts'
import { newId } from '../../server/src/platform/ids.ts'
import {
  createOutbound,
  type Outbound,
  type SendResult,
} from '../../server/src/platform/outbound/outbound.ts'
import { doctorOperators } from '../../server/test/setup/doctor-operators.ts'
import type { Ends } from '../../server/test/setup/ends.ts'
import { serveHttp } from '../../server/test/setup/loopback.ts'
import { keysOf, pawapayAccount } from '../../server/test/setup/pawapay-account.ts'
import { startPawapay } from '../../simulator/src/dialects/pawapay/start.ts'
import { startSimulator } from '../../simulator/src/start.ts'
import { median } from './phases.ts'

export type Spread = Readonly<{ p50_ms: number; p99_ms: number }>

export type AdapterCost = Readonly<{ adapter: string; calls: number }> & Spread

const callback_url = 'http://127.0.0.1:9/callbacks/none'

const orderOf = (country_code: string, currency: string): GatewayOrder => ({
  ...{ merchant_id: newId(), attempt_id: newId(), direction: 'COLLECT', our_key: randomUUID() },
  ...{ external_reference: '', network_code: 'mtn_bj', country_code, amount: 5_000_00n, currency },
  ...{ msisdn: '+2290197000000', flow: 'push', otp_kind: 'NONE', otp: undefined },
  ...{ description: 'Panier', callback_url, return_url: 'https://shop.example/back' },
})

/** Each payment's answers in their order, again and again. */
function replayed(results: readonly SendResult[]): Outbound {
  let at = 0
  return {
    async send() {
      const result = results[at % results.length]
      at += 1
      if (result === undefined) throw new Error('nothing was recorded')
      return result
    },
    close: async () => undefined,
  }
}

type Open = (outbound: Outbound, tokens: AdapterTools['tokens']) => Gateway

const token: TokenStore = {
  get: async () => ({ is: 'token', value: 'a'.repeat(400), generation: 1n }),
  refuse: () => undefined,
}

/** Undefined is never: what the first play answered is what every other must. */
async function payOnce(gateway: Gateway & Collects, order: GatewayOrder): Promise<string> {
  const prepared = prepares(gateway) ? (await gateway.prepare(order)).answer : undefined
  const named =
    prepared?.is === 'prepared' ? { external_reference: prepared.external_reference } : {}
  const { answer } = await gateway.collect({ ...order, ...named })
  const theirs = 'external_reference' in answer ? answer.external_reference : ''
  const memo = 'memo' in answer && answer.memo !== undefined ? { memo: answer.memo } : {}
  const asked = await gateway.query({ ...order, external_reference: theirs, ...memo })
  return `${answer.is}, ${asked.answer.is}`
}

type Costing = Readonly<{ adapter: string; open: Open; order: GatewayOrder; rounds: Rounds }>

async function costOf({ adapter, open, order, rounds }: Costing, ends: Ends) {
  const real = createOutbound({ assertNoTransaction: () => undefined })
  ends.add(real.close)
  const results: SendResult[] = []
  let is_obtaining = false
  const recording: Outbound = {
    async send(request) {
      const result = await real.send(request)
      if (!is_obtaining) results.push(result)
      return result
    },
    close: real.close,
  }
  const first = open(recording, (obtain) =>
    memoryTokens(async (product) => {
      is_obtaining = true
      const issued = await obtain(product)
      is_obtaining = false
      return issued
    }, Date.now),
  )
  const again = open(replayed(results), () => token)
  if (!collects(first) || !collects(again)) throw new Error(`${adapter} collects nothing`)
  const said = await payOnce(first, order)
  const spread = await spreadOf(
    async () => {
      const repeated = await payOnce(again, order)
      if (repeated !== said) throw new Error(`${adapter}: ${repeated} instead of ${said}`)
    },
    cpu,
    rounds,
  )
  return { adapter, calls: results.length, ...spread } satisfies AdapterCost
}

/** What is said is the median of so many measurements, after some runs that are not counted. */
export type Rounds = Readonly<{ rounds: number; runs: number; warm_up: number }>

export const usualRounds: Rounds = { rounds: 5, runs: 5_000, warm_up: 1_000 }

type Clock = () => number

/** Milliseconds that pass, whatever else the machine does meanwhile. */
export const wall: Clock = () => performance.now()

/**
 * Milliseconds of processor time of the whole process: what collects garbage on other threads too,
 * and nothing of what others do on the same cores.
 */
export const cpu: Clock = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Of each run; the medians over all rounds. */
export async function spreadOf(
  work: () => unknown,
  clock: Clock,
  { rounds, runs, warm_up } = usualRounds,
): Promise<Spread> {
  for (let at = 0; at < warm_up; at += 1) await work()
  const spreads: Spread[] = []
  for (let round = 0; round < rounds; round += 1) spreads.push(await spreadOnce(work, clock, runs))
  return {
    p50_ms: median(spreads.map(({ p50_ms }) => p50_ms)),
    p99_ms: median(spreads.map(({ p99_ms }) => p99_ms)),
  }
}

async function spreadOnce(work: () => unknown, clock: Clock, runs: number): Promise<Spread> {
  const took: number[] = []
  for (let at = 0; at < runs; at += 1) {
    const began = clock()
    await work()
    took.push(clock() - began)
  }
  took.sort((a, b) => a - b)
  const at = (share: number) => took[Math.floor(took.length * share)] ?? Number.NaN
  return { p50_ms: at(0.5), p99_ms: at(0.99) }
}

async function simulatorCost(ends: Ends, rounds: Rounds): Promise<AdapterCost> {
  const secrets = { token: 'a token of the bench', callback_secret: 'a secret of the bench' }
  const operator = await startSimulator({ port: 0, ...secrets })
  ends.add(operator.stop)
  const open: Open = (outbound) =>
    simulatorGateway({
      ...{ code: 'simulator_a', operator: 'a', base_url: () => operator.url, outbound },
      ...secrets,
    })
  const order = orderOf('BJ', 'XOF')
  return costOf({ adapter: 'simulator', open, order, rounds }, ends)
}

export async function adapterCosts(
  ends: Ends,
  rounds: Rounds,
): Promise<Readonly<{ simulator: AdapterCost; others: readonly AdapterCost[] }>> {
  const simulator = await simulatorCost(ends, rounds)
  const others: AdapterCost[] = []
  for (const [name, start] of Object.entries(doctorOperators)) {
    const operator = await start()
    ends.add(operator.stop)
    const module = findAdapter(name)
    if (module === undefined) throw new Error(name)
    const open: Open = (outbound, tokens) =>
      module.open(operator.account, { outbound, tokens, clock: Date.now, note: () => undefined })
    const { country } = operator.account
    const order = orderOf(country === 'XX' ? 'BJ' : country, 'XOF')
    others.push(await costOf({ adapter: name, open, order, rounds }, ends))
  }
  return { simulator, others }
}

/** A callback that pawaPay's dialect signed with P-256, judged again and again. */
export async function verificationCost(ends: Ends, rounds: Rounds): Promise<Spread> {
  let seen: ((received: Received) => void) | undefined
  const first = new Promise<Received>((resolve) => {
    seen = resolve
  })
  const receiver = await serveHttp(async (request, response) => {
    const body: Buffer[] = []
    for await (const part of request) body.push(part)
    response.end()
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    seen?.({
      ...{ method: 'POST', authority: request.headers.host ?? '', path: request.url ?? '' },
      ...{ query: '', headers: Object.fromEntries(headers), body: Buffer.concat(body) },
      at_ms: Date.now(),
    })
  })
  ends.add(receiver.close)
  const path = '/callbacks/pawapay_test'
  const callbacks = { deposits: `${receiver.url}${path}` }
  const dialect = await startPawapay({ port: 0, speed: 100, callbacks })
  ends.add(dialect.stop)
  const outbound = createOutbound({ assertNoTransaction: () => undefined })
  ends.add(outbound.close)
  const gateway = findAdapter('pawapay')?.open(pawapayAccount(dialect), {
    ...{ outbound, keys: await keysOf(dialect), clock: Date.now, note: () => undefined },
    tokens: () => token,
  })
  if (gateway === undefined || !collects(gateway)) throw new Error('pawapay collects nothing')
  await gateway.collect(orderOf('BJ', 'XOF'))
  const received = await first
  return spreadOf(
    () => {
      const { proof } = gateway.readCallback(received)
      if (proof !== 'SIGNED') throw new Error(`the callback is ${proof}`)
    },
    cpu,
    rounds,
  )
}
