// Transfers of value between one's own balances of two countries.

import type {
  GetWalletTransfersData,
  GetWalletTransfersResponse,
  PostWalletTransfersData,
  NamedWalletTransfer as WalletTransfer,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import type { Language } from '../../format/amount.ts'
import { countryName } from '../../format/country.ts'
import { Calls } from '../../parts/as-curl.tsx'
import { Begin } from '../../parts/begin.tsx'
import { Curl } from '../../parts/curl.tsx'
import { anyText, period } from '../../parts/filter-values.ts'
import { belowFrozen, FrozenLines, useFrozen, withFrozen } from '../../parts/frozen.tsx'
import {
  boundsOf,
  type FilterField,
  Narrow,
  narrowedTo,
  periodFields,
} from '../../parts/narrow.tsx'
import { useCountries, useListed } from '../../parts/networks.ts'
import { isFollowable, NewerLine } from '../../parts/newer.tsx'
import { newestFirst, usePaged, useThere } from '../../parts/paged.ts'
import { useHere } from '../../parts/place.tsx'
import { RecordList } from '../../parts/records.tsx'
import { SaveList } from '../../parts/save-list.tsx'
import { Page } from '../../parts/shell.tsx'
import { transferState, transferStatuses } from '../../parts/states.ts'
import { Sum, When } from '../../parts/tips.tsx'
import { Link } from '../../ui/link.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'

const known = { search: anyText, status: transferStatuses } as const

const orders = ['created_at', '-created_at'] as const

const fieldsOf = (
  countries: readonly (readonly [string, string])[],
): FilterField<keyof typeof known | 'country' | 'from' | 'to'>[] => [
  { name: 'search', label: t('reference'), is: 'search' },
  {
    ...{ name: 'status', label: t('status') },
    is: transferStatuses.map((one) => [one, t(`transfer_${one}`)] as const),
  },
  { name: 'country', label: t('country'), is: countries },
  ...periodFields(),
]

function NewOne() {
  const { may, to } = useHere()
  if (!may('transfers')) return null
  return (
    <Link className="button act" href={to('/transfers/new')}>
      {t('new_transfer')}
    </Link>
  )
}

/** Of both sides of each. */
const currenciesOf = (rows: readonly WalletTransfer[]): string[] =>
  rows.flatMap(({ from_currency, to_currency }) => [from_currency, to_currency])

/** "Benin to Senegal". */
const wayOf = ({ from_country, to_country }: WalletTransfer, language: Language): string =>
  t('from_to', { from: countryName(from_country, language), to: countryName(to_country, language) })

const useAddress = () =>
  usePaged({ ...known, country: useListed().country, ...period }, orders, newestFirst)

export default function TransferList() {
  const { place, clock, language } = useHere()
  const { filters, kept, query, narrow, paging } = useAddress()
  const status = transferStatuses.find((one) => one === kept.status)
  const { search, country } = kept
  const countries = useCountries()
  const asked = { search, country, status, ...boundsOf(kept, clock.zone) }
  const request = { url: '/wallet-transfers/', query: { ...asked, ...query } } as const
  const list = useThere(useRead<GetWalletTransfersData, GetWalletTransfersResponse>(place, request))
  const frozen = useFrozen()
  const way = (of: WalletTransfer) => wayOf(of, language)
  const among = currenciesOf(list.data?.results ?? [])
  const sum = (of: string, currency: string) => <Sum {...{ of, currency, among }} />
  const gone = (of: WalletTransfer) => sum(of.from_amount, of.from_currency)
  const state = (of: WalletTransfer) => <Status of={transferState(of)} />
  return (
    <Page title={t('transfers')} acts={<NewOne />}>
      <Narrow fields={fieldsOf(countries)} filters={kept} set={narrow} />
      <FrozenLines of={frozen.balances} />
      <RecordList
        of={withFrozen(list, frozen)}
        above={(shown) =>
          isFollowable(filters, ['search', 'order']) && (
            <NewerLine {...{ request, shown }} word="newer_transfers" />
          )
        }
        caption={t('transfers')}
        empty={Object.keys(kept).length > 0 ? t('none_found') : <NoTransfers />}
        {...paging}
        kept="transfers"
        keyOf={({ id }) => id}
        to={({ id }) => `/transfers/${id}`}
        columns={[
          { name: 'reference', of: ({ reference }) => reference, is: 'whole' },
          {
            name: 'date',
            order: 'created_at',
            of: ({ created_at }) => <When of={created_at} />,
            is: 'whole',
          },
          { name: 'status', of: state },
          { name: 'transfer_way', of: way },
          { name: 'made_how', of: ({ created_by_name: name }) => <bdi>{name}</bdi> },
          { name: 'transfer_leaves', of: gone, is: 'figure' },
          {
            name: 'transfer_arrives',
            of: (of) => sum(of.to_amount, of.to_currency),
            is: 'figure',
          },
        ]}
        card={(of) => ({
          head: gone(of),
          status: state(of),
          left: way(of),
          right: <When of={of.created_at} />,
        })}
      />
      <SaveList
        of={belowFrozen(list, frozen)}
        path="/wallet-transfers/export/"
        query={asked}
        only={narrowedTo(fieldsOf(countries), kept)}
      />
      <Calls />
    </Page>
  )
}

function NoTransfers() {
  const { may, merchant } = useHere()
  const codes = useCountries().map(([code]) => code)
  const from_country = codes.find((code) => code === merchant.country)
  const to_country = codes.find((code) => code !== merchant.country)
  return (
    <>
      <Begin
        text={t('no_transfers_yet')}
        acts={[['/transfers/new', 'new_transfer', may('transfers')]]}
      />
      {from_country && to_country && (
        <Curl<PostWalletTransfersData>
          name={t('curl_of', { name: t('new_transfer') })}
          of={{
            ...{ method: 'POST', url: '/wallet-transfers/', key: 'transfer-1' },
            body: { from_country, to_country, from_amount: '10000' },
          }}
        />
      )}
    </>
  )
}
