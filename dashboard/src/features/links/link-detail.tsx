// One payment link: shared first, because that is what it is for; then what it took, its switch.

import { useState } from 'react'
import type {
  GetPaymentLinksByIdData,
  GetPaymentLinksByIdResponse,
  GetPaymentLinksByIdTransactionsData,
  GetPaymentLinksByIdTransactionsResponse,
  PatchPaymentLinksByIdData,
  PatchPaymentLinksByIdResponse,
  PaymentLink,
} from '../../api/types.gen.ts'
import { call, failureIn } from '../../data/call.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import { useHere } from '../../parts/place.tsx'
import { ToAudit } from '../../parts/record-page.tsx'
import { Page } from '../../parts/shell.tsx'
import { TransactionCards } from '../../parts/transaction-cards.tsx'
import { Button, sentenceOf } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Copy, Empty, Read } from '../../ui/state.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { linkState, paidTimes, useLinkAmount } from './link-list.tsx'
import { LinkStats } from './link-stats.tsx'
import { OnPaper } from './on-paper.tsx'
import { PayerPays } from './payer-pays.tsx'

export default function LinkDetail({ id }: { id: string }) {
  const { place, to } = useHere()
  const reading = useRead<GetPaymentLinksByIdData, GetPaymentLinksByIdResponse>(place, {
    url: '/payment-links/{id}/',
    path: { id },
  })
  const failure = failureIn(reading.error)
  const isMissing = failure?.is === 'refused' && [403, 404].includes(failure.status)
  return (
    <Page title={reading.data?.name ?? t('link')}>
      <p>
        <Link href={to('/links')}>{t('all_links')}</Link>
      </p>
      {isMissing ? (
        <Empty>
          <p>{t('not_here')}</p>
        </Empty>
      ) : (
        <Read of={reading}>{(link) => <Content link={link} />}</Read>
      )}
    </Page>
  )
}

function Content({ link }: { link: PaymentLink }) {
  const linkAmount = useLinkAmount()
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
        <Sharing link={link} />
      </section>
      <div className="columns">
        <Taken link={link} />
        <div>
          <OnPaper link={link} />
          <PayerPays link={link} />
          <Switch link={link} />
          <LinkStats link={link} />
        </div>
      </div>
      <ToAudit of={link.id} />
    </>
  )
}

/** Texts are written by the merchant: encoded whole, they can only be text. */
function Sharing({ link }: { link: PaymentLink }) {
  const { merchant } = useHere()
  const linkAmount = useLinkAmount()
  const text = t('share_text', {
    merchant: merchant.name,
    name: link.name,
    amount: linkAmount(link),
    url: link.url,
  })
  const encoded = encodeURIComponent(text)
  return (
    <>
      <p className="address">
        <a href={link.url} target="_blank" rel="noreferrer">
          {link.url}
        </a>
      </p>
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
    </>
  )
}

function Taken({ link }: { link: PaymentLink }) {
  const { place, to } = useHere()
  const taken = useRead<
    GetPaymentLinksByIdTransactionsData,
    GetPaymentLinksByIdTransactionsResponse
  >(place, {
    url: '/payment-links/{id}/transactions/',
    path: { id: link.id },
    query: { page_size: 10 },
  })
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
              <Link href={to(`/payments?payment_link=${link.id}`)}>
                {t('search_more_payments')}
              </Link>
            </>
          )
        }
      </Read>
    </section>
  )
}

function Switch({ link }: { link: PaymentLink }) {
  const { place, may } = useHere()
  const [error, setError] = useState<unknown>()
  const [isBusy, setIsBusy] = useState(false)
  const failure = failureIn(error)
  if (link.admin_locked) return <p>{t('link_locked_why')}</p>
  if (!may('links')) return null
  const turn = async () => {
    if (isBusy) return
    setIsBusy(true)
    setError(undefined)
    try {
      await call<PatchPaymentLinksByIdData, PatchPaymentLinksByIdResponse>({
        ...{ method: 'PATCH', url: '/payment-links/{id}/', path: { id: link.id }, place },
        body: { is_active: !link.is_active },
      })
      await readAgain('/payment-links/{id}/', '/payment-links/')
    } catch (failed) {
      setError(failed)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <section>
      <h2>{t('link_switch')}</h2>
      <p>{t(link.is_active ? 'link_switch_off_how' : 'link_switch_on_how')}</p>
      {failure && <p className="alert">{sentenceOf(failure)}</p>}
      <Button look="plain" busy={isBusy} onClick={turn}>
        {t(link.is_active ? 'link_switch_off' : 'link_switch_on')}
      </Button>
    </section>
  )
}
