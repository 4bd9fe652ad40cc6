// A new transfer: from which balance, to which country, how much; then its fee, the rate with its
// age and what arrives, as the API says them, and the button with the sum.

import { type ReactNode, useState } from 'react'
import type {
  Country,
  GetCountriesData,
  GetCountriesResponse,
  GetMerchantBalancesData,
  GetMerchantBalancesResponse,
  MerchantBalance,
  PostWalletTransfersData,
  PostWalletTransfersResponse,
  Quote,
  WalletTransferRequest,
} from '../../api/types.gen.ts'
import { call, type Failure } from '../../data/call.ts'
import { keyOf } from '../../data/once.ts'
import { readAllAgain, useRead } from '../../data/queries.ts'
import { asTyped } from '../../format/amount.ts'
import { byName, countryName } from '../../format/country.ts'
import { Confirm, sumOf, useGo } from '../../parts/act.tsx'
import { NotOffered } from '../../parts/allowed.tsx'
import { FrozenHere, FrozenLines, frozenOf } from '../../parts/frozen.tsx'
import { askedFirst } from '../../parts/network-fields.tsx'
import { useHere } from '../../parts/place.tsx'
import { fetchQuote, useQuoteFacts, Waits } from '../../parts/quote.tsx'
import { Page } from '../../parts/shell.tsx'
import { useAct } from '../../ui/act.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button, errorAt, Form, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

const stale_ms = 60 * 60_000

export default function TransferForm() {
  const { place, whyNot } = useHere()
  const countries = useRead<GetCountriesData, GetCountriesResponse>(
    place,
    { url: '/countries/' },
    { stale_ms },
  )
  const balances = useRead<GetMerchantBalancesData, GetMerchantBalancesResponse>(place, {
    url: '/merchant-balances/',
    query: { page_size: 100 },
  })
  const why = whyNot('transfers')
  return (
    <Page title={t('new_transfer')}>
      {why !== undefined ? (
        <NotOffered of={why} />
      ) : (
        <Read of={countries}>
          {(list) => (
            <Read of={balances}>
              {({ results }) =>
                results.length === 0 ? (
                  <Empty>
                    <p>{t('transfer_no_balance')}</p>
                  </Empty>
                ) : (
                  <Steps countries={list} balances={results} />
                )
              }
            </Read>
          )}
        </Read>
      )}
    </Page>
  )
}

type Having = Readonly<{ countries: readonly Country[]; balances: readonly MerchantBalance[] }>
type Checked = Readonly<{ body: WalletTransferRequest; quote: Quote | undefined }>

function Steps({ countries, balances }: Having) {
  const { place } = useHere()
  const [body, setBody] = useState<WalletTransferRequest>()
  const [checked, setChecked] = useState<Checked>()
  const { isBusy, failure, run } = useAct()
  const check = (form: FormData) => {
    const [from_country, to_country] = [textIn(form, 'from_country'), textIn(form, 'to_country')]
    return run(async () => {
      const from_amount = sumOf(textIn(form, 'amount'), 'amount')
      const asked = { from_country, to_country, from_amount }
      setBody(asked)
      const key = keyOf(place, asked)
      const question = {
        country: from_country,
        to_country,
        amount: from_amount,
      }
      setChecked({
        body: asked,
        quote: await fetchQuote(place, 'TRANSFER', { question, key }),
      })
    })
  }
  if (checked !== undefined) {
    return <Sure {...{ checked, countries, balances }} onBack={() => setChecked(undefined)} />
  }
  return (
    <>
      <FrozenLines of={frozenOf(balances)} />
      <Form
        name={t('new_transfer')}
        failure={failure}
        fields={['amount', 'to_country']}
        onSubmit={check}
      >
        <Fields {...{ countries, balances, body, failure }}>
          <Button type="submit" busy={isBusy}>
            {t('go_on')}
          </Button>
        </Fields>
      </Form>
    </>
  )
}

type FieldsProps = Having &
  Readonly<{
    body: WalletTransferRequest | undefined
    failure: Failure | undefined
    /** Not shown while nothing may leave. */
    children: ReactNode
  }>

function Fields({ countries, balances, body, failure, children }: FieldsProps) {
  const { amountAmong, language, merchant } = useHere()
  const amount = amountAmong(balances.map(({ currency }) => currency))
  const own = balances.find(({ country }) => country === merchant.country)
  const [only, another] = balances
  const begun = another === undefined ? only : own
  const [from, setFrom] = useState(body?.from_country ?? begun?.country ?? '')
  const balance = balances.find(({ country }) => country === from)
  const named = (code: string) => [code, countryName(code, language)] as const
  const ours = balances.map(({ country }) => country)
  const others = countries.map(({ iso_code }) => iso_code).filter((code) => code !== from)
  return (
    <>
      <SelectField
        label={t('transfer_from')}
        name="from_country"
        required
        value={from}
        onChange={({ currentTarget: { value } }) => setFrom(value)}
        options={[...askedFirst(from), ...byName(ours, language).map(named)]}
      />
      <SelectField
        label={t('transfer_to')}
        error={errorAt(failure, 'to_country')}
        name="to_country"
        required
        defaultValue={body?.to_country ?? ''}
        options={[...askedFirst(null), ...byName(others, language).map(named)]}
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
            error={errorAt(failure, 'amount')}
            name="amount"
            inputMode="decimal"
            autoComplete="off"
            maxLength={20}
            defaultValue={body === undefined ? '' : asTyped(String(body.from_amount))}
            required
          />
          {children}
        </>
      )}
    </>
  )
}

type SureProps = Having & Readonly<{ checked: Checked; onBack: () => void }>

function Sure({ checked: { body, quote }, countries, balances, onBack }: SureProps) {
  const { place, amountAmong, language } = useHere()
  const { currency = '' } = balances.find((one) => one.country === body.from_country) ?? {}
  const to = countries.find(({ iso_code }) => iso_code === body.to_country)?.default_currency
  const among = [...balances.map((one) => one.currency), to ?? currency]
  const quoteFacts = useQuoteFacts(among)
  const go = useGo()
  const sum = amountAmong(among)(String(body.from_amount), currency)
  const transfer = async (_: FormData, key: string) => {
    const made = await call<PostWalletTransfersData, PostWalletTransfersResponse>({
      ...{ method: 'POST', url: '/wallet-transfers/', body, key, place },
    })
    go(`/transfers/${made.id}`)
    void readAllAgain()
  }
  return (
    <Confirm
      title={t('transfer_check')}
      act={t('transfer_act', { amount: sum })}
      doing={transfer}
      onBack={onBack}
      deed={body}
    >
      <Facts
        of={[
          [t('transfer_from'), countryName(body.from_country, language)],
          [t('transfer_to'), countryName(body.to_country, language)],
          [t('amount'), sum],
          ...quoteFacts(quote),
        ]}
      />
      <p>{t('transfer_how')}</p>
      <Waits quote={quote} />
    </Confirm>
  )
}
