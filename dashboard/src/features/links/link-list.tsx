// Payment links: what they ask for, how often they were paid, whether they still take payments.

import type {
  GetPaymentLinksData,
  GetPaymentLinksResponse,
  ListedPaymentLink,
  PaymentLink,
  PostPaymentLinksData,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { Calls } from '../../parts/as-curl.tsx'
import { Begin } from '../../parts/begin.tsx'
import { Curl } from '../../parts/curl.tsx'
import { anyText } from '../../parts/filter-values.ts'
import { type FilterField, Narrow, narrowedTo } from '../../parts/narrow.tsx'
import { isFollowable, NewerLine } from '../../parts/newer.tsx'
import { newestFirst, usePaged, useThere } from '../../parts/paged.ts'
import { useHere } from '../../parts/place.tsx'
import { CutShort, Pager, Records } from '../../parts/records.tsx'
import { SaveList } from '../../parts/save-list.tsx'
import { Page } from '../../parts/shell.tsx'
import type { Sort } from '../../parts/sort-head.tsx'
import { When } from '../../parts/tips.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { linkState } from './link-state.ts'

export function useLinkAmount(): (link: PaymentLink) => string {
  const { amount } = useHere()
  return ({ amount_type, amount: fixed, min_amount, currency }) => {
    if (amount_type === 'FIXED' && fixed !== null) return amount(fixed, currency)
    // Made by the API without one: nobody can pay it before it has.
    if (amount_type === 'FIXED') return t('no_amount_yet')
    if (min_amount !== null) return t('free_from', { amount: amount(min_amount, currency) })
    return t('free_amount')
  }
}

export const paidTimes = ({ usage_count, usage_limit }: PaymentLink): string =>
  usage_limit === null ? String(usage_count) : `${usage_count} / ${usage_limit}`

const yes_no = ['true', 'false'] as const
const known = { search: anyText, is_active: yes_no } as const
const orders = [
  ...(['name', '-name', 'created_at', '-created_at', 'usage_count', '-usage_count'] as const),
] as const

const fieldsOf = (): FilterField<keyof typeof known>[] => [
  { name: 'search', label: t('search'), is: 'search' },
  {
    ...{ name: 'is_active', label: t('status') },
    is: [
      ['true', t('link_on')],
      ['false', t('link_off')],
    ],
  },
]

export default function LinkList() {
  const here = useHere()
  const { filters, kept, query, narrow, paging } = usePaged(known, orders, newestFirst)
  const isOn = yes_no.find((one) => one === kept.is_active)
  const asked = { search: kept.search, is_active: isOn }
  const request = {
    url: '/payment-links/',
    query: { ...asked, taken: 'true', ...query },
  } as const
  const list = useThere(useRead<GetPaymentLinksData, GetPaymentLinksResponse>(here.place, request))
  const make = here.may('links') && (
    <Link className="button act" href={here.to('/links/new')}>
      {t('new_link')}
    </Link>
  )
  return (
    <Page title={t('links')} acts={make}>
      <Narrow fields={fieldsOf()} filters={kept} set={narrow} />
      <Read of={list}>
        {(shown) => {
          const { results, next, previous, count } = shown
          const { isStart, size, ...pages } = paging
          return results.length === 0 && next === null && previous === null ? (
            <Empty>{Object.keys(kept).length > 0 ? <p>{t('none_found')}</p> : <NoLinks />}</Empty>
          ) : (
            <>
              {isFollowable(filters, ['search', 'order']) && !list.isPlaceholderData && (
                <NewerLine {...{ request, shown }} word="newer_links" isHinted={false} />
              )}
              {results.length > 0 && <Rows rows={results} sort={paging.sort} />}
              <CutShort of={shown} {...{ isStart, size }} />
              <Pager newer={previous} older={next} count={count} size={size} {...pages} />
            </>
          )
        }}
      </Read>
      <SaveList
        of={list}
        path="/payment-links/export/"
        query={asked}
        only={narrowedTo(fieldsOf(), kept)}
      />
      <Calls />
    </Page>
  )
}

function NoLinks() {
  const { may } = useHere()
  const name = t('new_link')
  const body = { name: 'Order 1042', amount: '5000', currency: 'XOF' }
  return (
    <>
      <Begin text={t('no_links_yet')} acts={[['/links/new', 'new_link', may('links')]]} />
      <Curl<PostPaymentLinksData>
        name={t('curl_of', { name })}
        of={{ method: 'POST', url: '/payment-links/', body }}
      />
    </>
  )
}

/** What was paid in the last thirty days; '' where nothing was. */
function useTaken(): (link: ListedPaymentLink) => string {
  const { amount } = useHere()
  return ({ taken }) => taken?.sums.map((one) => amount(one.amount, one.currency)).join(' · ') ?? ''
}

type RowsProps = Readonly<{ rows: readonly ListedPaymentLink[]; sort: Sort }>

const named = (name: 'link_taken' | 'link_end', value: string): string =>
  `${t(name)}${t('colon')} ${value}`

function Rows({ rows, sort }: RowsProps) {
  const { moment } = useHere()
  const linkAmount = useLinkAmount()
  const takenBy = useTaken()
  const state = (link: PaymentLink) => <Status of={linkState(link)} />
  return (
    <Records
      caption={t('links')}
      rows={rows}
      keyOf={({ id }) => id}
      to={({ id }) => `/links/${id}`}
      sort={sort}
      kept="links"
      columns={[
        { name: 'link_name', order: 'name', of: ({ name }) => <bdi>{name}</bdi> },
        { name: 'status', of: state },
        {
          ...{ name: 'made_on', order: 'created_at', is: 'whole' },
          of: ({ created_at }) => <When of={created_at} />,
        },
        { name: 'times_paid', order: 'usage_count', of: paidTimes, is: 'figure' },
        { name: 'amount', of: linkAmount, is: 'figure' },
        { name: 'link_taken', of: (link) => takenBy(link) || '–', is: 'figure' },
        {
          ...{ name: 'link_end', is: 'whole' },
          of: ({ expires_at }) => (expires_at === null ? '–' : <When of={expires_at} />),
        },
      ]}
      card={(link) => ({
        head: link.name,
        status: state(link),
        left: linkAmount(link),
        right: t('paid_so_often', { times: paidTimes(link) }),
        below: [
          takenBy(link) !== '' && named('link_taken', takenBy(link)),
          link.expires_at !== null && named('link_end', moment(link.expires_at)),
        ]
          .filter(Boolean)
          .join(' · '),
      })}
    />
  )
}
