// Whether an operator's callbacks come: when one last came that only the operator can have sent,
// account by account, as this process and the others saw it. Law: no payment waits for it, reads it
// or writes it; a process notes what came in memory and exchanges it now and then.

import type { Sql } from '../platform/db.ts'
import { addCallbackTimes, listCallbackTimes } from './callback-time-store.ts'
import type { Direction, Gateways } from './gateway.ts'

/** For how long a callback speaks for those after it. Milliseconds. */
const countsMs = 3_600_000
/** What is newer by less than this is not written again. Milliseconds. */
const writtenMs = 60_000
const never = Number.NEGATIVE_INFINITY

export type CallbackTimes = Readonly<{
  /** One came that is about an attempt of this account. */
  note(gateway_id: string): void
  /** One has come within the hour. */
  come(gateway_id: string): boolean
  /** Writes what came here, and reads what came elsewhere. */
  exchange(sql: Sql): Promise<void>
}>

/**
 * `clock`: milliseconds since whenever, of this process alone. It is never set back: what came
 * would count until it has caught up, in every process.
 */
export function newCallbackTimes(clock: () => number = () => performance.now()): CallbackTimes {
  const latest = new Map<string, number>()
  const written = new Map<string, number>()
  const learn = (gateway_id: string, at_ms: number) => {
    if (at_ms > (latest.get(gateway_id) ?? never)) latest.set(gateway_id, at_ms)
  }
  return {
    note: (gateway_id) => learn(gateway_id, clock()),
    come: (gateway_id) => clock() - (latest.get(gateway_id) ?? never) < countsMs,
    async exchange(sql) {
      const news = [...latest].filter(
        ([gateway_id, at_ms]) => at_ms - (written.get(gateway_id) ?? never) >= writtenMs,
      )
      const now_ms = clock()
      // As ages: no clock of another is compared with ours.
      await addCallbackTimes(
        sql,
        news.map(([gateway_id, at_ms]) => ({ gateway_id, age_s: (now_ms - at_ms) / 1000 })),
      )
      for (const [gateway_id, at_ms] of news) written.set(gateway_id, at_ms)
      for (const { gateway_id, age_s } of await listCallbackTimes(sql)) {
        const at_ms = clock() - age_s * 1000
        learn(gateway_id, at_ms)
        // Another has written it: what came here no later need not be.
        if (at_ms > (written.get(gateway_id) ?? never)) written.set(gateway_id, at_ms)
      }
    },
  }
}

/**
 * When an attempt is first asked about after a send: later where callbacks of its account come,
 * which then bring the answer. Undefined where this process cannot speak to it. Seconds.
 */
export function firstAskS(
  gateways: Gateways,
  { gateway_code, direction }: Readonly<{ gateway_code: string; direction: Direction }>,
): number | undefined {
  const facts = gateways.get(gateway_code)?.facts
  if (facts === undefined) return undefined
  const { callbacks_seen, callbacks_silent } = facts.first_ask_after_s
  const brings = direction === 'COLLECT' || facts.payouts_call_back !== false
  return brings && gateways.callbacksCome?.(gateway_code) === true
    ? callbacks_seen
    : callbacks_silent
}
