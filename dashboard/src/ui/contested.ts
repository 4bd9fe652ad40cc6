// Whether people look into what an operator says of a payment or payout: then its status alone
// would mislead, and nothing is offered that would move its money once more.

import type { Transaction } from '../api/types.gen.ts'

export type Contested = Pick<Transaction, 'status' | 'flow_direction' | 'failure_code' | 'incident'>

/** Until they have decided. */
export const isContested = (of: Contested): boolean =>
  of.incident?.status === 'OPEN' && !(of.incident.type === 'OUTCOME_UNKNOWN' && isStatusEnough(of))

/**
 * Of an outcome that is not known: it is asked for still; a payment was closed for want of an
 * answer, and may be asked for again; or it is of a refund, or another try, and the payer has paid.
 */
const isStatusEnough = ({ status, flow_direction, failure_code }: Contested): boolean =>
  status === 'PENDING' ||
  (flow_direction === 'INBOUND' && (status === 'SUCCESS' || failure_code === 'UNKNOWN'))
