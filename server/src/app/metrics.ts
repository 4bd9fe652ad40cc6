// `/metrics` in Prometheus text: the process, and the ages an operator must be woken for.

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Db } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { readAges, readRetentionAges } from './store.ts'

const registry = new Registry()
collectDefaultMetrics({ register: registry })

const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] })

const gauges = {
  oldest_unnumbered_event_s: gauge(
    'pirogue_oldest_unnumbered_event_seconds',
    'Age of the oldest event that no sequencer has numbered.',
  ),
  oldest_undelivered_s: gauge(
    'pirogue_oldest_due_delivery_seconds',
    'How long the most overdue webhook lane has been due.',
  ),
  oldest_due_attempt_s: gauge(
    'pirogue_oldest_due_attempt_seconds',
    'How long the most overdue question to a gateway has been due.',
  ),
  upload_bytes: gauge('pirogue_upload_bytes', 'Kept of what merchants uploaded for KYC, in bytes.'),
  open_incidents: gauge('pirogue_open_incidents', 'Contradictions that wait for two people.'),
}

const retention_age_s = new Gauge({
  name: 'pirogue_retention_age_seconds',
  help: 'How long ago all of a kind of data that was due had come to its end date.',
  labelNames: ['kind'],
  registers: [registry],
})

const prompts_refused = new Counter({
  name: 'pirogue_prompts_refused_total',
  help: 'Payments refused because their phone had been asked too often.',
  labelNames: ['environment'],
  registers: [registry],
})

/** Many for one merchant, or one number for many: somebody keeps payers out, or is kept out. */
export const countPromptRefused = (environment: Environment): void =>
  prompts_refused.inc({ environment })

const scrape_lives_ms = 5_000

/** The text of one scrape; those who ask within five seconds get the same. */
export function metricsOn(db: Db, clock: () => number = Date.now): () => Promise<string> {
  let last: { at: number; text: Promise<string> } | undefined
  return () => {
    const at = clock()
    if (last === undefined || at - last.at >= scrape_lives_ms) {
      const text = metricsOf(db)
      const made = { at, text }
      last = made
      // A failed one is told to those who asked for it, and the next asks again.
      text.catch(() => {
        if (last === made) last = undefined
      })
    }
    return last.text
  }
}

async function metricsOf(db: Db): Promise<string> {
  const ages = await readAges(db)
  gauges.oldest_unnumbered_event_s.set(ages.oldest_unnumbered_event_s)
  gauges.oldest_undelivered_s.set(ages.oldest_undelivered_s)
  gauges.oldest_due_attempt_s.set(ages.oldest_due_attempt_s)
  gauges.open_incidents.set(ages.open_incidents)
  gauges.upload_bytes.set(ages.upload_bytes)
  for (const { kind, age_s } of await readRetentionAges(db)) retention_age_s.set({ kind }, age_s)
  return registry.metrics()
}
