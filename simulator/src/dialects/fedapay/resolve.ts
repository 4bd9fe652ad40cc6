// How a test ends a transaction or payout of this operator that waits.

import type { Resolved, Resolving } from '../resolving.ts'
import { stateOf, type Thing } from './books.ts'
import { announce, type OperatorDeps } from './routes.ts'

const begun: readonly string[] = ['pending', 'started']

/** Its refunds are made on its dashboard alone. */
export function resolve(deps: OperatorDeps, asked: Resolving): Resolved {
  if (asked.is_refund) return 'missing'
  const [series = '', id = ''] = asked.external_reference.split('/')
  const thing = deps.books.things.get(`${series.slice(0, -1)} ${Number(id)}`)
  if (thing === undefined || thing.asked_at === 0) return 'missing'
  if (!begun.includes(stateOf(thing, deps, deps.now()).status)) return 'ended'
  const ended: Thing = { ...thing, resolved: { at: deps.now(), ...endingOf(thing, asked) } }
  deps.books.keep({ thing: ended })
  void announce(deps, ended)
  return 'done'
}

/** Of its causes its documents name one. */
function endingOf({ kind }: Thing, { outcome, failure_code }: Resolving) {
  const isPayout = kind === 'payout'
  if (outcome === 'SUCCESS') return { status: isPayout ? 'sent' : 'approved', error_code: null }
  if (isPayout) return { status: 'failed', error_code: failure_code }
  if (failure_code === 'NOT_APPROVED') return { status: 'canceled', error_code: null }
  const isShort = failure_code === 'INSUFFICIENT_FUNDS'
  return { status: 'declined', error_code: isShort ? 'INSUFFICIENT_FUND_ERROR' : failure_code }
}
