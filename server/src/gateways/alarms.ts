// What an operator answers that is nobody's payment's fault. Law: three refusals of our credentials
// in a minute, whichever processes got them, throw the account's own switch: every other payment
// would fare alike. Asking goes on, and staff switch it on again when it is mended.

import { systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { publishCatalogue } from '../catalogue/extend-catalogue.ts'
import { platformMerchant } from '../ledger/account.ts'
import { type Db, inTransaction } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { findAlarmed, insertAlarm } from './account-store.ts'
import { updateGateway } from './store.ts'

export type Alarm = Readonly<{ gateway_id: string; kind: 'CREDENTIAL' | 'CONFIGURATION' }>

const alarmsMost = 3

/** True when this one threw the switch. Only a send that was refused so costs these statements. */
export function raiseAlarm(db: Db, { gateway_id, kind }: Alarm): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const account = await findAlarmed(tx, gateway_id)
    if (account === undefined) return false
    await insertAlarm(tx, { id: newId(), gateway_id, kind })
    // With the one just written, and of the account as it is under its lock.
    const isTripped = kind === 'CREDENTIAL' && account.is_active && account.recent + 1 >= alarmsMost
    if (!isTripped) return false
    const { environment, name } = account
    await updateGateway(tx, gateway_id, { name, is_active: false })
    await recordAct(tx, {
      ...{ merchant_id: platformMerchant[environment], environment, actor: systemActor },
      ...{ action: 'gateway.tripped', target_kind: 'gateway', target_id: gateway_id },
      before: { is_active: true },
      after: { is_active: false, why: `${alarmsMost} refusals of our credentials in a minute` },
    })
    await publishCatalogue(tx)
    return true
  })
}
