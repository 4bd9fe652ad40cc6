// Due work of attempts. Each gateway has one poller that queries pending and unknown attempts,
// under a named lease so that its pace holds over all processes. One more job closes attempts whose
// gateway is gone.

import type { Gateway } from '../gateways/gateway.ts'
import type { Db } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { giveUpLease, takeLease } from '../platform/jobs/leases.ts'
import type { Job } from '../platform/jobs/worker.ts'
import { type QueryDeps, queryAttempt } from './query-attempt.ts'
import {
  type DueAttempt,
  listAbandonedAttempts,
  listDueAttempts,
  putOff,
} from './query-statements.ts'

/**
 * Renewed while queries are under way; a process that died is replaced within this time. Seconds.
 */
const leaseS = 8
const batchMax = 50

export type PollDeps = QueryDeps &
  Readonly<{
    log: Readonly<{ error: (about: object, message: string) => void }>
  }>

/**
 * `gateway_ids`: the row of each gateway that this process can speak to, by its code. It may grow:
 * `pollJobOf` makes the job of a gateway that comes later.
 */
export function pollJobs(deps: PollDeps, gateway_ids: ReadonlyMap<string, string>): Job[] {
  const jobs = deps.gateways.all().map((gateway) => pollJobOf(deps, gateway_ids, gateway))
  return [...jobs.flat(), abandonedJob(deps, gateway_ids)]
}

/** None for a gateway without a row. */
export function pollJobOf(
  deps: PollDeps,
  gateway_ids: ReadonlyMap<string, string>,
  gateway: Gateway,
): Job[] {
  const gateway_id = gateway_ids.get(gateway.code)
  return gateway_id === undefined ? [] : [pollJob(deps, gateway, gateway_id)]
}

/** A gateway that was taken away leaves nothing PENDING for ever (money 1: the query time). */
function abandonedJob(deps: PollDeps, gateway_ids: ReadonlyMap<string, string>): Job {
  return {
    name: 'close-abandoned',
    poll_ms: 60_000,
    async run() {
      const known = deps.gateways.all().flatMap(({ code }) => gateway_ids.get(code) ?? [])
      const due = await listAbandonedAttempts(deps.db, known, batchMax)
      await queryAll(deps, due)
      return due.length === batchMax ? 'more' : 'rest'
    },
  }
}

/**
 * One failure (an answer that the database will not take) holds up no other attempt, now or later:
 * it is reported and put off by growing steps. The run fails only where not even that is written.
 */
async function queryAll(deps: PollDeps, due: readonly DueAttempt[]): Promise<void> {
  const question = { triggered_by: 'POLLER' as const, request_id: `poll-${newId()}` }
  const answers = await Promise.allSettled(due.map((one) => queryAttempt(deps, one, question)))
  for (const [at, one] of due.entries()) {
    const answer = answers[at]
    if (answer?.status !== 'rejected') continue
    const { merchant_id, id: attempt_id } = one
    deps.log.error({ merchant_id, attempt_id, ...faultOf(answer.reason) }, 'no answer applied')
    await putOff(deps.db, one)
  }
}

/**
 * What failed and where. PostgreSQL's own message and detail may contain a row, so they are left
 * out.
 */
function faultOf(reason: unknown): Readonly<Record<string, unknown>> {
  if (!(reason instanceof Error)) return { fault: typeof reason }
  const named = (name: string) => Reflect.get(reason, name)
  const [code, constraint_name] = [named('code'), named('constraint_name')]
  const where = reason.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  if (constraint_name !== undefined || /^[0-9A-Z]{5}$/.test(String(code))) {
    return {
      fault: reason.name,
      code,
      constraint: constraint_name,
      table: named('table_name'),
      where,
    }
  }
  return { fault: reason.name, message: reason.message, where }
}

function pollJob(deps: PollDeps, gateway: Gateway, gateway_id: string): Job {
  const name = `poll-${gateway.code}`
  let ourLease: { name: string; lease_no: bigint } | undefined
  return {
    name,
    poll_ms: 500,
    async run({ signal }) {
      // As it is now: staff may have agreed on another pace since this job was made.
      const { queries_per_second } = (deps.gateways.get(gateway.code) ?? gateway).facts
      const most = Math.min(batchMax, queries_per_second)
      const listDue = () => listDueAttempts(deps.db, gateway_id, most)
      // A lease is a durable write: not for a look that finds nothing.
      if ((await listDue()).length === 0) return 'rest'
      const lease = await takeLease(deps.db, name, leaseS)
      ourLease = lease && { name, ...lease }
      if (lease === undefined || signal.aborted) return 'rest'
      const started = deps.clock()
      // Again: whoever had the lease until now may have asked.
      const due = await listDue()
      await whileRenewed(deps.db, name, () => queryAll(deps, due))
      await keepPace(due.length, queries_per_second, deps.clock() - started)
      return due.length === most ? 'more' : 'rest'
    },
    // Another process need not wait for the lease to expire.
    finish: async () => {
      if (ourLease !== undefined) await giveUpLease(deps.db, ourLease)
    },
  }
}

/** A query may outlast the lease; until it has ended, no other process queries this gateway. */
async function whileRenewed(db: Db, name: string, work: () => Promise<void>): Promise<void> {
  const renew = () => void takeLease(db, name, leaseS).catch(() => undefined)
  const heartbeat = setInterval(renew, (leaseS * 1000) / 3)
  try {
    await work()
  } finally {
    clearInterval(heartbeat)
  }
}

/** No more questions a second than the gateway allows. */
async function keepPace(questions: number, per_second: number, took_ms: number): Promise<void> {
  const least_ms = (questions * 1000) / per_second
  if (took_ms >= least_ms) return
  await new Promise((resolve) => setTimeout(resolve, least_ms - took_ms))
}
