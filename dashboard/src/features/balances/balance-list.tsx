// What one has, country by country: what can be used, what is on its way, what is on hold.

import type {
  GetMerchantBalancesData,
  GetMerchantBalancesResponse,
  MerchantBalance,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { isZero } from '../../format/amount.ts'
import { byCountry, countryName } from '../../format/country.ts'
import { useHere } from '../../parts/place.tsx'
import { RecordList } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { Link } from '../../ui/link.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'

const every_ms = 60_000

export default function BalanceList() {
  const { place, amountAmong, language, may, merchant, to } = useHere()
  const read = useRead<GetMerchantBalancesData, GetMerchantBalancesResponse>(
    place,
    { url: '/merchant-balances/', query: { page_size: 100 } },
    { every_ms },
  )
  const rows = byCountry(read.data?.results ?? [], language, merchant.country)
  const list = { ...read, data: read.data && { ...read.data, results: rows } }
  const amount = amountAmong(rows.map(({ currency }) => currency))
  const isAnyFrozen = rows.some(({ is_frozen }) => is_frozen)
  const topUp = may('top_ups') && (
    <Link className="button act" href={to('/balances/top-up')}>
      {t('top_up')}
    </Link>
  )
  const state = ({ is_frozen }: MerchantBalance) =>
    is_frozen && <Status of={{ shape: 'held', word: 'balance_is_frozen' }} />
  const write = (sum: string, { currency }: MerchantBalance) => amount(sum, currency)
  /** What there is none of needs no line. */
  const bound = (of: MerchantBalance) =>
    (['in_flight', 'frozen'] as const)
      .map((name) => [name, name === 'frozen' ? of.frozen_amount : of.pending_amount] as const)
      .filter(([, sum]) => !isZero(sum))
      .map(([name, sum]) => t(name, { amount: write(sum, of) }))
      .join(' · ')
  return (
    <Page title={t('balances')} acts={topUp}>
      <RecordList
        of={list}
        caption={t('balances')}
        empty={t('no_balance_yet')}
        go={() => undefined}
        keyOf={({ id }) => id}
        to={({ country }) => `/balances/${country}`}
        columns={[
          { name: 'country', of: ({ country }) => countryName(country, language) },
          ...(isAnyFrozen ? [{ name: 'status', of: state } as const] : []),
          { name: 'available', of: (of) => write(of.available_amount, of), is: 'figure' },
          { name: 'pending', of: (of) => write(of.pending_amount, of), is: 'figure' },
          { name: 'frozen_sum', of: (of) => write(of.frozen_amount, of), is: 'figure' },
        ]}
        card={(of) => ({
          head: countryName(of.country, language),
          status: state(of) || <b>{write(of.available_amount, of)}</b>,
          left: state(of) && write(of.available_amount, of),
          below: bound(of),
        })}
      />
    </Page>
  )
}
