// What a form changes of a record. Law: only what its reader has made other is sent, so that
// whoever saves one thing never undoes what a colleague has changed of another meanwhile.

import { useRef, useState } from 'react'

type Changes<Body> = Readonly<{
  /** As the form was drawn: a record that is read anew moves no field under its reader. */
  drawn: Body
  /** Of what the form has now that which is other than it was drawn, or done since. */
  changed: (now: Body) => Partial<Body>
  /** It was done. */
  keep: (now: Body) => void
}>

/** `first`: what the fields begin with. */
export function useChanges<Body extends object>(first: Body): Changes<Body> {
  const [drawn] = useState(first)
  const last = useRef(first)
  return {
    drawn,
    changed: (now) => {
      const changes: Partial<Body> = { ...now }
      for (const name in now) if (isSame(now[name], last.current[name])) delete changes[name]
      return changes
    },
    keep: (now) => {
      last.current = now
    },
  }
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
