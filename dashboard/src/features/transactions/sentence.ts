// What happened to a payment or payout, what it means and what to do, in one or two sentences: they
// are read out on the telephone, so they say no more than is known.

import type { TransactionDetail } from '../../api/types.gen.ts'
import type { Key } from '../../words/translate.ts'

export type Sentence = Readonly<{ key: Key; advice?: Key }>

export function sentenceOf(transaction: TransactionDetail): Sentence {
  if (transaction.incident?.status === 'OPEN') {
    return { key: 'said_incident', advice: 'said_incident_advice' }
  }
  if (isUnknown(transaction)) return { key: 'said_unknown', advice: adviceOnUnknown(transaction) }
  return transaction.flow_direction === 'INBOUND' ? ofPayment(transaction) : ofPayout(transaction)
}

export const isUnknown = ({ status, attempts }: TransactionDetail): boolean =>
  status === 'PENDING' && attempts.at(-1)?.status === 'UNKNOWN'

const adviceOnUnknown = ({ flow_direction }: TransactionDetail): Key =>
  flow_direction === 'INBOUND' ? 'said_unknown_in' : 'said_unknown_out'

function ofPayment({ status }: TransactionDetail): Sentence {
  if (status === 'SUCCESS') return { key: 'said_paid' }
  if (status === 'PENDING') return { key: 'said_waits', advice: 'said_waits_advice' }
  if (status === 'CANCELLED') return { key: 'said_cancelled' }
  return { key: 'said_failed', advice: 'said_failed_advice' }
}

function ofPayout({ status, approval, waiting_reason }: TransactionDetail): Sentence {
  if (status === 'SUCCESS') return { key: 'said_sent' }
  if (status === 'CANCELLED') return { key: 'said_cancelled' }
  if (status === 'FAILED') return { key: 'said_not_sent', advice: 'said_not_sent_advice' }
  if (approval === 'REQUIRED') return { key: 'said_approval', advice: 'said_approval_advice' }
  if (waiting_reason === 'GATEWAY_FLOAT') return { key: 'said_float', advice: 'said_held_advice' }
  if (waiting_reason === 'GATEWAY_CLOSED') {
    return { key: 'said_gateway_closed', advice: 'said_gateway_closed_advice' }
  }
  if (waiting_reason === 'GATEWAY_QUEUED') return { key: 'said_queued', advice: 'said_held_advice' }
  if (waiting_reason !== null) return { key: 'said_no_route', advice: 'said_held_advice' }
  return { key: 'said_sending', advice: 'said_sending_advice' }
}

export type Step = Readonly<{
  at: string
  key: Key
  shape: 'done' | 'waits' | 'unknown' | 'failed'
  detail: string
  network: string | null
}>

const ended: Readonly<Record<string, Pick<Step, 'key' | 'shape'>>> = {
  SUCCESS: { key: 'step_confirmed', shape: 'done' },
  FAILED: { key: 'step_refused', shape: 'failed' },
  UNKNOWN: { key: 'step_unknown', shape: 'unknown' },
}

const moved: Readonly<Record<string, Pick<Step, 'key' | 'shape'>>> = {
  SUCCESS: { key: 'step_became_SUCCESS', shape: 'done' },
  FAILED: { key: 'step_became_FAILED', shape: 'failed' },
  PENDING: { key: 'step_became_PENDING', shape: 'waits' },
  CANCELLED: { key: 'step_became_CANCELLED', shape: 'failed' },
}

/** The story, oldest first: asked for, sent to an operator, its answer, what became of it. */
export function storyOf(transaction: TransactionDetail): Step[] {
  const { created_at, attempts, status_logs } = transaction
  const asked: Step = {
    ...{ at: created_at, key: 'step_asked', shape: 'waits', detail: '', network: null },
  }
  const tries = attempts.flatMap((attempt): Step[] => {
    const { started_at, finished_at, status, failure_message, network_code } = attempt
    const network = network_code
    const sent: Step = { at: started_at, key: 'step_tried', shape: 'waits', detail: '', network }
    const end = ended[status]
    if (end === undefined) return [sent]
    const at = finished_at ?? attempt.started_at
    return [sent, { at, ...end, detail: failure_message, network }]
  })
  const moves = status_logs.flatMap((log): Step[] => {
    const move = moved[log.to_status]
    return move === undefined ? [] : [{ at: log.created_at, ...move, detail: '', network: null }]
  })
  // Sorting keeps the order of what is of one moment: an answer comes before what it moved.
  return [asked, ...tries, ...moves].sort((one, other) =>
    one.at < other.at ? -1 : Number(one.at > other.at),
  )
}
