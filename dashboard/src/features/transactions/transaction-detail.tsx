// One payment or payout: first the sentence that can be read out, then the money, the references,
// the story. While its end is open it is read again by itself.

import { type ReactNode, useState } from 'react'
import { Redirect } from 'wouter'
import type {
  TransactionDetail as Detail,
  GetTransactionsByIdData,
  GetTransactionsByIdResponse,
} from '../../api/types.gen.ts'
import { useRead, useRhythm } from '../../data/queries.ts'
import { asTyped, currencyName } from '../../format/amount.ts'
import { Age } from '../../parts/countdown.tsx'
import { ApprovalEnds } from '../../parts/decide-payout.tsx'
import { useNetworkNames } from '../../parts/networks.ts'
import { useHere } from '../../parts/place.tsx'
import { OwnData, RecordPage } from '../../parts/record-page.tsx'
import { WhenExactly } from '../../parts/tips.tsx'
import { whyFailed } from '../../parts/why-failed.ts'
import { isContested } from '../../ui/contested.ts'
import { Copy } from '../../ui/copy.tsx'
import { type FactRow, Facts } from '../../ui/facts.tsx'
import { Link } from '../../ui/link.tsx'
import type { Reading } from '../../ui/state.tsx'
import { EndOf } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { Acts } from './acts.tsx'
import { Answers } from './answers.tsx'
import { madeBy } from './made-by.ts'
import { PayerStep } from './payer-step.tsx'
import { Refunds } from './refunds.tsx'
import { sentenceOf } from './sentence.ts'
import { AskedLast, Story, type Timeline, useStory } from './story.tsx'
import type { Kind } from './transaction-filters.tsx'

/** Later, with its story, twice a minute. */
const rhythm = { soon_ms: 5_000, later_ms: 55_000 } as const

/** What knows a transaction by its id alone leads to a payment's address; a payout has its own. */
const sectionOf = ({ flow_direction }: Detail): Kind =>
  flow_direction === 'OUTBOUND' ? 'payouts' : 'payments'

/** Until it is read, what its address says of it. */
const flowOf = { payments: 'INBOUND', payouts: 'OUTBOUND' } as const

export default function TransactionDetail({ kind, id }: { kind: Kind; id: string }) {
  const { place, to } = useHere()
  const [isOpen, setIsOpen] = useState(true)
  const every_ms = useRhythm(isOpen, rhythm)
  const reading = useRead<GetTransactionsByIdData, GetTransactionsByIdResponse>(
    place,
    { url: '/transactions/{id}/', path: { id } },
    { every_ms },
  )
  const story = useStory(id, reading.data)
  const { data } = reading
  // What people decide has no event of its own: whoever waits for it looks by the clock.
  const isStillOpen = data === undefined || data.status === 'PENDING' || isContested(data)
  if (isStillOpen !== isOpen) setIsOpen(isStillOpen)
  const isOut = (reading.data?.flow_direction ?? flowOf[kind]) === 'OUTBOUND'
  return (
    <RecordPage
      title={t(isOut ? 'payout' : 'payment')}
      back={{ path: `/${kind}`, name: t(`all_${kind}`) }}
      reading={reading}
      acted={id}
    >
      {(transaction) =>
        sectionOf(transaction) === kind ? (
          <Content of={transaction} story={story} />
        ) : (
          <Redirect to={to(`/${sectionOf(transaction)}/${id}`)} replace />
        )
      }
    </RecordPage>
  )
}

const Content = ({ of, story }: { of: Detail; story: Reading<Timeline> }) => (
  <>
    <Outcome of={of} story={story} />
    <div className="columns">
      <div>
        <Money of={of} />
        {of.status === 'SUCCESS' && of.transaction_type === 'PAIEMENT' && <Refunds of={of} />}
        <Who of={of} />
      </div>
      <Story of={story} transaction={of} />
    </div>
    <Answers of={of} />
  </>
)

function Outcome({ of, story }: { of: Detail; story: Reading<Timeline> }) {
  const { amount, phone } = useHere()
  const { key, advice } = sentenceOf(of)
  const isGrave = of.outcome_unknown || isContested(of)
  const holes = {
    amount: amount(of.requested_amount, of.currency),
    net: amount(of.amounts.net, of.currency),
    back: amount(of.returned_amount, of.currency),
    refunded: amount(of.refunded_amount, of.currency),
    why: whyFailed(of),
    number: phone(of.operation_msisdn),
  }
  return (
    <section className={`outcome ${isGrave ? 'grave' : ''}`} aria-live="polite">
      <p className="sum">
        <b>{holes.amount}</b> <EndOf of={of} />
      </p>
      <p className="said">{t(key, holes).trim()}</p>
      {advice && <p>{t(advice, holes)}</p>}
      {of.outcome_unknown && <AskedLast of={story} />}
      <ApprovalEnds of={of} />
      <PayerStep of={of} />
      <Acts of={of} />
    </section>
  )
}

/** Of what came to nothing only what was asked: nobody pays or receives the rest. */
function Money({ of }: { of: Detail }) {
  const { amount } = useHere()
  const { amounts, original_amount, original_currency } = of
  const isOut = of.flow_direction === 'OUTBOUND'
  const isNothing = of.status === 'FAILED' || of.status === 'CANCELLED'
  const write = (decimal: string) => amount(decimal, amounts.currency)
  const moved: FactRow[] = [
    [t(amounts.fee_charge_mode === 'ADD_ON' ? 'fee_added' : 'fee_deducted'), write(amounts.fee)],
    [t(isOut ? 'balance_gives' : 'payer_pays'), write(amounts.charged)],
    [t(isOut ? 'recipient_gets' : 'you_receive'), write(amounts.net)],
  ]
  return (
    <section>
      <h2>{t('money')}</h2>
      <Facts
        of={[
          [
            t('asked_in'),
            original_amount !== null &&
              original_currency !== null &&
              amount(original_amount, original_currency),
          ],
          [t('asked'), write(amounts.requested)],
          ...(isNothing ? [] : moved),
          [t('came_back'), of.returned_at !== null && write(of.returned_amount)],
          [t('currency'), currencyName(amounts.currency)],
        ]}
      />
    </section>
  )
}

function Who({ of }: { of: Detail }) {
  const { to, me, phone } = useHere()
  const networkName = useNetworkNames()
  const isOut = of.flow_direction === 'OUTBOUND'
  const { via, payment_link, checkout_session } = of
  const page = payment_link ? `/links/${payment_link}` : `/checkouts/${checkout_session}`
  const isPage = via === 'LINK' || via === 'CHECKOUT'
  const number = phone(of.operation_msisdn)
  // To all that this customer ever did.
  const linked = (customer: string, who: ReactNode) => (
    <Link href={to(`/customers/${customer}`)}>{who}</Link>
  )
  const who = (
    <>
      {of.customer_name !== '' && <bdi className="line">{of.customer_name}</bdi>}
      {number}
    </>
  )
  const facts: FactRow[] = [
    [
      t(isOut ? 'recipient' : 'payer'),
      of.customer === null || number === '' ? who : linked(of.customer, who),
    ],
    [t('network'), networkName(of.network_code)],
    [
      t('date'),
      <WhenExactly key="at" of={of.created_at}>
        {of.status === 'PENDING' && <Age of={of.created_at} />}
      </WhenExactly>,
    ],
    [t('description'), of.description],
    [t('reference'), of.reference],
    [t('your_reference'), of.merchant_reference],
    [t('operator_reference'), theirsOf(of)],
    [
      t('made_how'),
      via && (isPage ? <Link href={to(page)}>{t(`made_${via}`)}</Link> : madeBy(of, me.member.id)),
    ],
  ]
  return (
    <section>
      <h2>{t('details')}</h2>
      <Facts of={facts} />
      <div className="acts">
        <Copy text={of.reference} name={t('copy_reference')} isFirst />
        <Copy text={asTyped(of.requested_amount)} name={t('copy_amount')} />
        {number !== '' && <Copy text={of.operation_msisdn} name={t('copy_number')} />}
      </div>
      <OwnData of={of.metadata} />
    </section>
  )
}

/** By which it is found in the operator's message, as on its receipt; else the operator's own. */
const theirsOf = ({ attempts, external_reference }: Detail): string =>
  attempts.find(({ status }) => status === 'SUCCESS')?.operator_reference || external_reference
