// The due work of this folder: numbering events and delivering them.

import type { Job } from '../platform/jobs/worker.ts'
import { type DeliverDeps, deliverWebhooks } from './deliver.ts'
import { type SequenceDeps, sequenceEvents } from './sequence-events.ts'

export type WebhookJobDeps = SequenceDeps & DeliverDeps

export function webhookJobs(deps: WebhookJobDeps): Job[] {
  return [sequenceEvents(deps), deliverWebhooks(deps)]
}
