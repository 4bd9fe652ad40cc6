// `/metrics` in Prometheus text: the process, and the ages an operator must be woken for.

import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Db } from '../platform/db.ts'
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
  open_incidents: gauge('pirogue_open_incidents', 'Contradictions that wait for two people.'),
  failing_attempts: gauge(
    'pirogue_failing_attempts',
    'Attempts whose answers could not be written down within the last two hours.',
  ),
}

const retention_age_s = new Gauge({
  name: 'pirogue_retention_age_seconds',
  help: 'How long ago all of a kind of data that was due had come to its end date.',
  labelNames: ['kind'],
  registers: [registry],
})

/** The text of one scrape. */
export async function metricsOf(db: Db): Promise<string> {
  const ages = await readAges(db)
  gauges.oldest_unnumbered_event_s.set(ages.oldest_unnumbered_event_s)
  gauges.oldest_undelivered_s.set(ages.oldest_undelivered_s)
  gauges.oldest_due_attempt_s.set(ages.oldest_due_attempt_s)
  gauges.open_incidents.set(ages.open_incidents)
  gauges.failing_attempts.set(ages.failing_attempts)
  for (const { kind, age_s } of await readRetentionAges(db)) retention_age_s.set({ kind }, age_s)
  return registry.metrics()
}
