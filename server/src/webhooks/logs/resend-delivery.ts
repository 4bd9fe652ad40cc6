// Sends one delivery once more, whatever its outcome was: the same id and body, in its endpoint's
// queue, behind what is new there.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { transactInTurn } from '../../platform/batch-calls.ts'
import type { Db } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { webhookErrors } from '../errors.ts'
import type { LogDetail } from './log.ts'
import { findEndpoint, getLog, updateToDue } from './store.ts'

export type ResendDeps = Readonly<{ db: Db; wake: (name: string) => void }>

export async function resendDelivery(
  { db, wake }: ResendDeps,
  caller: Caller,
  id: string,
): Promise<LogDetail> {
  const { merchant_id, environment } = caller
  const log = await transactInTurn(db, caller, async (tx) => {
    const { webhook_id } = await getLog(tx, caller, id)
    const endpoint = await findEndpoint(tx, { merchant_id, webhook_id })
    if (endpoint === undefined || endpoint.is_deleted) throw refuse(webhookErrors.webhook_deleted)
    if (!endpoint.is_active) throw refuse(webhookErrors.webhook_inactive)
    await updateToDue(tx, { merchant_id, environment, id }, webhook_id)
    await recordAct(tx, {
      merchant_id,
      environment,
      actor: actorOf(caller),
      action: 'webhook_log.resent',
      target_kind: 'webhook_log',
      target_id: id,
      after: { webhook: webhook_id },
    })
    return getLog(tx, caller, id)
  })
  wake('deliver-webhooks')
  return log
}
