// One kind of what was found, as cards; a kind without any is left out.

import { Link } from 'wouter'
import { useHere } from '../../parts/place.tsx'
import { Empty, Read, type Reading } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

type Row = Readonly<{ id: string; to: string; head: string; left: string; right: string }>

type Props<Of> = Readonly<{
  of: Reading<{ results: readonly Of[]; next: string | null }>
  name: string
  row: (of: Of) => Row
  /** Where the rest of them are. */
  more: string
  /** It was looked for here alone: that there is none is said. */
  saysNone?: boolean
}>

export function Found<Of>({ of, name, row, more, saysNone = false }: Props<Of>) {
  const { to } = useHere()
  if (of.data?.results.length === 0 && !saysNone) return null
  return (
    <section>
      <h2>{name}</h2>
      <Read of={of}>
        {({ results, next }) =>
          results.length === 0 ? (
            <Empty>
              <p>{t('search_none')}</p>
            </Empty>
          ) : (
            <>
              <ul className="cards" aria-label={name}>
                {results.map(row).map(({ id, to: path, head, left, right }) => (
                  <li key={id}>
                    <Link href={to(path)}>
                      <span className="card-line">
                        <b>
                          <bdi>{head}</bdi>
                        </b>
                      </span>
                      <span className="card-line mute small">
                        <bdi>{left}</bdi>
                        <span>{right}</span>
                      </span>
                    </Link>
                  </li>
                ))}
              </ul>
              {next !== null && (
                <p>
                  <Link href={to(more)}>{t('search_more', { name })}</Link>
                </p>
              )}
            </>
          )
        }
      </Read>
    </section>
  )
}
