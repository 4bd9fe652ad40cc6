// A status: shape, word and colour, so that it is read in grey and by ear too.

import type { Transaction } from '../api/types.gen.ts'
import { type Key, t } from '../words/translate.ts'
import { type Contested, isContested } from './contested.ts'
import { type Shape, ShapeIcon } from './icons.tsx'

export type State = Readonly<{ shape: Shape; word: Key }>

export const Status = ({ of: { shape, word } }: { of: State }) => (
  <span className={`status ${shape}`}>
    <ShapeIcon shape={shape} />
    {t(word)}
  </span>
)

/** A payment stays paid when it is given back: that says a second word. */
export const EndOf = ({ of }: { of: Outcome & Pick<Transaction, 'refund_status'> }) => (
  <span className="statuses">
    <Status of={stateOf(of)} />
    {of.refund_status === 'FULL' && <Status of={refunded} />}
    {of.refund_status === 'PARTIAL' && <Status of={refundedPartly} />}
  </span>
)

type Outcome = Contested &
  Pick<Transaction, 'status' | 'flow_direction' | 'approval' | 'waiting_reason'> &
  Pick<Transaction, 'returned_at' | 'outcome_unknown'>

/** Its money came back. The status stays what it was: alone it would read as arrived. */
export const returned: State = { shape: 'returned', word: 'state_returned' }

const refunded: State = { shape: 'returned', word: 'state_refunded' }
const refundedPartly: State = { shape: 'returned', word: 'state_refunded_partly' }

/** What a transaction waits for comes before that it waits. */
export function stateOf(of: Outcome) {
  const { status, approval, waiting_reason, flow_direction, returned_at } = of
  const isOut = flow_direction === 'OUTBOUND'
  const is = (shape: Shape, word: Key): State => ({ shape, word })
  if (isContested(of)) return is('unknown', 'state_incident')
  if (returned_at !== null) return returned
  if (status === 'SUCCESS') return is('done', isOut ? 'state_sent' : 'state_paid')
  if (status === 'CANCELLED') return is('off', 'state_cancelled')
  if (status === 'FAILED') return is('failed', 'state_failed')
  if (of.outcome_unknown) return is('unknown', 'state_unknown')
  if (approval === 'REQUIRED') return is('yours', 'state_approval')
  if (waiting_reason !== null) return is('held', 'state_held')
  return is('waits', 'state_waits')
}
