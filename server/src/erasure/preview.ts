// What erasing a customer would take, and what forbids it now: the same reasons in the same order
// as the erasure itself, which looks again under its locks and has the last word.

import { Type } from 'typebox'
import { requireOwnCustomer } from '../customers/records/store.ts'
import type { Db } from '../platform/db.ts'
import { type Locale, typeset } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { type ErasureReason, erasureErrors, erasureReasons, reasonTexts } from './erase-customer.ts'
import { type Foreseen, foresee, looked_at_max } from './preview-store.ts'

const countedOf = (description: string) =>
  Type.Object(
    {
      count: Type.Integer({ minimum: 0, maximum: looked_at_max }),
      is_more: Type.Boolean({
        description: 'There may be more: no more than `count` were counted.',
      }),
    },
    { description },
  )

export const ErasurePreviewSchema = Type.Object(
  {
    customer: Type.String({ format: 'uuid' }),
    possible: Type.Boolean({
      description:
        'Whether `DELETE /customers/{id}/` would erase the customer now, as far as was looked: ' +
        'the newest thousand transactions.',
    }),
    code: Type.Union([Type.Literal('retention_required'), Type.Null()], {
      description: 'The code that `DELETE` would be refused with; null where it is possible.',
    }),
    reason: Type.Union([Type.Enum(erasureReasons), Type.Null()], {
      description:
        'PAYMENT_UNDER_WAY: a payment, payout or refund has not ended, or its gateway is still ' +
        'asked about it. INCIDENT_OPEN: an incident is. REQUIRED_BY_LAW: until `possible_from`. ' +
        'PAYOUT_RECENT: until then limits of 24 hours count a live payout to them. ' +
        'CHECKOUT_OPEN: a session can still be paid. Null where it is possible.',
    }),
    message: Type.String({ description: 'The reason in words; empty where it is possible.' }),
    possible_from: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description:
        'With REQUIRED_BY_LAW: when the newest live payment is old enough. With PAYOUT_RECENT: ' +
        'when the newest live payout is 24 hours old. Otherwise null.',
    }),
    counts: Type.Object(
      {
        transactions: countedOf('Payments, top-ups and payouts of the customer.'),
        refunds: countedOf('Refunds of these.'),
        checkout_sessions: countedOf('Those the customer paid, and those made for them.'),
      },
      { description: 'From how many records the person would be removed; the records stay.' },
    ),
    count_max: Type.Integer({ description: 'So many of each kind are counted at most.' }),
  },
  { title: 'ErasurePreview' },
)

const counted = (count: number, is_more = false) => ({ count, is_more })

export const erasurePreviewExample = {
  customer: '01981f3a-5b60-7c11-9a52-0242ac120301',
  possible: false,
  code: 'retention_required',
  reason: 'PAYMENT_UNDER_WAY',
  message: reasonTexts.PAYMENT_UNDER_WAY.en,
  possible_from: null,
  counts: { transactions: counted(14), refunds: counted(1), checkout_sessions: counted(3) },
  count_max: looked_at_max,
}

type Deps = Readonly<{ db: Db; live_payer_days: number }>

/** Reads, and locks nothing: what begins in the next moment is not in it. */
export async function previewErasure(
  { db, live_payer_days }: Deps,
  caller: Caller,
  id: string,
): Promise<object> {
  const { merchant_id, environment, locale } = caller
  const seen = await foresee(db, { merchant_id, environment, id }, live_payer_days)
  const foreseen = await requireOwnCustomer(db, { merchant_id, id }, seen)
  return { customer: id, ...viewForeseen(foreseen, locale) }
}

function reasonOf(seen: Foreseen): ErasureReason | null {
  if (seen.is_unended) return 'PAYMENT_UNDER_WAY'
  if (seen.has_incident) return 'INCIDENT_OPEN'
  if (seen.kept_by_law_until !== null) return 'REQUIRED_BY_LAW'
  if (seen.counted_until !== null) return 'PAYOUT_RECENT'
  return seen.has_open_session ? 'CHECKOUT_OPEN' : null
}

function possibleFrom(seen: Foreseen, reason: ErasureReason | null): Date | null {
  if (reason === 'REQUIRED_BY_LAW') return seen.kept_by_law_until
  return reason === 'PAYOUT_RECENT' ? seen.counted_until : null
}

function viewForeseen(seen: Foreseen, locale: Locale) {
  const reason = reasonOf(seen)
  return {
    possible: reason === null,
    code: reason === null ? null : erasureErrors.retention_required.code,
    reason,
    message: reason === null ? '' : typeset(reasonTexts[reason][locale], locale),
    possible_from: possibleFrom(seen, reason)?.toISOString() ?? null,
    counts: {
      transactions: counted(seen.transactions, seen.more_transactions),
      refunds: counted(seen.refunds, seen.more_refunds),
      checkout_sessions: counted(seen.checkout_sessions, seen.more_checkout_sessions),
    },
    count_max: looked_at_max,
  }
}
