// Which filters are on, each with its own end: none narrows a list out of sight.

import { ShapeIcon } from '../ui/icons.tsx'
import { t } from '../words/translate.ts'

type ChipsProps = Readonly<{
  /** By the names that the address has for them. */
  of: Readonly<Record<string, string | undefined>>
  textOf: (name: string, value: string) => string
  onRemove: (name: string) => void
  onClear: () => void
}>

/** Nothing where no filter is on. */
export function Chips({ of, textOf, onRemove, onClear }: ChipsProps) {
  const on = Object.entries(of).filter(([, value = '']) => value !== '')
  if (on.length === 0) return null
  return (
    <ul className="chips" aria-label={t('filters_on')}>
      {on.map(([name, value = '']) => (
        <li key={name}>
          <button
            type="button"
            aria-label={t('remove_filter', { name: textOf(name, value) })}
            onClick={() => onRemove(name)}
          >
            <bdi>{textOf(name, value)}</bdi> <ShapeIcon shape="failed" />
          </button>
        </li>
      ))}
      <li>
        <button type="button" onClick={onClear}>
          {t('remove_all')}
        </button>
      </li>
    </ul>
  )
}
