// After the chaos: all processes are up and awake, what waits for its hour is brought forward, and
// the app is checked until nothing is missing any more.

import { setTimeout as sleep } from 'node:timers/promises'
import { auditBooks, auditLedger } from './audit-books.ts'
import { auditEvents } from './audit-events.ts'
import { auditPayments } from './audit-payments.ts'
import { auditRefunds } from './audit-refunds.ts'
import type { Breach } from './breach.ts'
import { collectFacts, type Facts, factsOf, type Own } from './facts.ts'
import { untilUp } from './member.ts'
import type { ChaosApp } from './start-app.ts'
import { hurryDeliveries, hurryQuestions } from './store.ts'

export const audit = (facts: Facts): Breach[] => [
  ...auditPayments(facts),
  ...auditRefunds(facts),
  ...auditLedger(facts),
  ...auditBooks(facts),
  ...auditEvents(facts),
]

export type Rested = Readonly<{ facts: Facts; breaches: readonly Breach[]; took_ms: number }>

const looks_every_ms = 700
/** With nothing missing it is checked again after this: whatever is late would be wrong. */
const quiet_ms = 1_500
const up_within_ms = 60_000

export type Resting = Readonly<{
  app: ChaosApp
  own: Own
  within_ms: number
  /** Only these merchants are checked; absent: all. */
  only?: ReadonlySet<string>
}>

export async function comeToRest({ app, own, within_ms, only }: Resting): Promise<Rested> {
  const from_ms = Date.now()
  const until_ms = from_ms + within_ms
  for (const member of app.members) member.wake()
  await untilUp(app.members, up_within_ms)
  let is_quiet = false
  for (;;) {
    const all = await look(app, own, until_ms)
    const facts = only === undefined ? all : factsOf(all, only)
    const breaches = audit(facts)
    const took_ms = Date.now() - from_ms
    // What is wrong for good is reported when all the rest is known.
    const is_waited_for = breaches.some(({ may_pass }) => may_pass)
    if (Date.now() > until_ms || (!is_waited_for && is_quiet)) return { facts, breaches, took_ms }
    is_quiet = !is_waited_for
    await sleep(is_quiet ? quiet_ms : looks_every_ms)
  }
}

/** The database may still be busy with dying connections: then it is read again. */
async function look(app: ChaosApp, own: Own, until_ms: number): Promise<Facts> {
  for (;;) {
    try {
      await hurryDeliveries(app.db)
      await hurryQuestions(app.db)
      return await collectFacts(app, own)
    } catch (error) {
      if (Date.now() > until_ms) throw error
      await sleep(looks_every_ms)
    }
  }
}

/** During the chaos failed deliveries are hurried, so that later tries are struck as well. */
export function startHurrying({ rough_db }: ChaosApp): () => Promise<void> {
  let is_over = false
  const work = async () => {
    while (!is_over) {
      // The database is dead as often as not: the next time will do.
      await hurryDeliveries(rough_db).catch(() => undefined)
      await sleep(1_000)
    }
  }
  const working = work()
  return () => {
    is_over = true
    return working
  }
}
