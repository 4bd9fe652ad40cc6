// How often the pages of links were opened. A page costs no write: openings are counted in memory
// and written together, at most every ten seconds. What a process that is killed had not written is
// lost; nothing but the merchant's figures depends on it.

import type { Sql } from '../platform/db.ts'
import { addVisits, type LinkKey, listToday, type Visits } from './visit-statements.ts'

export type NoteVisit = (link: LinkKey) => void

export type LinkVisits = Readonly<{
  note: NoteVisit
  /** Writes what waits, and waits no more. */
  stop(): Promise<void>
}>

const every_ms_default = 10_000
/** How many links may wait while the database is away; openings of others are not counted. */
const links_max = 10_000

/** `db` should be one without durable commits. */
export function linkVisits(db: Sql, { every_ms = every_ms_default } = {}): LinkVisits {
  let counted = new Map<string, Visits>()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  let stopped = false

  function schedule(): void {
    if (timer !== undefined || stopped) return
    timer = setTimeout(write, every_ms)
    timer.unref()
  }

  function add({ merchant_id, payment_link, visits }: Visits): void {
    const before = counted.get(payment_link)
    if (before === undefined && counted.size >= links_max) return
    const sum = (before?.visits ?? 0) + visits
    counted.set(payment_link, { merchant_id, payment_link, visits: sum })
    schedule()
  }

  function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const batch = [...counted.values()]
    counted = new Map()
    if (batch.length > 0) writing = writing.then(() => writeAll(batch))
    return writing
  }

  /** Where the database is away, they go with the next ones. */
  async function writeAll(batch: readonly Visits[]): Promise<void> {
    const merchants = [...new Set(batch.map(({ merchant_id }) => merchant_id))]
    const days = await listToday(db, merchants).catch(() => undefined)
    if (days === undefined) return batch.forEach(add)
    for (const today of days) {
      const own = batch.filter(({ merchant_id }) => merchant_id === today.merchant_id)
      await addVisits(db, today, own).catch(() => own.forEach(add))
    }
  }

  return {
    note: (link) => add({ ...link, visits: 1 }),
    async stop() {
      stopped = true
      await write()
    },
  }
}
