// How a webhook has answered in the last day: figures, and a bar for each hour whose height the API
// gives, with the same as a table for whoever reads no picture.

import type {
  GetMerchantWebhooksByIdStatsData,
  GetMerchantWebhooksByIdStatsResponse,
  MerchantWebhook,
  WebhookStats,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { useHere } from '../../parts/place.tsx'
import { Points } from '../../parts/points.tsx'
import { Scrolled } from '../../parts/scrolled.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

export function Stats({ of }: { of: MerchantWebhook }) {
  const { place } = useHere()
  const reading = useRead<GetMerchantWebhooksByIdStatsData, GetMerchantWebhooksByIdStatsResponse>(
    place,
    { url: '/merchant-webhooks/{id}/stats/', path: { id: of.id } },
  )
  return (
    <section>
      <h2>{t('hook_stats')}</h2>
      <Read of={reading}>{(stats) => <Figures of={stats} />}</Read>
    </section>
  )
}

const took = (ms: number | null): string => (ms === null ? '' : t('delivery_took', { ms }))

function Figures({ of }: { of: WebhookStats }) {
  const { moment } = useHere()
  if (of.deliveries === 0) return <p className="mute">{t('hook_stats_none')}</p>
  return (
    <>
      {of.counted_from !== of.from && (
        <p className="warned">{t('hook_stats_since', { at: moment(of.counted_from) })}</p>
      )}
      <Facts
        of={[
          [t('dev_deliveries'), String(of.deliveries)],
          [t('delivery_SUCCESS'), String(of.succeeded)],
          [t('delivery_FAILED'), String(of.failed)],
          [t('delivery_EXHAUSTED'), String(of.exhausted)],
          [t('delivery_PENDING'), String(of.waiting)],
          [t('delivery_tries'), String(of.tries)],
          [t('hook_stats_p50'), took(of.answer_ms_p50)],
          [t('hook_stats_p95'), took(of.answer_ms_p95)],
        ]}
      />
      <Hours of={of} />
    </>
  )
}

/** Of one hour, in units of the drawing. */
const wide = { step: 12, bar: 9 } as const
const tall = 100

function Hours({ of }: { of: WebhookStats }) {
  const { moment } = useHere()
  const sentence = t('hook_stats_found', { good: of.succeeded, all: of.deliveries })
  const textOf = ({ from, succeeded, deliveries }: WebhookStats['hours'][number]) =>
    [moment(from), t('hook_stats_found', { good: succeeded, all: deliveries })].join(' · ')
  return (
    <figure className="hours">
      <Points name={sentence} of={of.hours} textOf={textOf}>
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${of.hours.length * wide.step} ${tall}`}
          preserveAspectRatio="none"
        >
          {of.hours.map(({ from, height }, index) => (
            <rect
              key={from}
              className="now"
              x={index * wide.step}
              width={wide.bar}
              y={tall - height}
              height={height}
            />
          ))}
        </svg>
      </Points>
      <figcaption>{sentence}</figcaption>
      <details>
        <summary>{t('glance_chart_as_table')}</summary>
        <HourTable of={of} caption={sentence} />
      </details>
    </figure>
  )
}

function HourTable({ of, caption }: Readonly<{ of: WebhookStats; caption: string }>) {
  const { moment } = useHere()
  const heads = [t('dev_deliveries'), t('delivery_SUCCESS'), t('hook_stats_p95')]
  return (
    <Scrolled name={caption}>
      <table>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t('glance_hour')}</th>
            {heads.map((head) => (
              <th key={head} scope="col" className="figure">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.hours
            .filter(({ deliveries }) => deliveries > 0)
            .map((hour) => (
              <tr key={hour.from}>
                <th scope="row" className="whole">
                  {moment(hour.from)}
                </th>
                <td className="figure">{hour.deliveries}</td>
                <td className="figure">{hour.succeeded}</td>
                <td className="figure">{took(hour.answer_ms_p95)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </Scrolled>
  )
}
