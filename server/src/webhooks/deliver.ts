// The crew that works the lanes. Lanes do not wait for each other: each has a place of its own and
// room for one try at any time, so that whatever one endpoint does costs the others nothing.

import type { Job, JobContext } from '../platform/jobs/worker.ts'
import { type DueLane, listDueLanes } from './store.ts'
import { type Crew, type VisitDeps, visitLane } from './visit-lane.ts'

type Timing = Readonly<{ try_timeout_ms: number; lease_ms: number; visit_ms_max: number }>

type Clockwork = Timing & Pick<VisitDeps, 'random' | 'now_ms'>

/** Clockwork is for tests; the usual one is right. */
export type DeliverDeps = Omit<VisitDeps, keyof Clockwork> &
  Readonly<{ clockwork?: Partial<Clockwork> }>

/** A try has 15 s (decisions 6.6); its lane is ours for 9, renewed while the try is under way. */
const usual: Clockwork = {
  try_timeout_ms: 15_000,
  lease_ms: 9_000,
  visit_ms_max: 30_000,
  random: Math.random,
  now_ms: Date.now,
}

const in_flight_max = 256
const lanes_max = 200
/** Healthy endpoints always find a place: those that fail may take only so many. */
const failing_lanes_max = 100

/** `deliver-webhooks`: finds lanes with due deliveries and visits each in the background. */
export function deliverWebhooks({ clockwork, ...rest }: DeliverDeps): Job {
  const deps: VisitDeps = { ...rest, ...usual, ...clockwork }
  const visits = new Map<string, { lane: DueLane; is_failing: boolean; over: Promise<void> }>()
  let room = in_flight_max - lanes_max

  const failing = () => [...visits.values()].filter((visit) => visit.is_failing).length

  const visit = (lane: DueLane, signal: AbortSignal) => {
    const crew: Crew = {
      signal,
      takeRoom: () => room > 0 && room-- > 0,
      giveRoom: () => void room++,
      turnsFailing() {
        mine.is_failing = true
        return failing() > failing_lanes_max ? 'leave' : 'stay'
      },
    }
    const work = visitLane(deps, lane, crew)
      .catch((error: unknown) => {
        const { webhook_id } = lane
        deps.log.error({ err: error, webhook_id }, 'lane left; its lease ends by itself')
      })
      .finally(() => visits.delete(lane.webhook_id))
    const mine = { lane, is_failing: lane.is_failing, over: work }
    visits.set(lane.webhook_id, mine)
  }

  return {
    name: 'deliver-webhooks',
    async run({ signal }: JobContext) {
      const works = [...visits.values()].map(({ over }) => over)
      if (visits.size >= lanes_max) await Promise.race(works)
      const limits = {
        healthy: lanes_max - visits.size,
        failing: Math.max(0, Math.min(failing_lanes_max - failing(), lanes_max - visits.size)),
      }
      const lanes = await listDueLanes(deps.db, limits)
      for (const lane of lanes) {
        if (visits.size < lanes_max && !visits.has(lane.webhook_id)) visit(lane, signal)
      }
      // With every place taken the next run waits for one; a lane left over is found then.
      return visits.size >= lanes_max ? 'more' : 'rest'
    },
    async finish() {
      await Promise.all([...visits.values()].map(({ over }) => over))
    },
  }
}
