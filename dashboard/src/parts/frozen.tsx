// What a frozen balance stops is said where money would leave it, before a sum is filled in; and
// that what is received still lands.

import type {
  GetMerchantBalancesData,
  GetMerchantBalancesResponse,
  MerchantBalance,
} from '../api/types.gen.ts'
import { useRead } from '../data/queries.ts'
import { byCountry, countryName } from '../format/country.ts'
import { Link } from '../ui/link.tsx'
import type { Reading } from '../ui/state.tsx'
import { t } from '../words/translate.ts'
import { GuardedButton } from './act.tsx'
import { useHere } from './place.tsx'

type Frozen = Readonly<{
  balances: readonly MerchantBalance[]
  /** The others too. */
  all: readonly MerchantBalance[]
  /** They are known, or not to be had: what stands below is not pushed down by them. */
  isFetched: boolean
}>

/** Those of one's balances that are frozen; none, and none is asked for, where it is not `on`. */
export function useFrozen(on = true): Frozen {
  const { place } = useHere()
  const { data, isFetched } = useRead<GetMerchantBalancesData, GetMerchantBalancesResponse>(
    place,
    { url: '/merchant-balances/', query: { page_size: 100 } },
    { on },
  )
  const all = data?.results ?? []
  return { balances: frozenOf(all), all, isFetched: isFetched || !on }
}

export const frozenOf = (balances: readonly MerchantBalance[]): readonly MerchantBalance[] =>
  balances.filter(({ is_frozen }) => is_frozen)

/** A list comes with what is frozen above it. */
export const withFrozen = <T,>(list: Reading<T>, { isFetched }: Frozen): Reading<T> =>
  isFetched ? list : { ...list, data: undefined, error: null }

/** What stands below that list comes with it too. */
export const belowFrozen = <L extends Readonly<{ isFetched: boolean }>>(
  list: L,
  { isFetched }: Frozen,
): L => (isFetched ? list : { ...list, isFetched: false })

/** In place of a sum and its button, where the balance that is chosen is frozen. */
export const FrozenHere = () => (
  <GuardedButton
    name={t('go_on')}
    whyNot={{ text: t('balance_frozen') }}
    onClick={() => undefined}
  />
)

/** What is refused, and that credits still land; each leads to why. */
export function FrozenLines({ of }: { of: readonly MerchantBalance[] }) {
  const { language, merchant, to } = useHere()
  return byCountry(of, language, merchant.country).map(({ country }) => (
    <p key={country} className="warned">
      <Link className="line" href={to(`/balances/${country}`)}>
        {countryName(country, language)}
      </Link>
      {t('balance_frozen')}
    </p>
  ))
}
