// Who made them: a member in the dashboard, or a key of the API. Both are asked for once the
// filters are opened, or where one of them is on.

import { useMakers, withChosen } from '../../parts/makers.ts'
import { SelectField } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'

type Chosen = Readonly<Partial<Record<'member' | 'key', string>>>

export function FilterOfMaker({ filters }: { filters: Chosen }) {
  const makers = useMakers({ member: true, key: true })
  const field = (name: 'member' | 'key') => (
    <SelectField
      // Drawn anew once its choices are there: a native one chooses among those it has.
      key={`${name} ${makers[name].length}`}
      label={t(`filter_${name}`)}
      name={name}
      defaultValue={filters[name] ?? ''}
      options={[['', t('any_status')], ...withChosen(makers[name], filters[name])]}
    />
  )
  return (
    <div className="filter-row">
      {field('member')}
      {field('key')}
    </div>
  )
}

/** What a chip calls a filter that is on. */
export function useMakerName(filters: Chosen): (of: 'member' | 'key', id: string) => string {
  const makers = useMakers({ member: Boolean(filters.member), key: Boolean(filters.key) })
  return (of, id) => {
    const name = makers[of].find(([one]) => one === id)?.[1] ?? id
    return `${t(`filter_${of}`)}${t('colon')} ${name}`
  }
}
