// The chaos itself: every so often a process of chance is killed with SIGKILL, or put to sleep for
// longer than any lease lasts. What was struck, and when, is kept for the audit.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../fuzz/random.ts'
import { untilUp } from './member.ts'
import type { ChaosApp } from './start-app.ts'

export type Strike = Readonly<{
  /** A member's name, or `backend`: one connection's process of PostgreSQL. */
  victim: string
  how: 'kill' | 'sleep'
  at_ms: number
}> & {
  /** When it had its way again: woken, or started again. */
  until_ms: number
}

export type Striking = Readonly<{
  app: ChaosApp
  random: Random
  every_ms: number
  /** In all. */
  for_ms: number
  /** How long a process of the service sleeps. Longer than the longest lease (20 s). */
  sleep_ms: number
  onStrike: (strike: Strike) => void
}>

/** The operator and PostgreSQL sleep for longer than a call to them may last. */
const others_sleep_ms = 4_000
const sleeping_share = 0.15
const backend_share = 0.08
const rises_within_ms = 60_000
/** The share of kills that hit a process which has not even come up again. */
const starting_share = 0.1

/** Resolves when the time is over; who sleeps then is still asleep. */
export async function strike(striking: Striking, strikes: Strike[]): Promise<void> {
  const { every_ms, for_ms } = striking
  const from_ms = Date.now()
  for (let next_ms = from_ms + every_ms; next_ms <= from_ms + for_ms; next_ms += every_ms) {
    await sleep(Math.max(0, next_ms - Date.now()))
    const one = strikeOnce(striking)
    if (one === undefined) continue
    strikes.push(one)
    striking.onStrike(one)
  }
}

/**
 * None while fewer than half of the processes are up: on a slow machine the dead would never rise,
 * and an app where nothing works proves nothing.
 */
function strikeOnce({ app, random, sleep_ms }: Striking): Strike | undefined {
  const at_ms = Date.now()
  const [fate, chance] = [random.next(), random.next()]
  const { members, postgres } = app
  const up = members.filter((member) => member.state() === 'up')
  const starting = members.filter((member) => member.state() === 'starting')
  const is_early = random.chance(starting_share)
  if (up.length * 2 < members.length) return undefined
  if (fate < backend_share && postgres.killBackend(chance)) {
    return { victim: 'backend', how: 'kill', at_ms, until_ms: at_ms }
  }
  const victim = (is_early ? random.pickAny(starting) : undefined) ?? random.pick(up)
  const { name } = victim
  const all_awake = members.every((member) => member.state() !== 'asleep')
  if (fate > 1 - sleeping_share && all_awake && victim.state() === 'up') {
    const is_ours = /^(api|worker)-/.test(name)
    const ms = is_ours ? sleep_ms : others_sleep_ms
    victim.sleep(ms)
    return { victim: name, how: 'sleep', at_ms, until_ms: at_ms + ms }
  }
  victim.kill('rises')
  const killed: Strike = { victim: name, how: 'kill', at_ms, until_ms: at_ms }
  const note = () => {
    killed.until_ms = Date.now()
  }
  untilUp([victim], rises_within_ms).then(note, note)
  return killed
}
