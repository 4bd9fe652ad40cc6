// Time passes, and what is due is done: the pollers of both operators, the end of the asking time.

import { queryAttempt } from '../../src/attempts/query-attempt.ts'
import { listDueAttempts } from '../../src/attempts/query-statements.ts'
import { handsOf, type Scene } from './scene.ts'
import { age, askingTimeLeft } from './stage.ts'
import { start } from './start-line.ts'
import type { Line } from './turns.ts'
import type { Crash, Event } from './world.ts'

const dueMax = 10_000

export function poll(scene: Scene, crash: Crash | null): void {
  start(scene, { what: 'poll', crash, work: (line) => queryWhatIsDue(scene, line) })
}

/** The pollers of both operators, for this world's merchant. */
export async function queryWhatIsDue(scene: Scene, line: Line): Promise<void> {
  const { stage, merchant_id } = scene
  const { deps } = handsOf(scene, line)
  const keys = await line.step(
    () => 'what is due',
    async () => {
      const ids = [...stage.gateway_ids.values()]
      const lists = await Promise.all(ids.map(({ id }) => listDueAttempts(stage.db, id, dueMax)))
      // Oldest first, not by what was due a millisecond earlier: the same world polls the same way.
      const own = lists.flat().filter((one) => one.merchant_id === merchant_id)
      return own.sort((a, b) => (a.id < b.id ? -1 : 1))
    },
  )
  const question = { triggered_by: 'POLLER', request_id: line.name } as const
  await Promise.all(keys.map((key) => queryAttempt(deps, key, question)))
}

/** How long, or until the asking time of what is open is over (or will be in a moment). */
type Span = Readonly<{ seconds: number | 'asking is over' | 'asking is almost over' }>

export function pass(scene: Scene, seconds: number): void {
  start(scene, { what: 'time', crash: null, work: (line) => passIn(scene, line, { seconds }) })
}

const momentS = 2

export function passIn(scene: Scene, line: Line, { seconds }: Span): Promise<void> {
  const { stage, merchant_id } = scene
  return line.step(
    () => (typeof seconds === 'number' ? `${seconds} s pass` : seconds),
    async () => {
      const by = typeof seconds === 'number' ? seconds : await askingTimeLeft(stage, merchant_id)
      const span = seconds === 'asking is almost over' ? by - momentS : by
      if (span <= 0) return
      scene.now_s += span
      const due = await age(stage, merchant_id, span)
      scene.due = { at_step: scene.turns.taken(), due }
    },
  )
}

/** The asking time ends while whatever else is under way; a poller is there in that moment. */
export function expire(scene: Scene, { over, crash }: Extract<Event, { is: 'expire' }>): void {
  const seconds = over ? 'asking is over' : 'asking is almost over'
  start(scene, {
    what: 'expire',
    crash,
    work: async (line) => {
      await passIn(scene, line, { seconds })
      await queryWhatIsDue(scene, line)
    },
  })
}
