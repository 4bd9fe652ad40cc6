// What a form changes of a record. Law: only what its reader has made other is sent, so that
// whoever saves one thing never undoes what a colleague has changed of another meanwhile.

import { useRef, useState } from 'react'

type Changes<Body> = Readonly<{
  /** As the form was drawn: a record that is read anew moves no field under its reader. */
  drawn: Body
  /**
   * Of what the form has now that which is other than it was drawn, or done since; and what was
   * sent and is not known to be done: its answer may have been lost, and not itself.
   */
  changed: (now: Body) => Partial<Body>
  /** It was done. */
  keep: (now: Body) => void
}>

/** `first`: what the fields begin with. */
export function useChanges<Body extends object>(first: Body): Changes<Body> {
  const [drawn] = useState(first)
  const last = useRef(first)
  const sent = useRef(new Set<keyof Body>())
  return {
    drawn,
    changed: (now) => {
      const changes: Partial<Body> = { ...now }
      for (const name in now) {
        if (sent.current.has(name)) continue
        if (isSame(now[name], last.current[name])) delete changes[name]
        else sent.current.add(name)
      }
      return changes
    },
    keep: (now) => {
      last.current = now
      sent.current.clear()
    },
  }
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
