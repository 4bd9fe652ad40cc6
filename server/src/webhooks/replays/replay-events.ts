// Begins a replay: counts what will be sent, so that the answer can report it, and leaves the
// sending to the worker.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import type { FeedKey } from '../../events/event.ts'
import { placeSince, placeUntil } from '../../events/feed.ts'
import { transactInTurn } from '../../platform/batch-calls.ts'
import { type Db, retryOnDeadlock, type Tx } from '../../platform/db.ts'
import { assert, type FieldErrors, refuse, type Text } from '../../platform/errors.ts'
import { readMoment } from '../../platform/http/formats.ts'
import type { Caller } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { newId } from '../../platform/ids.ts'
import { Troubles } from '../../platform/jobs/troubles.ts'
import type { Job } from '../../platform/jobs/worker.ts'
import { webhookErrors } from '../errors.ts'
import { getWebhook, webhookKeyOf } from '../registrations/get-webhook.ts'
import { replay_days_max, replay_events_max } from '../webhook.ts'
import type { Replay } from './replay.ts'
import {
  countSubscribed,
  findReplay,
  insertReplay,
  isReplaying,
  listOpenReplays,
  type NewReplay,
  queuePortion,
} from './store.ts'

export type ReplayDeps = Readonly<{ db: Db; wake: (name: string) => void }>

/** Its moments have passed `windowErrors`. */
export type ReplayRequest = Readonly<{
  id: string
  since: string
  until?: string | undefined
  /** Those alone that the endpoint has not acknowledged. */
  only_failed?: boolean
}>

export async function startReplay(
  { db, wake }: ReplayDeps,
  caller: Caller,
  { id, only_failed = false, ...asked }: ReplayRequest,
): Promise<Replay> {
  const since = readMoment(asked.since)
  assert(since !== undefined, 'a moment that was checked')
  const until = asked.until === undefined ? undefined : readMoment(asked.until)
  const { merchant_id, environment } = caller
  const replay = await transactInTurn(db, caller, async (tx) => {
    const webhook = await getWebhook(tx, webhookKeyOf(caller, id))
    if (!webhook.is_active) throw refuse(webhookErrors.webhook_inactive)
    const isBusy = await isReplaying(tx, { merchant_id, webhook_id: id })
    if (isBusy) throw refuse(webhookErrors.replay_in_progress)
    const window = await windowOf(tx, { merchant_id, environment }, { since, until })
    const sought = { ...window, webhook_id: id, only_failed }
    const events_total = await countSubscribed(tx, caller, sought)
    if (events_total > replay_events_max) throw refuse(webhookErrors.replay_too_large)
    const key = { merchant_id, environment, id: newId(), webhook_id: id }
    const isFirst = await insertReplay(tx, { ...key, ...sought, events_total })
    if (!isFirst) throw refuse(webhookErrors.replay_in_progress)
    await recordStart(tx, caller, { webhook_id: id, since, until, only_failed, events_total })
    const made = await findReplay(tx, key)
    assert(made !== undefined, 'a replay that was just made')
    return made
  })
  wake('queue-replays')
  return replay
}

type Bounds = Readonly<{ since: string; until: string | undefined }>

/** The stretch of the feed that has all events of that time, and not many more. */
async function windowOf(tx: Tx, feed: FeedKey, { since, until }: Bounds) {
  const places = await placeSince(tx, feed, since)
  if (until === undefined) return { since, until, ...places }
  const end = await placeUntil(tx, feed, until)
  const { done_seq, last_seq } = places
  const last = end < last_seq ? end : last_seq
  return { since, until, done_seq, last_seq: last > done_seq ? last : done_seq }
}

const outside: Text = {
  en: `Must be an ISO 8601 date or date-time within the last ${replay_days_max} days.`,
  fr: `Doit être une date ou une date-heure ISO 8601 des ${replay_days_max} derniers jours.`,
}

const before: Text = {
  en: 'Must be an ISO 8601 date or date-time, not before "since".',
  fr: 'Doit être une date ou une date-heure ISO 8601, et pas avant « since ».',
}

/** The errors of the moments; empty when a replay may run from the one to the other. */
export function windowErrors({ since, until }: Readonly<Record<string, unknown>>): FieldErrors {
  const from = typeof since === 'string' ? readMoment(since) : undefined
  const age_days = from === undefined ? -1 : (Date.now() - Date.parse(from)) / 86_400_000
  const isInside = age_days >= 0 && age_days <= replay_days_max
  const to = typeof until === 'string' ? readMoment(until) : undefined
  const isAfter = to !== undefined && (from === undefined || to >= from)
  return {
    ...(typeof since === 'string' && !isInside && { since: [outside] }),
    ...(typeof until === 'string' && !isAfter && { until: [before] }),
  }
}

type Started = Pick<NewReplay, 'webhook_id' | 'since' | 'until' | 'only_failed' | 'events_total'>

const recordStart = (tx: Tx, caller: Caller, { webhook_id, only_failed, ...after }: Started) =>
  recordAct(tx, {
    merchant_id: caller.merchant_id,
    environment: caller.environment,
    actor: actorOf(caller),
    action: 'webhook.replayed',
    target_kind: 'webhook',
    target_id: webhook_id,
    after: { ...after, ...(only_failed && { only_failed }) },
  })

/** The newest replay of an endpoint of the caller's, with its progress. */
export async function getReplay(db: Db, caller: Caller, id: string): Promise<Replay> {
  const { merchant_id } = await getWebhook(db, webhookKeyOf(caller, id))
  const replay = await findReplay(db, { merchant_id, webhook_id: id })
  if (replay === undefined) throw refuse(transportErrors.not_found)
  return replay
}

// `queue-replays`: gives each replay under way its next portion, and ends those that are done. Few
// at a time, since each one at work takes a place among the queues; by turns, so that those of one
// merchant whose endpoints take nothing, or that fail, keep nobody else's waiting.

export type QueueDeps = Readonly<{ db: Db; wake: (name: string) => void }>

const replays_at_once = 20

export function queueReplays({ db, wake }: QueueDeps): Job {
  const troubles = new Troubles()
  let after: string | undefined
  return {
    name: 'queue-replays',
    poll_ms: 1_000,
    async run({ signal, onFault }) {
      const sought = { but: troubles.resting(), ...(after === undefined ? {} : { after }) }
      const open = await listOpenReplays(db, replays_at_once, sought)
      let queued = 0
      for (const replay of open) {
        if (signal.aborted) return 'rest'
        const queue = async () => {
          queued += await retryOnDeadlock(() => queuePortion(db, replay))
        }
        await troubles.spare(replay.id, queue, onFault)
      }
      // After the last of them it is the first one's turn again.
      after = open.length < replays_at_once ? undefined : open.at(-1)?.id
      if (queued > 0) wake('deliver-webhooks')
      return 'rest'
    },
  }
}
