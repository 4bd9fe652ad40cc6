// What one has, country by country: what can be used, what is on its way, what is on hold.

import type {
  GetMerchantBalancesData,
  GetMerchantBalancesResponse,
  MerchantBalance,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { countryName } from '../../format/country.ts'
import { useHere } from '../../parts/place.tsx'
import { RecordList } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { Link } from '../../ui/link.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'

const every_ms = 60_000

export default function BalanceList() {
  const { place, amount, language, may, to } = useHere()
  const list = useRead<GetMerchantBalancesData, GetMerchantBalancesResponse>(
    place,
    { url: '/merchant-balances/', query: { page_size: 100 } },
    { every_ms },
  )
  const topUp = may('top_ups') && (
    <Link className="button act" href={to('/balances/top-up')}>
      {t('top_up')}
    </Link>
  )
  const state = ({ is_frozen }: MerchantBalance) =>
    is_frozen && <Status of={{ shape: 'held', word: 'balance_is_frozen' }} />
  const write = (sum: string, { currency }: MerchantBalance) => amount(sum, currency)
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
          { name: 'status', of: state },
          { name: 'available', of: (of) => write(of.available_amount, of), is: 'figure' },
          { name: 'pending', of: (of) => write(of.pending_amount, of), is: 'figure' },
          { name: 'frozen_sum', of: (of) => write(of.frozen_amount, of), is: 'figure' },
        ]}
        card={(of) => ({
          head: write(of.available_amount, of),
          status: state(of),
          left: countryName(of.country, language),
          right: t('in_flight', { amount: write(of.pending_amount, of) }),
        })}
      />
    </Page>
  )
}
