// How a test ends a page or a refund of this operator that waits.

import type { Resolved, Resolving } from '../resolving.ts'
import { cardOf, type Refund, refundState, stateOf } from './objects.ts'
import {
  announceRefundEnd,
  asOfNow,
  endPage,
  giveCard,
  type OperatorDeps,
  sessionOfIntent,
} from './operator.ts'

const paying = '4242424242424242'

/** The card that is declined for each cause; for any other, one that is just declined. */
const declines: Readonly<Record<string, string>> = {
  INSUFFICIENT_FUNDS: '4000000000009995',
  PAYER_NOT_FOUND: '4000000000000069',
  GATEWAY_UNAVAILABLE: '4000000000000119',
}
const unnamed = '4000000000000002'

export async function resolve(deps: OperatorDeps, asked: Resolving): Promise<Resolved> {
  // A refund pays out, as a payout would, which this operator does not have.
  if (asked.is_refund) return endRefund(deps, asked)
  return asked.direction === 'COLLECT' ? endSession(deps, asked) : 'missing'
}

async function endSession(deps: OperatorDeps, asked: Resolving): Promise<Resolved> {
  const { our_key, outcome, failure_code } = asked
  const all = [...deps.books.sessions.values()]
  const kept = all.find(({ client_reference_id }) => client_reference_id === our_key)
  if (kept === undefined) return 'missing'
  if (stateOf(asOfNow(kept, deps), deps.now()) !== 'open') return 'ended'
  // Who resolves asks at once: nobody is waited for who is notice of it.
  if (outcome === 'SUCCESS') void giveCard(deps, kept.id, paying)
  else endPage(deps, kept.id, cardFor(failure_code))
  return 'done'
}

/** A page that ends before anybody gave a card is EXPIRED. */
const cardFor = (failure_code: string): { card?: string } =>
  failure_code === 'EXPIRED' ? {} : { card: declines[failure_code] ?? unnamed }

function endRefund(deps: OperatorDeps, { our_key, outcome }: Resolving): Resolved {
  const one = [...deps.books.refunds.values()].find(
    ({ metadata }) => metadata['attempt'] === our_key,
  )
  const session = one && sessionOfIntent(deps, one.intent)
  if (one === undefined || session === undefined) return 'missing'
  if (refundState(one, cardOf(session), deps, deps.now()) !== 'pending') return 'ended'
  const refund: Refund = { ...one, resolved: outcome === 'SUCCESS' ? 'succeeded' : 'failed' }
  deps.books.keep({ refund })
  announceRefundEnd(deps, refund, session)
  return 'done'
}
