// Statements of money that go alone and wait for rows: a merchant's few at a time. Law: when
// something has locked one merchant's rows, that merchant's own calls wait, and never all
// connections of the pool.

import { perPool } from './batch-calls.ts'
import { type Db, retryOnDeadlock } from './db.ts'
import type { Environment } from './http/route.ts'
import { type Turns, turnsOf } from './turns.ts'

export type TurnOwner = Readonly<{ merchant_id: string; environment: Environment }>

const usual = { of_owner: 2, waiting: 100, wait_ms: 4_000 }

/** Together fewer than the pool has connections, and SANDBOX never uses those of LIVE. */
const turns = perPool(
  (_db): Readonly<Record<Environment, Turns>> => ({
    LIVE: turnsOf({ ...usual, at_once: 5 }),
    SANDBOX: turnsOf({ ...usual, at_once: 4 }),
  }),
)

/** Runs one autocommitted statement when its merchant's turn has come, and again on a deadlock. */
export const inTurn = <T>(
  db: Db,
  { merchant_id, environment }: TurnOwner,
  statement: () => PromiseLike<T>,
): Promise<T> => turns(db)[environment](merchant_id, () => retryOnDeadlock(statement))
