// The laws of a merchant's own money, asked of one world at rest: what is held ends as what it was
// held for did, what two people must say was said by two, and each ends in the books once.

import { credited, type Law, type Seen } from './seen.ts'

type Promised = Readonly<{ id: string; status: string; debited: string }>

const endsOf: Readonly<Record<string, string>> = {
  SUCCESS: 'SPEND',
  FAILED: 'RELEASE',
  CANCELLED: 'RELEASE',
  REJECTED: 'RELEASE',
}

export function unlikeHolds(
  { records }: Seen,
  kind: string,
  promised: readonly Promised[],
): string[] {
  return promised.flatMap(({ id, status, debited }) => {
    const holds = records.holds.filter((one) => one.cause_kind === kind && one.cause_id === id)
    const [hold] = holds
    if (holds.length !== 1 || hold?.amount !== debited) {
      return [`${id} of ${debited} holds ${holds.map(({ amount }) => amount)}`]
    }
    const ends = hold.ends.join(' and ')
    return ends === (endsOf[status] ?? '')
      ? []
      : [`${id} is ${status}, its hold: ${ends || 'open'}`]
  })
}

export const holdsFollow: Law = (seen) => [
  ...unlikeHolds(seen, 'SETTLEMENT', seen.records.settlements),
  ...unlikeHolds(seen, 'TRANSFER', seen.records.transfers),
]

const proofs = ['refused', 'not_found', 'never_sent'] as const

/** What an operator was asked to pay fails by their word to us; else a person ended it. */
export const failuresWereAnswered: Law = ({ scene, records }) =>
  records.settlements
    .filter(({ status }) => status === 'FAILED')
    .flatMap(({ id }) =>
      records.attempts
        .filter(({ settlement_id }) => settlement_id === id)
        .filter(({ our_key }) => {
          const answers = scene.desks.flatMap((desk) => [...desk.answered(our_key)])
          return !proofs.some((proof) => answers.includes(proof))
        })
        .map(({ our_key }) => `${id} failed, and we were never told that ${our_key} did`),
    )

const available = ({ kind }: { kind: string }) => kind === 'available'

/** What came back is given once, and only of what had been paid; and it is told. */
export const returnsAreBooked: Law = ({ records }) =>
  records.settlements.flatMap(({ id, status, net, is_returned }) => {
    const incidents = records.incidents.filter(
      ({ settlement_id, type }) => settlement_id === id && type === 'RETURNED',
    )
    const given = credited(
      records.entries.filter(({ cause_id }) => incidents.some((one) => one.id === cause_id)),
      available,
    )
    const reported = records.events.filter(
      ({ type, subject_id }) => type === 'settlement.returned' && subject_id === id,
    ).length
    const isRight =
      given === (is_returned ? BigInt(net) : 0n) &&
      reported === (is_returned ? 1 : 0) &&
      (!is_returned || status === 'SUCCESS')
    return isRight ? [] : [`${id} is ${status}, came back ${reported} times and gave ${given}`]
  })

/** One person books nothing, and two book it once. */
export const adjustmentsAreBooked: Law = ({ records }) =>
  records.adjustments.flatMap(({ id, status, kind, amount, by_two }) => {
    const entries = records.entries.filter(({ cause_id }) => cause_id === id)
    const moved = credited(entries, available)
    const owed = kind === 'CREDIT_MERCHANT' ? BigInt(amount) : -BigInt(amount)
    const isBooked = status === 'BOOKED'
    const isRight = moved === (isBooked ? owed : 0n) && (!isBooked || by_two)
    return isRight ? [] : [`${id} is ${status} by ${by_two ? 'two' : 'one'} and moved ${moved}`]
  })

/** Each status that is an end, or a beginning, is told once. */
export const movesAreReported: Law = ({ records }) => {
  const countOf = (id: string, type: string) =>
    records.events.filter((one) => one.subject_id === id && one.type === type).length
  const unlike = (id: string, type: string, expected: boolean) =>
    countOf(id, type) === (expected ? 1 : 0)
      ? []
      : [`${id}: ${type} was told ${countOf(id, type)} times`]
  return [
    ...records.settlements.flatMap(({ id, status }) => [
      ...unlike(id, 'settlement.requested', true),
      ...unlike(id, 'settlement.success', status === 'SUCCESS'),
      ...unlike(id, 'settlement.failed', status === 'FAILED'),
      ...unlike(id, 'settlement.cancelled', status === 'CANCELLED'),
    ]),
    ...records.transfers.flatMap(({ id, status }) => [
      ...unlike(id, 'wallet_transfer.requested', true),
      ...unlike(id, 'wallet_transfer.completed', status === 'SUCCESS'),
      ...unlike(id, 'wallet_transfer.rejected', status === 'REJECTED'),
    ]),
  ]
}
