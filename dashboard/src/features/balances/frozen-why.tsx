// Why a balance, or a sum of it, is frozen: what the platform's staff wrote when they did, and when
// they let go of it. It stands in the audit log; whoever may not read that reads who may.

import type { AuditLog, GetAuditLogsData, GetAuditLogsResponse } from '../../api/types.gen.ts'
import type { ContentOf } from '../../data/call.ts'
import { useRead } from '../../data/queries.ts'
import { isZero } from '../../format/amount.ts'
import { Allowed } from '../../parts/allowed.tsx'
import { useHere } from '../../parts/place.tsx'
import { Read, type Reading } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

type Balance = Readonly<{ id: string; is_frozen: boolean; frozen_amount: string }>
export type Acts = Reading<ContentOf<GetAuditLogsResponse>>

export const hasFrozen = ({ is_frozen, frozen_amount }: Omit<Balance, 'id'>): boolean =>
  is_frozen || !isZero(frozen_amount)

/** Asked for where something is frozen, by whoever may read it; `isLate` until it came. */
export function useFreezes(of: Balance | undefined): Readonly<{ acts: Acts; isLate: boolean }> {
  const { place, may } = useHere()
  const on = of !== undefined && hasFrozen(of) && may('audit')
  const acts = useRead<GetAuditLogsData, GetAuditLogsResponse>(
    place,
    { url: '/audit-logs/', query: { target_id: of?.id, page_size: 10 } },
    { on },
  )
  return { acts, isLate: on && !acts.isFetched }
}

export const FrozenWhy = ({ acts }: { acts: Acts }) => (
  <>
    <h2>{t('frozen_why')}</h2>
    <Allowed right="audit">
      <Read of={acts}>
        {({ results }) => (
          <ul className="cards">
            {results.filter(isFreeze).map((act) => (
              <li key={act.id} className="card">
                <Freeze of={act} />
              </li>
            ))}
          </ul>
        )}
      </Read>
    </Allowed>
  </>
)

const isFreeze = ({ action }: AuditLog): boolean => action.startsWith('balance.')

function Freeze({ of: { action, after, created_at } }: { of: AuditLog }) {
  const { amount, moment } = useHere()
  const isLetGo = action === 'balance.sum_unfrozen' || action === 'balance.unfrozen'
  const [sum, currency] = [textOf(after, 'amount'), textOf(after, 'currency')]
  return (
    <>
      <span className="card-line">
        <b>{sum === '' ? t('frozen_whole') : amount(sum, currency)}</b>
        <span>{t(isLetGo ? 'frozen_let_go' : 'frozen_sum')}</span>
      </span>
      <span className="card-line mute small">
        <bdi>{textOf(after, 'reason')}</bdi>
        <span>{moment(created_at)}</span>
      </span>
    </>
  )
}

function textOf(fields: AuditLog['after'], name: string): string {
  const value = fields?.[name]
  return typeof value === 'string' ? value : ''
}
