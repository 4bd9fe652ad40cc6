// A step of a transaction's story in words: what happened, by whom, and what it rested on. It says
// no more than the step does, and what is not known it leaves out.

import type { TimelineStep as Step } from '../../api/types.gen.ts'
import { whoIs } from '../../parts/actor.ts'
import type { Shape } from '../../ui/icons.tsx'
import { type Key, t } from '../../words/translate.ts'

export type StepText = Readonly<{
  shape: Shape
  said: string
  /** What else is known of it; '' is left out. */
  more?: readonly string[]
  /** The page of what it is a step of. */
  path?: string
  /** A turn of the story, beside what led to it and what came of it. */
  isTurn?: boolean
}>

/** How things are written where the reader is. */
export type Writing = Readonly<{
  me: string
  amount: (decimal: string, currency: string) => string
  moment: (iso: string) => string
  networkName: (code: string | null) => string
}>

type Facts = Step['facts']

const sumOf = ({ amount = '', currency = '' }: Facts, writing: Writing): string =>
  writing.amount(amount, currency)

const networkOf = ({ network_code }: Facts, { networkName }: Writing): string =>
  networkName(network_code ?? null)

const forRefund = ({ refund }: Facts): string => (refund === undefined ? '' : t('step_of_refund'))

/** Undefined: of a kind that this version has no words for. */
export function describeStep(step: Step, writing: Writing): StepText | undefined {
  const { kind, facts } = step
  if (kind === 'MOVE') return describeMove(step, writing)
  if (kind === 'ATTEMPT') return describeAttempt(step, writing)
  if (kind === 'ASKED') return describeQuestions(facts, writing)
  if (kind === 'CALLBACK') return describeCallbacks(facts, writing)
  if (kind === 'WEBHOOK') return describeDelivery(step)
  if (kind === 'ENTRY') return describeEntry(facts, writing)
  if (kind === 'ACT') return describeAct(step, writing)
  return kind === 'CHECKOUT' ? describeCheckout(step) : undefined
}

type End = 'PENDING' | 'SUCCESS' | 'FAILED' | 'CANCELLED'

const shapes: Readonly<Record<End, Shape>> = {
  PENDING: 'step',
  SUCCESS: 'done',
  FAILED: 'failed',
  CANCELLED: 'off',
}

function describeMove(step: Step, writing: Writing): StepText | undefined {
  const { subject, from_status, to_status: to, incident_type } = step.facts
  if (to === undefined) return undefined
  if (to === 'OPEN' || to === 'RESOLVED') {
    const more = incident_type === undefined ? [] : [t(`step_what_${incident_type}`)]
    const shape = to === 'OPEN' ? 'unknown' : 'done'
    return { shape, said: t(`step_incident_${to}`), more, isTurn: true }
  }
  const shape = shapes[to]
  if (from_status === undefined) {
    return { shape, said: describeBegin(step, writing), isTurn: true }
  }
  if (subject === 'REFUND') {
    const said = t(`step_refund_${to}`, { amount: sumOf(step.facts, writing) })
    return { shape, said, isTurn: true }
  }
  return { shape, said: t(`step_became_${to}`), more: [describeWhy(step, writing)], isTurn: true }
}

function describeBegin({ actor, facts }: Step, writing: Writing): string {
  const isRefund = facts.subject === 'REFUND'
  const amount = sumOf(facts, writing)
  if (actor === null) return t(isRefund ? 'step_refund_PENDING' : 'step_asked', { amount })
  if (actor.kind === 'PAYER') return t('step_asked_PAYER', { amount })
  const who = whoIs(actor, writing.me)
  return t(isRefund ? 'step_refund_asked_by' : 'step_asked_by', { who, amount })
}

/** What it rests on; a resumption is somebody's doing. */
function describeWhy({ actor, facts }: Step, { me }: Writing): string {
  const isDone = facts.to_status === 'PENDING' && actor !== null && actor.kind !== 'SYSTEM'
  if (isDone) return t('step_by', { who: whoIs(actor, me) })
  return facts.evidence_kind === undefined ? '' : t(`step_rests_on_${facts.evidence_kind}`)
}

const ends: Readonly<Record<string, Readonly<{ shape: Shape; key: Key }>>> = {
  SUCCESS: { shape: 'done', key: 'step_confirmed' },
  FAILED: { shape: 'failed', key: 'step_refused' },
  UNKNOWN: { shape: 'unknown', key: 'step_unknown' },
}

/** Ended by us and not by the operator, it was not the operator who refused. */
function describeAttempt({ actor, facts }: Step, writing: Writing): StepText {
  const network = networkOf(facts, writing)
  const more = [forRefund(facts), facts.failure_message ?? '']
  const end = ends[facts.status ?? '']
  if (facts.step === 'STARTED' || end === undefined) {
    return { shape: 'step', said: t('step_tried', { network }), more }
  }
  const isOurs = facts.status === 'FAILED' && actor?.kind === 'SYSTEM'
  return { shape: end.shape, said: t(isOurs ? 'step_closed' : end.key, { network }), more }
}

function describeQuestions(facts: Facts, writing: Writing): StepText {
  const { count = 1, last_at, status } = facts
  const isOpen = status === 'PENDING' || status === 'UNKNOWN'
  const holes = {
    ...{ network: networkOf(facts, writing), count },
    at: last_at === undefined ? '' : writing.moment(last_at),
  }
  return {
    shape: 'step',
    said: t(count > 1 ? 'step_inquired_often' : 'step_inquired', holes),
    more: [forRefund(facts), isOpen ? t(`step_is_${status}`) : ''],
  }
}

function describeCallbacks(facts: Facts, writing: Writing): StepText {
  const { count = 1, last_at, proof } = facts
  const holes = {
    ...{ network: networkOf(facts, writing), count },
    at: last_at === undefined ? '' : writing.moment(last_at),
  }
  const often = count > 1 ? 'often' : 'once'
  const said =
    proof === 'UNSIGNED' ? t(`step_unproven_${often}`, holes) : t(`step_notified_${often}`, holes)
  return { shape: 'step', said, more: [forRefund(facts)] }
}

function describeDelivery({ ref, facts }: Step): StepText {
  const { succeeded = false, http_status: status, try: nth = 1 } = facts
  return {
    shape: succeeded ? 'step' : 'failed',
    said: t(succeeded ? 'step_told' : 'step_told_not'),
    more: [
      facts.event_type ?? '',
      nth > 1 ? t('step_told_try', { try: nth }) : '',
      status === undefined ? t('step_answered_never') : t('step_answered', { status }),
    ],
    path: `/developers/deliveries/${ref}`,
  }
}

function describeEntry(facts: Facts, writing: Writing): StepText {
  const { direction = 'CREDIT', balance_after = '', currency = '' } = facts
  return {
    shape: 'step',
    said: t(`step_booked_${direction}`, { amount: sumOf(facts, writing) }),
    more: [`${t('balance_after')}${t('colon')} ${writing.amount(balance_after, currency)}`],
  }
}

type Act = NonNullable<Facts['action']>

/** Of this transaction, where the audit log says "a payout". */
const own: Readonly<Partial<Record<Act, Readonly<{ shape: Shape; key: Key }>>>> = {
  'payout.approved': { shape: 'done', key: 'step_act_payout_approved' },
  'payout.cancelled': { shape: 'off', key: 'step_act_payout_cancelled' },
  'payout.rejected': { shape: 'failed', key: 'step_act_payout_rejected' },
  'receipt.revoked': { shape: 'off', key: 'step_act_receipt_revoked' },
  'refund.approved': { shape: 'done', key: 'step_act_refund_approved' },
  'refund.cancelled': { shape: 'off', key: 'step_act_refund_cancelled' },
  'refund.rejected': { shape: 'failed', key: 'step_act_refund_rejected' },
}

function describeAct({ actor, facts }: Step, { me }: Writing): StepText | undefined {
  const { action, reason = '' } = facts
  if (action === undefined) return undefined
  const who = whoIs(actor ?? { kind: 'SYSTEM', id: null, name: '' }, me)
  const { shape, key }: { shape: Shape; key: Key } = own[action] ?? {
    ...{ shape: 'step', key: `did_${action}` },
  }
  const more = reason === '' ? [] : [`${t('reason')}${t('colon')} ${reason}`]
  return { shape, said: t(key, { who }), more, isTurn: true }
}

function describeCheckout({ ref, facts: { step, payment_link } }: Step): StepText {
  if (step === 'PAID') {
    return { shape: 'done', said: t('step_checkout_PAID'), path: `/checkouts/${ref}` }
  }
  return payment_link === undefined
    ? { shape: 'step', said: t('step_checkout_OPENED'), path: `/checkouts/${ref}` }
    : { shape: 'step', said: t('step_checkout_link'), path: `/links/${payment_link}` }
}
