// Named leases: a piece of work that one process does at a time. Database time decides when one is
// over; its number fences a process that slept through its end (money 4).

import { randomUUID } from 'node:crypto'
import type { Db } from '../db.ts'
import { claimLease, endLease } from './store.ts'

/** The name of this process in every lease it holds. */
export const this_process = randomUUID()

const lease_ttl_s = 15

/**
 * The lease, when it is free, over, or already ours (then renewed). Write `lease_no` beside what is
 * done under it, or check it in the same statement: a higher one means that ours is gone.
 */
export async function takeLease(
  db: Db,
  name: string,
  ttl_s: number = lease_ttl_s,
  owner: string = this_process,
): Promise<{ lease_no: bigint } | undefined> {
  const lease_no = await claimLease(db, { name, owner, ttl_s })
  return lease_no === undefined ? undefined : { lease_no }
}

export type Lease = Readonly<{ name: string; lease_no: bigint; owner?: string }>

/** Lets the next process in at once; does nothing when the lease is no longer ours. */
export function giveUpLease(db: Db, lease: Lease): Promise<void> {
  return endLease(db, { owner: this_process, ...lease })
}
