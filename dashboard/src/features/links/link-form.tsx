// A new payment link: what for, and how much. Everything else is optional and folded away.

import { useState } from 'react'
import { useLocation } from 'wouter'
import type {
  Country,
  GetCountriesData,
  GetCountriesResponse,
  PostPaymentLinksData,
  PostPaymentLinksResponse,
} from '../../api/types.gen.ts'
import { call, type Failure, failureIn } from '../../data/call.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import { currenciesOf, currencyName } from '../../format/amount.ts'
import { sumOf } from '../../parts/act.tsx'
import { Allowed } from '../../parts/allowed.tsx'
import { useHere } from '../../parts/place.tsx'
import { Page } from '../../parts/shell.tsx'
import { Button, errorAt, Form, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

const fields = ['name', 'amount', 'min_amount', 'currency', 'description', 'usage_limit']
const stale_ms = 60 * 60_000

export default function LinkForm() {
  const { place } = useHere()
  const countries = useRead<GetCountriesData, GetCountriesResponse>(
    place,
    { url: '/countries/' },
    { stale_ms },
  )
  return (
    <Page title={t('new_link')}>
      <Allowed right="links">
        <Read of={countries}>{(list) => <NewLink countries={list} />}</Read>
      </Allowed>
    </Page>
  )
}

type Body = PostPaymentLinksData['body']

const looksWhole = /^\d{1,9}$/

function bodyOf(form: FormData): Body {
  const isFree = form.get('amount_type') === 'FREE'
  const typed = textIn(form, 'amount')
  const field = isFree ? 'min_amount' : 'amount'
  const amount = isFree && typed === '' ? null : sumOf(typed, field)
  const limit = textIn(form, 'usage_limit')
  return {
    name: textIn(form, 'name'),
    currency: textIn(form, 'currency'),
    description: textIn(form, 'description'),
    amount_type: isFree ? 'FREE' : 'FIXED',
    [field]: amount,
    ...(looksWhole.test(limit) && { usage_limit: Number(limit) }),
  }
}

function NewLink({ countries }: { countries: readonly Country[] }) {
  const { place, to, merchant } = useHere()
  const [, navigate] = useLocation()
  const [failure, setFailure] = useState<Failure>()
  const [isBusy, setIsBusy] = useState(false)
  const submit = async (form: FormData) => {
    if (isBusy) return
    const limit = textIn(form, 'usage_limit')
    if (limit !== '' && !looksWhole.test(limit)) {
      return setFailure({ is: 'fields', fields: { usage_limit: [t('not_a_count')] } })
    }
    setIsBusy(true)
    setFailure(undefined)
    try {
      const made = await call<PostPaymentLinksData, PostPaymentLinksResponse>({
        ...{ method: 'POST', url: '/payment-links/', body: bodyOf(form), place },
      })
      await readAgain('/payment-links/')
      navigate(to(`/links/${made.id}`), { replace: true })
    } catch (error) {
      const failed = failureIn(error)
      if (failed === undefined) throw error
      setFailure(failed)
      setIsBusy(false)
    }
  }
  const currencies = currenciesOf(countries, merchant.country)
  const isWrongInside = ['description', 'usage_limit'].some((name) => errorAt(failure, name))
  return (
    <Form name={t('new_link')} failure={failure} fields={fields} onSubmit={submit}>
      <TextField
        label={t('link_for')}
        error={errorAt(failure, 'name')}
        name="name"
        maxLength={150}
        autoComplete="off"
        required
      />
      <AmountFields currencies={currencies} failure={failure} />
      <details open={isWrongInside || undefined}>
        <summary>{t('more')}</summary>
        <TextField
          label={t('description')}
          hint={t('optional')}
          error={errorAt(failure, 'description')}
          name="description"
          maxLength={255}
        />
        <TextField
          label={t('link_limit')}
          hint={t('link_limit_hint')}
          error={errorAt(failure, 'usage_limit')}
          name="usage_limit"
          inputMode="numeric"
          pattern="[0-9]*"
          maxLength={9}
        />
      </details>
      <Button type="submit" busy={isBusy}>
        {t('make_link')}
      </Button>
    </Form>
  )
}

type AmountProps = Readonly<{ currencies: readonly string[]; failure: Failure | undefined }>

function AmountFields({ currencies, failure }: AmountProps) {
  const [isFree, setIsFree] = useState(false)
  return (
    <>
      <fieldset>
        <legend>{t('who_sets_amount')}</legend>
        {(['FIXED', 'FREE'] as const).map((one) => (
          <label key={one} className="choice">
            <input
              type="radio"
              name="amount_type"
              value={one}
              checked={isFree === (one === 'FREE')}
              onChange={() => setIsFree(one === 'FREE')}
            />
            {t(`amount_${one}`)}
          </label>
        ))}
      </fieldset>
      <div className="amount-row">
        <TextField
          label={t(isFree ? 'least_amount' : 'how_much')}
          hint={isFree ? t('optional') : undefined}
          error={errorAt(failure, isFree ? 'min_amount' : 'amount')}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          maxLength={20}
          required={!isFree}
        />
        <SelectField
          label={t('currency')}
          error={errorAt(failure, 'currency')}
          name="currency"
          options={currencies.map((code) => [code, currencyName(code)])}
        />
      </div>
    </>
  )
}
