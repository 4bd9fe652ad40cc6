// `tell-switched-off`: an e-mail to the owners about each endpoint that we switched off, and a line
// in the audit log. The mark on the row makes it one e-mail, whatever dies in between. Its queue is
// drained afterwards, so that what waits there ends now, not when its next try would be due.

import { systemActor } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { emailOwners, type OwnersEmail } from '../../merchants/email-owners.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction } from '../../platform/db.ts'
import type { Job } from '../../platform/jobs/worker.ts'
import { homeOf } from '../../platform/places/places.ts'
import type { QueueKey } from '../webhook.ts'
import { modeText } from './email-webhook-change.ts'
import { maskAddress } from './record-registration.ts'
import {
  exhaustSome,
  listUnnotified,
  lockUnnotified,
  type QueueLease,
  type SwitchedOff,
  updateNotified,
  wakeQueue,
} from './store.ts'

export type EmailSwitchedOffDeps = Readonly<{
  db: Db
  keyring: Keyring
  wake: (name: string) => void
}>

const at_once = 50

export function emailSwitchedOff(deps: EmailSwitchedOffDeps): Job {
  return {
    name: 'tell-switched-off',
    poll_ms: 2_000,
    async run() {
      const unnotified = await listUnnotified(deps.db, at_once)
      for (const queue of unnotified) {
        await notify(deps, queue)
        await wakeQueue(deps.db, queue)
      }
      for (const job of unnotified.length > 0 ? ['send-mail', 'deliver-webhooks'] : [])
        deps.wake(job)
      return unnotified.length === at_once ? 'more' : 'rest'
    },
  }
}

async function notify({ db, keyring }: EmailSwitchedOffDeps, queue: QueueKey): Promise<void> {
  await inTransaction(homeOf(db, queue.merchant_id), async (tx) => {
    const off = await lockUnnotified(tx, queue)
    if (off === undefined) return
    await updateNotified(tx, queue)
    await emailOwners(tx, keyring, queue.merchant_id, emailOf(off))
    await recordAct(tx, {
      merchant_id: queue.merchant_id,
      environment: off.environment,
      actor: systemActor,
      action: 'webhook.switched_off',
      target_kind: 'webhook',
      target_id: queue.webhook_id,
      after: { is_active: false, switched_off_reason: off.reason },
    })
  })
}

const why = {
  GONE: { en: 'it answered 410 Gone', fr: 'il a répondu 410 Gone' },
  FAILING: {
    en: 'every delivery failed for five days',
    fr: 'tous les envois ont échoué pendant cinq jours',
  },
} as const

function emailOf({ url, environment, reason }: SwitchedOff): OwnersEmail {
  const address = maskAddress(url)
  const mode = modeText[environment]
  return {
    kind: `${environment}_WEBHOOKS`,
    subject: { en: 'a webhook was disabled', fr: 'un webhook a été désactivé' },
    news: {
      en: `The ${mode.en} webhook ${address} was disabled: ${why[reason].en}.`,
      fr: `Le webhook ${mode.fr} ${address} a été désactivé : ${why[reason].fr}.`,
    },
    advice: {
      en:
        'Fix your receiver, then turn the webhook on again on its page in the dashboard. Events ' +
        'since then are not sent by themselves: replay them from that page.',
      fr:
        'Corrigez votre serveur, puis réactivez le webhook sur sa page, dans le tableau de ' +
        'bord. Les événements survenus entre-temps ne sont pas envoyés d’eux-mêmes : ' +
        'renvoyez-les depuis cette page.',
    },
  }
}

// When an endpoint is switched off (410, five days of failures, by its merchant) or deleted, its
// waiting deliveries are not sent any more: switched on again it receives events from then on, and
// a replay sends what it missed.

const exhausted_at_once = 1_000

/**
 * Portion by portion, so that no statement waits long for one; returns how many there were. Zero
 * when the endpoint is on, or the queue no longer ours.
 */
export async function exhaustWaiting(
  db: Db,
  lease: QueueLease,
  mayGoOn: () => Promise<boolean>,
): Promise<number> {
  let ended = 0
  for (
    let some = exhausted_at_once;
    some === exhausted_at_once && (await mayGoOn());
    ended += some
  ) {
    some = await exhaustSome(db, lease, exhausted_at_once)
  }
  return ended
}
