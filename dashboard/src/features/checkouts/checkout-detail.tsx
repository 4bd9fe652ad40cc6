// One checkout session: what the payer has before them now, its address to send, how long it lasts.

import { useState } from 'react'
import type {
  CheckoutSession,
  GetCheckoutSessionsByIdData,
  GetCheckoutSessionsByIdResponse,
  GetTransactionsData,
  GetTransactionsResponse,
  PostCheckoutSessionsByIdCancelData,
  PostCheckoutSessionsByIdCancelResponse,
  Transaction,
} from '../../api/types.gen.ts'
import { type ContentOf, call } from '../../data/call.ts'
import { readAllAgain, useRead, useRhythm } from '../../data/queries.ts'
import { countryName } from '../../format/country.ts'
import { Offer } from '../../parts/act.tsx'
import { Countdown } from '../../parts/countdown.tsx'
import { PayerPage } from '../../parts/payer-page.tsx'
import { useHere } from '../../parts/place.tsx'
import { OwnData, RecordPage } from '../../parts/record-page.tsx'
import { checkoutState } from '../../parts/states.ts'
import { WhenExactly } from '../../parts/tips.tsx'
import { TransactionCards } from '../../parts/transaction-cards.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Link } from '../../ui/link.tsx'
import { Read, type Reading } from '../../ui/state.tsx'
import { Status } from '../../ui/status.tsx'
import { type Key, t } from '../../words/translate.ts'

/** Without a stream of hints; with one they report what the payer does. */
const follow = { soon_ms: 5_000, later_ms: 60_000 } as const
const look = { soon_ms: 15_000, later_ms: 60_000 } as const

type Tried = Reading<ContentOf<GetTransactionsResponse>>

export default function CheckoutDetail({ id }: { id: string }) {
  const { place } = useHere()
  const [isOpen, setIsOpen] = useState(true)
  const reading = useRead<GetCheckoutSessionsByIdData, GetCheckoutSessionsByIdResponse>(
    place,
    { url: '/checkout-sessions/{id}/', path: { id } },
    { every_ms: useRhythm(isOpen, follow), isHinted: true },
  )
  const tries = useRead<GetTransactionsData, GetTransactionsResponse>(
    place,
    { url: '/transactions/', query: { checkout_session: id, page_size: 10 } },
    { every_ms: useRhythm(isOpen, look), isHinted: true },
  )
  const isStillOpen = reading.data === undefined || reading.data.status === 'PENDING'
  if (isStillOpen !== isOpen) setIsOpen(isStillOpen)
  return (
    <RecordPage
      title={t('checkout')}
      back={{ path: '/checkouts', name: t('all_checkouts') }}
      // Both at once: what stands below is not pushed down by what comes.
      reading={tries.isFetched ? reading : { ...reading, data: undefined }}
      acted={id}
    >
      {(session) => (
        <>
          <Outcome of={session} />
          <Tries of={session} tries={tries} />
          <About of={session} />
        </>
      )}
    </RecordPage>
  )
}

function Outcome({ of }: { of: CheckoutSession }) {
  const { place, environment, whyNot, amount, to } = useHere()
  const sum = amount(of.amount, of.currency)
  const cancel = async () => {
    await call<PostCheckoutSessionsByIdCancelData, PostCheckoutSessionsByIdCancelResponse>({
      ...{ method: 'POST', url: '/checkout-sessions/{id}/cancel/', path: { id: of.id }, place },
    })
    await readAllAgain()
  }
  return (
    <section className="outcome" aria-live="polite">
      <p className="sum">
        <b>{sum}</b> <Status of={checkoutState(of)} />
      </p>
      <p className="said">{t(`checkout_said_${of.status}`)}</p>
      {of.status === 'PENDING' && (
        <>
          {of.expires_at !== null && (
            <p>
              {t('checkout_ends')} <Countdown to={of.expires_at} />.
            </p>
          )}
          <p className="address">
            <a href={of.checkout_url} target="_blank" rel="noreferrer">
              {of.checkout_url}
            </a>
          </p>
        </>
      )}
      <div className="acts">
        {of.transaction !== null && (
          <Link className="button plain" href={to(`/payments/${of.transaction}`)}>
            {t('checkout_payment')}
          </Link>
        )}
        {of.status === 'PENDING' && (
          <>
            <Copy text={of.checkout_url} name={t('copy_address')} isFirst />
            {environment === 'SANDBOX' && <PayerPage address={of.checkout_url} look="plain" />}
            <Offer
              name={t('checkout_cancel')}
              title={t('checkout_cancel')}
              act={t('checkout_cancel_act', { amount: sum })}
              whyNot={whyNot('checkout')}
              doing={cancel}
            >
              <p>{t('checkout_cancel_how')}</p>
            </Offer>
          </>
        )}
      </div>
    </section>
  )
}

type TriesProps = Readonly<{ of: CheckoutSession; tries: Tried }>

/** What stands before the payer now, and each payment that was begun on its page. */
const Tries = ({ of, tries }: TriesProps) => (
  <Read of={tries}>
    {({ results }) => (
      <section>
        <h2>{t('checkout_tries')}</h2>
        {of.status === 'PENDING' && <p role="status">{t(seenBy(results[0]))}</p>}
        {results.length > 0 && <TransactionCards rows={results} />}
      </section>
    )}
  </Read>
)

/** By the newest payment of an open session. */
function seenBy(last: Pick<Transaction, 'status'> | undefined): Key {
  if (last === undefined) return 'checkout_sees_choice'
  if (last.status === 'PENDING') return 'checkout_sees_prompt'
  return last.status === 'SUCCESS' ? 'checkout_sees_paid' : 'checkout_sees_again'
}

function About({ of }: { of: CheckoutSession }) {
  const { language, phone } = useHere()
  const when = (iso: string | null) => iso !== null && <WhenExactly of={iso} />
  return (
    <section>
      <h2>{t('details')}</h2>
      <Facts
        of={[
          [t('customer'), of.customer_name],
          [t('email'), of.customer_email],
          [t('number'), phone(of.customer_phone)],
          [t('description'), of.description],
          [t('your_reference'), of.merchant_reference],
          [t('country'), of.country === '' ? '' : countryName(of.country, language)],
          [t('made_on'), when(of.created_at)],
          [t('checkout_paid_at'), when(of.paid_at)],
        ]}
      />
      <OwnData of={of.metadata} />
    </section>
  )
}
