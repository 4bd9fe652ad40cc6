// A new checkout session: for whom, what for, how much; its page is then sent to the customer.

import type {
  CheckoutSessionCreate,
  Customer,
  GetCountriesData,
  GetCountriesResponse,
  PostCheckoutSessionsData,
  PostCheckoutSessionsResponse,
} from '../../api/types.gen.ts'
import { call, type Failure } from '../../data/call.ts'
import { readAllAgain, useRead } from '../../data/queries.ts'
import { currenciesOf, currencyName } from '../../format/amount.ts'
import { sumOf, useGo } from '../../parts/act.tsx'
import { NotOffered } from '../../parts/allowed.tsx'
import { useKnownCustomer } from '../../parts/known-customer.ts'
import { useHere } from '../../parts/place.tsx'
import { Page } from '../../parts/shell.tsx'
import { useAct } from '../../ui/act.tsx'
import { Button, errorAt, Form, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { Loading, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

const stale_ms = 60 * 60_000
const texts = ['customer_name', 'customer_email', 'customer_phone', 'description'] as const
const fields = [...texts, 'amount', 'currency', 'merchant_reference']

export default function CheckoutForm() {
  const { place, merchant, whyNot } = useHere()
  const countries = useRead<GetCountriesData, GetCountriesResponse>(
    place,
    { url: '/countries/' },
    { stale_ms },
  )
  const { customer, isFetched } = useKnownCustomer()
  const why = whyNot('checkout')
  return (
    <Page title={t('new_checkout')}>
      {why !== undefined ? (
        <NotOffered of={why} />
      ) : (
        <Read of={countries}>
          {(list) =>
            isFetched ? (
              <NewCheckout currencies={currenciesOf(list, merchant.country)} of={customer} />
            ) : (
              <Loading />
            )
          }
        </Read>
      )}
    </Page>
  )
}

function bodyOf(form: FormData): CheckoutSessionCreate {
  const reference = textIn(form, 'merchant_reference')
  const phone = textIn(form, 'customer_phone')
  return {
    amount: sumOf(textIn(form, 'amount'), 'amount'),
    currency: textIn(form, 'currency'),
    customer_name: textIn(form, 'customer_name'),
    customer_email: textIn(form, 'customer_email'),
    description: textIn(form, 'description'),
    ...(phone !== '' && { customer_phone: phone }),
    ...(reference !== '' && { merchant_reference: reference }),
  }
}

type NewProps = Readonly<{ currencies: readonly string[]; of: Customer | undefined }>

function NewCheckout({ currencies, of }: NewProps) {
  const { place } = useHere()
  const go = useGo()
  const { isBusy, failure, run } = useAct()
  const make = async (form: FormData) => {
    const made = await call<PostCheckoutSessionsData, PostCheckoutSessionsResponse>({
      ...{ method: 'POST', url: '/checkout-sessions/', body: bodyOf(form), place },
    })
    await readAllAgain()
    go(`/checkouts/${made.id}`)
  }
  return (
    <Form
      name={t('new_checkout')}
      failure={failure}
      fields={fields}
      onSubmit={(form) => run(() => make(form))}
    >
      <div className="amount-row">
        <TextField
          label={t('how_much')}
          error={errorAt(failure, 'amount')}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          maxLength={20}
          required
        />
        <SelectField
          label={t('currency')}
          error={errorAt(failure, 'currency')}
          name="currency"
          options={currencies.map((code) => [code, currencyName(code)] as const)}
        />
      </div>
      {texts.map((name) => (
        <Text key={name} {...{ name, failure }} known={knownOf(of)[name] ?? ''} />
      ))}
      <TextField
        label={t('your_reference')}
        hint={t('optional')}
        error={errorAt(failure, 'merchant_reference')}
        name="merchant_reference"
        maxLength={100}
      />
      <Button type="submit" busy={isBusy}>
        {t('checkout_make')}
      </Button>
    </Form>
  )
}

type TextProps = Readonly<{
  name: (typeof texts)[number]
  failure: Failure | undefined
  known: string
}>

const knownOf = (of: Customer | undefined): Partial<Record<(typeof texts)[number], string>> =>
  of === undefined
    ? {}
    : { customer_name: of.full_name, customer_email: of.email, customer_phone: of.phone }

const isNeeded = (name: string): boolean => name === 'customer_name' || name === 'customer_email'

const Text = ({ name, failure, known }: TextProps) => (
  <TextField
    label={t(name)}
    hint={isNeeded(name) ? undefined : t('optional')}
    required={isNeeded(name)}
    error={errorAt(failure, name)}
    name={name}
    defaultValue={known}
    type={name === 'customer_email' ? 'email' : name === 'customer_phone' ? 'tel' : 'text'}
    autoComplete="off"
    maxLength={name === 'description' ? 255 : 150}
  />
)
