// The sandbox: a payment with a chosen outcome, paid and decided as the customer would; play money;
// and what late, doubled and lying answers look like. Nothing here exists in live.

import { useState } from 'react'
import { useLocation } from 'wouter'
import type {
  CheckoutSession,
  GetSandboxOutcomesData,
  GetSandboxOutcomesResponse,
  GetTransactionsByIdData,
  GetTransactionsByIdResponse,
  PostCheckoutSessionsData,
  PostCheckoutSessionsResponse,
  PostPaymentsSoftpayInitializeData,
  PostPaymentsSoftpayInitializeResponse,
  PostSandboxBalancesData,
  PostSandboxBalancesResponse,
  PostSandboxTransactionsByIdResolveData,
  PostSandboxTransactionsByIdResolveResponse,
  SandboxOutcomes,
  SoftpayReply,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { newKey } from '../../data/once.ts'
import { readAgain, useRead, useRhythm } from '../../data/queries.ts'
import { readTyped } from '../../format/amount.ts'
import { byName, countryName } from '../../format/country.ts'
import { asWritten } from '../../format/name.ts'
import { writePhone } from '../../format/phone.ts'
import { Allowed } from '../../parts/allowed.tsx'
import { PayerPage } from '../../parts/payer-page.tsx'
import { useHere } from '../../parts/place.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Button, errorAt, Form, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { Status, stateOf } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { Section } from './section.tsx'
import { Spoken } from './spoken.tsx'

const rhythm = { soon_ms: 3_000, later_ms: 30_000 } as const

type Way = SandboxOutcomes['networks'][number]
type Outcome = SandboxOutcomes['outcomes'][number]

/** How long the list of outcomes is taken as it is: it changes with the program only. */
const list_stale_ms = 3_600_000

export default function Sandbox() {
  const { environment, may } = useHere()
  if (environment === 'LIVE') {
    return (
      <Section of="sandbox">
        <Empty>
          <p>{t('sandbox_only_in_test')}</p>
        </Empty>
      </Section>
    )
  }
  return (
    <Section of="sandbox">
      <p>{t('sandbox_how')}</p>
      <Allowed right="payins">
        <Playing />
      </Allowed>
      {!may('payins') && <Spoken />}
    </Section>
  )
}

function Playing() {
  const { place, merchant } = useHere()
  const reading = useRead<GetSandboxOutcomesData, GetSandboxOutcomesResponse>(
    place,
    { url: '/sandbox/outcomes/' },
    { stale_ms: list_stale_ms },
  )
  return (
    <Read of={reading}>
      {({ networks, outcomes, right_otp }) => {
        const isOwn = ({ country }: Way) => country === merchant.country
        const ways = [...networks.filter(isOwn), ...networks.filter((way) => !isOwn(way))]
        return (
          <>
            <Numbers ways={ways} outcomes={outcomes} right_otp={right_otp} />
            <div className="columns">
              <AsTheCustomer />
              <PlayMoney
                own={ways.find(isOwn)?.country}
                countries={[...new Set(ways.map(({ country }) => country))]}
              />
            </div>
            {/* Below what is read first, so that nothing moves when that comes. */}
            <Spoken />
          </>
        )
      }}
    </Read>
  )
}

type Playable = Readonly<{
  ways: readonly Way[]
  outcomes: readonly Outcome[]
  right_otp: string
}>

const kinds = ['PAYIN', 'PAYOUT', 'REFUND'] as const satisfies readonly Outcome['kind'][]

/** What each ending does to what comes in, goes out and goes back, by network. */
function Numbers({ ways, outcomes, right_otp }: Playable) {
  const [code, setCode] = useState<string>(ways[0]?.network ?? '')
  const [kind, setKind] = useState<Outcome['kind']>('PAYIN')
  const way = ways.find(({ network }) => network === code)
  const played = outcomes.filter((outcome) => outcome.kind === kind)
  return (
    <section>
      <h2>{t('sandbox_pay')}</h2>
      {/* biome-ignore lint/a11y/useSemanticElements: nothing is filled in here */}
      <div className="chips" role="group" aria-label={t('kind')}>
        {kinds.map((one) => (
          <button key={one} type="button" aria-pressed={kind === one} onClick={() => setKind(one)}>
            {t(`sandbox_of_${one}`)}
          </button>
        ))}
      </div>
      <SelectField
        label={t('network')}
        value={code}
        options={ways.map(({ network, name, confirmation }) => [
          network,
          `${asWritten(name)} · ${t(`confirms_${confirmation}`)}`,
        ])}
        onChange={({ currentTarget: { value } }) => setCode(value)}
      />
      {way !== undefined && kind === 'PAYIN' && (
        <PlayedPayment way={way} outcomes={played} right_otp={right_otp} />
      )}
      {way !== undefined && kind !== 'PAYIN' && <Copied key={kind} way={way} outcomes={played} />}
    </section>
  )
}

type Played = Readonly<{ way: Way; outcomes: readonly Outcome[] }>

/** One press makes one payment: the ending of the number chooses what becomes of it. */
function PlayedPayment({ way, outcomes, right_otp }: Played & { right_otp: string }) {
  const { place } = useHere()
  const { failure, isBusy, run } = useAct()
  const [made, setMade] = useState<MadePayment>()
  const pay = (outcome: Outcome) =>
    run(async () => {
      const reply = await call<
        PostPaymentsSoftpayInitializeData,
        PostPaymentsSoftpayInitializeResponse
      >({
        ...{ method: 'POST', url: '/payments/softpay/initialize/', place },
        body: bodyOf(way, outcome, right_otp),
        key: newKey(),
      })
      setMade({ ...reply, outcome, right_otp })
      await readAgain('/transactions/')
    })
  return (
    <>
      <Refused failure={failure} />
      <ul className="magic" aria-label={t('sandbox_outcomes')}>
        {outcomes.map((outcome) => (
          <li key={outcome.ending}>
            <button type="button" aria-disabled={isBusy || undefined} onClick={() => pay(outcome)}>
              <b>{outcome.description}</b>
              <span className="mute small">{writePhone(way.msisdn_start + outcome.ending)}</span>
            </button>
          </li>
        ))}
      </ul>
      {made !== undefined && <Made key={made.id} of={made} />}
    </>
  )
}

/** One press copies what chooses the outcome: a payout's number, the words of a refund. */
function Copied({ way, outcomes }: Played) {
  const [copied, setCopied] = useState('')
  const copy = async (text: string) => {
    // Browsers have no clipboard for pages that came without https, loopback apart.
    if (!window.isSecureContext) return
    await navigator.clipboard.writeText(text)
    setCopied(text)
  }
  return (
    <>
      {outcomes.slice(0, 1).map(({ kind }) => (
        <p key={kind}>{t(kind === 'REFUND' ? 'sandbox_refund_how' : 'sandbox_payout_how')}</p>
      ))}
      <ul className="magic" aria-label={t('sandbox_outcomes')}>
        {outcomes.map(({ kind, ending, status, description }) => {
          const text = kind === 'REFUND' ? `sandbox:${ending}` : way.msisdn_start + ending
          const shown = kind === 'REFUND' ? text : writePhone(text)
          return (
            <li key={ending}>
              <button type="button" onClick={() => copy(text)}>
                <b>{description}</b>
                <Status of={stateOf({ ...leaving, status })} />
                <span className="mute small">{copied === text ? t('copied') : shown}</span>
              </button>
            </li>
          )
        })}
      </ul>
      <span role="status" className="unseen">
        {copied !== '' && t('copied')}
      </span>
    </>
  )
}

const leaving = {
  flow_direction: 'OUTBOUND',
  approval: null,
  waiting_reason: null,
  returned_at: null,
  outcome_unknown: false,
  incident: null,
} as const

const bodyOf = (
  way: Way,
  { ending }: Outcome,
  right_otp: string,
): PostPaymentsSoftpayInitializeData['body'] => ({
  amount: '1000',
  currency: way.currency,
  country: way.country,
  network: way.network,
  description: t('sandbox_description', { ending }),
  customer: { phone: way.msisdn_start + ending },
  ...(way.confirmation === 'CODE_BEFORE' && { otp: right_otp }),
})

type MadePayment = SoftpayReply & Readonly<{ outcome: Outcome; right_otp: string }>

/** What the customer has to do now, and what has become of it. */
function Made({ of }: { of: MadePayment }) {
  const { place, to, amount } = useHere()
  const { failure, isBusy, run } = useAct()
  const [isOpen, setIsOpen] = useState(true)
  const every_ms = useRhythm(isOpen, rhythm)
  const reading = useRead<GetTransactionsByIdData, GetTransactionsByIdResponse>(
    place,
    { url: '/transactions/{id}/', path: { id: of.id } },
    { every_ms },
  )
  const status = reading.data?.status ?? 'PENDING'
  const isPending = status === 'PENDING'
  // One that fails first and then succeeds has not come to its end.
  const mayChange = isPending || (status === 'FAILED' && of.outcome.status !== 'FAILED')
  if (mayChange !== isOpen) setIsOpen(mayChange)
  const decide = (outcome: 'SUCCESS' | 'FAILED') =>
    run(async () => {
      await call<
        PostSandboxTransactionsByIdResolveData,
        PostSandboxTransactionsByIdResolveResponse
      >({
        ...{ method: 'POST', url: '/sandbox/transactions/{id}/resolve/', path: { id: of.id } },
        ...{ place, body: { outcome } },
      })
      await readAgain('/transactions/{id}/')
    })
  return (
    <section className="outcome" aria-label={t('sandbox_made')}>
      <Read of={reading}>
        {(payment) => (
          <div role="status">
            <p className="sum">
              <b>{amount(payment.requested_amount, payment.currency)}</b>
              <Status of={stateOf(payment)} />
            </p>
            {payment.failure_message !== '' && <p>{payment.failure_message}</p>}
          </div>
        )}
      </Read>
      {isPending && of.instructions !== '' && <p>{of.instructions}</p>}
      {isPending && of.next_action === 'ENTER_OTP' && (
        <p>{t('sandbox_code', { code: of.right_otp })}</p>
      )}
      <div className="acts">
        <Refused failure={failure} />
        {isPending && of.checkout_url !== '' && <PayerPage address={of.checkout_url} />}
        {isPending && (
          <>
            <Button look="plain" busy={isBusy} onClick={() => decide('SUCCESS')}>
              {t('sandbox_approve')}
            </Button>
            <Button look="plain" busy={isBusy} onClick={() => decide('FAILED')}>
              {t('sandbox_refuse')}
            </Button>
          </>
        )}
        <Link className="button plain" href={to(`/payments/${of.id}`)}>
          {t('sandbox_story')}
        </Link>
      </div>
    </section>
  )
}

/** The very page that a customer sees, beside the story of what they do there. */
function AsTheCustomer() {
  const { place, me, to } = useHere()
  const [, navigate] = useLocation()
  const { failure, isBusy, run } = useAct()
  const [made, setMade] = useState<CheckoutSession>()
  const make = () =>
    run(async () => {
      const session = await call<PostCheckoutSessionsData, PostCheckoutSessionsResponse>({
        ...{ method: 'POST', url: '/checkout-sessions/', place },
        body: {
          ...{ amount: '1000', currency: 'XOF', description: t('sandbox_checkout') },
          customer_email: me.member.email,
          customer_name: `${me.member.first_name} ${me.member.last_name}`.trim() || 'Test',
        },
      })
      setMade(session)
    })
  return (
    <section>
      <h2>{t('sandbox_customer')}</h2>
      <p>{t('sandbox_customer_how')}</p>
      <Allowed right="checkout">
        <Refused failure={failure} />
        <div className="acts">
          {made === undefined ? (
            <Button busy={isBusy} onClick={make}>
              {t('sandbox_make_checkout')}
            </Button>
          ) : (
            <PayerPage
              address={made.checkout_url}
              onOpen={() => navigate(to(`/checkouts/${made.id}`))}
            />
          )}
        </div>
      </Allowed>
    </section>
  )
}

type PlayMoneyProps = Readonly<{ own: string | undefined; countries: readonly string[] }>

function PlayMoney({ own, countries }: PlayMoneyProps) {
  const { place, amount, language } = useHere()
  const { failure, isBusy, run } = useAct()
  const [total, setTotal] = useState<string>()
  const submit = async (form: FormData) => {
    await run(async () => {
      const balance = await call<PostSandboxBalancesData, PostSandboxBalancesResponse>({
        ...{ method: 'POST', url: '/sandbox/balances/', place },
        body: { country: textIn(form, 'country'), amount: readTyped(textIn(form, 'amount')) },
      })
      setTotal(amount(balance.available_amount, balance.currency))
      await readAgain('/merchant-balances/')
    })
  }
  return (
    <section>
      <h2>{t('sandbox_money')}</h2>
      <Form
        name={t('sandbox_money')}
        failure={failure}
        fields={['country', 'amount']}
        onSubmit={submit}
      >
        <SelectField
          label={t('country')}
          error={errorAt(failure, 'country')}
          name="country"
          defaultValue={own}
          options={byName(countries, language).map((code) => [code, countryName(code, language)])}
        />
        <TextField
          label={t('amount')}
          error={errorAt(failure, 'amount')}
          name="amount"
          inputMode="decimal"
          defaultValue="100000"
          maxLength={20}
          required
        />
        <Button type="submit" look="plain" busy={isBusy}>
          {t('sandbox_add_money')}
        </Button>
      </Form>
      {total !== undefined && <p role="status">{t('sandbox_held', { amount: total })}</p>}
    </section>
  )
}
