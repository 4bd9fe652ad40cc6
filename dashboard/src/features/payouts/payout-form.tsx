// A new payout: to whom and how much; then what is known of it before anything leaves, and the
// button with its sum. A payout of the same sum to the same number minutes ago is said, and must be
// wanted.

import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import type {
  GetTransactionsByIdData,
  GetTransactionsByIdResponse,
  NetworkRates,
  PayoutInitialize,
  PayoutReply,
  PostPayoutsInitializeData,
  PostPayoutsInitializeResponse,
  Quote,
} from '../../api/types.gen.ts'
import { CallFailed, call } from '../../data/call.ts'
import { keyOf, wasBegun } from '../../data/once.ts'
import { readAllAgain, useRead } from '../../data/queries.ts'
import { asTyped } from '../../format/amount.ts'
import { writePhone } from '../../format/phone.ts'
import { Confirm, sumOf, useGo } from '../../parts/act.tsx'
import { Found, NotOffered } from '../../parts/allowed.tsx'
import { isId } from '../../parts/filter-values.ts'
import { useFrozen } from '../../parts/frozen.tsx'
import { openTo } from '../../parts/network-fields.tsx'
import { ownDigits, useNumber } from '../../parts/number-field.tsx'
import { useFilters, useHere } from '../../parts/place.tsx'
import { OtherNetwork, useQuoteFacts, Waits } from '../../parts/quote.tsx'
import { useRates } from '../../parts/rates.ts'
import { useRecents } from '../../parts/recents.tsx'
import { Page } from '../../parts/shell.tsx'
import { useAct } from '../../ui/act.tsx'
import { isErased } from '../../ui/contested.ts'
import { Facts } from '../../ui/facts.tsx'
import { Button, errorAt } from '../../ui/form.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { checkPayout, type Findings } from './check-payout.ts'
import { PayoutFields } from './payout-fields.tsx'

export default function PayoutForm() {
  const { whyNot } = useHere()
  const rates = useRates()
  useRecents('RETRAIT')
  useFrozen()
  const why = whyNot('payouts')
  return (
    <Page title={t('new_payout')}>
      {why === undefined ? (
        <Read of={rates}>
          {(all) => {
            const open = openTo(all, 'payout')
            return open.length === 0 ? (
              <Empty>
                <p>{t('no_payout_network')}</p>
              </Empty>
            ) : (
              <Begin rates={open} />
            )
          }}
        </Read>
      ) : (
        <NotOffered of={why} />
      )}
    </Page>
  )
}

type StepsProps = Readonly<{ rates: readonly NetworkRates[] }>

/** Empty, or as another payout was: the same recipient and sum, and a deed of its own. */
function Begin({ rates }: StepsProps) {
  const { filters } = useFilters({ again: isId })
  const { again } = filters
  return again === undefined ? <Steps rates={rates} /> : <Again rates={rates} id={again} />
}

function Again({ rates, id }: StepsProps & { id: string }) {
  const { place } = useHere()
  const reading = useRead<GetTransactionsByIdData, GetTransactionsByIdResponse>(place, {
    url: '/transactions/{id}/',
    path: { id },
  })
  return (
    <Found of={reading}>
      {(before) => (
        <Steps
          rates={rates}
          begin={{
            amount: asTyped(before.requested_amount),
            currency: before.currency,
            country: before.country_code,
            method: before.network_code ?? '',
            recipient: { msisdn: isErased(before) ? '' : before.operation_msisdn },
            description: before.description,
          }}
        />
      )}
    </Found>
  )
}

type Checked = Readonly<{ body: PayoutInitialize; findings: Findings; key: string }>

/** Without its text: with another one it is the same payout, which may have been made already. */
const deedOf = (body: PayoutInitialize): object => ({
  ...{ ...body, recipient: ownDigits(body.recipient.msisdn), description: undefined },
})

function Steps({ rates, begin }: StepsProps & { begin?: PayoutInitialize }) {
  const { place } = useHere()
  const [checked, setChecked] = useState<Checked>()
  const [body, setBody] = useState(begin)
  const of = useNumber(rates, {
    number: begin?.recipient.msisdn ?? '',
    chosen: begin && { country: begin.country, network: begin.method },
  })
  const [done, setDone] = useState<PayoutReply>()
  const { isBusy, failure, run } = useAct()
  const check = (typed: PayoutInitialize) => {
    setBody(typed)
    return run(async () => {
      const { recipient, country, method } = typed
      const needed = { 'recipient.msisdn': recipient.msisdn, country, method }
      const asked = { ...typed, amount: sumOf(String(typed.amount), 'amount', needed) }
      const key = keyOf(place, deedOf(asked))
      setChecked({ body: asked, findings: await checkPayout(place, asked, key), key })
    })
  }
  if (done !== undefined) return <Done reply={done} />
  if (checked !== undefined) {
    return (
      <Sure
        checked={checked}
        rate={rates.find(({ network_code }) => network_code === checked.body.method)}
        onBack={() => setChecked(undefined)}
        onWarned={setDone}
      />
    )
  }
  return (
    <PayoutFields {...{ of, rates, body, failure }} onCheck={check}>
      <Button type="submit" busy={isBusy}>
        {t('go_on')}
      </Button>
    </PayoutFields>
  )
}

type SureProps = Readonly<{
  checked: Checked
  rate: NetworkRates | undefined
  onBack: () => void
  onWarned: (reply: PayoutReply) => void
}>

function Sure({ checked: { body, findings, key }, rate, onBack, onWarned }: SureProps) {
  const { place, amount } = useHere()
  const quoteFacts = useQuoteFacts()
  const go = useGo()
  const sum = amount(findings.sum, body.currency)
  const number = writePhone(findings.msisdn)
  // Asked again after a lost answer, the twin is most likely this one, and no second one is made.
  const [isAsked] = useState(() => wasBegun(key))
  const pay = async (form: FormData, key: string) => {
    const isUnsure = findings.twin !== undefined && !isAsked && form.get('sure') !== 'on'
    if (isUnsure) throw new CallFailed({ is: 'fields', fields: { sure: [t('tick_sure')] } })
    const reply = await call<PostPayoutsInitializeData, PostPayoutsInitializeResponse>({
      ...{ method: 'POST', url: '/payouts/initialize/', body, key, place },
    })
    if (reply.warning !== null && !findings.isWarned) onWarned(reply)
    else go(`/payouts/${reply.id}`)
    void readAllAgain()
  }
  return (
    <Confirm
      title={t('payout_check')}
      act={t('payout_act', { amount: sum })}
      doing={pay}
      onBack={onBack}
      fields={['sure']}
      deed={deedOf(body)}
      list="payouts"
    >
      {(failure) => (
        <>
          <Facts
            of={[
              [t('recipient'), withHolder(number, findings.quote)],
              [t('network'), rate?.network_name ?? body.method],
              [t('amount'), sum],
              ...quoteFacts(findings.quote),
              [t('description'), body.description],
            ]}
          />
          <Warnings {...{ findings, number, isAsked }} error={errorAt(failure, 'sure')} />
        </>
      )}
    </Confirm>
  )
}

/** The number, and whose it is where its operator said so. */
function withHolder(number: string, quote: Quote | undefined): ReactNode {
  const name = quote?.recipient?.name ?? null
  if (name === null) return number
  return (
    <>
      {number} · <bdi>{name}</bdi>
    </>
  )
}

type WarningsProps = Readonly<{
  findings: Findings
  number: string
  isAsked: boolean
  error: string | undefined
}>

function Warnings({ findings, number, isAsked, error }: WarningsProps) {
  const { amount, moment } = useHere()
  const { twin, quote } = findings
  return (
    <>
      <OtherNetwork quote={quote} />
      {quote?.recipient?.active === false && <p className="warned">{t('warn_no_account')}</p>}
      <Waits quote={quote} />
      {twin !== undefined && (
        <div className="warned">
          <p>
            {t('warn_twin', {
              amount: amount(twin.requested_amount, twin.currency),
              number,
              when: moment(twin.created_at),
            })}
          </p>
          {!isAsked && (
            <label className="choice">
              <input type="checkbox" name="sure" aria-invalid={error !== undefined || undefined} />
              {t('warn_twin_sure')}
            </label>
          )}
          {error && <p className="wrong">{error}</p>}
        </div>
      )}
    </>
  )
}

/** The API saw something that the check did not: the payout is made, and this is said of it. */
function Done({ reply }: { reply: PayoutReply }) {
  const { to } = useHere()
  const [, navigate] = useLocation()
  return (
    <section className="outcome" role="status">
      <p className="said">{t('payout_made')}</p>
      <p>{reply.warning?.message}</p>
      <Button onClick={() => navigate(to(`/payouts/${reply.id}`), { replace: true })}>
        {t('payout_look')}
      </Button>
    </section>
  )
}
