// Plays a world: its events in its order, then everything is driven to rest. Nothing is judged
// here but that it does come to rest.

import { begin } from './acts.ts'
import { sendTruth } from './callback-acts.ts'
import { pass, poll } from './due-acts.ts'
import { fund } from './hold-acts.ts'
import { runJob } from './job-acts.ts'
import { moveAllAgain } from './moving-acts.ts'
import { initialize, initializeAll, initializeKey } from './payment-acts.ts'
import { freeze, payOut, payOutAll, payoutKey, setFloat } from './payout-acts.ts'
import { onEarlyCall, openScene, ordersOf, type Plant, type Scene } from './scene.ts'
import { openSessions } from './session-acts.ts'
import { look, type Stage } from './stage.ts'
import { together, type World } from './world.ts'

/** The scene after its end, and what went wrong on the way. */
export type Played = Readonly<{ scene: Scene; broken: readonly string[] }>

export async function play(stage: Stage, world: World, plant: Plant): Promise<Played> {
  const scene = await openScene(stage, world, plant)
  onEarlyCall(scene, (order) => sendTruth(scene, order))
  await playEvents(scene)
  const { idle } = await lookAt(scene)
  const restless = await comeToRest(scene)
  const bugs = scene.turns.ended().filter(({ error }) => error !== undefined)
  const broken = [
    ...bugs.map(({ name, error }) => `${name} threw ${formatError(error)}`),
    ...idle.map((id) => `nothing is due for the pending transaction ${id}`),
    ...restless,
  ]
  return { scene, broken }
}

const formatError = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)

async function playEvents(scene: Scene): Promise<void> {
  const { world, turns } = scene
  const { opening, at_once } = world.paying
  if (opening > 0) {
    fund(scene, { is: 'fund', amount: opening, crash: null })
    await runOut(scene)
  }
  await openSessions(scene)
  initializeAll(scene)
  if (at_once) payOutAll(scene)
  if (world.paid_first === true) await runOut(scene)
  await turns.release([])
  const events = [...world.events]
  const order = [...world.order]
  for (;;) {
    const waiting = turns.waiting()
    const next = events[0]
    if (waiting === 0 && next === undefined) return
    const pick = order.shift() ?? 0
    if (pick === together && waiting > 1) {
      await turns.release(Array.from({ length: waiting }, (_, place) => place))
      continue
    }
    const choice = pick % (waiting + (next === undefined ? 0 : 1))
    if (choice < waiting || next === undefined) {
      await turns.release([choice])
    } else {
      events.shift()
      await begin(scene, next)
      await turns.release([])
    }
  }
}

/** One after the other, as a process that has nothing else to do. */
export async function runOut({ turns }: Scene): Promise<void> {
  await turns.release([])
  while (turns.waiting() > 0) await turns.release([0])
}

async function lookAt(scene: Scene) {
  const seen = await look(scene.stage, scene.merchant_id)
  scene.due = { at_step: scene.turns.taken(), due: seen }
  return seen
}

/** Leases and pauses end; the time of grace; the hourly question; the asking time; thirty days. */
const restS = [0, 16, 20, 140, 1000, 4000, 90_000, 90_000, 31 * 86_400]
const pollsMax = 12
const sentAgain = ['send_refunds_again', 'send_settlements_again'] as const

async function comeToRest(scene: Scene): Promise<string[]> {
  const { world, desks } = scene
  await runOut(scene)
  for (const desk of desks) desk.calm(world.fates)
  if (scene.frozen_times.length > 0) freeze(scene, false)
  for (const operator of world.paying.refilled ? world.operators.keys() : []) {
    for (const closes of [true, false]) {
      setFloat(scene, { is: 'float', operator, empty: false, closes })
    }
  }
  await runOut(scene)
  for (const [at, seconds] of restS.entries()) {
    const due = await nextDue(scene)
    if (isSilent(scene)) {
      if (due === 'never') break
      const isLast = at + 1 === restS.length
      if (due > seconds && !isLast) continue
    }
    if (seconds > 0) pass(scene, seconds)
    await runOut(scene)
    await sendUnacknowledged(scene)
    for (const name of sentAgain) runJob(scene, name, null)
    await runOut(scene)
    if (!(await pollUntilQuiet(scene))) return [`it is asked about without end (${seconds} s)`]
  }
  // Every key once more: the answer must be the one that was given.
  for (const at of world.payments.keys()) initialize(scene, at, null)
  payOutAll(scene)
  moveAllAgain(scene)
  await runOut(scene)
  const isAtRest = isSilent(scene) && (await nextDue(scene)) === 'never'
  return isAtRest ? [] : ['it does not come to rest in thirty days']
}

const unanswered = ({ world, answers }: Scene): number[] =>
  [...world.payments.keys()].filter((at) => !answers.has(initializeKey(at)))

const unansweredPayouts = ({ world, answers }: Scene): number[] =>
  [...world.paying.payouts.keys()].filter((at) => !answers.has(payoutKey(at)))

/** The operator has said something else before, and nobody has acknowledged what is so. */
const unacknowledged = (scene: Scene) =>
  ordersOf(scene).filter(
    ({ contradictions, denied, state, acknowledged }) =>
      (contradictions > 0 || (denied && state !== 'waiting')) && !acknowledged,
  )

const isSilent = (scene: Scene): boolean =>
  unanswered(scene).length === 0 &&
  unansweredPayouts(scene).length === 0 &&
  unacknowledged(scene).length === 0

async function sendUnacknowledged(scene: Scene): Promise<void> {
  for (const at of unanswered(scene)) initialize(scene, at, null)
  for (const at of unansweredPayouts(scene)) payOut(scene, at, 1, null)
  await runOut(scene)
  for (const order of unacknowledged(scene)) sendTruth(scene, order)
  await runOut(scene)
}

/** False when something is due again at once however often it is asked. */
async function pollUntilQuiet(scene: Scene): Promise<boolean> {
  for (let polls = 0; polls < pollsMax; polls += 1) {
    const due = await nextDue(scene)
    if (due === 'never' || due > 0) return true
    poll(scene, null)
    if (scene.world.paying.payouts.length > 0) {
      runJob(scene, 'lapse', null)
      runJob(scene, 'start_waiting', null)
    }
    await runOut(scene)
  }
  return false
}

/** Seconds until something can be asked, or a pending transaction waits for nobody. */
async function nextDue(scene: Scene): Promise<number | 'never'> {
  const { due: known, turns } = scene
  const { seconds, pending } = known?.at_step === turns.taken() ? known.due : await lookAt(scene)
  if (seconds !== null) return Math.max(0, seconds)
  return pending ? 0 : 'never'
}
