// When and from where each key was last used. A call costs no write: the newest use of each key
// waits in memory and all of them are written by one statement, at most every ten seconds. What a
// process that is killed had not written is lost; nothing but this display depends on it.

import type { Db } from '../../platform/db.ts'
import { updateLastUses } from './store.ts'

export type NoteUse = (api_key_id: string, ip: string) => void

export type LastUses = Readonly<{
  note: NoteUse
  /** Writes what waits, and waits no more. */
  stop(): Promise<void>
}>

type Use = Readonly<{ at_ms: number; ip: string }>

const every_ms_default = 10_000

/** `db` should be one without durable commits. */
export function lastUses(
  db: Db,
  { every_ms = every_ms_default, clock = () => performance.now() } = {},
): LastUses {
  let uses = new Map<string, Use>()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  let stopped = false

  function schedule(): void {
    if (timer !== undefined || stopped) return
    timer = setTimeout(write, every_ms)
    timer.unref()
  }

  function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const batch = uses
    uses = new Map()
    // An age instead of a time, so that only one clock counts: the database's.
    const now = clock()
    const rows = [...batch].map(([id, { at_ms, ip }]) => ({ id, ip, ago_ms: now - at_ms }))
    if (rows.length > 0) {
      writing = writing.then(() => updateLastUses(db, rows)).catch(() => keep(batch))
    }
    return writing
  }

  /** The database was away: they go with the next ones, unless the key was used again. */
  function keep(batch: ReadonlyMap<string, Use>): void {
    uses = new Map([...batch, ...uses])
    schedule()
  }

  return {
    note(api_key_id, ip) {
      uses.set(api_key_id, { at_ms: clock(), ip })
      schedule()
    },
    async stop() {
      stopped = true
      await write()
    },
  }
}
