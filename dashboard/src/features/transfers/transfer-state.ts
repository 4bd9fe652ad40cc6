// What is said of a transfer, by how far it is.

import type { WalletTransfer } from '../../api/types.gen.ts'
import type { Key } from '../../words/translate.ts'

/** Nobody refused it: its time ran out. The reason that stands there is the service's own. */
export const hasLapsed = ({ status, rejection_reason }: WalletTransfer): boolean =>
  status === 'REJECTED' && rejection_reason === 'not approved in time'

export const saidOf = (of: WalletTransfer): Key =>
  hasLapsed(of) ? 'transfer_said_lapsed' : `transfer_said_${of.status}`
