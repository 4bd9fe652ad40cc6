// A line in the audit log when staff read payers' data: who read it, and of which merchant. Law:
// one line for each member of staff, merchant and hour, not one a row or a page, so that the log
// stays readable.

import type { Db } from '../platform/db.ts'
import type { Environment, Person } from '../platform/http/route.ts'
import { accountsOwnId, actorOfPerson } from './audit.ts'
import { recordAct } from './record-act.ts'

const every_ms = 3_600_000
const remembered_max = 10_000
/** Noted by this process; another process may note the same hour once more. */
const noted = new Map<string, number>()

export type Look = Readonly<{
  /** Undefined: across all merchants. */
  merchant_id: string | undefined
  environment: Environment
}>

export async function noteLook(db: Db, by: Person, look: Look): Promise<void> {
  const { merchant_id = accountsOwnId, environment } = look
  const key = `${by.person_id} ${merchant_id} ${environment}`
  const now = Date.now()
  if (now - (noted.get(key) ?? -every_ms) < every_ms) return
  if (noted.size >= remembered_max) noted.clear()
  noted.set(key, now)
  await recordAct(db, {
    merchant_id,
    environment,
    actor: actorOfPerson(by),
    action: 'payers.looked_at',
    target_kind: look.merchant_id === undefined ? 'everybody' : 'merchant',
    target_id: merchant_id,
  })
}
