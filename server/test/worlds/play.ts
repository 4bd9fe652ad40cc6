// Plays a world: its events in its order, then everything is driven to rest. Nothing is judged
// here but that it does come to rest.

import { begin, initialize, initializeKey, pass, poll, sayTruth } from './acts.ts'
import { onEarlyCall, openScene, ordersOf, type Plant, type Scene } from './scene.ts'
import type { Stage } from './stage.ts'
import { together, type World } from './world.ts'

/** The scene after its end, and what went wrong on the way. */
export type Played = Readonly<{ scene: Scene; broken: readonly string[] }>

export async function play(stage: Stage, world: World, plant: Plant): Promise<Played> {
  const scene = await openScene(stage, world, plant)
  onEarlyCall(scene, (order) => sayTruth(scene, order))
  await playEvents(scene)
  const idle = await idlePayments(scene)
  const restless = await comeToRest(scene)
  const bugs = scene.turns.ended().filter(({ error }) => error !== undefined)
  const broken = [
    ...bugs.map(({ name, error }) => `${name} threw ${sayError(error)}`),
    ...idle.map((id) => `nothing is due for the pending transaction ${id}`),
    ...restless,
  ]
  return { scene, broken }
}

const sayError = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)

async function playEvents(scene: Scene): Promise<void> {
  const { world, turns } = scene
  for (const at of world.payments.keys()) initialize(scene, at, null)
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
async function runOut({ turns }: Scene): Promise<void> {
  await turns.release([])
  while (turns.waiting() > 0) await turns.release([0])
}

/** Pending transactions for which no question is due: nobody would ever move them. */
async function idlePayments({ stage, merchant_id }: Scene): Promise<string[]> {
  const rows = await stage.owner<{ id: string }[]>`
    select t.id from transactions t
     where t.merchant_id = ${merchant_id} and t.status = 'PENDING'
       and not exists (
         select 1 from attempts a
          where a.merchant_id = t.merchant_id and a.transaction_id = t.id
            and a.status in ('PENDING', 'UNKNOWN') and a.due_at is not null)`
  return rows.map(({ id }) => id)
}

/** Leases and pauses end; the time of grace; the hourly question; the asking time; thirty days. */
const restS = [0, 16, 20, 140, 1000, 4000, 90_000, 90_000, 31 * 86_400]
const pollsMax = 12

async function comeToRest(scene: Scene): Promise<string[]> {
  const { world, desks } = scene
  for (const desk of desks) desk.calm(world.fates)
  for (const seconds of restS) {
    if (seconds > 0) pass(scene, seconds)
    await runOut(scene)
    for (const at of unanswered(scene)) initialize(scene, at, null)
    await runOut(scene)
    for (const order of ordersOf(scene)) {
      if (order.contradicted && !order.heard) sayTruth(scene, order)
    }
    await runOut(scene)
    if (!(await pollUntilQuiet(scene))) return [`it is asked about without end (${seconds} s)`]
    if (await isAtRest(scene)) break
  }
  // Every key once more: the answer must be the one that was given.
  for (const at of world.payments.keys()) initialize(scene, at, null)
  await runOut(scene)
  return (await isAtRest(scene)) ? [] : ['it does not come to rest in thirty days']
}

const unanswered = ({ world, answers }: Scene): number[] =>
  [...world.payments.keys()].filter((at) => !answers.has(initializeKey(at)))

/** False when something is due again at once however often it is asked. */
async function pollUntilQuiet(scene: Scene): Promise<boolean> {
  for (let polls = 0; polls < pollsMax; polls += 1) {
    if (!(await isDue(scene))) return true
    poll(scene, null)
    await runOut(scene)
  }
  return !(await isDue(scene))
}

async function isDue({ stage, merchant_id }: Scene): Promise<boolean> {
  const rows = await stage.owner`
    select 1 from attempts
     where merchant_id = ${merchant_id} and due_at <= now()
       and (leased_until is null or leased_until <= now())
       and (asked_at is null or asked_at <= now() - interval '2 seconds')`
  return rows.count > 0
}

async function isAtRest(scene: Scene): Promise<boolean> {
  const { stage, merchant_id } = scene
  const [row] = await stage.owner<{ restless: boolean }[]>`
    select exists (select 1 from attempts
                    where merchant_id = ${merchant_id} and due_at is not null)
           or exists (select 1 from transactions
                       where merchant_id = ${merchant_id} and status = 'PENDING') as restless`
  const said = ordersOf(scene).every((order) => order.heard || !order.contradicted)
  return row?.restless === false && said && unanswered(scene).length === 0
}
