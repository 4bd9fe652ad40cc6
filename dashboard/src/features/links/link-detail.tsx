// One payment link: shared first, because that is what it is for; then what it took, until when and
// how often it can be paid, and what can be done with it.

import type {
  GetMerchantData,
  GetMerchantResponse,
  GetPaymentLinksByIdData,
  GetPaymentLinksByIdResponse,
  GetPaymentLinksByIdTransactionsData,
  GetPaymentLinksByIdTransactionsResponse,
  PaymentLink,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { Why } from '../../parts/allowed.tsx'
import { anyText } from '../../parts/filter-values.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { RecordPage } from '../../parts/record-page.tsx'
import { WhenExactly } from '../../parts/tips.tsx'
import { TransactionCards } from '../../parts/transaction-cards.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { ChangeLink, DeleteLink, SwitchLink } from './change-link.tsx'
import { Asked, asksOf } from './link-asks.tsx'
import { paidTimes, useLinkAmount } from './link-list.tsx'
import { linkState, sentWith, whyClosed } from './link-state.ts'
import { LinkStats } from './link-stats.tsx'
import { OnPaper } from './on-paper.tsx'
import { PayerPays } from './payer-pays.tsx'

/** Where nothing says at once that it was paid. */
const every_ms = 60_000
/** What it is and how often it was opened changes seldom, and with what was paid by it. */
const seldom_ms = 120_000
/** Of the shop’s name: once it is changed here it is read at once. */
const stale_ms = 60 * 60_000

export default function LinkDetail({ id }: { id: string }) {
  const { place } = useHere()
  const reading = useRead<GetPaymentLinksByIdData, GetPaymentLinksByIdResponse>(
    place,
    { url: '/payment-links/{id}/', path: { id } },
    { every_ms: seldom_ms },
  )
  return (
    <RecordPage
      title={reading.data?.name ?? t('link')}
      back={{ path: '/links', name: t('all_links') }}
      reading={reading}
      acted={id}
    >
      {(link) => <Content link={link} />}
    </RecordPage>
  )
}

function Content({ link }: { link: PaymentLink }) {
  const linkAmount = useLinkAmount()
  const { merchant, to, may } = useHere()
  const why = whyClosed(link, merchant)
  const isNew = useFilters({ made: anyText }).filters.made !== undefined
  return (
    <>
      <section className="outcome">
        <p className="sum">
          <b>{linkAmount(link)}</b> <Status of={linkState(link)} />
        </p>
        {link.description !== '' && (
          <p>
            <bdi>{link.description}</bdi>
          </p>
        )}
        <p className="address">
          <a href={link.url} target="_blank" rel="noreferrer">
            {link.url}
          </a>
        </p>
        {why === undefined ? <Sharing link={link} /> : <p>{t(why)}</p>}
        {isNew && may('links') && (
          <div className="acts">
            <Link className="button plain" href={to('/links/new')}>
              {t('link_another')}
            </Link>
          </div>
        )}
      </section>
      {why === undefined && isNew && <OnPaper link={link} isNew />}
      <div className="columns">
        <Taken link={link} />
        <div>
          {why === undefined && !isNew && <OnPaper link={link} />}
          <PayerPays link={link} />
          <Asked link={link} />
          <About link={link} />
          <SwitchLink link={link} />
          <LinkStats link={link} />
        </div>
      </div>
    </>
  )
}

function About({ link }: { link: PaymentLink }) {
  const { whyNot } = useHere()
  const { usage_limit, expires_at, created_at } = link
  const why = whyNot('links')
  return (
    <section>
      <h2>{t('details')}</h2>
      <Facts
        of={[
          [t('link_limit'), usage_limit],
          [t('link_end'), expires_at && <WhenExactly key="end" of={expires_at} />],
          ...asksOf(link),
          [t('made_on'), <WhenExactly key="made" of={created_at} />],
        ]}
      />
      {why === undefined ? (
        <div className="acts">
          <ChangeLink link={link} />
          <DeleteLink link={link} />
        </div>
      ) : (
        <Why of={why} />
      )}
    </section>
  )
}

/** Texts are written by the merchant: encoded whole, they can only be text. */
function Sharing({ link }: { link: PaymentLink }) {
  const { amount } = useHere()
  const { key, sum } = sentWith(link)
  const text = t(key, {
    merchant: useShownName(),
    name: link.name,
    amount: sum === null ? '' : amount(sum, link.currency),
    url: link.url,
  })
  const encoded = encodeURIComponent(text)
  return (
    <div className="acts">
      {typeof navigator.share === 'function' && (
        <Button onClick={() => navigator.share({ text }).catch(() => undefined)}>
          {t('share')}
        </Button>
      )}
      <a className="button act" href={`https://wa.me/?text=${encoded}`} rel="noreferrer">
        {t('by_whatsapp')}
      </a>
      <a className="button plain" href={`sms:?&body=${encoded}`}>
        {t('by_sms')}
      </a>
      <Copy text={link.url} name={t('copy_address')} isFirst />
    </div>
  )
}

/** Of the shop, as its customers know it. */
function useShownName(): string {
  const { place, merchant } = useHere()
  const { data } = useRead<GetMerchantData, GetMerchantResponse>(
    place,
    { url: '/merchant/' },
    { stale_ms },
  )
  return data?.branding.name || merchant.name
}

function Taken({ link }: { link: PaymentLink }) {
  const { place, to } = useHere()
  const taken = useRead<
    GetPaymentLinksByIdTransactionsData,
    GetPaymentLinksByIdTransactionsResponse
  >(
    place,
    { url: '/payment-links/{id}/transactions/', path: { id: link.id }, query: { page_size: 10 } },
    { every_ms },
  )
  return (
    <section>
      <h2>{t('paid_so_often', { times: paidTimes(link) })}</h2>
      <Read of={taken}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty>
              <p>{t('not_paid_yet')}</p>
            </Empty>
          ) : (
            <>
              <TransactionCards rows={results} />
              <p>
                <Link href={to(`/payments?payment_link=${link.id}`)}>
                  {t('search_more_payments')}
                </Link>
              </p>
            </>
          )
        }
      </Read>
    </section>
  )
}
