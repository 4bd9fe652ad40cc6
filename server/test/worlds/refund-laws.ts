// The laws of refunds, asked of one world at rest: what is given back was paid and not more, is
// held until it ends, fails only by its operator's word, and is told once.

import { unlikeHolds } from './moving-laws.ts'
import type { Records } from './records.ts'
import { type Law, sum } from './seen.ts'

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

/** What two people charged the merchant with: its payer has it, though no refund of ours did it. */
export const chargedOf = ({ incidents }: Records, payment_id: string): bigint =>
  sum(
    incidents
      .filter(({ transaction_id }) => transaction_id === payment_id)
      .filter(({ resolution, status }) => resolution === 'CHARGE_MERCHANT' && status === 'RESOLVED')
      .map(({ amount }) => BigInt(amount)),
  )

/**
 * Of each payment: never more than was paid, and its row counts what its refunds say; beside them,
 * as far as there was room, what its merchant was charged with.
 */
export const neverMoreThanPaid: Law = ({ records }) =>
  records.transactions.flatMap((one) => {
    const own = records.refunds.filter(({ payment_id }) => payment_id === one.id)
    const sumOf = (statuses: readonly string[]) =>
      sum(
        own
          .filter(({ status, is_returned }) => statuses.includes(status) && !is_returned)
          .map(({ net }) => BigInt(net)),
      )
    const [live, done] = [sumOf(['PENDING', 'SUCCESS']), sumOf(['SUCCESS'])]
    const [debited, charged] = [BigInt(one.debited), chargedOf(records, one.id)]
    const [reserved, refunded] = [BigInt(one.refund_reserved), BigInt(one.refunded)]
    const fits = live <= debited && (live === 0n || one.status === 'SUCCESS')
    const isWithin = (counted: bigint, least: bigint) =>
      counted >= least && counted <= least + charged && counted <= debited
    const counts = isWithin(reserved, live) && isWithin(refunded, done) && refunded <= reserved
    return [
      ...(fits ? [] : [`${one.id}: ${live} of ${debited} is given back`]),
      ...(counts
        ? []
        : [`${one.id} counts ${refunded} of ${reserved}: ${done} of ${live} and ${charged}`]),
    ]
  })

export const movesAreReported: Law = ({ records }) =>
  records.refunds.flatMap(({ id, status, is_returned }) => {
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
      ...unlike('refund.returned', is_returned),
    ]
  })
