// What came of a link in the last thirty days: opened, begun, paid, taken. Every figure is the
// API's own.

import type {
  GetPaymentLinksByIdStatsData,
  GetPaymentLinksByIdStatsResponse,
  PaymentLink,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { useHere } from '../../parts/place.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

export function LinkStats({ link }: { link: PaymentLink }) {
  const { place, amount, moment } = useHere()
  const reading = useRead<GetPaymentLinksByIdStatsData, GetPaymentLinksByIdStatsResponse>(
    place,
    { url: '/payment-links/{id}/stats/', path: { id: link.id } },
    // Twice as seldom as what was paid by it, which stands beside it.
    { every_ms: 120_000 },
  )
  return (
    <section>
      <h2>{t('link_stats')}</h2>
      <Read of={reading}>
        {({ visits, started, paid, taken, last_paid_at }) => (
          <Facts
            of={[
              [t('link_stats_visits'), String(visits)],
              [t('link_stats_started'), String(started)],
              [t('link_stats_paid'), String(paid)],
              [
                t('link_stats_taken'),
                taken.map((one) => amount(one.amount, one.currency)).join(' · '),
              ],
              [t('link_stats_last'), last_paid_at === null ? '' : moment(last_paid_at)],
            ]}
          />
        )}
      </Read>
    </section>
  )
}
