// Due work of payments: one poller a gateway (a named lease, so that its pace holds over all
// processes) asks about attempts that are pending or unknown.

import { listDueAttempts } from '../attempts/due.ts'
import type { Gateway } from '../gateways/gateway.ts'
import { newId } from '../platform/ids.ts'
import { takeLease } from '../platform/jobs/leases.ts'
import type { Job } from '../platform/jobs/worker.ts'
import { type AskDeps, askAttempt } from '../transactions/ask-attempt.ts'

const leaseS = 15
const batchMax = 50

/** `gateway_ids`: the row of each gateway this process can speak to, by its code. */
export function pollJobs(deps: AskDeps, gateway_ids: ReadonlyMap<string, string>): Job[] {
  return deps.gateways.all().flatMap((gateway) => {
    const gateway_id = gateway_ids.get(gateway.code)
    return gateway_id === undefined ? [] : [pollJob(deps, gateway, gateway_id)]
  })
}

function pollJob(deps: AskDeps, gateway: Gateway, gateway_id: string): Job {
  const name = `poll-${gateway.code}`
  return {
    name,
    poll_ms: 500,
    async run({ signal }) {
      const lease = await takeLease(deps.db, name, leaseS)
      if (lease === undefined || signal.aborted) return 'rest'
      const started = deps.clock()
      const most = Math.min(batchMax, gateway.facts.asks_per_second)
      const due = await listDueAttempts(deps.db, gateway_id, most)
      const question = { triggered_by: 'POLLER' as const, request_id: `poll-${newId()}` }
      await Promise.all(due.map((key) => askAttempt(deps, key, question)))
      await keepPace(due.length, gateway.facts.asks_per_second, deps.clock() - started)
      return due.length === most ? 'more' : 'rest'
    },
  }
}

/** No more questions a second than the gateway allows. */
async function keepPace(asked: number, per_second: number, took_ms: number): Promise<void> {
  const least_ms = (asked * 1000) / per_second
  if (took_ms >= least_ms) return
  await new Promise((resolve) => setTimeout(resolve, least_ms - took_ms))
}
