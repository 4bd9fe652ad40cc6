// How long until something happens by itself: reckoned anew each minute.

import { useEffect, useState } from 'react'
import { writeLeft } from '../format/moment.ts'
import { useHere } from './place.tsx'

const minute_ms = 60_000

export function Countdown({ to }: { to: string }) {
  const { language, moment } = useHere()
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), minute_ms)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={to}>
      {writeLeft(to, language, now)} ({moment(to)})
    </time>
  )
}
