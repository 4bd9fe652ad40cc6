// What the operator remembers: sessions, what was done about them, payouts. One JSON line each in a
// file, where there is one, written before it is answered.

import { appendFileSync } from 'node:fs'
import { linesOf } from '../kept-lines.ts'
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
  for (const line of file === undefined ? [] : linesOf<Line>(file)) take(line)
  return {
    sessions,
    payouts,
    keep(line) {
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
      take(line)
    },
  }
}
