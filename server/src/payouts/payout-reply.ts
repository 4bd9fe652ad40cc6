// What the payout routes answer (decisions 5.9): the same words for an answer computed now, stored,
// or given again after a crash.

import { type Static, Type } from 'typebox'
import type { Locale } from '../platform/errors.ts'
import { failureText } from '../transactions/failure-texts.ts'
import type { TransactionStatus } from '../transactions/states.ts'
import type { PayoutApproval } from '../transactions/transaction.ts'

export const PayoutReply = Type.Object(
  {
    message: Type.String(),
    id: Type.String({ format: 'uuid' }),
    reference: Type.String(),
    status: Type.Enum(['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED']),
    failure_code: Type.String({ description: 'Empty unless status is FAILED.' }),
    approval: Type.Union([Type.Enum(['REQUIRED', 'APPROVED', 'REJECTED', 'LAPSED']), Type.Null()], {
      description: 'Of a second person; null where none was needed.',
    }),
  },
  { title: 'PayoutReply' },
)

export type PayoutState = Readonly<{
  id: string
  reference: string
  status: TransactionStatus
  failure_code: string
  approval: PayoutApproval | null
}>

const messages = {
  initiated: { en: 'Payout initiated.', fr: 'Paiement sortant initié.' },
  succeeded: { en: 'Payout successful.', fr: 'Paiement sortant réussi.' },
  failed: { en: 'Payout failed.', fr: 'Échec du paiement sortant.' },
  waiting: {
    en: 'The payout waits for the approval of another member.',
    fr: 'Le paiement attend l’approbation d’un autre membre.',
  },
  verified: { en: 'Payout verified.', fr: 'Paiement sortant vérifié.' },
} as const

export const verifiedText = (locale: Locale): string => messages.verified[locale]

export function payoutReply(state: PayoutState, locale: Locale): Static<typeof PayoutReply> {
  const { id, reference, status, failure_code, approval } = state
  return { message: messageOf(state, locale), id, reference, status, failure_code, approval }
}

function messageOf({ status, failure_code, approval }: PayoutState, locale: Locale): string {
  if (status === 'SUCCESS') return messages.succeeded[locale]
  if (approval === 'REQUIRED') return messages.waiting[locale]
  if (status !== 'FAILED') return messages.initiated[locale]
  return `${messages.failed[locale]} ${failureText(failure_code, locale)}`.trim()
}
