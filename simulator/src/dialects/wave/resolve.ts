// How a test ends a session or payout of this operator that waits.

import type { Resolved, Resolving } from '../resolving.ts'
import { doTo } from './page.ts'
import type { OperatorDeps } from './routes.ts'
import { payoutStatus, stateAt } from './session.ts'

/** What it calls each cause of a session; `payment-failure` for any other. */
const tries: Readonly<Record<string, string>> = {
  PAYER_NOT_FOUND: 'blocked-account',
  INSUFFICIENT_FUNDS: 'insufficient-funds',
  LIMIT_REACHED: 'kyb-limits-exceeded',
}

/** And of a payout; `payment-failure` for any other. */
const payouts: Readonly<Record<string, string>> = {
  RECIPIENT_NOT_FOUND: 'recipient-account-inactive',
  LIMIT_REACHED: 'recipient-limit-exceeded',
}

const unnamed = 'payment-failure'

/** It gives back at once: no refund of it ever waits. */
export function resolve(deps: OperatorDeps, asked: Resolving): Resolved {
  if (asked.is_refund) return 'missing'
  return asked.direction === 'COLLECT' ? endSession(deps, asked) : endPayout(deps, asked)
}

function endSession(deps: OperatorDeps, asked: Resolving): Resolved {
  const { our_key, external_reference, outcome, failure_code } = asked
  const now = deps.now()
  const ours = [...deps.books.sessions.values()].filter((one) => one.client_reference === our_key)
  const one = ours.find(({ id }) => id === external_reference) ?? ours.at(-1)
  if (one === undefined) return 'missing'
  if (stateAt(one, deps, now).checkout_status !== 'open') return 'ended'
  if (outcome === 'SUCCESS') {
    doTo(deps, one, { at: now, does: 'pay' })
    return 'done'
  }
  const code = tries[failure_code] ?? unnamed
  if (failure_code !== 'EXPIRED') doTo(deps, one, { at: now, does: 'fail', code })
  doTo(deps, one, { at: now, does: 'expire' })
  return 'done'
}

function endPayout(deps: OperatorDeps, { our_key, outcome, failure_code }: Resolving): Resolved {
  const one = deps.books.payouts.get(our_key)
  if (one === undefined) return 'missing'
  if (payoutStatus(one, deps, deps.now()) !== 'processing') return 'ended'
  const payout =
    outcome === 'SUCCESS'
      ? { ...one, status: 'succeeded' as const }
      : { ...one, status: 'failed' as const, error_code: payouts[failure_code] ?? unnamed }
  deps.books.keep({ payout })
  return 'done'
}
