// `tell-switched-off`: a letter to the owners about each endpoint that we switched off, and a line
// in the audit log. The mark on the row makes it one letter, whatever dies in between. Its lane is
// visited afterwards, so that what waits there ends now, not when its next try would be due.

import { systemActor } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import { type OwnersLetter, tellOwners } from '../../merchants/tell-owners.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction } from '../../platform/db.ts'
import type { Job } from '../../platform/jobs/worker.ts'
import type { LaneKey } from '../webhook.ts'
import { addressShown } from './record-registration.ts'
import { listUntold, lockUntold, ringLane, type SwitchedOff, updateTold } from './store.ts'

export type TellDeps = Readonly<{ db: Db; keyring: Keyring; wake: (name: string) => void }>

const at_once = 50

export function tellSwitchedOff(deps: TellDeps): Job {
  return {
    name: 'tell-switched-off',
    poll_ms: 2_000,
    async run() {
      const untold = await listUntold(deps.db, at_once)
      for (const lane of untold) {
        await tell(deps, lane)
        await ringLane(deps.db, lane)
      }
      for (const job of untold.length > 0 ? ['send-mail', 'deliver-webhooks'] : []) deps.wake(job)
      return untold.length === at_once ? 'more' : 'rest'
    },
  }
}

async function tell({ db, keyring }: TellDeps, lane: LaneKey): Promise<void> {
  await inTransaction(db, async (tx) => {
    const off = await lockUntold(tx, lane)
    if (off === undefined) return
    await updateTold(tx, lane)
    await tellOwners(tx, keyring, lane.merchant_id, letterOf(off))
    await recordAct(tx, {
      merchant_id: lane.merchant_id,
      environment: off.environment,
      actor: systemActor,
      action: 'webhook.switched_off',
      target_kind: 'webhook',
      target_id: lane.webhook_id,
      after: { is_active: false, switched_off_reason: off.reason },
    })
  })
}

const why = {
  GONE: { en: 'it answered 410 Gone', fr: 'il a répondu 410 Gone' },
  FAILING: {
    en: 'nothing but failures came back for five days',
    fr: 'rien que des échecs depuis cinq jours',
  },
} as const

function letterOf({ url, environment, reason }: SwitchedOff): OwnersLetter {
  const address = addressShown(url)
  return {
    subject: { en: 'a webhook was switched off', fr: 'un webhook a été désactivé' },
    news: {
      en: `The ${environment} webhook ${address} was switched off: ${why[reason].en}.`,
      fr: `Le webhook ${environment} ${address} a été désactivé : ${why[reason].fr}.`,
    },
    advice: {
      en:
        'Mend your receiver, then set "is_active" to true: what waits for it is sent. ' +
        'What happened meanwhile comes by a replay, or is read from /events/.',
      fr:
        'Réparez votre récepteur, puis mettez « is_active » à true : ce qui l’attend est envoyé. ' +
        'Ce qui s’est passé entre-temps vient par une relecture, ou se lit dans /events/.',
    },
  }
}
