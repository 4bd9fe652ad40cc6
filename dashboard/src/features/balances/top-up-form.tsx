// Topping up one's own balance: a payment whose payer is oneself. What comes next is said by the
// API: a word on the phone, a code, the operator's page.

import { useState } from 'react'
import type {
  NetworkRates,
  PostTopUpsInitializeData,
  PostTopUpsInitializeResponse,
  Quote,
  TopUpInitialize,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { keyOf } from '../../data/once.ts'
import { readAllAgain } from '../../data/queries.ts'
import { asTyped } from '../../format/amount.ts'
import { writePhone } from '../../format/phone.ts'
import { Confirm, sumOf, useGo } from '../../parts/act.tsx'
import { NotOffered } from '../../parts/allowed.tsx'
import { CodeField, currencyOf, openTo, sumLabel } from '../../parts/network-fields.tsx'
import { type NumberChoice, NumberFields, ownDigits, useNumber } from '../../parts/number-field.tsx'
import { useHere } from '../../parts/place.tsx'
import { fetchQuote, OtherNetwork, useQuoteFacts } from '../../parts/quote.tsx'
import { useRates } from '../../parts/rates.ts'
import { Page } from '../../parts/shell.tsx'
import { useAct } from '../../ui/act.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button, errorAt, Form, TextField, textIn } from '../../ui/form.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

export default function TopUpForm() {
  const { whyNot } = useHere()
  const rates = useRates()
  const why = whyNot('top_ups')
  return (
    <Page title={t('top_up_title')}>
      {why === undefined ? (
        <Read of={rates}>{(all) => <Steps rates={openTo(all, 'top_up')} />}</Read>
      ) : (
        <NotOffered of={why} />
      )}
    </Page>
  )
}

type StepsProps = Readonly<{ rates: readonly NetworkRates[] }>
type Wanted = Readonly<{ body: TopUpInitialize; quote: Quote | undefined }>

/** Without the code: with another one it is the same top-up, which may have been made already. */
const deedOf = (body: TopUpInitialize): object => ({
  ...{ ...body, phone: ownDigits(body.phone), otp: undefined },
})

function Steps({ rates }: StepsProps) {
  const { place } = useHere()
  const [body, setBody] = useState<TopUpInitialize>()
  const [wanted, setWanted] = useState<Wanted>()
  const of = useNumber(rates, { number: '', chosen: undefined })
  if (rates.length === 0) {
    return (
      <Empty>
        <p>{t('no_top_up_network')}</p>
      </Empty>
    )
  }
  const check = async (asked: TopUpInitialize) => {
    setBody(asked)
    const key = keyOf(place, deedOf(asked))
    const { country, currency, network, phone: msisdn } = asked
    const question = {
      country,
      currency,
      network,
      msisdn,
      amount: String(asked.amount),
    }
    const quote = await fetchQuote(place, 'TOP_UP', { question, key, names: { msisdn: 'phone' } })
    setWanted({ body: asked, quote })
  }
  if (wanted === undefined) return <Fields {...{ of, rates, body }} onCheck={check} />
  const back = () => setWanted(undefined)
  return <Sure {...{ rates, wanted }} onBack={back} />
}

type FieldsProps = StepsProps &
  Readonly<{
    of: NumberChoice
    body: TopUpInitialize | undefined
    onCheck: (body: TopUpInitialize) => Promise<void>
  }>

function Fields({ of, rates, body, onCheck }: FieldsProps) {
  const { rate, currency } = of
  const { isBusy, failure, run } = useAct()
  const submit = (form: FormData) =>
    run(async () => {
      const [otp, phone] = [textIn(form, 'otp'), of.bare]
      const chosen = await of.whenGuessed()
      await onCheck({
        amount: sumOf(textIn(form, 'amount'), 'amount', { phone, ...chosen }),
        ...{ currency: currencyOf(rates, chosen), ...chosen },
        phone,
        ...(otp !== '' && { otp }),
      })
    })
  return (
    <Form
      name={t('top_up_title')}
      failure={failure}
      fields={['amount', 'phone', 'country', 'network', 'otp']}
      onSubmit={submit}
    >
      <p>{t('top_up_how')}</p>
      <NumberFields
        {...{ of, rates, failure, label: t('own_number'), autoComplete: 'tel' }}
        names={{ number: 'phone', network: 'network' }}
      />
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
      <CodeField rates={rate?.top_up} failure={failure} autoComplete="one-time-code" />
      <Button type="submit" busy={isBusy}>
        {t('go_on')}
      </Button>
    </Form>
  )
}

type SureProps = StepsProps & Readonly<{ wanted: Wanted; onBack: () => void }>

function Sure({ rates, wanted: { body, quote }, onBack }: SureProps) {
  const { place, amount } = useHere()
  const quoteFacts = useQuoteFacts()
  const go = useGo()
  const sum = amount(String(body.amount), body.currency)
  const rate = rates.find(({ network_code }) => network_code === body.network)
  const topUp = async (_: FormData, key: string) => {
    const reply = await call<PostTopUpsInitializeData, PostTopUpsInitializeResponse>({
      ...{ method: 'POST', url: '/top-ups/initialize/', body, key, place },
    })
    go(`/payments/${reply.id}`)
    void readAllAgain()
  }
  return (
    <Confirm
      title={t('top_up_check')}
      act={t('top_up_act', { amount: sum })}
      doing={topUp}
      onBack={onBack}
      deed={deedOf(body)}
    >
      <Facts
        of={[
          [t('payer'), writePhone(quote?.number?.e164 ?? body.phone)],
          [t('network'), rate?.network_name ?? body.network],
          [t('amount'), sum],
          ...quoteFacts(quote),
        ]}
      />
      <OtherNetwork quote={quote} />
    </Confirm>
  )
}
