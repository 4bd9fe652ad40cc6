// What the payout routes answer (decisions 5.9): the same words for an answer computed now, stored,
// or given again after a crash.

import { type Static, Type } from 'typebox'
import type { Locale } from '../platform/errors.ts'
import { failureText } from '../transactions/failure-texts.ts'
import type { TransactionStatus } from '../transactions/states.ts'

export const PayoutReply = Type.Object(
  {
    message: Type.String(),
    id: Type.String({ format: 'uuid' }),
    reference: Type.String(),
    status: Type.Enum(['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED']),
    failure_code: Type.String({ description: 'Empty unless status is FAILED.' }),
  },
  { title: 'PayoutReply' },
)

export type PayoutState = Readonly<{
  id: string
  reference: string
  status: TransactionStatus
  failure_code: string
}>

const messages = {
  initiated: { en: 'Payout initiated.', fr: 'Paiement sortant initié.' },
  succeeded: { en: 'Payout successful.', fr: 'Paiement sortant réussi.' },
  failed: { en: 'Payout failed.', fr: 'Échec du paiement sortant.' },
  verified: { en: 'Payout verified.', fr: 'Paiement sortant vérifié.' },
} as const

export const verifiedText = (locale: Locale): string => messages.verified[locale]

export function payoutReply(state: PayoutState, locale: Locale): Static<typeof PayoutReply> {
  const { id, reference, status, failure_code } = state
  return { message: messageOf(state, locale), id, reference, status, failure_code }
}

function messageOf({ status, failure_code }: PayoutState, locale: Locale): string {
  if (status === 'SUCCESS') return messages.succeeded[locale]
  if (status !== 'FAILED') return messages.initiated[locale]
  return `${messages.failed[locale]} ${failureText(failure_code, locale)}`.trim()
}
