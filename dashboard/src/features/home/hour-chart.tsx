// The hours of a day as bars, today's before those of a week before: drawn by the heights that the
// API gives, and the same as a table for whoever reads no picture.

import type { Overview } from '../../api/types.gen.ts'
import { isZero } from '../../format/amount.ts'
import { writeDay, writeHour } from '../../format/moment.ts'
import { useHere } from '../../parts/place.tsx'
import { Points } from '../../parts/points.tsx'
import { t } from '../../words/translate.ts'

type Country = Overview['countries'][number]

/** Of one hour, in units of the drawing: the bar of then, and today's before it. */
const wide = { hour: 12, before: 10, now: 6 } as const
const tall = 100

type HourChartProps = Readonly<{
  of: Pick<Country, 'points' | 'currency'>
  then: string
  isFirst: boolean
}>

export function HourChart({ of: { points, currency }, then, isFirst }: HourChartProps) {
  const { amount, moment, language, clock } = useHere()
  if (points.every(({ taken, compared }) => isZero(taken) && isZero(compared))) return null
  const name = t('glance_chart', { day: writeDay(then, language) })
  const nowAt = points.at(-1)?.at
  const hour = (at: string, written: string) =>
    at === nowAt ? `${written} (${t('series_open')})` : written
  const textOf = ({ at, taken, compared }: Country['points'][number]) =>
    [
      `${hour(at, writeHour(at, clock))}${t('colon')} ${amount(taken, currency)}`,
      `${t('glance_then')}${t('colon')} ${amount(compared, currency)}`,
    ].join(' · ')
  return (
    <figure className="hours">
      <figcaption className="small mute">{name}</figcaption>
      <Points {...{ name, of: points, textOf, isFirst }} axis={<HourAxis of={points} />}>
        <Bars of={points} />
      </Points>
      <details>
        <summary>{t('glance_chart_as_table')}</summary>
        <div className="scroll">
          <table>
            <caption className="unseen">{name}</caption>
            <thead>
              <tr>
                <th scope="col">{t('glance_hour')}</th>
                <th scope="col" className="figure">
                  {t('glance_taken')}
                </th>
                <th scope="col" className="figure">
                  {t('glance_then')}
                </th>
              </tr>
            </thead>
            <tbody>
              {points.map((point) => (
                <tr key={point.at}>
                  <th scope="row">{hour(point.at, moment(point.at))}</th>
                  <td className="figure">{amount(point.taken, currency)}</td>
                  <td className="figure">{amount(point.compared, currency)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}

const Bars = ({ of }: { of: Country['points'] }) => (
  <svg
    aria-hidden="true"
    viewBox={`0 0 ${of.length * wide.hour} ${tall}`}
    preserveAspectRatio="none"
  >
    {of.map((point, index) => (
      <g key={point.at}>
        <Bar
          className="then"
          at={index * wide.hour}
          width={wide.before}
          of={point.compared_height}
        />
        {index < of.length - 1 ? (
          <Bar className="now" at={index * wide.hour + 2} width={wide.now} of={point.height} />
        ) : (
          <path className="open" d={`M${index * wide.hour + 5} ${tall}v-${point.height}`} />
        )}
      </g>
    ))}
  </svg>
)

/** Where its hours lie: the first, one in the middle, the last. The table has them all. */
function HourAxis({ of }: { of: Country['points'] }) {
  const { clock } = useHere()
  const marked = new Set([of[0], of[of.length >> 1], of.at(-1)])
  return (
    <p className="hours-axis small mute" aria-hidden="true">
      {[...marked].map(
        (point) => point && <span key={point.at}>{writeHour(point.at, clock)}</span>,
      )}
    </p>
  )
}

type BarProps = Readonly<{ className: string; at: number; width: number; of: number }>

const Bar = ({ className, at, width, of }: BarProps) => (
  <rect className={className} x={at} width={width} y={tall - of} height={of} />
)
