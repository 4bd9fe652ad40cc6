// Whether what an operator says of a payment or payout does not match what is recorded: then its
// status alone would mislead, and nothing is offered that would move its money once more.

import type { Transaction } from '../api/types.gen.ts'

export type Contested = Pick<Transaction, 'incident'>

/** Until people have decided; the API knows which incidents are such. */
export const isContested = ({ incident }: Contested): boolean => incident?.is_contradiction === true
