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
import { Curl } from '../../parts/curl.tsx'
import { type FilterField, Narrow, pageNumber } from '../../parts/narrow.tsx'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Begin, Pager, sizeOf } from '../../parts/records.tsx'
import { SaveList } from '../../parts/save-list.tsx'
import { Page } from '../../parts/shell.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty, Read, useIsWide } from '../../ui/state.tsx'
import { type State, Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'

export function linkState(link: PaymentLink): State {
  const { is_active, admin_locked, usage_limit, usage_count, expires_at } = link
  if (admin_locked) return { shape: 'off', word: 'link_locked' }
  if (!is_active) return { shape: 'off', word: 'link_off' }
  if (expires_at !== null && new Date(expires_at) < new Date()) {
    return { shape: 'off', word: 'link_over' }
  }
  if (usage_limit !== null && usage_count >= usage_limit)
    return { shape: 'done', word: 'link_used' }
  return { shape: 'done', word: 'link_on' }
}

export function useLinkAmount(): (link: PaymentLink) => string {
  const { amount } = useHere()
  return ({ amount_type, amount: fixed, min_amount, currency }) => {
    if (amount_type === 'FIXED' && fixed !== null) return amount(fixed, currency)
    if (min_amount !== null) return t('free_from', { amount: amount(min_amount, currency) })
    return t('free_amount')
  }
}

export const paidTimes = ({ usage_count, usage_limit }: PaymentLink): string =>
  usage_limit === null ? String(usage_count) : `${usage_count} / ${usage_limit}`

const names = ['search', 'is_active'] as const

const fieldsOf = (): FilterField<(typeof names)[number]>[] => [
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
  const { filters, set } = useFilters([...names, 'page', 'size'])
  const { page, size, ...kept } = filters
  const isOn = (['true', 'false'] as const).find((one) => one === kept.is_active)
  const asked = { search: kept.search, is_active: isOn }
  const list = useRead<GetPaymentLinksData, GetPaymentLinksResponse>(here.place, {
    url: '/payment-links/',
    query: { ...asked, taken: 'true', page: pageNumber(page), page_size: sizeOf(size) },
  })
  const make = here.may('links') && (
    <Link className="button act" href={here.to('/links/new')}>
      {t('new_link')}
    </Link>
  )
  return (
    <Page title={t('links')} acts={make}>
      <Narrow fields={fieldsOf()} filters={kept} set={(next) => set({ ...next, size })} />
      <Read of={list}>
        {({ results, next, previous }) =>
          results.length === 0 ? (
            <Empty>{Object.keys(kept).length > 0 ? <p>{t('none_found')}</p> : <NoLinks />}</Empty>
          ) : (
            <>
              <Rows rows={results} />
              <Pager
                newer={previous}
                older={next}
                go={(at) => set({ ...kept, ...at })}
                size={sizeOf(size)}
              />
            </>
          )
        }
      </Read>
      <SaveList of={list} path="/payment-links/export/" query={asked} />
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

type RowsProps = Readonly<{ rows: readonly ListedPaymentLink[] }>

/** In the last thirty days, as the link's own page says it; '' where nothing was. */
function useTaken(): (link: ListedPaymentLink) => string {
  const { amount } = useHere()
  return ({ taken }) => {
    const sums = taken?.sums.map((one) => amount(one.amount, one.currency)).join(' · ') ?? ''
    return taken?.is_partial && sums !== '' ? t('link_taken_more', { amount: sums }) : sums
  }
}

const Rows = ({ rows }: RowsProps) => (useIsWide() ? <Table rows={rows} /> : <Cards rows={rows} />)

function Table({ rows }: RowsProps) {
  const { to, moment } = useHere()
  const linkAmount = useLinkAmount()
  const takenBy = useTaken()
  return (
    <div className="scroll">
      <table>
        <caption className="unseen">{t('links')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('link_name')}</th>
            <th scope="col">{t('status')}</th>
            <th scope="col">{t('made_on')}</th>
            <th scope="col" className="figure">
              {t('times_paid')}
            </th>
            <th scope="col" className="figure">
              {t('amount')}
            </th>
            <th scope="col" className="figure">
              {t('link_taken')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((link) => (
            <tr key={link.id}>
              <th scope="row">
                <Link href={to(`/links/${link.id}`)}>
                  <bdi>{link.name}</bdi>
                </Link>
              </th>
              <td>
                <Status of={linkState(link)} />
              </td>
              <td className="whole">{moment(link.created_at)}</td>
              <td className="figure">{paidTimes(link)}</td>
              <td className="figure">{linkAmount(link)}</td>
              <td className="figure">{takenBy(link)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cards({ rows }: RowsProps) {
  const { to } = useHere()
  const linkAmount = useLinkAmount()
  const takenBy = useTaken()
  return (
    <ul className="cards">
      {rows.map((link) => (
        <li key={link.id}>
          <Link href={to(`/links/${link.id}`)}>
            <span className="card-line">
              <b>
                <bdi>{link.name}</bdi>
              </b>
              <Status of={linkState(link)} />
            </span>
            <span className="card-line mute small">
              <span>{linkAmount(link)}</span>
              <span>{t('paid_so_often', { times: paidTimes(link) })}</span>
            </span>
            {takenBy(link) !== '' && (
              <span className="mute small line">
                {t('link_taken')}
                {t('colon')} {takenBy(link)}
              </span>
            )}
          </Link>
        </li>
      ))}
    </ul>
  )
}
