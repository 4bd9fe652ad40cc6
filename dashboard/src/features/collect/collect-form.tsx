// Asking a customer for money from the counter: their number and a sum, then what it costs, then
// the button with the sum. What the customer does next is said by the API.

import { useEffect, useRef, useState } from 'react'
import type {
  NetworkRates,
  PostPaymentsSoftpayInitializeData,
  PostPaymentsSoftpayInitializeResponse,
  Quote,
  SoftpayInitialize,
} from '../../api/types.gen.ts'
import { call, type Failure } from '../../data/call.ts'
import { keyOf } from '../../data/once.ts'
import { readAllAgain } from '../../data/queries.ts'
import { asTyped } from '../../format/amount.ts'
import { writePhone } from '../../format/phone.ts'
import { Confirm, sumOf, useGo } from '../../parts/act.tsx'
import { NotOffered } from '../../parts/allowed.tsx'
import { useKnownCustomer } from '../../parts/known-customer.ts'
import { CodeField, currencyOf, openTo, sumLabel } from '../../parts/network-fields.tsx'
import { type NumberChoice, NumberFields, ownDigits, useNumber } from '../../parts/number-field.tsx'
import { useHere } from '../../parts/place.tsx'
import { fetchQuote, OtherNetwork, useQuoteFacts } from '../../parts/quote.tsx'
import { useRates } from '../../parts/rates.ts'
import { Recents, useRecents } from '../../parts/recents.tsx'
import { Page } from '../../parts/shell.tsx'
import { useAct } from '../../ui/act.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button, errorAt, Form, TextField, textIn } from '../../ui/form.tsx'
import { Empty, Loading, Read, useLater } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

/** Nobody at the counter waits longer for who came before. */
const recents_within_ms = 3_000

export default function CollectForm() {
  const { whyNot } = useHere()
  const rates = useRates()
  const recents = useRecents('PAIEMENT')
  const { isFetched } = useKnownCustomer()
  const isLate = useLater(recents_within_ms)
  const why = whyNot('payins')
  return (
    <Page title={t('new_payment')}>
      {why === undefined ? (
        <Read of={rates}>
          {(all) =>
            (recents.isFetched || isLate) && isFetched ? (
              <Steps rates={openTo(all, 'payin')} />
            ) : (
              <Loading />
            )
          }
        </Read>
      ) : (
        <NotOffered of={why} />
      )}
    </Page>
  )
}

type StepsProps = Readonly<{ rates: readonly NetworkRates[] }>
type Asked = Readonly<{ body: SoftpayInitialize; quote: Quote | undefined }>

/** Without code and texts: with others it is the same payment, which may have been made already. */
const deedOf = (body: SoftpayInitialize): object => ({
  ...{ ...body, customer: ownDigits(body.customer.phone) },
  ...{ otp: undefined, description: undefined },
})

function Steps({ rates }: StepsProps) {
  const { place } = useHere()
  const { customer } = useKnownCustomer()
  const of = useNumber(rates, { number: customer?.phone ?? '', chosen: undefined })
  const [body, setBody] = useState<SoftpayInitialize>()
  const [asked, setAsked] = useState<Asked>()
  if (rates.length === 0) {
    return (
      <Empty>
        <p>{t('no_payment_network')}</p>
      </Empty>
    )
  }
  const check = async (typed: SoftpayInitialize) => {
    setBody(typed)
    const key = keyOf(place, deedOf(typed))
    const { country, currency, network } = typed
    const question = {
      country,
      currency,
      network,
      msisdn: typed.customer.phone,
      amount: String(typed.amount),
    }
    const quote = await fetchQuote(place, 'PAYIN', {
      question,
      key,
      names: { msisdn: 'customer.phone' },
    })
    setAsked({ body: typed, quote })
  }
  if (asked === undefined) return <Fields {...{ of, rates, body }} onCheck={check} />
  return <Sure {...{ rates, asked }} onBack={() => setAsked(undefined)} />
}

type FieldsProps = StepsProps &
  Readonly<{
    of: NumberChoice
    body: SoftpayInitialize | undefined
    onCheck: (body: SoftpayInitialize) => Promise<void>
  }>

const digits = (number: string): string => number.replace(/\D/g, '')

const fields = ['customer.phone', 'amount', 'network', 'country', 'otp', 'description']

function Fields({ of, rates, body, onCheck }: FieldsProps) {
  const { customer } = useKnownCustomer()
  const recents = useRecents('PAIEMENT')
  // Later they would push down what is being filled in.
  const [areThere] = useState(recents.isFetched)
  const { currency } = of
  const phone = customer?.phone ?? ''
  const isTheirs = ownDigits(digits(of.bare)) === ownDigits(digits(phone))
  // A payer is known by their number: who has none would be somebody else once one is typed.
  const known = phone === '' ? '' : (customer?.first_name ?? '')
  // A number that came without its network is asked about before a sum is typed.
  const guessed = useRef(body === undefined && customer ? of.guess : undefined)
  useEffect(() => {
    void guessed.current?.()
    guessed.current = undefined
  }, [])
  const { isBusy, failure, run } = useAct()
  const check = (form: FormData) =>
    run(async () => {
      const first_name = textIn(form, 'first_name')
      const otp = textIn(form, 'otp')
      const phone = of.bare
      const chosen = await of.whenGuessed()
      const needed = { 'customer.phone': phone, ...chosen }
      const amount = sumOf(textIn(form, 'amount'), 'amount', needed)
      await onCheck({
        ...{ amount, currency: currencyOf(rates, chosen), ...chosen },
        customer: { phone, ...(first_name !== '' && { first_name }) },
        description: textIn(form, 'description'),
        ...(otp !== '' && { otp }),
      })
    })
  return (
    <Form name={t('new_payment')} failure={failure} fields={fields} onSubmit={check}>
      <Recents
        legend={t('payers_before')}
        rows={areThere ? (recents.data?.results ?? []) : []}
        onChoose={(row) => of.take(row.operation_msisdn, row.network_code)}
      />
      <NumberFields
        {...{ of, rates, failure, label: t('payer_number') }}
        names={{ number: 'customer.phone', network: 'network' }}
      />
      <SumFields {...{ body, failure, currency, known, isTheirs }} />
      <CodeField rates={of.rate?.payin} failure={failure} autoComplete="off" />
      <Button type="submit" busy={isBusy}>
        {t('go_on')}
      </Button>
    </Form>
  )
}

type SumProps = Readonly<{
  body: SoftpayInitialize | undefined
  failure: Failure | undefined
  currency: string
  /** The first name of the customer whom the form was begun for. */
  known: string
  /** The number is still that customer's. */
  isTheirs: boolean
}>

function SumFields({ body, failure, currency, known, isTheirs }: SumProps) {
  const [typed, setTyped] = useState(body === undefined ? known : (body.customer.first_name ?? ''))
  // Nobody else is asked under their name.
  const name = !isTheirs && typed === known ? '' : typed
  return (
    <>
      <TextField
        label={sumLabel(currency)}
        error={errorAt(failure, 'amount')}
        name="amount"
        inputMode="decimal"
        autoComplete="off"
        maxLength={20}
        defaultValue={body === undefined ? '' : asTyped(String(body.amount))}
        required
      />
      <TextField
        label={t('customer_first_name')}
        hint={t('optional')}
        name="first_name"
        autoComplete="off"
        maxLength={100}
        value={name}
        onChange={({ currentTarget: { value } }) => setTyped(value)}
      />
      <TextField
        label={t('description')}
        hint={t('optional')}
        error={errorAt(failure, 'description')}
        name="description"
        maxLength={255}
        defaultValue={body?.description ?? ''}
      />
    </>
  )
}

type SureProps = StepsProps & Readonly<{ asked: Asked; onBack: () => void }>

function Sure({ rates, asked: { body, quote }, onBack }: SureProps) {
  const { place, amount } = useHere()
  const quoteFacts = useQuoteFacts()
  const go = useGo()
  const sum = amount(String(body.amount), body.currency)
  const rate = rates.find(({ network_code }) => network_code === body.network)
  const ask = async (_: FormData, key: string) => {
    const reply = await call<
      PostPaymentsSoftpayInitializeData,
      PostPaymentsSoftpayInitializeResponse
    >({ ...{ method: 'POST', url: '/payments/softpay/initialize/', body, key, place } })
    go(`/payments/${reply.id}`)
    void readAllAgain()
  }
  return (
    <Confirm
      title={t('payment_check')}
      act={t('payment_act', { amount: sum })}
      doing={ask}
      onBack={onBack}
      deed={deedOf(body)}
    >
      <p>{t('payment_how')}</p>
      <Facts
        of={[
          [t('payer'), writePhone(quote?.number?.e164 ?? body.customer.phone)],
          [t('customer_first_name'), body.customer.first_name],
          [t('network'), rate?.network_name ?? body.network],
          [t('amount'), sum],
          ...quoteFacts(quote),
          [t('description'), body.description],
        ]}
      />
      <OtherNetwork quote={quote} />
    </Confirm>
  )
}
