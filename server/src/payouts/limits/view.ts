// A payout limit as it is shown: what is in force, and what is to come and when.

import { Type } from 'typebox'
import { formatAmount } from '../../money/format.ts'
import {
  type Figures,
  isNothing,
  type NextFigures,
  type PayoutLimit,
  wholeMerchant,
} from './limit.ts'

const amount = Type.Union([Type.String(), Type.Null()])
const idOrNull = Type.Union([Type.String({ format: 'uuid' }), Type.Null()])
const moment = Type.String({ format: 'date-time' })

const figures = {
  per_payout: amount,
  per_day: amount,
  approval_above: Type.Union(amount.anyOf, {
    description:
      'Above this amount a second person must approve. Unapproved payouts to the same phone ' +
      'within 24 hours are added together.',
  }),
}

export const LimitSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    merchant: Type.String({ format: 'uuid' }),
    environment: Type.Enum(['SANDBOX', 'LIVE']),
    country: Type.String(),
    currency: Type.String(),
    api_key: idOrNull,
    ...figures,
    used_today: Type.String({
      description:
        'What counts towards `per_day` of the day that is (UTC): payouts and refunds made since ' +
        'the limit was set, without those that failed.',
    }),
    next: Type.Union(
      [
        Type.Object({
          ...figures,
          is_dropped: Type.Boolean({ description: 'True when no limit would be left.' }),
          effective_at: moment,
          requested_by: idOrNull,
          may_confirm: Type.Boolean({
            description:
              'Whether you could confirm it: not the member who requested it, nor anyone whom ' +
              'that member invited, nor while a role or, in LIVE, a second factor of either is ' +
              'newer than the wait.',
          }),
        }),
        Type.Null(),
      ],
      { description: 'The looser limit that is pending; null when there is none.' },
    ),
    created_by_member: idOrNull,
    created_at: moment,
    updated_at: moment,
  },
  { title: 'PayoutLimit' },
)

export const limitExample = {
  id: '01981f3a-0000-7000-8000-000000000001',
  merchant: '01981f3a-0000-7000-8000-00000000a001',
  environment: 'LIVE',
  currency: 'XOF',
  country: 'BJ',
  api_key: null,
  per_payout: '500000.00',
  per_day: '2000000.00',
  approval_above: '200000.00',
  used_today: '350000.00',
  next: null,
  created_by_member: '01981f3a-0000-7000-8000-00000000b001',
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T08:00:00.000Z',
}

export const pendingExample = {
  ...limitExample,
  next: {
    per_payout: '500000.00',
    per_day: '5000000.00',
    approval_above: '200000.00',
    is_dropped: false,
    effective_at: '2026-11-22T08:00:00.000Z',
    requested_by: '01981f3a-0000-7000-8000-00000000b001',
    may_confirm: false,
  },
}

const amountOf = (hundredths: bigint | null) =>
  hundredths === null ? null : formatAmount(hundredths)

export const shownFigures = ({ per_payout, per_day, approval_above }: Figures) => ({
  per_payout: amountOf(per_payout),
  per_day: amountOf(per_day),
  approval_above: amountOf(approval_above),
})

export const ofWhom = ({ country, api_key_id }: Pick<PayoutLimit, 'country' | 'api_key_id'>) => ({
  country,
  api_key: api_key_id === wholeMerchant ? null : api_key_id,
})

export type LimitSeen = Readonly<{
  /** Of its day, in hundredths. */
  used: bigint
  /** Whether its reader could confirm what is to come. */
  may_confirm: boolean
}>

export const viewLimit = (limit: PayoutLimit, { used, may_confirm }: LimitSeen) => ({
  id: limit.id,
  merchant: limit.merchant_id,
  environment: limit.environment,
  currency: limit.currency,
  ...ofWhom(limit),
  ...shownFigures(limit),
  used_today: formatAmount(used),
  next: limit.next === null ? null : { ...nextOf(limit.next), may_confirm },
  created_by_member: limit.created_by_member,
  created_at: limit.created_at.toISOString(),
  updated_at: limit.updated_at.toISOString(),
})

const nextOf = (next: NextFigures) => ({
  ...shownFigures(next),
  is_dropped: isNothing(next),
  effective_at: next.at.toISOString(),
  requested_by: next.by,
})
