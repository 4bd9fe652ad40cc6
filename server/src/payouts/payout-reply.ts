// What the payout routes answer (contract 5.9): the same reply whether it is computed now, stored,
// or given again after a crash.

import { type Static, Type } from 'typebox'
import { failureCodeSchema, failureText } from '../attempts/failure-texts.ts'
import { type Warning, WarningSchema } from '../planning/initial-warning.ts'
import type { Locale, Text } from '../platform/errors.ts'
import { InitialAmountsSchema } from '../transactions/schema.ts'
import type { TransactionStatus } from '../transactions/states.ts'
import { type PayoutApproval, payoutApprovals } from '../transactions/transaction.ts'
import { type InitialFigures, viewInitialAmounts } from '../transactions/view.ts'
import type { EarlierPayout, UnknownPayout } from './earlier-statements.ts'

export const PayoutReply = Type.Object(
  {
    message: Type.String(),
    id: Type.String({ format: 'uuid' }),
    reference: Type.String(),
    status: Type.Enum(['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED']),
    failure_code: failureCodeSchema('Empty unless status is FAILED.'),
    approval: Type.Union([Type.Enum([...payoutApprovals]), Type.Null()], {
      description: 'The decision of a second person; null when none was needed.',
    }),
    amounts: InitialAmountsSchema,
    warning: Type.Union([WarningSchema, Type.Null()], {
      description:
        'The same amount was sent to the same phone minutes ago, or is under way there and its ' +
        'outcome is not known; or the number does not look like one of this network. The second ' +
        'alone blocks: it waits for a second person.',
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
}> &
  InitialFigures

export type PayoutWarnings = Readonly<{
  /** The payout that this one repeats, when there was one a moment ago. */
  repeated?: EarlierPayout | undefined
  /** The same, of which nobody knows whether it was paid. */
  unknown?: UnknownPayout | undefined
  /** The number looks like one of another network. */
  mismatch?: Warning | null
}>

const messages = {
  initiated: { en: 'Payout initiated.', fr: 'Versement initié.' },
  succeeded: { en: 'Payout successful.', fr: 'Versement réussi.' },
  failed: { en: 'Payout failed.', fr: 'Échec du versement.' },
  waiting: {
    en: 'The payout is awaiting approval by another member.',
    fr: 'Le versement attend l’approbation d’un autre membre.',
  },
  verified: { en: 'Payout status checked.', fr: 'Statut du versement consulté.' },
} as const

export const verifiedText = (locale: Locale): string => messages.verified[locale]

export function payoutReply(
  state: PayoutState,
  warnings: PayoutWarnings,
  locale: Locale,
): Static<typeof PayoutReply> {
  const { id, reference, status, failure_code, approval } = state
  const message = messageOf(state, locale)
  return {
    message,
    id,
    reference,
    status,
    failure_code,
    approval,
    amounts: viewInitialAmounts(state),
    warning: warningOf(warnings, locale),
  }
}

/** There is room for one: a second payment matters more, and its message says both. */
function warningOf(
  { repeated, unknown, mismatch = null }: PayoutWarnings,
  locale: Locale,
): Warning | null {
  const repeats = unknown ?? repeated
  if (repeats === undefined) return mismatch
  const message = unknown === undefined ? repeatedText(repeats) : unknownText(unknown)
  return {
    code: 'POSSIBLE_DUPLICATE',
    message: mismatch === null ? message[locale] : `${message[locale]} ${mismatch.message}`,
    network: mismatch?.network ?? null,
    transaction: repeats.id,
  }
}

const repeatedText = ({ reference }: EarlierPayout): Text => ({
  en: `The same amount was paid to this number minutes ago (${reference}).`,
  fr: `Le même montant a été versé à ce numéro il y a quelques minutes (${reference}).`,
})

const unknownText = ({ reference, is_refund }: UnknownPayout): Text => ({
  en:
    `The outcome of the same ${is_refund ? 'refund' : 'payout'} to this number (${reference}) is ` +
    'not known yet. It may have been paid: another member must approve this one.',
  fr:
    `L’issue du même ${is_refund ? 'remboursement' : 'versement'} à ce numéro (${reference}) ` +
    'n’est pas encore connue. Il est peut-être payé : un autre membre doit approuver celui-ci.',
})

function messageOf({ status, failure_code, approval }: PayoutState, locale: Locale): string {
  if (status === 'SUCCESS') return messages.succeeded[locale]
  if (approval === 'REQUIRED') return messages.waiting[locale]
  if (status !== 'FAILED') return messages.initiated[locale]
  return `${messages.failed[locale]} ${failureText(failure_code, locale)}`.trim()
}
