// What the payout routes answer (contract 5.9): the same reply whether it is computed now, stored,
// or given again after a crash.

import { type Static, Type } from 'typebox'
import type { Locale } from '../platform/errors.ts'
import { failureText } from '../transactions/failure-texts.ts'
import type { TransactionStatus } from '../transactions/states.ts'
import { type PayoutApproval, payoutApprovals } from '../transactions/transaction.ts'

export const PayoutReply = Type.Object(
  {
    message: Type.String(),
    id: Type.String({ format: 'uuid' }),
    reference: Type.String(),
    status: Type.Enum(['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED']),
    failure_code: Type.String({ description: 'Empty unless status is FAILED.' }),
    approval: Type.Union([Type.Enum([...payoutApprovals]), Type.Null()], {
      description: 'Of a second person; null where none was needed.',
    }),
    warning: Type.Union(
      [
        Type.Object({
          code: Type.Enum(['POSSIBLE_DUPLICATE']),
          message: Type.String(),
          transaction: Type.String({ format: 'uuid' }),
        }),
        Type.Null(),
      ],
      { description: 'The same sum went to the same phone minutes ago. Nothing is blocked.' },
    ),
  },
  { title: 'PayoutReply' },
)

export type PayoutState = Readonly<{
  id: string
  reference: string
  status: TransactionStatus
  failure_code: string
  approval: PayoutApproval | null
  /** The payout that this one repeats, when there was one a moment ago. */
  repeats?: Readonly<{ id: string; reference: string }> | undefined
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
  const message = messageOf(state, locale)
  return {
    message,
    id,
    reference,
    status,
    failure_code,
    approval,
    warning: warningOf(state, locale),
  }
}

function warningOf({ repeats }: PayoutState, locale: Locale) {
  if (repeats === undefined) return null
  const message = {
    en: `The same amount was paid to this number minutes ago (${repeats.reference}).`,
    fr: `Le même montant a été payé à ce numéro il y a quelques minutes (${repeats.reference}).`,
  }
  return { code: 'POSSIBLE_DUPLICATE' as const, message: message[locale], transaction: repeats.id }
}

function messageOf({ status, failure_code, approval }: PayoutState, locale: Locale): string {
  if (status === 'SUCCESS') return messages.succeeded[locale]
  if (approval === 'REQUIRED') return messages.waiting[locale]
  if (status !== 'FAILED') return messages.initiated[locale]
  return `${messages.failed[locale]} ${failureText(failure_code, locale)}`.trim()
}
