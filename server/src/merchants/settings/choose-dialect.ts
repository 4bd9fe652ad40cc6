// What a merchant's networks speak in the sandbox, as its own setting: read with the credential of
// each call, so that a choice counts in every process from the next call on.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { writeInTurn } from '../../platform/batch-calls.ts'
import type { Db } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import { lockMerchant, readDialects, updateDialect } from '../store.ts'

export type Choice = Readonly<{
  /** What it is kept under. */
  key: string
  network_code: string
  direction: string
  dialect: string
  /** The dialect of who has chosen nothing: it is not kept. */
  usual: string
}>

/** Nothing where it is so already. Two choices at once, for two networks, both count. */
export async function keepChoice(
  db: Db,
  caller: Caller,
  { key, network_code: network, direction, dialect, usual }: Choice,
): Promise<void> {
  const { merchant_id, environment } = caller
  await writeInTurn(db, caller, async (tx) => {
    await lockMerchant(tx, merchant_id)
    const before = (await readDialects(tx, caller))[key] ?? usual
    if (before === dialect) return
    await updateDialect(tx, merchant_id, { key, dialect: dialect === usual ? null : dialect })
    await recordAct(tx, {
      ...{ merchant_id, environment, actor: actorOf(caller) },
      ...{ action: 'sandbox.dialect_chosen', target_kind: 'merchant', target_id: merchant_id },
      before: { network, direction, dialect: before },
      after: { network, direction, dialect },
    })
  })
}
