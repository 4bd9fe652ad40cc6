// What of a payment was given back, and what waits for a decision.

import { useEffect, useState } from 'react'
import type {
  TransactionDetail as Detail,
  GetPaymentsByPaymentIdRefundsData,
  GetPaymentsByPaymentIdRefundsResponse,
  PostRefundsByIdApproveData,
  PostRefundsByIdApproveResponse,
  PostRefundsByIdCancelData,
  PostRefundsByIdCancelResponse,
  PostRefundsByIdRejectData,
  PostRefundsByIdRejectResponse,
  PostRefundsByIdVerifyData,
  PostRefundsByIdVerifyResponse,
  PostSandboxRefundsByIdResolveData,
  PostSandboxRefundsByIdResolveResponse,
  Refund,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readAgain, readAllAgain, useRead, useRhythm } from '../../data/queries.ts'
import { isZero } from '../../format/amount.ts'
import { GuardedButton, Offer } from '../../parts/act.tsx'
import { whyNotApprove } from '../../parts/decide-payout.tsx'
import { useFrozen } from '../../parts/frozen.tsx'
import { failureCodeIn, OutcomeFields } from '../../parts/outcome-fields.tsx'
import { type Reason, useHere } from '../../parts/place.tsx'
import { refundState } from '../../parts/states.ts'
import { Refused, useAct } from '../../ui/act.tsx'
import { Facts } from '../../ui/facts.tsx'
import { errorAt, TextField, textIn } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Read } from '../../ui/state.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'

/** One may wait for a second person for days. */
const rhythm = { soon_ms: 5_000, later_ms: 60_000 } as const

/** The API refuses one while people look into it, and once its payer has the money already. */
export function whyNoRefund({ incident }: Detail): Reason | undefined {
  if (!incident?.prevents_refund) return undefined
  return { text: t(incident.status === 'OPEN' ? 'said_incident_advice' : 'refund_taken_back') }
}

export function Refunds({ of }: { of: Detail }) {
  const { place, to, whyNot, amount } = useHere()
  const [isOpen, setIsOpen] = useState(false)
  const every_ms = useRhythm(isOpen, rhythm)
  const list = useRead<GetPaymentsByPaymentIdRefundsData, GetPaymentsByPaymentIdRefundsResponse>(
    place,
    { url: '/payments/{payment_id}/refunds/', path: { payment_id: of.id } },
    { every_ms },
  )
  const isStillOpen = list.data?.results.some(({ status }) => status === 'PENDING') === true
  if (isStillOpen !== isOpen) setIsOpen(isStillOpen)
  useFigures(of, list.data?.results)
  const isLeft = !isZero(of.refundable_amount)
  const why = whyNot('payouts') ?? whyNoRefund(of)
  return (
    <section>
      <h2>{t('refunds')}</h2>
      <Facts
        of={[
          [t('refunded'), amount(of.refunded_amount, of.currency)],
          [t('refundable'), amount(of.refundable_amount, of.currency)],
        ]}
      />
      <Read of={list}>
        {({ results }) => (
          <ul className="cards">
            {results.map((refund) => (
              <li key={refund.id}>
                <RefundItem of={refund} payment={of} />
              </li>
            ))}
          </ul>
        )}
      </Read>
      {isLeft && why === undefined && (
        <Link className="button plain" href={to(`/payments/${of.id}/refund`)}>
          {t('refund_make')}
        </Link>
      )}
      {isLeft && why !== undefined && (
        <GuardedButton name={t('refund_make')} whyNot={why} onClick={() => undefined} />
      )}
    </section>
  )
}

/**
 * The payment is over and is not asked for by the clock, its refunds are: once one of them has
 * ended later than the payment that is shown, the payment is read anew, and its story with it.
 */
function useFigures({ updated_at }: Detail, refunds: readonly Refund[] = []) {
  const ended = refunds.filter(({ status }) => status !== 'PENDING')
  const last =
    ended
      .map((one) => one.updated_at)
      .sort()
      .at(-1) ?? ''
  useEffect(() => {
    if (last > updated_at) void readAgain('/transactions/{id}/')
  }, [last, updated_at])
}

/** The merchant whom the API names is the reader; which of the two it was it does not say. */
const whyRefundFailed = ({ failure_code, failure_message }: Refund): string =>
  failure_code === 'REJECTED_BY_MERCHANT' ? t('refund_not_approved') : failure_message

type ItemProps = Readonly<{ of: Refund; payment: Detail }>

function RefundItem({ of, payment }: ItemProps) {
  const { amount, moment } = useHere()
  return (
    <details className="record" open={of.status === 'PENDING'}>
      <summary>
        <span className="card-line">
          <b>{amount(of.amount, of.currency)}</b>
          <Status of={refundState(of)} />
        </span>
      </summary>
      {of.failure_message !== '' && <p className="wrong">{whyRefundFailed(of)}</p>}
      <Facts
        of={[
          [t('date'), moment(of.created_at)],
          [t('came_back'), of.returned_at !== null && moment(of.returned_at)],
          [t('refund_way'), t(`refund_way_${of.method}`)],
          [t('recipient'), of.msisdn_masked],
          [t('fees'), isZero(of.fee) ? '' : amount(of.fee, of.currency)],
          [t('balance_gives'), amount(of.leaves_balance, of.currency)],
          [t('reason'), of.reason],
          [t('your_reference'), of.reference],
          [t('operator_reference'), of.operator_reference || of.external_reference],
        ]}
      />
      {of.status === 'PENDING' && <RefundActs of={of} payment={payment} />}
    </details>
  )
}

/** What it waits for to be sent, where it waits for no person. */
function waitingWord({ waiting_for }: Refund) {
  if (waiting_for === 'GATEWAY_FLOAT') return 'refund_GATEWAY_FLOAT_how'
  if (waiting_for === 'GATEWAY_CLOSED') return 'refund_GATEWAY_CLOSED_how'
  return waiting_for === 'NO_ROUTE' ? 'refund_NO_ROUTE_how' : undefined
}

function RefundActs({ of, payment }: ItemProps) {
  const { place, environment, amount } = useHere()
  const { isBusy, failure, run } = useAct()
  const waits = waitingWord(of)
  const isSent = of.attempts.length > 0 && waits === undefined
  const path = { id: of.id }
  const verify = async () => {
    await call<PostRefundsByIdVerifyData, PostRefundsByIdVerifyResponse>({
      ...{ method: 'POST', url: '/refunds/{id}/verify/', path, place },
    })
    await readAllAgain()
  }
  return (
    <div className="acts">
      <Refused failure={failure} />
      {of.approval_after !== null && <p>{t('refund_after_unknown')}</p>}
      {of.waiting_for === 'SECOND_MEMBER' && (
        <RefundDecision of={of} payment={payment} sum={amount(of.amount, of.currency)} />
      )}
      {of.waiting_for === 'STAFF' && <p>{t('refund_STAFF_how')}</p>}
      {waits !== undefined && <p>{t(waits)}</p>}
      {!isSent && <RefundWithdraw of={of} sum={amount(of.amount, of.currency)} />}
      {isSent && (
        <GuardedButton
          name={t('ask_now')}
          whyNot={undefined}
          busy={isBusy}
          onClick={() => run(verify)}
        />
      )}
      {isSent && environment === 'SANDBOX' && <RefundOutcome of={of} />}
    </div>
  )
}

type DecisionProps = Readonly<{ of: Refund; sum: string }>

/** What would be refused once it is confirmed is not offered. */
function useWhyNotNow(payment: Detail): Reason | undefined {
  const { balances } = useFrozen()
  const isFrozen = balances.some(({ country }) => country === payment.country_code)
  return whyNoRefund(payment) ?? (isFrozen ? { text: t('balance_frozen') } : undefined)
}

function RefundDecision({ of, payment, sum }: DecisionProps & ItemProps) {
  const { place, whyNot } = useHere()
  const why = whyNot('payouts')
  const whyNow = useWhyNotNow(payment)
  const path = { id: of.id }
  const approve = async () => {
    await call<PostRefundsByIdApproveData, PostRefundsByIdApproveResponse>({
      ...{ method: 'POST', url: '/refunds/{id}/approve/', path, place },
    })
    await readAllAgain()
  }
  const reject = async (form: FormData) => {
    await call<PostRefundsByIdRejectData, PostRefundsByIdRejectResponse>({
      ...{ method: 'POST', url: '/refunds/{id}/reject/', path, place },
      body: { reason: textIn(form, 'reason') },
    })
    await readAllAgain()
  }
  return (
    <>
      <Offer
        name={t('approve')}
        title={t('approve_refund_title')}
        act={t('approve_act', { amount: sum })}
        whyNot={why ?? whyNotApprove(of) ?? whyNow}
        doing={approve}
      >
        <p>{t('approve_refund_how', { amount: sum, number: of.msisdn_masked })}</p>
      </Offer>
      <Offer
        name={t('reject')}
        title={t('reject_refund_title')}
        act={t('reject_act', { amount: sum })}
        whyNot={why}
        fields={['reason']}
        doing={reject}
      >
        {(failure) => (
          <TextField
            label={t('reason')}
            error={errorAt(failure, 'reason')}
            name="reason"
            maxLength={255}
            required
          />
        )}
      </Offer>
    </>
  )
}

function RefundWithdraw({ of, sum }: DecisionProps) {
  const { place, whyNot } = useHere()
  const cancel = async () => {
    await call<PostRefundsByIdCancelData, PostRefundsByIdCancelResponse>({
      ...{ method: 'POST', url: '/refunds/{id}/cancel/', path: { id: of.id }, place },
    })
    await readAllAgain()
  }
  return (
    <Offer
      name={t('withdraw')}
      title={t('withdraw_refund_title')}
      act={t('withdraw_act', { amount: sum })}
      whyNot={whyNot('payouts')}
      doing={cancel}
    >
      <p>{t('withdraw_how')}</p>
    </Offer>
  )
}

function RefundOutcome({ of }: { of: Refund }) {
  const { place, whyNot } = useHere()
  const resolve = async (form: FormData) => {
    const path = { id: of.id }
    await call<PostSandboxRefundsByIdResolveData, PostSandboxRefundsByIdResolveResponse>({
      ...{ method: 'POST', url: '/sandbox/refunds/{id}/resolve/', path, place },
      body: failureCodeIn(form),
    })
    await readAllAgain()
  }
  return (
    <Offer
      name={t('decide_outcome')}
      title={t('decide_outcome')}
      act={t('decide_outcome_act')}
      whyNot={whyNot('payins')}
      doing={resolve}
    >
      <OutcomeFields />
    </Offer>
  )
}
