// What a number makes happen, as data (contract 6.9): the last two digits choose, else all goes
// well. An operator started to misbehave also knows the last four digits 9910 to 9915 (conformance
// tests); the one that merchants meet does not.
// Times are unscaled milliseconds: `speed` divides them where they are used.

import type { Ending, Kind, Operator } from './order.ts'

/** A change of status, `after_ms` from the start of the script. */
export type ScriptTurn = Readonly<{
  after_ms: number
  status: Ending
  reason?: string
  /** When its callbacks leave, after the change itself. Empty: none is ever sent. */
  callbacks_ms: readonly number[]
}>

export type Refusal = Readonly<{ code: string; message: string }>

export type Script = Readonly<{
  turns: readonly ScriptTurn[]
  /** Refused at once: nothing is taken, nothing enters the books. */
  refusal?: Refusal
  /** How the call that starts the script is answered. */
  answer: 'prompt' | 'lost' | 'after_callback' | 'garbled' | 'broken'
  /** How long the status query does not know the reference. */
  hidden_ms: number
  signed: boolean
  /** True: another amount than the requested one is moved and reported. */
  wrong_amount: boolean
}>

const success: ScriptTurn = { after_ms: 1000, status: 'SUCCESSFUL', callbacks_ms: [0] }

const failure = (reason: string): ScriptTurn => ({
  after_ms: 1000,
  status: 'FAILED',
  reason,
  callbacks_ms: [0],
})

const ordinary: Script = {
  turns: [success],
  answer: 'prompt',
  hidden_ms: 0,
  signed: true,
  wrong_amount: false,
}

const refused = (code: string, message: string): Script => ({
  ...ordinary,
  turns: [],
  refusal: { code, message },
})

const fourDigits: Readonly<Record<string, Script>> = {
  '9910': { ...ordinary, wrong_amount: true },
  '9911': { ...ordinary, turns: [], answer: 'broken' },
  '9912': { ...ordinary, answer: 'garbled' },
  '9913': { ...ordinary, turns: [success, { ...failure('REVERSED'), after_ms: 2000 }] },
  '9914': { ...ordinary, turns: [{ ...success, after_ms: 2000 }], hidden_ms: 2000 },
  '9915': { ...ordinary, signed: false },
}

const twoDigits: Readonly<Record<string, Script>> = {
  '01': { ...ordinary, turns: [failure('INSUFFICIENT_FUNDS')] },
  '02': { ...ordinary, turns: [failure('NOT_APPROVED')] },
  '04': { ...ordinary, turns: [] },
  '05': { ...ordinary, turns: [{ ...success, callbacks_ms: [] }], answer: 'lost' },
  '07': { ...ordinary, turns: [{ ...success, callbacks_ms: [2000, 2500, 3000] }] },
  '08': { ...ordinary, turns: [{ ...success, after_ms: 0 }], answer: 'after_callback' },
  '09': { ...ordinary, turns: [failure('NOT_APPROVED'), { ...success, after_ms: 2000 }] },
}

const noRecipient = refused('RECIPIENT_NOT_FOUND', 'No account of this network has this number.')

const unknownParty = {
  COLLECTION: refused('PAYER_NOT_FOUND', 'No account of this network has this number.'),
  PAYOUT: noRecipient,
  REFUND: noRecipient,
}

const operatorDown = refused('OPERATOR_UNAVAILABLE', 'The operator takes no orders just now.')

type Numbered = Readonly<{ kind: Kind; msisdn: string; description?: string | undefined }>

/** What a caller writes into a payout's description or a refund's reason instead of a number. */
const written = /^sandbox:(\d{2}|\d{4})$/

/** The digits that choose: a refund goes well whoever had paid, unless its reason chooses. */
function numberOf({ kind, msisdn, description = '' }: Numbered): string {
  if (kind === 'COLLECTION') return msisdn
  const [, digits] = written.exec(description) ?? []
  return digits ?? (kind === 'REFUND' ? '' : msisdn)
}

/** The script of a number. Total: a number without magic has the ordinary one. */
export function scriptOf(
  { misbehaves }: { misbehaves: boolean },
  order: Numbered & { operator: Operator },
): Script {
  const number = numberOf(order)
  const planted = misbehaves ? fourDigits[number.slice(-4)] : undefined
  if (planted !== undefined) return planted
  const digits = number.slice(-2)
  if (digits === '03') return unknownParty[order.kind]
  if (digits === '06') return order.operator === 'a' ? operatorDown : ordinary
  return twoDigits[digits] ?? ordinary
}

/**
 * The same turns when the payer has just acted (an OTP): the first comes at once, the others keep
 * their distance to it, and callbacks that come late keep theirs to the start.
 */
export function atOnce(turns: readonly ScriptTurn[]): readonly ScriptTurn[] {
  const head_start = turns[0]?.after_ms ?? 0
  return turns.map((turn) => ({
    ...turn,
    after_ms: turn.after_ms - head_start,
    callbacks_ms: turn.callbacks_ms.map((late) => (late > 0 ? late + head_start : 0)),
  }))
}

/**
 * What follows when the payer approves on the operator's page. No call waits there for an answer,
 * so an order that would stay pending or silent (04, 05) succeeds with its callback.
 */
export function onApproval(turns: readonly ScriptTurn[]): readonly ScriptTurn[] {
  const spoken = turns.every((turn) => turn.callbacks_ms.length > 0)
  return atOnce(turns.length > 0 && spoken ? turns : [success])
}
