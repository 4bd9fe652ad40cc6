// One seed's turn: its own merchants, its own load, its own strikes. Several seeds may follow each
// other in one app; each is then judged by its own merchants.

import { randomOf } from '../fuzz/random.ts'
import { type Caller, createCaller } from './caller.ts'
import { startLoad } from './load.ts'
import type { Receiver } from './receiver.ts'
import { startHurrying } from './rest.ts'
import type { Sent } from './sent.ts'
import { openShops, type Shop } from './shops.ts'
import type { ChaosApp } from './start-app.ts'
import { type Strike, strike } from './strikes.ts'

export type Phase = Readonly<{
  seed: number
  shops: readonly Shop[]
  sent: readonly Sent[]
  /** How often each status was answered; 0 is no answer. */
  statuses: Readonly<Record<number, number>>
  /** Resolves when every merchant has its answers. */
  finish(): Promise<void>
}>

export type PhasePlan = Readonly<{
  seed: number
  seconds: number
  every_ms: number
  per_s: number
  sleep_ms: number
  first_no: number
}>

export type Ground = Readonly<{
  app: ChaosApp
  receiver: Receiver
  strikes: Strike[]
  print: (what: string) => void
}>

const merchants = 3
const finished_within_ms = 90_000

/** Calm: the shops open while nothing is struck. */
export async function openPhase({ app, receiver }: Ground, seed: number) {
  const caller = createCaller(app.api_urls, randomOf(seed, 0))
  const shops = await openShops({ app, caller, count: merchants, hook: receiver.url })
  return { seed, caller, shops }
}

export type PhaseSetup = Readonly<{ seed: number; caller: Caller; shops: readonly Shop[] }>

/** Resolves when its strikes are over; its merchants still call then. */
export async function playPhase(
  ground: Ground,
  setup: PhaseSetup,
  plan: PhasePlan,
): Promise<Phase> {
  const { app, receiver, strikes, print } = ground
  const { seed, caller, shops } = setup
  const { per_s, first_no, every_ms, seconds, sleep_ms } = plan
  receiver.misbehave(randomOf(seed, 1))
  const random = randomOf(seed, 2)
  const load = startLoad({ caller, random, shops, per_s, first_no, name: `s${seed}` })
  const calm = startHurrying(app)
  const from_ms = Date.now()
  const printStrike = ({ victim, how, at_ms }: Strike) =>
    print(`${((at_ms - from_ms) / 1000).toFixed(1)} s: ${how} ${victim}, ${load.open()} open`)
  const striking = { app, every_ms, sleep_ms, for_ms: seconds * 1000, onStrike: printStrike }
  await strike({ ...striking, random: randomOf(seed, 3) }, strikes)
  load.stop()
  await calm()
  const finish = () => load.finish(finished_within_ms)
  return { seed, shops, sent: load.sent, statuses: caller.statuses, finish }
}
