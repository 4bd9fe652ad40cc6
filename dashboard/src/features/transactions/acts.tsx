// What can be done to a payment or payout, by its kind and state: asked about, its invoice, asked
// of the payer again, decided by a second person, withdrawn; in test its outcome is chosen.

import { useState } from 'react'
import type {
  TransactionDetail as Detail,
  GetPaymentsByPaymentIdVerifyData,
  GetPaymentsByPaymentIdVerifyResponse,
  GetPayoutsByPayoutIdVerifyData,
  GetPayoutsByPayoutIdVerifyResponse,
  PostPaymentsByPaymentIdRetryData,
  PostPaymentsByPaymentIdRetryResponse,
  PostPayoutsByPayoutIdCancelData,
  PostPayoutsByPayoutIdCancelResponse,
  PostSandboxTransactionsByIdResolveData,
  PostSandboxTransactionsByIdResolveResponse,
} from '../../api/types.gen.ts'
import { call, type Failure, failureIn, type Place } from '../../data/call.ts'
import { downloadFile } from '../../data/download.ts'
import { readAllAgain } from '../../data/queries.ts'
import { writePhone } from '../../format/phone.ts'
import { GuardedButton, Offer } from '../../parts/act.tsx'
import { isOwn } from '../../parts/advice-on.ts'
import { DecidePayout } from '../../parts/decide-payout.tsx'
import { anyText } from '../../parts/filter-values.ts'
import { CodeField } from '../../parts/network-fields.tsx'
import { networksToRetry } from '../../parts/open-networks.ts'
import { failureCodeIn, OutcomeFields } from '../../parts/outcome-fields.tsx'
import { useFilters, useHere } from '../../parts/place.tsx'
import { useRates } from '../../parts/rates.ts'
import { Refused, useAct } from '../../ui/act.tsx'
import { isContested, isErased, isRetryable } from '../../ui/contested.ts'
import { errorAt, SelectField, textIn } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { t } from '../../words/translate.ts'
import { Receipt } from './receipt.tsx'
import { sentenceOf } from './sentence.ts'

/** Asks the operator now; the same question by the address of its kind. */
function ask(place: Place, { id, flow_direction }: Detail): Promise<unknown> {
  if (flow_direction === 'INBOUND') {
    const path = { payment_id: id }
    return call<GetPaymentsByPaymentIdVerifyData, GetPaymentsByPaymentIdVerifyResponse>({
      ...{ method: 'GET', url: '/payments/{payment_id}/verify/', path, place },
    })
  }
  const path = { payout_id: id }
  return call<GetPayoutsByPayoutIdVerifyData, GetPayoutsByPayoutIdVerifyResponse>({
    ...{ method: 'GET', url: '/payouts/{payout_id}/verify/', path, place },
  })
}

export function Acts({ of }: { of: Detail }) {
  const { place, language, environment } = useHere()
  // Chosen from a list for what is to be done with it: its second step is there at once.
  const { filters } = useFilters({ act: anyText })
  const { isBusy, failure, run } = useAct()
  const isIn = of.flow_direction === 'INBOUND'
  const isOpen = of.status === 'PENDING'
  // Nothing that would move its money once more while people look into what came of it.
  const isQuiet = !isContested(of)
  const isAsked = isOpen && of.attempts.length > 0
  // An operator that could not pay it has nothing of it, and one that keeps it may give it back.
  // Until people, or the operator, have said whether it was paid after all, the API refuses it.
  const isUnsent = of.waiting_reason !== null && isQuiet && !of.outcome_unknown
  const isQueued = of.waiting_reason === 'GATEWAY_QUEUED'
  const isWithdrawable = isOpen && (!isAsked || isQueued || isUnsent)
  const read = (doing: () => Promise<unknown>) => run(doing)
  const invoice = () => downloadFile(place, `/transactions/${of.id}/invoice/?lang=${language}`)
  return (
    <div className="acts">
      <Refused failure={failure} />
      {isAsked && (
        <GuardedButton
          name={t('ask_now')}
          whyNot={undefined}
          busy={isBusy}
          onClick={() => read(() => ask(place, of).then(readAllAgain))}
        />
      )}
      {of.status === 'SUCCESS' && isIn && (
        <GuardedButton
          name={t('invoice')}
          whyNot={undefined}
          busy={isBusy}
          onClick={() => read(invoice)}
        />
      )}
      {of.status === 'SUCCESS' && isIn && <Receipt id={of.id} />}
      {of.may_retry && isRetryable(of) && <Retry of={of} isOpenAtFirst={filters.act === 'retry'} />}
      {sentenceOf(of).advice === 'said_over_advice' && <AskAnew of={of} />}
      {of.approval === 'REQUIRED' && isOpen && (
        <DecidePayout of={of} isOpenAtFirst={filters.act === 'approve'} />
      )}
      {!isIn && isWithdrawable && <Withdraw of={of} />}
      {of.transaction_type === 'RETRAIT' && !isOpen && isQuiet && !isErased(of) && (
        <Again of={of} />
      )}
      {isAsked && environment === 'SANDBOX' && <Outcome of={of} />}
    </div>
  )
}

function Retry({ of, isOpenAtFirst }: { of: Detail; isOpenAtFirst: boolean }) {
  const { place, whyNot, amount } = useHere()
  const sum = amount(of.requested_amount, of.currency)
  const number = writePhone(of.operation_msisdn)
  const isTopUp = isOwn(of)
  const retry = async (form: FormData, key: string) => {
    const [method, otp] = [textIn(form, 'method'), textIn(form, 'otp')]
    await call<PostPaymentsByPaymentIdRetryData, PostPaymentsByPaymentIdRetryResponse>({
      ...{ method: 'POST', url: '/payments/{payment_id}/retry/', path: { payment_id: of.id } },
      body: { ...(method !== '' && { methods: [method] }), ...(otp !== '' && { otp }) },
      ...{ key, place },
    })
    await readAllAgain()
  }
  return (
    <Offer
      name={t(isTopUp ? 'retry_own' : 'retry')}
      title={t(isTopUp ? 'retry_own' : 'retry_title')}
      act={t(isTopUp ? 'top_up_act' : 'retry_act', { amount: sum })}
      whyNot={whyNot(isTopUp ? 'top_ups' : 'payins')}
      fields={['methods', 'otp']}
      isOpenAtFirst={isOpenAtFirst}
      doing={retry}
      // After an attempt that the reader sees to have failed, it is another one.
      deed={['retry', of.id, of.attempts.length]}
    >
      {(failure) => (
        <>
          <p>{t(isTopUp ? 'retry_own_how' : 'retry_how', { amount: sum, number })}</p>
          <RetryNetwork {...{ of, failure }} />
        </>
      )}
    </Offer>
  )
}

/** By which network, and the code that its payer has got beforehand, where it wants one. */
function RetryNetwork({ of, failure }: { of: Detail; failure: Failure | undefined }) {
  const [other, setOther] = useState('')
  const rates = useRates()
  const open = networksToRetry(rates.data ?? [], of)
  const others = open.filter(({ network_code }) => network_code !== of.network_code)
  // Its own takes nothing now, and another one does: that one is chosen.
  const isShut = others.length > 0 && others.length === open.length
  const chosen = other === '' && !isShut ? of.network_code : other
  const rate = rates.data?.find(({ network_code }) => network_code === chosen)
  return (
    <>
      {rates.data !== undefined && open.length === 0 && (
        <p>{t(isOwn(of) ? 'no_top_up_network' : 'no_payment_network')}</p>
      )}
      {others.length > 0 && (
        <SelectField
          label={t('network')}
          error={errorAt(failure, 'methods')}
          name="method"
          required={isShut}
          value={other}
          onChange={({ currentTarget: { value } }) => setOther(value)}
          options={[
            ['', t(isShut ? 'choose_network' : 'same_network')],
            ...others.map(
              ({ network_code, network_name }) => [network_code, network_name] as const,
            ),
          ]}
        />
      )}
      <CodeField
        key={chosen}
        rates={isOwn(of) ? rate?.top_up : rate?.payin}
        failure={failure}
        autoComplete="off"
      />
    </>
  )
}

/** Its page is over: what else its customer can pay by. */
function AskAnew({ of: { customer, payment_link } }: { of: Detail }) {
  const { to, may } = useHere()
  const who = customer === null ? '' : `?customer=${customer}`
  return (
    <>
      {may('payins') && (
        <Link className="button plain" href={to(`/payments/new${who}`)}>
          {t('new_payment')}
        </Link>
      )}
      {payment_link !== null && <Link href={to(`/links/${payment_link}`)}>{t('made_LINK')}</Link>}
    </>
  )
}

function Withdraw({ of }: { of: Detail }) {
  const { place, whyNot, amount } = useHere()
  const sum = amount(of.requested_amount, of.currency)
  const cancel = async () => {
    await call<PostPayoutsByPayoutIdCancelData, PostPayoutsByPayoutIdCancelResponse>({
      ...{ method: 'POST', url: '/payouts/{payout_id}/cancel/', path: { payout_id: of.id } },
      place,
    })
    await readAllAgain()
  }
  return (
    <Offer
      name={t('withdraw')}
      title={t('withdraw_title')}
      act={t('withdraw_act', { amount: sum })}
      whyNot={whyNot('payouts')}
      doing={cancel}
    >
      <p>{t(of.waiting_reason === 'GATEWAY_QUEUED' ? 'withdraw_queued_how' : 'withdraw_how')}</p>
    </Offer>
  )
}

/** A new payout, with what this one was; only of one that has ended. */
function Again({ of }: { of: Detail }) {
  const { to, may } = useHere()
  if (!may('payouts')) return null
  return (
    <Link className="button plain" href={to(`/payouts/new?again=${of.id}`)}>
      {t('pay_again')}
    </Link>
  )
}

/** In test nobody holds the phone: the reader says what came of it. */
function Outcome({ of }: { of: Detail }) {
  const { place, whyNot } = useHere()
  const resolve = async (form: FormData) => {
    const path = { id: of.id }
    await call<PostSandboxTransactionsByIdResolveData, PostSandboxTransactionsByIdResolveResponse>({
      ...{ method: 'POST', url: '/sandbox/transactions/{id}/resolve/', path, place },
      body: failureCodeIn(form),
    }).catch(async (error: unknown) => {
      // It has ended in the meantime: that is what will be shown.
      const failure = failureIn(error)
      if (failure?.is !== 'refused' || failure.code !== 'transaction_terminal') throw error
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
