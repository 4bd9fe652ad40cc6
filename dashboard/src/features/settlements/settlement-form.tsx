// Asking for a settlement: out of which balance, to which own account, how much; then sure.

import { useState } from 'react'
import type {
  GetMerchantBalancesData,
  GetMerchantBalancesResponse,
  MerchantBalance,
  PayoutMethod,
  PostSettlementsData,
  PostSettlementsResponse,
  Quote,
  SettlementRequest,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { keyOf } from '../../data/once.ts'
import { readAllAgain, useRead } from '../../data/queries.ts'
import { asTyped } from '../../format/amount.ts'
import { countryName } from '../../format/country.ts'
import { Confirm, sumOf, useGo } from '../../parts/act.tsx'
import { NotOffered } from '../../parts/allowed.tsx'
import { FrozenHere, FrozenLines, frozenOf } from '../../parts/frozen.tsx'
import { methodName, usePayoutMethods } from '../../parts/payout-methods.ts'
import { useHere } from '../../parts/place.tsx'
import { fetchQuote, useQuoteFacts, Waits } from '../../parts/quote.tsx'
import { Page } from '../../parts/shell.tsx'
import { useAct } from '../../ui/act.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button, errorAt, Form, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { NoneUsable } from './none-usable.tsx'

export default function SettlementForm() {
  const { place, whyNot } = useHere()
  const methods = usePayoutMethods()
  const balances = useRead<GetMerchantBalancesData, GetMerchantBalancesResponse>(place, {
    url: '/merchant-balances/',
    query: { page_size: 100 },
  })
  const why = whyNot('settlements')
  return (
    <Page title={t('new_settlement')}>
      {why !== undefined ? (
        <NotOffered of={why} />
      ) : (
        <Read of={methods}>
          {(known) => (
            <Read of={balances}>
              {({ results }) => <Steps methods={known.results} balances={results} />}
            </Read>
          )}
        </Read>
      )}
    </Page>
  )
}

type Having = Readonly<{
  methods: readonly PayoutMethod[]
  balances: readonly MerchantBalance[]
}>

type Wanted = Readonly<{ body: SettlementRequest; quote: Quote | undefined }>

function Steps({ methods, balances }: Having) {
  const { place } = useHere()
  const [body, setBody] = useState<SettlementRequest>()
  const [wanted, setWanted] = useState<Wanted>()
  // A cooling-off guards money: in test it holds nothing up.
  const isTest = place.environment === 'SANDBOX'
  const usable = methods.filter(
    ({ is_usable, country }) =>
      (is_usable || isTest) && balances.some((balance) => balance.country === country),
  )
  if (usable.length === 0) return <NoneUsable {...{ methods, balances }} />
  const check = async (asked: SettlementRequest) => {
    setBody(asked)
    const key = keyOf(place, asked)
    const question = {
      country: asked.country,
      payout_method: asked.payout_method,
      amount: String(asked.requested_amount),
    }
    const quote = await fetchQuote(place, 'SETTLEMENT', {
      question,
      key,
      names: { amount: 'requested_amount' },
    })
    setWanted({ body: asked, quote })
  }
  if (wanted === undefined) {
    return (
      <>
        <FrozenLines of={frozenOf(balances)} />
        <Fields {...{ methods: usable, balances, body }} onCheck={check} />
      </>
    )
  }
  return <Sure {...{ methods, balances, wanted }} onBack={() => setWanted(undefined)} />
}

type FieldsProps = Having &
  Readonly<{
    body: SettlementRequest | undefined
    onCheck: (body: SettlementRequest) => Promise<void>
  }>

function Fields({ methods, balances, body, onCheck }: FieldsProps) {
  const { amount } = useHere()
  const { isBusy, failure, run } = useAct()
  const [id, setId] = useState(body?.payout_method ?? methods[0]?.id ?? '')
  const country = methods.find((one) => one.id === id)?.country ?? ''
  const balance = balances.find((one) => one.country === country)
  const submit = (form: FormData) =>
    run(async () => {
      const requested_amount = sumOf(textIn(form, 'requested_amount'), 'requested_amount')
      await onCheck({ country, payout_method: id, requested_amount })
    })
  const fields = ['requested_amount', 'payout_method']
  return (
    <Form name={t('new_settlement')} failure={failure} fields={fields} onSubmit={submit}>
      <SelectField
        label={t('method')}
        error={errorAt(failure, 'payout_method')}
        name="payout_method"
        value={id}
        onChange={({ currentTarget: { value } }) => setId(value)}
        options={methods.map((method) => [method.id, methodName(method)] as const)}
      />
      {balance?.is_frozen === true ? (
        <FrozenHere />
      ) : (
        <>
          <TextField
            label={t('how_much')}
            hint={
              balance &&
              t('available_is', { amount: amount(balance.available_amount, balance.currency) })
            }
            error={errorAt(failure, 'requested_amount')}
            name="requested_amount"
            inputMode="decimal"
            autoComplete="off"
            maxLength={20}
            defaultValue={body === undefined ? '' : asTyped(String(body.requested_amount))}
            required
          />
          <Button type="submit" busy={isBusy}>
            {t('go_on')}
          </Button>
        </>
      )}
    </Form>
  )
}

type SureProps = Having & Readonly<{ wanted: Wanted; onBack: () => void }>

function Sure({ methods, balances, wanted: { body, quote }, onBack }: SureProps) {
  const { place, amount, language } = useHere()
  const quoteFacts = useQuoteFacts()
  const go = useGo()
  const method = methods.find(({ id }) => id === body.payout_method)
  const balance = balances.find(({ country }) => country === body.country)
  const sum = amount(String(body.requested_amount), balance?.currency ?? '')
  const settle = async (_: FormData, key: string) => {
    const made = await call<PostSettlementsData, PostSettlementsResponse>({
      ...{ method: 'POST', url: '/settlements/', body, key, place },
    })
    go(`/settlements/${made.id}`)
    void readAllAgain()
  }
  return (
    <Confirm
      title={t('settlement_check')}
      act={t('settlement_act', { amount: sum })}
      doing={settle}
      onBack={onBack}
      deed={body}
    >
      <Facts
        of={[
          [t('from_balance'), countryName(body.country, language)],
          [t('method'), method && methodName(method)],
          [t('amount'), sum],
          ...quoteFacts(quote),
        ]}
      />
      <p>{t('settlement_how')}</p>
      <Waits quote={quote} />
    </Confirm>
  )
}
