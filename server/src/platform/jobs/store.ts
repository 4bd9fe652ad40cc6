// The statements of the jobs' mechanism: leases by name, and the heartbeat of the workers.

import type { Sql } from '../db.ts'

export type LeaseRequest = Readonly<{ name: string; owner: string; ttl_s: number }>

/**
 * Takes a lease that is free or over, or renews our own. One that was over, even ours, gets a new
 * number, because another process may have worked under it meanwhile.
 */
export async function claimLease(sql: Sql, request: LeaseRequest): Promise<bigint | undefined> {
  const [row] = await sql<{ lease_no: bigint }[]>`
    insert into leases as l (name, owner, leased_until)
    values (${request.name}, ${request.owner}, now() + ${request.ttl_s} * interval '1 second')
    on conflict (name) do update
       set owner = excluded.owner,
           leased_until = excluded.leased_until,
           lease_no = l.lease_no + case when l.leased_until > now() then 0 else 1 end
     where l.owner = excluded.owner or l.leased_until <= now()
    returning lease_no`
  return row?.lease_no
}

export type OwnedLease = Readonly<{ name: string; owner: string; lease_no: bigint }>

/**
 * The row stays, because its number must never go back. Its end is kept rounded to a millisecond,
 * and would be in the future for half of one.
 */
export async function endLease(sql: Sql, lease: OwnedLease): Promise<void> {
  await sql`
    update leases set leased_until = now() - interval '1 millisecond'
     where name = ${lease.name} and owner = ${lease.owner} and lease_no = ${lease.lease_no}`
}

/** Writes the heartbeat of one worker, and deletes workers that have been silent for an hour. */
export async function saveHeartbeat(sql: Sql, name: string): Promise<void> {
  await sql`
    with forgotten as (
      delete from worker_beats where beat_at < now() - interval '1 hour' and name <> ${name}
    )
    insert into worker_beats (name, beat_at) values (${name}, now())
    on conflict (name) do update set beat_at = excluded.beat_at`
}

export async function deleteHeartbeat(sql: Sql, name: string): Promise<void> {
  await sql`delete from worker_beats where name = ${name}`
}

export async function hasHeartbeatWithin(sql: Sql, seconds: number): Promise<boolean> {
  const rows = await sql`
    select 1 from worker_beats
     where beat_at > now() - ${seconds} * interval '1 second' limit 1`
  return rows.count > 0
}
