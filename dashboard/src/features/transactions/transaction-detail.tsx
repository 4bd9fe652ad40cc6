// One payment or payout: first the sentence that can be read out, then the money, the story, the
// references. While its end is open it is read again by itself.

import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type {
  TransactionDetail as Detail,
  GetPaymentsByPaymentIdVerifyData,
  GetPaymentsByPaymentIdVerifyResponse,
  GetPayoutsByPaymentIdVerifyData,
  GetPayoutsByPaymentIdVerifyResponse,
  GetTransactionsByIdData,
  GetTransactionsByIdResponse,
} from '../../api/types.gen.ts'
import { call, failureIn, type Place } from '../../data/call.ts'
import { downloadFile } from '../../data/download.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import { writeExactly } from '../../format/moment.ts'
import { writePhone } from '../../format/phone.ts'
import { useNetworkNames } from '../../parts/networks.ts'
import { useHere } from '../../parts/place.tsx'
import { Page } from '../../parts/shell.tsx'
import { Button, sentenceOf as sentenceOfFailure } from '../../ui/form.tsx'
import { ShapeIcon } from '../../ui/icons.tsx'
import { Copy, Empty, Read } from '../../ui/state.tsx'
import { Status, stateOf } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { isUnknown, type Step, sentenceOf, storyOf } from './sentence.ts'
import type { Kind } from './transaction-list.tsx'

const follow_ms = 5_000
const address = '/transactions/{id}/'

export default function TransactionDetail({ kind, id }: { kind: Kind; id: string }) {
  const { place, to } = useHere()
  const [isOpen, setIsOpen] = useState(true)
  const reading = useRead<GetTransactionsByIdData, GetTransactionsByIdResponse>(
    place,
    { url: address, path: { id } },
    { every_ms: isOpen && follow_ms },
  )
  const { data, error } = reading
  const isStillOpen = data === undefined || data.status === 'PENDING'
  if (isStillOpen !== isOpen) setIsOpen(isStillOpen)
  const failure = failureIn(error)
  const isMissing = failure?.is === 'refused' && [403, 404].includes(failure.status)
  return (
    <Page title={t(kind === 'payouts' ? 'payout' : 'payment')}>
      <p>
        <Link href={to(`/${kind}`)}>{t(`all_${kind}`)}</Link>
      </p>
      {isMissing ? (
        <Empty>
          <p>{t('not_here')}</p>
        </Empty>
      ) : (
        <Read of={reading}>{(transaction) => <Content of={transaction} />}</Read>
      )}
    </Page>
  )
}

const Content = ({ of }: { of: Detail }) => (
  <>
    <Outcome of={of} />
    <div className="columns">
      <Money of={of} />
      <Who of={of} />
      <Story of={of} />
    </div>
  </>
)

function Outcome({ of }: { of: Detail }) {
  const { amount } = useHere()
  const { key, advice } = sentenceOf(of)
  const holes = {
    amount: amount(of.requested_amount, of.currency),
    net: amount(of.amounts.net, of.currency),
    why: of.failure_message,
    number: writePhone(of.operation_msisdn),
  }
  return (
    <section className={`outcome ${isUnknown(of) ? 'grave' : ''}`} aria-live="polite">
      <p className="sum">
        <b>{holes.amount}</b> <Status of={stateOf(of)} />
      </p>
      <p className="said">{t(key, holes).trim()}</p>
      {advice && <p>{t(advice, holes)}</p>}
      {of.instructions !== '' && <p className="mute">{of.instructions}</p>}
      <Acts of={of} />
    </section>
  )
}

/** Asks the operator now; the same question by the address of its kind. */
function ask(place: Place, { id, flow_direction }: Detail): Promise<unknown> {
  const path = { payment_id: id }
  if (flow_direction === 'INBOUND') {
    return call<GetPaymentsByPaymentIdVerifyData, GetPaymentsByPaymentIdVerifyResponse>({
      ...{ method: 'GET', url: '/payments/{payment_id}/verify/', path, place },
    })
  }
  return call<GetPayoutsByPaymentIdVerifyData, GetPayoutsByPaymentIdVerifyResponse>({
    ...{ method: 'GET', url: '/payouts/{payment_id}/verify/', path, place },
  })
}

function Acts({ of }: { of: Detail }) {
  const { place, language } = useHere()
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const act = async (doing: () => Promise<unknown>) => {
    if (isBusy) return
    setIsBusy(true)
    setError(undefined)
    try {
      await doing()
    } catch (failed) {
      setError(failed)
    } finally {
      setIsBusy(false)
    }
  }
  const failure = failureIn(error)
  const isAsked = of.status === 'PENDING' && of.attempts.length > 0
  const hasInvoice = of.status === 'SUCCESS' && of.flow_direction === 'INBOUND'
  return (
    <div className="acts">
      {failure && <p className="alert">{sentenceOfFailure(failure)}</p>}
      {isAsked && (
        <Button
          look="plain"
          busy={isBusy}
          onClick={() => act(() => ask(place, of).then(() => readAgain(address)))}
        >
          {t('ask_now')}
        </Button>
      )}
      {hasInvoice && (
        <Button
          look="plain"
          busy={isBusy}
          onClick={() =>
            act(() => downloadFile(place, `/transactions/${of.id}/invoice/?lang=${language}`))
          }
        >
          {t('invoice')}
        </Button>
      )}
    </div>
  )
}

/** Of what came to nothing only what was asked: nobody pays or receives the rest. */
function Money({ of }: { of: Detail }) {
  const { amount } = useHere()
  const { amounts, original_amount, original_currency } = of
  const isOut = of.flow_direction === 'OUTBOUND'
  const isNothing = of.status === 'FAILED' || of.status === 'CANCELLED'
  const write = (decimal: string) => amount(decimal, amounts.currency)
  return (
    <section>
      <h2>{t('money')}</h2>
      <dl>
        {original_amount !== null && original_currency !== null && (
          <Fact name={t('asked_in')}>{amount(original_amount, original_currency)}</Fact>
        )}
        <Fact name={t('asked')}>{write(amounts.requested)}</Fact>
        {!isNothing && (
          <>
            <Fact name={t(amounts.fee_charge_mode === 'ADD_ON' ? 'fee_added' : 'fee_deducted')}>
              {write(amounts.fee)}
            </Fact>
            <Fact name={t(isOut ? 'balance_gives' : 'payer_pays')}>{write(amounts.charged)}</Fact>
            <Fact name={t(isOut ? 'receiver_gets' : 'you_receive')}>{write(amounts.net)}</Fact>
          </>
        )}
      </dl>
    </section>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <bdi>{children}</bdi>
    </dd>
  </div>
)

function Who({ of }: { of: Detail }) {
  const { clock } = useHere()
  const networkName = useNetworkNames()
  const isOut = of.flow_direction === 'OUTBOUND'
  const facts = [
    [t(isOut ? 'receiver' : 'payer'), writePhone(of.operation_msisdn)],
    [t('network'), networkName(of.network_code)],
    [t('date'), writeExactly(of.created_at, clock)],
    [t('description'), of.description],
    [t('reference'), of.reference],
    [t('your_reference'), of.merchant_reference],
    [t('operator_reference'), of.external_reference],
  ] as const
  return (
    <section>
      <h2>{t('details')}</h2>
      <dl>
        {facts
          .filter(([, text]) => text !== '')
          .map(([name, text]) => (
            <Fact key={name} name={name}>
              {text}
            </Fact>
          ))}
      </dl>
      <Copy text={of.reference} name={t('copy_reference')} />
    </section>
  )
}

function Story({ of }: { of: Detail }) {
  const { clock } = useHere()
  const networkName = useNetworkNames()
  const text = ({ key, network }: Step) => t(key, { network: networkName(network) })
  return (
    <section>
      <h2>{t('story')}</h2>
      <ol className="story">
        {storyOf(of).map((step) => (
          <li key={`${step.at} ${step.key} ${step.network}`}>
            <ShapeIcon shape={step.shape} />
            <span>
              {text(step)}
              {step.detail !== '' && <span className="mute line">{step.detail}</span>}
              <time className="mute small line" dateTime={step.at}>
                {writeExactly(step.at, clock)}
              </time>
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
