// Who made them: a member in the dashboard, or a key of the API. Both are asked for once the
// filters are opened, or where one of them is on.

import type {
  GetMerchantApiKeysData,
  GetMerchantApiKeysResponse,
  GetMerchantMembersData,
  GetMerchantMembersResponse,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { useHere } from '../../parts/place.tsx'
import { SelectField } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'

type Chosen = Readonly<Partial<Record<'member' | 'key', string>>>

const page_size = 100
const stale_ms = 5 * 60_000

type Choices = readonly (readonly [id: string, name: string])[]

function useMakers({
  member,
  key,
}: Readonly<Record<'member' | 'key', boolean>>): Readonly<{ member: Choices; key: Choices }> {
  const { place } = useHere()
  const members = useRead<GetMerchantMembersData, GetMerchantMembersResponse>(
    place,
    { url: '/merchant-members/', query: { page_size } },
    { on: member, stale_ms },
  )
  const keys = useRead<GetMerchantApiKeysData, GetMerchantApiKeysResponse>(
    place,
    { url: '/merchant-api-keys/', query: { page_size } },
    { on: key, stale_ms },
  )
  return {
    member: (members.data?.results ?? []).map(({ id, first_name, last_name, email }) => [
      id,
      `${first_name} ${last_name}`.trim() || email,
    ]),
    key: (keys.data?.results ?? []).map(({ id, name, key_prefix, last4 }) => [
      id,
      name || `${key_prefix}…${last4}`,
    ]),
  }
}

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

/** One who has left, or whose list has not come, stays chosen. */
const withChosen = (choices: Choices, chosen = ''): Choices =>
  chosen === '' || choices.some(([id]) => id === chosen) ? choices : [...choices, [chosen, chosen]]

/** What a chip says of a filter that is on. */
export function useMakerName(filters: Chosen): (of: 'member' | 'key', id: string) => string {
  const makers = useMakers({ member: Boolean(filters.member), key: Boolean(filters.key) })
  return (of, id) => {
    const name = makers[of].find(([one]) => one === id)?.[1] ?? id
    return `${t(`filter_${of}`)}${t('colon')} ${name}`
  }
}
