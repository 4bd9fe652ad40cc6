// `--only operators`: what an account with an operator adds to a payment, in processor time and
// without a network, and what is asked beside payments. Each figure stands with its bar.

import { catalogueIn } from '../../server/src/catalogue/read-catalogue.ts'
import { predictNetwork } from '../../server/src/customers/predict-network.ts'
import { newHealth } from '../../server/src/gateways/health.ts'
import {
  chooseRoutes,
  type GatewayRoute,
  type RouteQuery,
} from '../../server/src/gateways/routing.ts'
import { simulatorGateway } from '../../server/src/gateways/simulator/simulator.ts'
import { newId } from '../../server/src/platform/ids.ts'
import type { Ends } from '../../server/test/setup/ends.ts'
import { formatRows } from '../command/command-line.ts'
import type { Progress } from '../command/progress.ts'
import { adapterCosts, type Spread, spreadOf, verificationCost } from './operator-adapters.ts'
import type { Options } from './options.ts'
import { startApp } from './start-app.ts'

/** Milliseconds; `ok` by the median, because what else runs here decides the last hundredth. */
export type Figure = Readonly<{ what: string; wanted_ms: number; ok: boolean }> & Spread

export type OperatorsReport = Readonly<{ figures: readonly Figure[]; ok: boolean }>

/** What each may take at the most, in milliseconds. */
const bars = {
  adapter: 0.3,
  verification: 0.5,
  choice: 0.02,
  prediction: 0.2,
  availability: 5,
} as const

export async function runOperators(
  options: Options,
  progress: Progress,
  ends: Ends,
): Promise<OperatorsReport> {
  progress.begin(60)
  ends.add(async () => progress.end())
  progress.step('the adapters, by their dialects’ answers')
  const { simulator, others } = await adapterCosts(ends)
  const figures = others.map(({ adapter, calls, p50_ms, p99_ms }) =>
    figureOf(
      `${adapter}: create and question (${calls} calls), above the simulator’s`,
      bars.adapter,
      {
        p50_ms: p50_ms - simulator.p50_ms,
        p99_ms: p99_ms - simulator.p99_ms,
      },
    ),
  )
  progress.passed(20)
  progress.step('a callback signed with P-256')
  const verification = await verificationCost(ends)
  figures.push(figureOf('a callback of pawaPay, P-256', bars.verification, verification))
  figures.push(figureOf('a choice among ten routes', bars.choice, await choiceCost()))
  progress.passed(10)
  progress.step('the house starts')
  const app = await startApp(options, ends)
  const catalogue = await catalogueIn(app.open('pirogue_app'))(1n)
  progress.step('a number’s network, and /availability/')
  const prediction = await spreadOf(() => predictNetwork(catalogue, '+2290197000000'))
  figures.push(figureOf('a number’s network', bars.prediction, prediction))
  const url = `http://${app.api.host}:${app.api.port}/api/v1/availability/`
  // Nobody's minute counts these: nobody is known. Beside them the rows are read anew a few times.
  const calls = await spreadOf(async () => {
    const reply = await fetch(url)
    if (reply.status !== 200) throw new Error(`${url}: ${reply.status}`)
    await reply.arrayBuffer()
  })
  figures.push(figureOf('GET /availability/', bars.availability, calls))
  return { figures, ok: figures.every(({ ok }) => ok) }
}

const figureOf = (what: string, wanted_ms: number, spread: Spread): Figure => ({
  ...{ what, wanted_ms, ...spread },
  ok: spread.p50_ms <= wanted_ms,
})

function choiceCost(): Promise<Spread> {
  const gateway = simulatorGateway({
    ...{ code: 'one', operator: 'a', base_url: () => '', token: '', callback_secret: '' },
    outbound: {
      send: async () => ({ is: 'never_sent', because: 'dns' }),
      close: async () => undefined,
    },
  })
  const network_id = newId()
  const rows = Array.from(
    { length: 10 },
    (_, at): GatewayRoute => ({
      ...{ id: newId(), network_id, gateway_id: newId(), gateway_code: `operator_${at}` },
      ...{ direction: 'COLLECT', environment: 'SANDBOX', priority: at, is_active: true },
      ...{ breaker: true, amount_step: 100n, cost_percent_ppm: 15_000n, cost_fixed: 0n },
      ...{ cost_floor: null, cost_cap: null },
    }),
  )
  const facts = { gateways: { get: () => gateway, all: () => [gateway] }, health: newHealth() }
  const query: RouteQuery = {
    ...{ network_id, direction: 'COLLECT', environment: 'SANDBOX' },
    preferred_gateway: 'operator_7',
  }
  return spreadOf(() => {
    const { routes } = chooseRoutes({ of: () => rows }, facts, query)
    if (routes.length !== rows.length) throw new Error('a route was left out')
  })
}

export const formatOperators = ({ figures }: OperatorsReport): string =>
  formatRows(
    figures.map(({ what, p50_ms, p99_ms, wanted_ms, ok }) => [
      what,
      `p50 ${p50_ms.toFixed(3)} ms, p99 ${p99_ms.toFixed(3)} ms; wanted ${wanted_ms} ms` +
        (ok ? '' : ': MISSED'),
    ]),
  )
