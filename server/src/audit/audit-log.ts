// Writing the audit log, each line in the transaction of the change that it records; and what
// other folders ask of the log, which nobody can change.

import type { Db, Sql, Tx } from '../platform/db.ts'
import type { Environment, Person } from '../platform/http/route.ts'
import { newId } from '../platform/ids.ts'
import { type Act, type Actor, accountsOwnId, actorOfPerson } from './audit.ts'
import {
  type ActsCounted,
  type ActsOn,
  countActs as countRows,
  countActsOn as countRowsOn,
  insertAct,
  listTargets,
  type Targets,
  type TargetsQuery,
} from './store.ts'

export const recordAct = (sql: Sql, act: Act): Promise<void> => insertAct(sql, newId(), act)

// The audit line of an act of people on their own account, which belongs to no merchant.

type OwnAct = Pick<Act, 'action' | 'target_kind' | 'target_id' | 'before' | 'after'>

export const recordOwnAct = (tx: Tx, actor: Actor, act: OwnAct): Promise<void> =>
  recordAct(tx, { merchant_id: accountsOwnId, environment: null, actor, ...act })

// What is done again and again stands in the log once an hour, so that the log stays readable.

const every_ms = 3_600_000
const remembered_max = 10_000
/** Noted by this process, or being noted; another may note the same hour once more. */
const noted = new Map<string, Readonly<{ at_ms: number; written: Promise<void> }>>()

/** `key`: what makes it the same act once more. Resolves when a line of this hour is there. */
export async function recordHourly(sql: Sql, key: string, act: Act): Promise<void> {
  const at_ms = Date.now()
  const known = noted.get(key)
  if (known !== undefined && at_ms - known.at_ms < every_ms) return known.written
  if (noted.size >= remembered_max) noted.clear()
  const written = recordAct(sql, act)
  noted.set(key, { at_ms, written })
  try {
    await written
  } catch (error) {
    noted.delete(key)
    throw error
  }
}

// A line in the audit log when staff read payers' data: who read it, and of which merchant. Law:
// one line for each member of staff, merchant and hour, not one a row or a page.

export type Look = Readonly<{
  /** Undefined: across all merchants. */
  merchant_id: string | undefined
  environment: Environment
}>

export async function noteLook(db: Db, by: Person, look: Look): Promise<void> {
  const { merchant_id = accountsOwnId, environment } = look
  await recordHourly(db, `look ${by.person_id} ${merchant_id} ${environment}`, {
    merchant_id,
    environment,
    actor: actorOfPerson(by),
    action: 'payers.looked_at',
    target_kind: look.merchant_id === undefined ? 'everybody' : 'merchant',
    target_id: merchant_id,
  })
}

// How often something was done at a merchant since a moment, or to one thing of theirs ever.

export const countActs = (sql: Sql, query: ActsCounted): Promise<number> => countRows(sql, query)

/** In the whole history of one thing: the acts that found a value in a field. */
export const countActsOn = (sql: Sql, query: ActsOn): Promise<number> => countRowsOn(sql, query)

// What an API key has done certain acts on, according to the audit log, which nobody can change.

export type { Targets, TargetsQuery }

export const targetsOfKey = (sql: Sql, query: TargetsQuery): Promise<Targets[]> =>
  listTargets(sql, query)
