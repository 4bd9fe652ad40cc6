// How a test ends a transaction or payout of this operator that waits, and what its owner does on
// the dashboard: payouts are kept in a queue, and a transaction is given back.

import { isResolvable, type Resolved, type Resolving } from '../resolving.ts'
import { stateOf, type Thing } from './books.ts'
import { announce, announceNow, type OperatorDeps } from './operator.ts'

const begun: readonly string[] = ['pending', 'scheduled', 'started']
const failed: readonly string[] = ['declined', 'canceled', 'failed']

/** Its refunds are made on its dashboard alone. */
export function resolve(deps: OperatorDeps, asked: Resolving): Resolved {
  if (asked.is_refund) return 'missing'
  const thing = thingOf(deps, asked.external_reference)
  if (thing === undefined || thing.asked_at === 0) return 'missing'
  const { status } = stateOf(thing, deps, deps.now())
  const state = { isOpen: begun.includes(status), hasFailed: failed.includes(status) }
  if (!isResolvable(asked, state)) return 'ended'
  const ended: Thing = { ...thing, resolved: { at: deps.now(), ...endingOf(thing, asked) } }
  deps.books.keep({ thing: ended })
  void announce(deps, ended)
  return 'done'
}

function thingOf({ books }: OperatorDeps, external_reference: string): Thing | undefined {
  const [series = '', id = ''] = external_reference.split('/')
  return books.things.get(`${series.slice(0, -1)} ${Number(id)}`)
}

export function queuePayouts(deps: OperatorDeps, yes: boolean): void {
  deps.queues.payouts = yes
  if (yes) return
  for (const thing of [...deps.books.things.values()]) {
    if (stateOf(thing, deps, deps.now()).status !== 'scheduled') continue
    const released: Thing = { ...thing, released_at: deps.now() }
    deps.books.keep({ thing: released })
    void announce(deps, released)
  }
}

export function giveBack(deps: OperatorDeps, external_reference: string, how: 'WHOLE' | 'PART') {
  const thing = thingOf(deps, external_reference)
  const { status } = thing === undefined ? { status: '' } : stateOf(thing, deps, deps.now())
  if (thing === undefined || status !== 'approved') throw new Error('nothing to give back')
  const given: Thing = { ...thing, given_back: how }
  deps.books.keep({ thing: given })
  void announceNow(deps, given)
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
