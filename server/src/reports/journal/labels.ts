// What an accountant reads beside each figure of the journal: what happened, whose order, by which
// network. In French unless the reader asks for English: the accounts are SYSCOHADA's.

import type { Locale, Text } from '../../platform/errors.ts'
import type { JournalLine } from './store.ts'

type Kind = keyof typeof words

/** `Encaissement CMD-1042 MTN MoMo Bénin`, `Remboursement client CMD-1042 R7C2A91F0 MTN …` */
export function labelOf(line: JournalLine, locale: Locale): string {
  const { merchant_reference = '', reference = '', refund = '', network = '', operations } = line
  const what = words[kindOf(line)][line['slot'] === 'fees' ? 'fee' : 'act'][locale]
  if (operations !== undefined) return `${what}${totalOf(operations, locale)}`
  const which = [merchant_reference || reference, refund, network]
  return [what, ...which].filter((part) => part !== '').join(' ')
}

/** ` : total du jour (12 opérations)` */
function totalOf(operations: string, locale: Locale): string {
  const plural = operations === '1' ? '' : 's'
  if (locale === 'en') return `: day’s total (${operations} operation${plural})`
  return ` : total du jour (${operations} opération${plural})`
}

export function kindOf({ operation = '', slot = '', debit = '', type = '' }: JournalLine): Kind {
  if (operation === 'TRANSACTION') return ofTransaction(type)
  if (operation === 'HOLD' || operation === 'HOLD_END') {
    return `${operation}_${reservedFor[type] ?? 'SETTLEMENT'}`
  }
  // Frozen as it is debited here, and given back as it is credited.
  if (operation === 'FREEZE') return (slot === 'frozen') === debit > '0.00' ? 'FREEZE' : 'UNFREEZE'
  return isKind(operation) ? operation : 'ADJUSTMENT'
}

/** What a sum was set aside for, by the type of the movement; a settlement has none. */
const reservedFor: Readonly<Record<string, 'PAYOUT' | 'TRANSFER' | 'REFUND'>> = {
  RETRAIT: 'PAYOUT',
  TRANSFERT: 'TRANSFER',
  REFUND: 'REFUND',
}

const isKind = (text: string): text is Kind => Object.hasOwn(words, text)

function ofTransaction(type: string): Kind {
  if (type === 'RETRAIT') return 'PAYOUT'
  return type === 'RECHARGE' ? 'TOP_UP' : 'PAYIN'
}

const actLabel = (
  fr: string,
  en: string,
  fee: Text = { fr: `Frais : ${fr}`, en: `Fee: ${en}` },
) => ({
  act: { fr, en },
  fee,
})

const words = {
  PAYIN: actLabel('Encaissement', 'Payment received', {
    fr: 'Frais sur encaissement',
    en: 'Fee on payment received',
  }),
  TOP_UP: actLabel('Recharge du solde', 'Balance top-up', {
    fr: 'Frais sur recharge',
    en: 'Fee on top-up',
  }),
  PAYOUT: actLabel('Versement', 'Payout', { fr: 'Frais sur versement', en: 'Fee on payout' }),
  RETURN: actLabel('Retour de versement', 'Payout returned', {
    fr: 'Frais rendus sur versement',
    en: 'Fee of a payout returned',
  }),
  REFUND: actLabel('Remboursement client', 'Refund', {
    fr: 'Frais sur remboursement',
    en: 'Fee on refund',
  }),
  HOLD_REFUND: actLabel('Mise en réserve pour remboursement', 'Held for refund'),
  HOLD_END_REFUND: actLabel(
    'Reprise de réserve (remboursement non abouti)',
    'Released (refund not made)',
  ),
  HOLD_PAYOUT: actLabel('Mise en réserve pour versement', 'Held for payout'),
  HOLD_TRANSFER: actLabel('Mise en réserve pour transfert', 'Held for transfer'),
  HOLD_SETTLEMENT: actLabel('Mise en réserve pour règlement', 'Held for settlement'),
  HOLD_END_PAYOUT: actLabel(
    'Reprise de réserve (versement non abouti)',
    'Released (payout not made)',
  ),
  HOLD_END_TRANSFER: actLabel(
    'Reprise de réserve (transfert non abouti)',
    'Released (transfer not made)',
  ),
  HOLD_END_SETTLEMENT: actLabel(
    'Reprise de réserve (règlement non abouti)',
    'Released (settlement not made)',
  ),
  TRANSFER: actLabel('Transfert entre pays', 'Transfer between countries', {
    fr: 'Frais sur transfert',
    en: 'Fee on transfer',
  }),
  SETTLEMENT: actLabel('Règlement reçu', 'Settlement received', {
    fr: 'Frais sur règlement',
    en: 'Fee on settlement',
  }),
  FREEZE: actLabel('Gel de fonds', 'Funds frozen'),
  UNFREEZE: actLabel('Dégel de fonds', 'Funds released'),
  SANDBOX: actLabel('Fonds d’essai', 'Test funds'),
  INCIDENT: actLabel('Écart en cours d’examen', 'Difference under review'),
  RESOLUTION: actLabel('Régularisation d’un écart', 'Difference cleared'),
  ADJUSTMENT: actLabel('Régularisation', 'Adjustment'),
} as const satisfies Record<string, Readonly<{ act: Text; fee: Text }>>
