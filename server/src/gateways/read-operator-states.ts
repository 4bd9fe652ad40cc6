// What operators say of how their networks work just now is asked once a minute. Law: what is not
// received for some minutes is not known, so that nothing stays closed because its operator fell
// silent; and it is the operator's word about itself, never about a payment.

import { type Db, inTransaction } from '../platform/db.ts'
import type { Gateways } from './gateway.ts'
import { claimStates, type DueStates, replaceStates } from './operator-state-statements.ts'
import {
  type NetworkState,
  type PublishesAvailability,
  publishesAvailability,
} from './published.ts'

export type StateDeps = Readonly<{
  db: Db
  gateways: Gateways
  /** The row of each gateway, by its code. */
  row_ids: ReadonlyMap<string, string>
  /** Called for each reading that failed. */
  onFault: (code: string, err: unknown) => void
}>

const every_s = 60

/** Asks what is due. Of several, a slow or broken one keeps no other from being read. */
export async function readOperatorStates(deps: StateDeps): Promise<void> {
  const all = deps.gateways.all().filter(publishesAvailability)
  const ids = all.flatMap(({ code }) => deps.row_ids.get(code) ?? [])
  if (ids.length === 0) return
  const claimed = await claimStates(deps.db, ids, every_s)
  await Promise.all(
    claimed.map((due) => {
      const gateway = all.find(({ code }) => deps.row_ids.get(code) === due.id)
      return gateway === undefined ? undefined : readOne(deps, gateway, due)
    }),
  )
}

async function readOne(
  { db, onFault }: StateDeps,
  gateway: PublishesAvailability,
  due: DueStates,
): Promise<void> {
  try {
    const published = await gateway.availability()
    if (published === undefined) throw new Error('no list came that can be read')
    if (published.length === 0) throw new Error('the operator named no network of ours')
    await inTransaction(db, (tx) => replaceStates(tx, due, onceEach(published)))
  } catch (err) {
    onFault(gateway.code, err)
  }
}

/** What it names twice, and otherwise each time, it does not say. */
function onceEach(published: readonly NetworkState[]): readonly NetworkState[] {
  const by = new Map<string, NetworkState | undefined>()
  for (const one of published) {
    const key = `${one.network_code} ${one.direction}`
    const known = by.get(key)
    by.set(key, !by.has(key) || known?.state === one.state ? one : undefined)
  }
  return [...by.values()].flatMap((one) => one ?? [])
}
