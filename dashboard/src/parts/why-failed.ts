// Why a payment or payout came to nothing, to the merchant's own team: what the API calls "the
// merchant" is the reader, and what nobody approved in time nobody refused.

import type { Transaction } from '../api/types.gen.ts'
import { t } from '../words/translate.ts'

const ownEnds = {
  LAPSED: 'ended_lapsed',
  REJECTED: 'ended_rejected',
} as const

type Failed = Pick<Transaction, 'approval' | 'failure_code' | 'failure_message'>

/** The team's own end in its own words, else what the API says; '' of what did not fail. */
export function whyFailed({ approval, failure_code, failure_message }: Failed): string {
  if (failure_code === 'CANCELLED_BY_MERCHANT') return t('ended_cancelled')
  if (approval !== 'LAPSED' && approval !== 'REJECTED') return failure_message
  return failure_code === 'REJECTED_BY_MERCHANT' ? t(ownEnds[approval]) : failure_message
}
