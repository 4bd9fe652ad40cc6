// Where the service is played to see its statements: the stage of the worlds, with a database that
// keeps what it was sent. Each scene has a merchant of its own.

import type { Db } from '../../../server/src/platform/db.ts'
import { begin } from '../../../server/test/worlds/acts.ts'
import { sendTruth } from '../../../server/test/worlds/callback-acts.ts'
import { fund } from '../../../server/test/worlds/hold-acts.ts'
import { initializeAll } from '../../../server/test/worlds/payment-acts.ts'
import { nothing } from '../../../server/test/worlds/payout-world.ts'
import { runOut } from '../../../server/test/worlds/play.ts'
import { onEarlyCall, openScene, type Scene } from '../../../server/test/worlds/scene.ts'
import { openSessions } from '../../../server/test/worlds/session-acts.ts'
import type { Stage } from '../../../server/test/worlds/stage.ts'
import type { Line } from '../../../server/test/worlds/turns.ts'
import type { Event, Operator, World } from '../../../server/test/worlds/world.ts'
import { recordDb, type Sent } from './record-db.ts'

export type Told = Readonly<{
  /** When what it shows happens, as the end of “runs when …”. */
  when: string
  /** Show every statement, not the composed ones only. */
  whole?: boolean
  play(stage: Stage): Promise<unknown>
}>

export type Seen = Readonly<{ told: Told; sent: readonly Sent[] }>

/** Plays them one after the other, so that the same statements come in the same order. */
export async function playAll(stage: Stage, all: readonly Told[]): Promise<Seen[]> {
  const seen: Seen[] = []
  for (const told of all) {
    const sent: Sent[] = []
    const keep = (one: Sent) => sent.push(one)
    const db: Db = recordDb(stage.db, keep)
    await told.play({ ...stage, db })
    seen.push({ told, sent })
  }
  return seen
}

const operator: Operator = {
  create_is_idempotent: true,
  callback_address: 'PER_CALL',
  cancels: true,
  creates: [],
  asks: [],
}

/** A line of work that nobody keeps waiting: what it is refused is thrown. */
export const alone: Line = { name: 'generate', step: async (_what, work) => work() }

type Changes = Partial<Omit<World, 'operators' | 'paying'>> &
  Readonly<{
    paying?: Partial<World['paying']>
    operators?: readonly Partial<Operator>[]
  }>

function worldOf({ paying, operators = [], ...changes }: Changes): World {
  const [one = {}, two = {}] = operators
  return {
    payments: [],
    moving: { settlements: [], transfers: [], adjustments: [] },
    sessions: [],
    one_process: false,
    events: [],
    order: [],
    fates: [],
    ...changes,
    paying: { ...nothing, ...paying },
    operators: [
      { ...operator, ...one },
      { ...operator, ...two },
    ],
  }
}

/** A world whose lines of work never meet: one event after the other. */
export async function playWorld(stage: Stage, changes: Changes): Promise<Scene> {
  const scene = await openScene(stage, worldOf(changes), {})
  onEarlyCall(scene, (order) => sendTruth(scene, order))
  const { opening } = scene.world.paying
  if (opening > 0) fund(scene, { is: 'fund', amount: opening, crash: null })
  await runOut(scene)
  await openSessions(scene)
  initializeAll(scene)
  await runOut(scene)
  await playOn(scene, scene.world.events)
  return scene
}

export async function playOn(scene: Scene, events: readonly Event[]): Promise<void> {
  for (const event of events) {
    await begin(scene, event)
    await runOut(scene)
  }
  const failed = scene.turns.ended().find(({ error }) => error !== undefined)
  if (failed !== undefined) throw new Error(`${failed.name} failed`, { cause: failed.error })
}
