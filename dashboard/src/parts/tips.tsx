// Moments and sums with what they leave unsaid in a tip: the moment as programs write it, the code
// of a currency that several have the name of. On a record's own page both stand in the open.

import type { ReactNode } from 'react'
import { lookAlike, writeCurrency } from '../format/amount.ts'
import { writeExactly } from '../format/moment.ts'
import { useHere } from './place.tsx'

/** As the API writes it: an ISO 8601 moment, of UTC. */
export function When({ of }: { of: string }) {
  const { moment } = useHere()
  return (
    <time dateTime={of} title={of}>
      {moment(of)}
    </time>
  )
}

type ExactlyProps = Readonly<{ of: string; children?: ReactNode }>

/** With its day and seconds, what is said beside them, and below as the API writes it. */
export function WhenExactly({ of, children }: ExactlyProps) {
  const { clock } = useHere()
  return (
    <>
      <time dateTime={of}>{writeExactly(of, clock)}</time> {children}
      <time className="mute small line" dateTime={of}>
        {of}
      </time>
    </>
  )
}

type SumProps = Readonly<{
  of: string
  currency: string
  /** Those of all sums that stand together. */
  among?: readonly string[]
}>

/** `of`: a decimal of the API's. FCFA is the name of two currencies; where both stand, it says. */
export function Sum({ of, currency, among = [] }: SumProps) {
  const { amountAmong } = useHere()
  const isSaid = writeCurrency(currency) === currency || lookAlike(among)
  return <span title={isSaid ? undefined : currency}>{amountAmong(among)(of, currency)}</span>
}
