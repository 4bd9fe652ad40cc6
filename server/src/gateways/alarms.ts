// What an operator answers that is nobody's payment's fault. Law: three refusals of our credentials
// for creates in a minute, whichever processes got them, throw the account's own switch: every
// other payment would fare alike. Asking goes on, and staff switch it on again when it is mended.
// What is refused to a question or a refund is an alarm and throws nothing (0209), and so is what
// an operator says of money that people must see.

import { systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { publishCatalogue } from '../catalogue/extend-catalogue.ts'
import { platformMerchant } from '../ledger/account.ts'
import { type Db, inTransaction } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { MoneyAlarmKind, RefusalKind } from './alarm-kinds.ts'
import { findAlarmed, insertAlarm, type KeptAlarm } from './alarm-statements.ts'
import type { Answer } from './gateway.ts'
import { updateGateway } from './store.ts'

export type Alarm = Readonly<{ gateway_id: string }> & KeptAlarm

/** The kind of the alarm that an answer raises, whatever it was an answer to. */
export const alarmIn = (answer: Answer): RefusalKind | MoneyAlarmKind | undefined =>
  'alarm' in answer ? answer.alarm : undefined

const alarmsMost = 3

/** True when this one threw the switch. Only a send that was refused so costs these statements. */
export function raiseAlarm(db: Db, { gateway_id, ...alarm }: Alarm): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const account = await findAlarmed(tx, gateway_id)
    if (account === undefined) return false
    await insertAlarm(tx, { id: newId(), gateway_id, ...alarm })
    const { kind, call } = alarm
    const isCounted = kind === 'CREDENTIAL' && call === 'CREATE'
    // With the one just written, and of the account as it is under its lock.
    const isTripped = isCounted && account.is_active && account.recent + 1 >= alarmsMost
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

/** Of answers there are many, and each would say the same: so long one row stands for all. */
const rest_ms = 60_000

/**
 * True for an alarm that is to be written: each of a create or a refund, each of money that was
 * given back, and of questions, clocks and contradictions one a minute of an account and kind, in
 * each process; of a contradiction, of each payment. `now`: milliseconds.
 */
export function newAlarmRest(now: () => number): (alarm: Alarm) => boolean {
  const written_at = new Map<string, number>()
  return (alarm) => {
    const { gateway_id, kind, call } = alarm
    if (call === 'CREATE' || call === 'REFUND' || kind === 'GIVEN_BACK') return true
    const key = ['about' in alarm ? alarm.about : '', gateway_id, kind].join(' ')
    const at = now()
    for (const [other, before] of written_at) if (at - before >= rest_ms) written_at.delete(other)
    if (written_at.has(key)) return false
    written_at.set(key, at)
    return true
  }
}
