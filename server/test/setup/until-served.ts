// Many calls at once for one row may be told, on a busy machine, that they took too long: 503,
// `retryable`, nothing done. Whoever calls then does what the answer says and calls again.

import { setTimeout as sleep } from 'node:timers/promises'

const patience_ms = 60_000
const pause_ms = 100

/** The first answer that is no 503, or the last one after a minute. */
export async function untilServed<R extends Readonly<{ status: number }>>(
  call: () => Promise<R>,
): Promise<R> {
  const began = Date.now()
  for (;;) {
    const reply = await call()
    if (reply.status !== 503 || Date.now() - began > patience_ms) return reply
    await sleep(pause_ms)
  }
}
