// The laws of what operators are asked for, against what was told before: whoever is promised a net
// is sent that net, and one call asks its payer for one sum. Read from the operators' own side.

import type { Sending } from './operator.ts'
import type { TransactionRecord } from './records.ts'
import type { Law, Seen } from './seen.ts'

const hundredths = (decimal: string): bigint => BigInt(decimal.replace('.', ''))

type Sent = Sending & Readonly<{ transaction: TransactionRecord }>

function sentOf({ scene, records, attemptByKey }: Seen, isPayout: boolean): Sent[] {
  const byId = new Map(records.transactions.map((one) => [one.id, one]))
  return scene.desks.flatMap(({ sendings }) =>
    sendings.flatMap((one) => {
      const transaction = byId.get(attemptByKey.get(one.our_key)?.transaction_id ?? '')
      if (transaction === undefined) return []
      const isOfThese = (transaction.transaction_type === 'RETRAIT') === isPayout
      return isOfThese ? [{ ...one, transaction }] : []
    }),
  )
}

const viewOf = ({ records }: Seen, { id }: TransactionRecord) =>
  records.events.find(({ type, transaction_id }) => {
    return type === 'transaction.created' && transaction_id === id
  })

/** Whatever became of prices, routes and floats since, and however often it is sent. */
export const netsAreAsReported: Law = (seen) => {
  const { scene, records, attemptByKey } = seen
  const payouts = sentOf(seen, true).flatMap(({ transaction, amount }) => {
    const reported = hundredths(viewOf(seen, transaction)?.net ?? '0')
    return reported === amount
      ? []
      : [`${transaction.id} was told ${reported} and is sent ${amount}`]
  })
  const sendings = scene.desks.flatMap((desk) => desk.sendings)
  const settlements = records.settlements.flatMap(({ id, net }) =>
    sendings
      .filter(({ our_key }) => attemptByKey.get(our_key)?.settlement_id === id)
      .filter(({ amount }) => amount !== BigInt(net))
      .map(({ amount }) => `${id} is of ${net} and is sent ${amount}`),
  )
  return [...payouts, ...settlements]
}

/** A retry may ask for another sum: it is a call of its own, and says so. */
export const debitsAreAsReported: Law = (seen) => {
  const sent = sentOf(seen, false)
  return sent.flatMap(({ transaction, line, amount }) => {
    const first = sent.find((one) => one.transaction === transaction && one.line === line)
    const isItsCall = transaction.request_id === line
    const reported = isItsCall
      ? hundredths(viewOf(seen, transaction)?.charged ?? '0')
      : first?.amount
    return reported === amount
      ? []
      : [`${transaction.id}: ${line} told ${reported} and asks for ${amount}`]
  })
}
