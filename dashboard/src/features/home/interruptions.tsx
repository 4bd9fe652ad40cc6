// Which of the merchant's networks do not work as they should, in a line each; none where all do.

import type { Overview } from '../../api/types.gen.ts'
import { countryName } from '../../format/country.ts'
import { useHere } from '../../parts/place.tsx'
import { Link } from '../../ui/link.tsx'
import { t } from '../../words/translate.ts'

type Interruption = Overview['interruptions'][number]

/** Beyond so many there is a page to read. */
const lines_max = 3

export function Interruptions({ of }: { of: readonly Interruption[] }) {
  const { to, language, moment } = useHere()
  if (of.length === 0) return null
  const lines = [...new Set(of.map(lineOf))]
  return (
    <ul className="cards" aria-label={t('networks')}>
      {lines.slice(0, lines_max).map((line) => {
        const both = of.filter((one) => lineOf(one) === line)
        const { country = '', message = '', since = null } = both[0] ?? {}
        const ways = both.map(({ direction }) => (direction === 'COLLECT' ? 'payments' : 'payouts'))
        return (
          <li key={line}>
            <Link href={to('/networks')}>
              <span className="card-line">
                <span>{message}</span>
                <span className="small mute">
                  {[
                    countryName(country, language),
                    ...ways.map((way) => t(way)),
                    ...(since === null ? [] : [t('todo_since', { at: moment(since) })]),
                  ].join(' · ')}
                </span>
              </span>
            </Link>
          </li>
        )
      })}
      {lines.length > lines_max && (
        <li>
          <Link href={to('/networks')}>{t('more_interrupted')}</Link>
        </li>
      )}
    </ul>
  )
}

/** Both directions that stopped together are one line. */
const lineOf = ({ country, network, status, since }: Interruption): string =>
  [country, network, status, since].join(' ')
