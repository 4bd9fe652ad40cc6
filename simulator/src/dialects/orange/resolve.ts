// How a test ends a payment of this operator that waits. It has one word for every failure.

import { isResolvable, type Resolved, type Resolving } from '../resolving.ts'
import { act, type PageDeps } from './page.ts'
import { statusAt } from './payments.ts'

/** It neither pays out nor gives back. */
export function resolve(deps: PageDeps, asked: Resolving): Resolved {
  const { direction, is_refund, external_reference, outcome } = asked
  if (direction !== 'COLLECT' || is_refund) return 'missing'
  const all = [...deps.books.payments.values()]
  const one = all.find(({ order_id }) => order_id === external_reference)
  if (one === undefined) return 'missing'
  const status = statusAt(one, deps.life_ms, deps.now())
  const isOpen = status === 'INITIATED' || status === 'PENDING'
  const hasFailed = status === 'FAILED' || status === 'EXPIRED'
  if (!isResolvable(asked, { isOpen, hasFailed })) return 'ended'
  act(deps, one, { does: outcome === 'SUCCESS' ? 'pay' : 'fail' })
  return 'done'
}
