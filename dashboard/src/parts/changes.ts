// What a form changes of a record. Law: only what its reader has made other is sent, so that
// whoever saves one thing never undoes what a colleague has changed of another meanwhile.

import { useRef, useState } from 'react'
import { failureIn } from '../data/call.ts'
import { isUnsure } from '../data/once.ts'

/** What a form has of one record, and how its reader's changes go out. */
export type Changes<Body> = Readonly<{
  /** As the form was drawn: a record that is read anew moves no field under its reader. */
  drawn: Body
  /**
   * Sends of what the form has now that which is other than it was drawn, or done since; and what
   * was sent and may have been done: its answer was lost, and not itself.
   */
  save: (now: Body, send: (changes: Partial<Body>) => Promise<unknown>) => Promise<void>
}>

/** `first`: what the fields begin with. */
export function useChanges<Body extends object>(first: Body): Changes<Body> {
  const [drawn] = useState(first)
  const last = useRef(first)
  const sent = useRef(new Set<keyof Body>())
  return {
    drawn,
    async save(now, send) {
      const changes: Partial<Body> = { ...now }
      const added: (keyof Body)[] = []
      for (const name in now) {
        if (sent.current.has(name)) continue
        if (isSame(now[name], last.current[name])) delete changes[name]
        else added.push(name)
      }
      for (const name of added) sent.current.add(name)
      try {
        await send(changes)
      } catch (error) {
        const failure = failureIn(error)
        const isRefused = failure !== undefined && !isUnsure(failure, false)
        // None of it was done: what its reader puts back as it was is not sent.
        if (isRefused) for (const name of added) sent.current.delete(name)
        throw error
      }
      last.current = now
      sent.current.clear()
    },
  }
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
