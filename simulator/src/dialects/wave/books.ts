// What the operator remembers: sessions, what was done about them, payouts. One JSON line each in a
// file, where there is one, written before it is answered.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Act, Payout, Session } from './session.ts'

type Line = { session: Session } | { session_id: string; act: Act } | { payout: Payout }

export type Books = Readonly<{
  sessions: ReadonlyMap<string, Session>
  /** By the business's own key. */
  payouts: ReadonlyMap<string, Payout>
  keep(line: Line): void
}>

/** `file`: where it is remembered; undefined: it is forgotten with the process. */
export function openBooks(file: string | undefined): Books {
  const sessions = new Map<string, Session>()
  const payouts = new Map<string, Payout>()
  const take = (line: Line): void => {
    if ('session' in line) sessions.set(line.session.id, line.session)
    else if ('payout' in line) payouts.set(line.payout.key, line.payout)
    else {
      const one = sessions.get(line.session_id)
      if (one !== undefined) sessions.set(one.id, { ...one, acts: [...one.acts, line.act] })
    }
  }
  for (const line of file === undefined ? [] : linesOf(file)) take(line)
  return {
    sessions,
    payouts,
    keep(line) {
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
      take(line)
    },
  }
}

/** The last line may have been cut by a kill: it had not been answered yet. */
function linesOf(file: string): Line[] {
  if (!existsSync(file)) return []
  const texts = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return texts.flatMap((text, at): Line[] => {
    try {
      return [JSON.parse(text)]
    } catch {
      if (at === texts.length - 1) return []
      throw new Error(`${file}: line ${at + 1} is unreadable`)
    }
  })
}
