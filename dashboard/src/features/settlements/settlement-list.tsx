// Settlements: what one has taken out of one's balances to one's own accounts.

import type {
  GetSettlementsData,
  GetSettlementsResponse,
  PayoutMethod,
  PostSettlementsData,
  NamedSettlement as Settlement,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
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
import { methodName, usePayoutMethods } from '../../parts/payout-methods.ts'
import { useHere } from '../../parts/place.tsx'
import { RecordList } from '../../parts/records.tsx'
import { SaveList } from '../../parts/save-list.tsx'
import { Page } from '../../parts/shell.tsx'
import { settlementState, settlementStatuses } from '../../parts/states.ts'
import { Sum, When } from '../../parts/tips.tsx'
import { Link } from '../../ui/link.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { SettlementTabs } from './settlement-tabs.tsx'

const known = { search: anyText, status: settlementStatuses } as const

const orders = ['created_at', '-created_at', 'requested_amount', '-requested_amount'] as const

const fieldsOf = (
  countries: readonly (readonly [string, string])[],
): FilterField<keyof typeof known | 'country' | 'from' | 'to'>[] => [
  { name: 'search', label: t('reference'), is: 'search' },
  {
    ...{ name: 'status', label: t('status') },
    is: settlementStatuses.map((one) => [one, t(`settlement_${one}`)] as const),
  },
  { name: 'country', label: t('country'), is: countries },
  ...periodFields(),
]

function nameIn(methods: readonly PayoutMethod[] | undefined, wanted: string): string {
  const found = methods?.find(({ id }) => id === wanted)
  return found === undefined ? '' : methodName(found)
}

function NewOne() {
  const { may, to } = useHere()
  if (!may('settlements')) return null
  return (
    <Link className="button act" href={to('/settlements/new')}>
      {t('new_settlement')}
    </Link>
  )
}

const useAddress = () =>
  usePaged({ ...known, country: useListed().country, ...period }, orders, newestFirst)

export default function SettlementList() {
  const { place, clock, language } = useHere()
  const { filters, kept, query, narrow, paging } = useAddress()
  const status = settlementStatuses.find((one) => one === kept.status)
  const asked = {
    search: kept.search,
    country: kept.country,
    status,
    ...boundsOf(kept, clock.zone),
  }
  const request = { url: '/settlements/', query: { ...asked, ...query } } as const
  const list = useThere(useRead<GetSettlementsData, GetSettlementsResponse>(place, request))
  const sum = (of: Settlement) => <Sum of={of.requested_amount} currency={of.currency} />
  const countries = useCountries()
  const methods = usePayoutMethods()
  const method = ({ payout_method }: Settlement) => nameIn(methods.data?.results, payout_method)
  // Names that came after their rows would push the rows down.
  const named = methods.isFetched ? list : { ...list, data: undefined, error: null }
  const frozen = useFrozen()
  const state = (of: Settlement) => <Status of={settlementState(of)} />
  return (
    <Page title={t('settlements')} acts={<NewOne />}>
      <SettlementTabs />
      <Narrow fields={fieldsOf(countries)} filters={kept} set={narrow} />
      <FrozenLines of={frozen.balances} />
      <RecordList
        of={withFrozen(named, frozen)}
        above={(shown) =>
          isFollowable(filters, ['search', 'order']) && (
            <NewerLine {...{ request, shown }} word="newer_settlements" />
          )
        }
        caption={t('settlements')}
        empty={Object.keys(kept).length > 0 ? t('none_found') : <NoSettlements />}
        {...paging}
        kept="settlements"
        keyOf={({ id }) => id}
        to={({ id }) => `/settlements/${id}`}
        columns={[
          { name: 'reference', of: ({ reference }) => reference, is: 'whole' },
          {
            name: 'date',
            order: 'created_at',
            of: ({ created_at }) => <When of={created_at} />,
            is: 'whole',
          },
          { name: 'status', of: state },
          { name: 'method', of: (of) => <bdi>{method(of)}</bdi> },
          { name: 'made_how', of: ({ created_by_name: name }) => <bdi>{name}</bdi> },
          { name: 'country', of: ({ country }) => countryName(country, language) },
          { name: 'amount', order: 'requested_amount', of: sum, is: 'figure' },
        ]}
        card={(of) => ({
          head: sum(of),
          status: state(of),
          left: method(of) || of.reference,
          right: <When of={of.created_at} />,
        })}
      />
      <SaveList
        of={belowFrozen(list, frozen)}
        path="/settlements/export/"
        query={asked}
        only={narrowedTo(fieldsOf(countries), kept)}
      />
      <Calls />
    </Page>
  )
}

function NoSettlements() {
  const { may } = useHere()
  // An account of theirs; without one there is nothing to call for yet.
  const to = usePayoutMethods().data?.results.find((one) => one.is_usable)
  return (
    <>
      <Begin
        text={t('no_settlements_yet')}
        acts={[['/settlements/new', 'new_settlement', may('settlements')]]}
      />
      {to !== undefined && (
        <Curl<PostSettlementsData>
          name={t('curl_of', { name: t('new_settlement') })}
          of={{
            ...{ method: 'POST', url: '/settlements/', key: 'settlement-1' },
            body: { country: to.country, requested_amount: '10000', payout_method: to.id },
          }}
        />
      )}
    </>
  )
}
