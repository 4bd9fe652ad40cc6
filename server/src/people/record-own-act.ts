// The audit line of an act of people on their own account, which belongs to no merchant.

import { type Act, type Actor, accountsOwnId } from '../audit/audit.ts'
import { recordAct } from '../audit/record-act.ts'
import type { Tx } from '../platform/db.ts'

type OwnAct = Pick<Act, 'action' | 'target_kind' | 'target_id' | 'before' | 'after'>

export const recordOwnAct = (tx: Tx, actor: Actor, act: OwnAct): Promise<void> =>
  recordAct(tx, { merchant_id: accountsOwnId, environment: null, actor, ...act })
