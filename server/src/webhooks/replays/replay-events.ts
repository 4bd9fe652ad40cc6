// Begins a replay: counts what will be sent, so that the answer can report it, and leaves the
// sending to the worker.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { placeSince } from '../../events/feed.ts'
import { type Db, inTransaction, retryOnDeadlock, type Tx } from '../../platform/db.ts'
import { assert, type FieldErrors, refuse, type Text } from '../../platform/errors.ts'
import { readMoment } from '../../platform/http/formats.ts'
import type { Caller } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { newId } from '../../platform/ids.ts'
import type { Job } from '../../platform/jobs/worker.ts'
import { webhookErrors } from '../errors.ts'
import { getWebhook, webhookKeyOf } from '../registrations/get-webhook.ts'
import { replay_days_max, replay_events_max } from '../webhook.ts'
import type { Replay } from './replay.ts'
import {
  countSubscribed,
  findReplay,
  insertReplay,
  listOpenReplays,
  type NewReplay,
  queuePortion,
} from './store.ts'

export type ReplayDeps = Readonly<{ db: Db; wake: (name: string) => void }>

/** `since` has passed `sinceErrors`. */
export type ReplayRequest = Readonly<{ id: string; since: string }>

export async function startReplay(
  { db, wake }: ReplayDeps,
  caller: Caller,
  { id, since: text }: ReplayRequest,
): Promise<Replay> {
  const since = readMoment(text)
  assert(since !== undefined, 'a moment that was checked')
  const { merchant_id, environment } = caller
  const replay = await inTransaction(db, async (tx) => {
    const webhook = await getWebhook(tx, webhookKeyOf(caller, id))
    if (!webhook.is_active) throw refuse(webhookErrors.webhook_inactive)
    const window = { since, ...(await placeSince(tx, { merchant_id, environment }, since)) }
    const events_total = await countSubscribed(tx, caller, { ...window, webhook_id: id })
    if (events_total > replay_events_max) throw refuse(webhookErrors.replay_too_large)
    const key = { merchant_id, environment, id: newId(), webhook_id: id }
    const isFirst = await insertReplay(tx, { ...key, ...window, events_total })
    if (!isFirst) throw refuse(webhookErrors.replay_in_progress)
    await recordStart(tx, caller, { webhook_id: id, since, events_total })
    const made = await findReplay(tx, key)
    assert(made !== undefined, 'a replay that was just made')
    return made
  })
  wake('queue-replays')
  return replay
}

const outside: Text = {
  en: `Must be an ISO 8601 date or date-time within the last ${replay_days_max} days.`,
  fr: `Doit être une date ou une date-heure ISO 8601 des ${replay_days_max} derniers jours.`,
}

/** The errors of the moment; empty when a replay may begin there. */
export function sinceErrors(text: string): FieldErrors {
  const moment = readMoment(text)
  const age_days = moment === undefined ? -1 : (Date.now() - Date.parse(moment)) / 86_400_000
  return age_days >= 0 && age_days <= replay_days_max ? {} : { since: [outside] }
}

type Started = Pick<NewReplay, 'webhook_id' | 'since' | 'events_total'>

const recordStart = (tx: Tx, caller: Caller, { webhook_id, ...after }: Started) =>
  recordAct(tx, {
    merchant_id: caller.merchant_id,
    environment: caller.environment,
    actor: actorOf(caller),
    action: 'webhook.replayed',
    target_kind: 'webhook',
    target_id: webhook_id,
    after,
  })

/** The newest replay of an endpoint of the caller's, with its progress. */
export async function getReplay(db: Db, caller: Caller, id: string): Promise<Replay> {
  const { merchant_id } = await getWebhook(db, webhookKeyOf(caller, id))
  const replay = await findReplay(db, { merchant_id, webhook_id: id })
  if (replay === undefined) throw refuse(transportErrors.not_found)
  return replay
}

// `queue-replays`: gives each replay under way its next portion, and ends those that are done. Few
// at a time, since each one at work takes a place among the queues.

export type QueueDeps = Readonly<{ db: Db; wake: (name: string) => void }>

const replays_at_once = 20

export function queueReplays({ db, wake }: QueueDeps): Job {
  return {
    name: 'queue-replays',
    poll_ms: 1_000,
    async run({ signal }) {
      let queued = 0
      for (const replay of await listOpenReplays(db, replays_at_once)) {
        if (signal.aborted) return 'rest'
        queued += await retryOnDeadlock(() => queuePortion(db, replay))
      }
      if (queued > 0) wake('deliver-webhooks')
      return 'rest'
    },
  }
}
