// Why a payment or payout came to nothing, to the merchant's own team: what the API calls "the
// merchant" is the reader, what nobody approved in time nobody refused, and what a payer reads
// whose payment may have gone through is not for whoever asked for it.

import type { Transaction } from '../api/types.gen.ts'
import { type Key, t } from '../words/translate.ts'

const ownEnds = {
  LAPSED: 'ended_lapsed',
  REJECTED: 'ended_rejected',
} as const

type Ended = Pick<Transaction, 'approval' | 'failure_code' | 'flow_direction' | 'incident'>
type Failed = Ended & Pick<Transaction, 'failure_message'>

/** The end that has words of its own here; undefined: what the API says is for its reader. */
export function ownEnd({
  approval,
  failure_code,
  flow_direction,
  incident,
}: Ended): Key | undefined {
  if (failure_code === 'CANCELLED_BY_MERCHANT') return 'ended_cancelled'
  if (failure_code === 'UNKNOWN' && flow_direction === 'INBOUND') {
    const isSilent = incident?.type === 'OUTCOME_UNKNOWN' && incident.status === 'OPEN'
    return isSilent ? 'ended_silent' : 'ended_unsaid'
  }
  const isOwnNo = failure_code === 'REJECTED_BY_MERCHANT'
  return isOwnNo && (approval === 'LAPSED' || approval === 'REJECTED')
    ? ownEnds[approval]
    : undefined
}

/** The team's own end in its own words, else what the API says; '' of what did not fail. */
export function whyFailed(of: Failed): string {
  const own = ownEnd(of)
  return own === undefined ? of.failure_message : t(own)
}
