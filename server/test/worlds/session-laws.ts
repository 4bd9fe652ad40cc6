// The laws of checkout sessions and links, asked of one world at rest: one payment pays a session,
// each end is told once, and a link counts what was paid by it and what is under way.

import type { Law } from './seen.ts'

export const sessionsArePaidOnce: Law = ({ records }) =>
  records.sessions.flatMap(({ id, status, paid_by, events }) => {
    const paid = records.transactions.filter(
      (one) => one.checkout_session === id && one.status === 'SUCCESS',
    )
    const countOf = (type: string) => events.filter((one) => one === type).length
    const isPaid = status === 'PAID'
    const isRight =
      paid.length === (isPaid ? 1 : 0) &&
      (!isPaid || paid[0]?.id === paid_by) &&
      countOf('checkout_session.paid') === (isPaid ? 1 : 0) &&
      countOf('checkout_session.expired') + countOf('checkout_session.cancelled') <= 1
    return isRight
      ? []
      : [`${id} is ${status} by ${paid.length} payments and told ${events.join(', ')}`]
  })

export const linksCountTheirPayments: Law = ({ records }) =>
  records.links.flatMap(({ id, usage_count, reserved }) => {
    const own = records.sessions.filter(({ payment_link }) => payment_link === id)
    const paid = own.filter(({ status }) => status === 'PAID').length
    const pending = own.filter(({ pending_payment }) => pending_payment !== null).length
    return usage_count === paid && reserved === pending
      ? []
      : [`${id} counts ${usage_count} of ${paid} and holds ${reserved} of ${pending}`]
  })
