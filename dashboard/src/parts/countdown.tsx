// How long until something happens by itself, and how long something has waited: reckoned anew each
// minute, by the service's clock.

import { useEffect, useState } from 'react'
import { serviceNow } from '../data/clock.ts'
import { writeAge, writeLeft } from '../format/moment.ts'
import { useHere } from './place.tsx'
import { When } from './tips.tsx'

const minute_ms = 60_000

function useNow(): Date {
  const [now, setNow] = useState(() => new Date(serviceNow()))
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date(serviceNow())), minute_ms)
    return () => clearInterval(timer)
  }, [])
  return now
}

export function Countdown({ to }: { to: string }) {
  const { language, moment } = useHere()
  const now = useNow()
  return (
    <time dateTime={to}>
      {writeLeft(to, language, now)} ({moment(to)})
    </time>
  )
}

/** Beside its moment, where somebody or something waits: "(26 min ago)". */
export function Age({ of }: { of: string }) {
  const { language } = useHere()
  const age = writeAge(of, language, useNow())
  return age === '' ? null : (
    <time className="age mute" dateTime={of}>
      ({age})
    </time>
  )
}

/** The moment that it has waited since, and how long that is. */
export const WaitsSince = ({ of }: { of: string }) => (
  <>
    <When of={of} /> <Age of={of} />
  </>
)
