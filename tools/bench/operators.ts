// `--only operators`: what an account with an operator adds to a payment, in processor time and
// without a network, and what is asked beside payments. Each figure stands with its bars, and is
// the median of five measurements.

import type { Catalogue } from '../../server/src/catalogue/catalogue.ts'
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
import {
  adapterCosts,
  cpu,
  type Rounds,
  type Spread,
  spreadOf,
  usualRounds,
  verificationCost,
  wall,
} from './operator-adapters.ts'
import type { Options } from './options.ts'
import { startApp } from './start-app.ts'

/** Milliseconds. */
type Bars = Readonly<{ p50_ms?: number; p99_ms?: number }>

/** `by`: processor time, or what passes on a clock, other work on the machine included. */
export type Figure = Readonly<{ what: string; by: 'CPU' | 'clock'; wanted: Bars; ok: boolean }> &
  Spread

export type OperatorsReport = Readonly<{ figures: readonly Figure[]; ok: boolean }>

/** What each may take at the most, in milliseconds. */
export const bars = {
  adapter: { p50_ms: 0.3, p99_ms: 1 },
  verification: { p50_ms: 0.5 },
  choice: { p50_ms: 0.02 },
  prediction: { p50_ms: 0.2 },
  availability: { p99_ms: 5 },
} as const satisfies Record<string, Bars>

export async function runOperators(
  options: Options,
  progress: Progress,
  ends: Ends,
): Promise<OperatorsReport> {
  progress.begin(60)
  ends.add(async () => progress.end())
  progress.step('the adapters, by their dialects’ answers')
  const figures = await figuresOfAdapters(ends)
  progress.passed(20)
  progress.step('a callback signed with P-256')
  figures.push(await figureOfVerification(ends))
  figures.push(await figureOfChoice())
  progress.passed(10)
  progress.step('the service starts')
  const app = await startApp(options, ends)
  const catalogue = await catalogueIn(app.open('pirogue_app'))(1n)
  progress.step('a number’s network, and /availability/')
  figures.push(await figureOfPrediction(catalogue))
  const ask = availabilityCost(`http://${app.api.host}:${app.api.port}`)
  const calls = await spreadOf(ask, wall)
  figures.push(figureOf('GET /availability/, over HTTP', bars.availability, calls, 'clock'))
  return { figures, ok: figures.every(({ ok }) => ok) }
}

/** Nobody's minute counts these: nobody is known. Beside them the rows are read anew at times. */
export function availabilityCost(origin: string): () => Promise<void> {
  const url = `${origin}/api/v1/availability/`
  return async () => {
    const reply = await fetch(url)
    if (reply.status !== 200) throw new Error(`${url}: ${reply.status}`)
    await reply.arrayBuffer()
  }
}

export async function figureOfPrediction(catalogue: Catalogue, rounds = usualRounds) {
  const ask = () => predictNetwork(catalogue, '+2290197000000')
  return figureOf('a number’s network', bars.prediction, await spreadOf(ask, cpu, rounds))
}

/** Of each operator's adapter, above the sandbox operator's. */
export async function figuresOfAdapters(ends: Ends, rounds = usualRounds): Promise<Figure[]> {
  const { simulator, others } = await adapterCosts(ends, rounds)
  return others.map(({ adapter, calls, p50_ms, p99_ms }) =>
    figureOf(
      `${adapter}: create and question (${calls} calls), above the simulator’s`,
      bars.adapter,
      {
        p50_ms: p50_ms - simulator.p50_ms,
        p99_ms: p99_ms - simulator.p99_ms,
      },
    ),
  )
}

export const figureOfVerification = async (ends: Ends, rounds = usualRounds): Promise<Figure> =>
  figureOf('a callback of pawaPay, P-256', bars.verification, await verificationCost(ends, rounds))

export const figureOfChoice = async (rounds = usualRounds): Promise<Figure> =>
  figureOf('a choice among ten routes', bars.choice, await choiceCost(rounds))

export function figureOf(
  what: string,
  wanted: Bars,
  spread: Spread,
  by: Figure['by'] = 'CPU',
): Figure {
  const { p50_ms = Number.POSITIVE_INFINITY, p99_ms = Number.POSITIVE_INFINITY } = wanted
  const ok = spread.p50_ms <= p50_ms && spread.p99_ms <= p99_ms
  return { what, by, wanted, ...spread, ok }
}

function choiceCost(rounds: Rounds): Promise<Spread> {
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
  return spreadOf(
    () => {
      const { routes } = chooseRoutes({ of: () => rows }, facts, query)
      if (routes.length !== rows.length) throw new Error('a route was left out')
    },
    cpu,
    rounds,
  )
}

export const formatOperators = ({ figures }: OperatorsReport): string =>
  formatRows(figures.map((figure) => [figure.what, formatFigure(figure)]))

export function formatFigure({ by, p50_ms, p99_ms, wanted, ok }: Figure): string {
  const seen = `p50 ${p50_ms.toFixed(3)} ms, p99 ${p99_ms.toFixed(3)} ms by ${by}`
  const names = { p50_ms: 'p50', p99_ms: 'p99' } as const
  const most = (['p50_ms', 'p99_ms'] as const).flatMap((one) =>
    wanted[one] === undefined ? [] : [`${names[one]} ${wanted[one]} ms`],
  )
  return `${seen}; wanted at most ${most.join(', ')}${ok ? '' : ': MISSED'}`
}
