// Moments and sums with what they leave unsaid in a tip: the moment as programs write it, the code
// of a currency that several have the name of. On a record's own page both stand in the open.

import { writeCurrency } from '../format/amount.ts'
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

/** With its day and seconds, and below them as the API writes it. */
export function WhenExactly({ of }: { of: string }) {
  const { clock } = useHere()
  return (
    <time dateTime={of}>
      {writeExactly(of, clock)}
      <span className="mute small line">{of}</span>
    </time>
  )
}

type SumProps = Readonly<{ of: string; currency: string }>

/** `of`: a decimal of the API's. FCFA is the name of two currencies. */
export function Sum({ of, currency }: SumProps) {
  const { amount } = useHere()
  const tip = writeCurrency(currency) === currency ? undefined : currency
  return <span title={tip}>{amount(of, currency)}</span>
}
