// What not to do about a payment or payout whose outcome is unknown, or that people look into: in
// each list and on its page the same, so that nobody meets the word without it.

import type { Transaction } from '../api/types.gen.ts'
import { type Contested, isContested } from '../ui/contested.ts'
import type { Key } from '../words/translate.ts'

export type Advised = Contested &
  Pick<Transaction, 'outcome_unknown' | 'flow_direction'> &
  Readonly<{ transaction_type: Transaction['transaction_type'] | null }>

/** Whose payer is the merchant. */
export const isOwn = ({ transaction_type }: Pick<Advised, 'transaction_type'>): boolean =>
  transaction_type === 'RECHARGE'

export function adviceOnUnknown(of: Omit<Advised, 'incident' | 'outcome_unknown'>): Key {
  if (isOwn(of)) return 'said_own_unknown'
  return of.flow_direction === 'INBOUND' ? 'said_unknown_in' : 'said_unknown_out'
}

/** Undefined where its status says all. */
export function adviceOn(of: Advised): Key | undefined {
  if (isContested(of)) return 'said_incident_advice'
  return of.outcome_unknown ? adviceOnUnknown(of) : undefined
}
