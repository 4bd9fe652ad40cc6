// The laws of refunds, asked of one world at rest: what is given back was paid and not more, is
// held until it ends, fails only by its operator's word, and is told once.

import { unlikeHolds } from './moving-laws.ts'
import type { Law } from './seen.ts'
import { sum } from './seen.ts'

export const holdsFollow: Law = (seen) => unlikeHolds(seen, 'REFUND', seen.records.refunds)

const proofs = ['refused', 'not_found', 'never_sent'] as const

export const failuresWereAnswered: Law = ({ scene, records }) =>
  records.refunds
    .filter(({ status }) => status === 'FAILED')
    .flatMap(({ id }) =>
      records.attempts
        .filter(({ refund_id }) => refund_id === id)
        .filter(({ our_key }) => {
          const answers = scene.desks.flatMap((desk) => [...desk.answered(our_key)])
          return !proofs.some((proof) => answers.includes(proof))
        })
        .map(({ our_key }) => `${id} failed, and we were never told that ${our_key} did`),
    )

/** Of each payment: never more than was paid, and its row counts what its refunds say. */
export const neverMoreThanPaid: Law = ({ records }) =>
  records.transactions.flatMap((one) => {
    const own = records.refunds.filter(({ payment_id }) => payment_id === one.id)
    const sumOf = (statuses: readonly string[]) =>
      sum(own.filter(({ status }) => statuses.includes(status)).map(({ net }) => BigInt(net)))
    const [live, done] = [sumOf(['PENDING', 'SUCCESS']), sumOf(['SUCCESS'])]
    const fits = live <= BigInt(one.debited) && (live === 0n || one.status === 'SUCCESS')
    const counts = live === BigInt(one.refund_reserved) && done === BigInt(one.refunded)
    return [
      ...(fits ? [] : [`${one.id}: ${live} of ${one.debited} is given back`]),
      ...(counts ? [] : [`${one.id} counts ${one.refunded} of ${one.refund_reserved}`]),
    ]
  })

export const movesAreReported: Law = ({ records }) =>
  records.refunds.flatMap(({ id, status }) => {
    const unlike = (type: string, expected: boolean) => {
      const times = records.events.filter((one) => one.subject_id === id && one.type === type)
      return times.length === (expected ? 1 : 0)
        ? []
        : [`${id}: ${type} was told ${times.length} times`]
    }
    return [
      ...unlike('refund.created', true),
      ...unlike('refund.success', status === 'SUCCESS'),
      ...unlike('refund.failed', status === 'FAILED'),
      ...unlike('refund.cancelled', status === 'CANCELLED'),
    ]
  })
