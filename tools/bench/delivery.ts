// `--only delivery`: a thousand endpoints of which 5 % hang and 5 % refuse. How long the others
// wait for a first try, against the same ones when none is bad; and that nothing is lost when
// workers are killed under way.

import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import type { FeedKey } from '../../server/src/events/event.ts'
import { recordEvents } from '../../server/src/events/statements.ts'
import type { Db } from '../../server/src/platform/db.ts'
import { newId } from '../../server/src/platform/ids.ts'
import { startWakeups, type Wakeups } from '../../server/src/platform/jobs/notify.ts'
import { runPart } from '../../server/src/platform/sql.ts'
import type { Ends } from '../../server/test/setup/ends.ts'
import { openMerchant, registerEndpoint } from '../../server/test/setup/open-merchant.ts'
import type { Progress } from '../command/progress.ts'
import { type Endpoints, openEndpoints } from './delivery-endpoints.ts'
import { median } from './phases.ts'
import { type BenchApp, startApp } from './start-app.ts'

export type Waits = Readonly<{ p50_ms: number; p99_ms: number }>

export type DeliveryReport = Readonly<{
  /** All endpoints answer; a tenth of them is bad. */
  without: Waits
  among: Waits
  /** The ratio of the p99, bad against none. */
  ratio: number
  /** Deliveries of the round in which workers were killed. */
  killed: Readonly<{ expected: number; received: number; repeats: number }>
  ok: boolean
}>

type Scene = Readonly<{
  app: BenchApp
  db: Db
  feeds: readonly FeedKey[]
  endpoints: Endpoints
  wakeups: Wakeups
}>

const merchants = 50
const endpoints_each = 20
/** For each merchant: the first hangs, the second refuses. */
const bad_each = 2
const events_per_s = 8
const ratio_max = 1.5
const rounds = 2
/** A try that hangs is over by then. */
const calm_ms = 16_000

export async function runDelivery(
  { seconds }: Readonly<{ seconds: number }>,
  progress: Progress,
  ends: Ends,
): Promise<DeliveryReport> {
  progress.step(`${merchants * endpoints_each} endpoints are registered`)
  const scene = await openScene(ends)
  await round(scene, 3)
  const without: Waits[] = []
  const among: Waits[] = []
  for (let turn = 0; turn < rounds; turn += 1) {
    progress.step('all endpoints answer')
    without.push(await round(scene, seconds))
    progress.step('5 % of them hang and 5 % refuse')
    await spoil(scene, true)
    among.push(await round(scene, seconds))
    await spoil(scene, false)
    await sleep(calm_ms)
  }
  progress.step('workers are killed')
  await spoil(scene, true)
  const killed = await roundOfKills(scene, seconds)
  const sides = { without: middleOf(without), among: middleOf(among) }
  const ratio = sides.among.p99_ms / sides.without.p99_ms
  return { ...sides, ratio, killed, ok: ratio <= ratio_max && killed.received === killed.expected }
}

const middleOf = (all: readonly Waits[]): Waits => ({
  p50_ms: median(all.map(({ p50_ms }) => p50_ms)),
  p99_ms: median(all.map(({ p99_ms }) => p99_ms)),
})

async function openScene(ends: Ends): Promise<Scene> {
  const processes = ['all', 'worker', 'worker'] as const
  const app = await startApp({ processes, profile_dir: undefined }, ends)
  const endpoints = await openEndpoints(ends)
  const db = app.open('pirogue_app')
  const log = pino({ level: 'silent' })
  const quiet = app.open('pirogue_app')
  const wakeups = await startWakeups({ db: quiet, onWake: () => undefined, log })
  ends.add(() => wakeups.stop())
  const feeds: FeedKey[] = []
  for (let no = 1; no <= merchants; no += 1) feeds.push(await openFeed({ app, db, endpoints }))
  return { app, db, feeds, endpoints, wakeups }
}

async function openFeed(scene: Pick<Scene, 'app' | 'db' | 'endpoints'>): Promise<FeedKey> {
  const { app, db, endpoints } = scene
  const { merchant_id, secret } = await openMerchant(db)
  const api = `http://${app.api.host}:${app.api.port}`
  for (let nth = 0; nth < endpoints_each; nth += 1) {
    const url = endpoints.urlOf(nth < bad_each ? 'spare' : 'good', nth)
    await registerEndpoint(api, secret, { url })
  }
  return { merchant_id, environment: 'SANDBOX' }
}

/** The first two endpoints of each merchant become bad, or good again as if nothing had been. */
async function spoil({ app, endpoints }: Scene, isBad: boolean): Promise<void> {
  const db = app.open('pirogue_owner')
  for (const [nth, kind] of (['hanging', 'refusing'] as const).entries()) {
    const good = endpoints.urlOf('spare', nth)
    const bad = endpoints.urlOf(kind, nth)
    const [from, to] = isBad ? [good, bad] : [bad, good]
    await db`
      update webhooks set url = ${to}, failing_since = null, is_active = true where url = ${from}`
  }
}

/** Events at a steady pace, until every endpoint that should receive them has. */
async function round(scene: Scene, seconds: number): Promise<Waits> {
  const { endpoints, feeds } = scene
  const received_before = endpoints.waits.length
  const count = await announce(scene, seconds)
  await receivedAll(endpoints, received_before + count * (endpoints_each - bad_each))
  const waits = endpoints.waits.slice(received_before).sort((a, b) => a - b)
  const at = (part: number) => waits[Math.floor(waits.length * part)] ?? 0
  if (feeds.length === 0) throw new Error('no merchant')
  return { p50_ms: at(0.5), p99_ms: at(0.99) }
}

async function roundOfKills(scene: Scene, seconds: number): Promise<DeliveryReport['killed']> {
  const { endpoints, app } = scene
  const before = { received: endpoints.waits.length, repeats: endpoints.repeats() }
  const kills = app.worker_pids.map(async (pid, nth) => {
    await sleep(((nth + 1) * seconds * 1000) / (app.worker_pids.length + 1))
    process.kill(pid, 'SIGKILL')
  })
  const count = await announce(scene, seconds)
  await Promise.all(kills)
  const expected = count * (endpoints_each - bad_each)
  await receivedAll(endpoints, before.received + expected).catch(() => undefined)
  const received = endpoints.waits.length - before.received
  return { expected, received, repeats: endpoints.repeats() - before.repeats }
}

async function announce({ db, feeds, wakeups }: Scene, seconds: number): Promise<number> {
  const count = Math.round(seconds * events_per_s)
  for (let nth = 0; nth < count; nth += 1) {
    const feed = feeds[nth % feeds.length]
    if (feed === undefined) throw new Error('no merchant')
    const id = newId()
    const about = { type: 'transaction.success', transaction_id: null, subject_id: null } as const
    const event = { ...feed, ...about, gate_id: id, id, data: { nth } }
    await runPart(db, recordEvents(db, [event]))
    wakeups.wakeOthers('sequence-events')
    await sleep(1000 / events_per_s)
  }
  return count
}

const within_ms = 60_000

async function receivedAll(endpoints: Endpoints, count: number): Promise<void> {
  const until = Date.now() + within_ms
  while (endpoints.waits.length < count) {
    if (Date.now() > until) throw new Error(`${endpoints.waits.length} of ${count} heard`)
    await sleep(50)
  }
}

const ms = (number: number) => `${Math.round(number)} ms`
const formatWaits = ({ p50_ms, p99_ms }: Waits) => `p50 ${ms(p50_ms)}, p99 ${ms(p99_ms)}`

export function formatDelivery({ without, among, ratio, killed, ok }: DeliveryReport): string {
  const { expected, received, repeats } = killed
  return [
    `first try, all ${merchants * endpoints_each} endpoints answer    ${formatWaits(without)}`,
    `first try, 5 % hang and 5 % refuse      ${formatWaits(among)}`,
    `ratio of the p99 (wanted at most ${ratio_max})    ${ratio.toFixed(2)}`,
    `heard with two workers killed           ${received} of ${expected}, ${repeats} repeats`,
    ok ? 'as wanted' : 'MISSED',
  ].join('\n')
}
