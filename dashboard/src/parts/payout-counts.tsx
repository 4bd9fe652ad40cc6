// How many payouts wait, and for what: one reading for the tabs of the payouts and the menu. The
// menu asks when the screen's own answers are there: a number beside a word is in nobody's way.

import type {
  GetPayoutsCountsData,
  GetPayoutsCountsResponse,
  PayoutCounts,
} from '../api/types.gen.ts'
import { useRead } from '../data/queries.ts'
import { useLater } from '../ui/state.tsx'
import { t } from '../words/translate.ts'
import { useHere } from './place.tsx'

/** Counted again with the next screen, not on a clock: an open tab asks twice a minute at most. */
const stale_ms = 60_000
const after_ms = 3_000

export function usePayoutCounts(on = true): PayoutCounts | undefined {
  const { place } = useHere()
  return useRead<GetPayoutsCountsData, GetPayoutsCountsResponse>(
    place,
    { url: '/payouts/counts/' },
    { stale_ms, on },
  ).data
}

/** For the menu: only of those who may decide. */
export function usePayoutCountsLater(): PayoutCounts | undefined {
  const { may } = useHere()
  const isLater = useLater(after_ms)
  return usePayoutCounts(isLater && may('payouts'))
}

type BadgeProps = Readonly<{
  of: PayoutCounts | undefined
  /** Whatever it stands in says already what is counted. */
  isNamed?: boolean
}>

/** How many payouts are to be approved; nothing where none is. */
export function Badge({ of, isNamed = false }: BadgeProps) {
  const { approval = 0, is_more = false } = of ?? {}
  if (approval === 0) return null
  const count = is_more ? `${approval}+` : `${approval}`
  if (isNamed) return <span className="badge">{count}</span>
  const meaning = t('todo_PAYOUT_APPROVAL', { count })
  return (
    <span className="badge" role="img" aria-label={meaning} title={meaning}>
      {count}
    </span>
  )
}
