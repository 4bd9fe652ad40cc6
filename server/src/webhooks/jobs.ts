// The due work of this folder: numbering events, delivering them, queueing replays, e-mailing
// owners about endpoints that were switched off, announcing which networks closed or work again.

import type { Db } from '../platform/db.ts'
import type { Job } from '../platform/jobs/worker.ts'
import { type AnnounceDeps, announceAvailability } from './availability/announce-changes.ts'
import { type DeliverDeps, deliverWebhooks } from './deliver.ts'
import { type EmailSwitchedOffDeps, emailSwitchedOff } from './registrations/switched-off.ts'
import { queueReplays } from './replays/replay-events.ts'
import { type SequenceDeps, sequenceEvents } from './sequence-events.ts'

export type WebhookJobDeps = SequenceDeps &
  DeliverDeps &
  EmailSwitchedOffDeps &
  AnnounceDeps &
  Readonly<{
    /**
     * For commits that a crash of the machine may undo: which worker has a queue, and the outcome
     * of a try. The delivery is then sent again under the same id, as after a crash just before its
     * record.
     */
    quick: Db
  }>

export function webhookJobs(deps: WebhookJobDeps): Job[] {
  return [
    sequenceEvents(deps),
    deliverWebhooks({ ...deps, db: deps.quick }),
    queueReplays(deps),
    emailSwitchedOff(deps),
    announceAvailability(deps),
  ]
}
