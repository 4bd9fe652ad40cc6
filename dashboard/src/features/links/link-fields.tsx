// What a payment link is made of, as fields: the same where one is made and where it is changed;
// and what they hold, as the API writes it.

import { type ReactNode, useState } from 'react'
import type { PaymentLink } from '../../api/types.gen.ts'
import { CallFailed, type Failure } from '../../data/call.ts'
import { serviceNow } from '../../data/clock.ts'
import { asTyped, currencyName, readTyped, sumIn } from '../../format/amount.ts'
import { clockOfMoment, momentOfClock, zoneName } from '../../format/moment.ts'
import { useHere } from '../../parts/place.tsx'
import { errorAt, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'
import { faultsOf, Questions, questionFields, questionsIn } from './questions.tsx'

const written = [
  ...(['name', 'amount', 'min_amount', 'currency'] as const),
  ...(['description', 'usage_limit', 'expires_at', 'require_phone', 'custom_fields'] as const),
  ...(['redirect_url', 'show_confirmation_page'] as const),
] as const

export const fields: readonly string[] = [...written, ...questionFields]

/** What these fields write of a link. */
export type LinkWritten = Pick<PaymentLink, (typeof written)[number] | 'amount_type'>

/**
 * Whether a link has it already. The keys of a question stand in the order of `questionsIn`, which
 * is the API's: else each change would send them, and a link whose answer was lost be made twice.
 */
export const isWrittenIn = (link: PaymentLink, name: string, value: unknown): boolean =>
  JSON.stringify(Object.entries(link).find(([of]) => of === name)?.[1]) === JSON.stringify(value)

const looksWhole = /^\d{1,9}$/
const looksMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d/

/** Its end as the field shows it, by the merchant's clocks; '': it has none. */
const endOf = (link: PaymentLink | undefined, zone: string): string =>
  link?.expires_at ? clockOfMoment(link.expires_at, zone) : ''

/** `before`: the link that is changed; an end that nobody touched stays to the second. */
export function linkIn(form: FormData, zone: string, before?: PaymentLink): LinkWritten {
  const isFree = form.get('amount_type') === 'FREE'
  const [typed, limit] = [textIn(form, 'amount'), textIn(form, 'usage_limit')]
  const sum = sumIn(readTyped(typed))
  const end = textIn(form, 'expires_at')
  const expires_at = readEnd(end, zone)
  const isEndKept = end === endOf(before, zone)
  const custom_fields = questionsIn(form)
  const isOver = !isEndKept && expires_at !== null && Date.parse(expires_at) <= serviceNow()
  const faults: Record<string, string[]> = {
    ...(sum === '' &&
      !(isFree && typed === '') && { [isFree ? 'min_amount' : 'amount']: [t('not_a_sum')] }),
    ...(limit !== '' && !looksWhole.test(limit) && { usage_limit: [t('not_a_count')] }),
    ...(isOver && { expires_at: [t('link_end_past')] }),
    ...faultsOf(custom_fields),
  }
  if (Object.keys(faults).length > 0) throw new CallFailed({ is: 'fields', fields: faults })
  return {
    name: textIn(form, 'name'),
    currency: textIn(form, 'currency'),
    description: textIn(form, 'description'),
    amount_type: isFree ? 'FREE' : 'FIXED',
    amount: isFree ? null : sum,
    min_amount: isFree && sum !== '' ? sum : null,
    usage_limit: limit === '' ? null : Number(limit),
    expires_at: isEndKept ? (before?.expires_at ?? null) : expires_at,
    require_phone: form.has('require_phone'),
    custom_fields,
    redirect_url: textIn(form, 'redirect_url'),
    show_confirmation_page: form.has('show_confirmation_page'),
  }
}

const readEnd = (typed: string, zone: string): string | null =>
  looksMoment.test(typed) ? momentOfClock(typed.slice(0, 16), zone) : null

type FieldsProps = Readonly<{
  /** The link that is changed; without it a new one is made. */
  link?: PaymentLink | undefined
  currencies: readonly string[]
  failure: Failure | undefined
}>

export function LinkFields({ link, currencies, failure }: FieldsProps) {
  return (
    <>
      <TextField
        label={t('link_for')}
        error={errorAt(failure, 'name')}
        name="name"
        maxLength={150}
        autoComplete="off"
        defaultValue={link?.name}
        required
      />
      <AmountFields {...{ link, currencies, failure }} />
      <More {...{ link, failure }} />
    </>
  )
}

function More({ link, failure }: Pick<FieldsProps, 'link' | 'failure'>) {
  const { clock } = useHere()
  const end = endOf(link, clock.zone)
  const isWrong =
    failure?.is === 'fields' &&
    Object.keys(failure.fields).some((name) => !inSight.some((one) => one === name))
  return (
    <Folded isOpen={isWrong || (link !== undefined && isFilled(link))}>
      <TextField
        label={t('description')}
        hint={t('optional')}
        error={errorAt(failure, 'description')}
        name="description"
        maxLength={255}
        defaultValue={link?.description}
      />
      <TextField
        label={t('link_limit')}
        hint={t('link_limit_hint')}
        error={errorAt(failure, 'usage_limit')}
        name="usage_limit"
        inputMode="numeric"
        pattern="[0-9]*"
        maxLength={9}
        defaultValue={link?.usage_limit ?? undefined}
      />
      <TextField
        label={t('link_end')}
        hint={t('link_end_hint', { zone: zoneName(clock.zone) })}
        error={errorAt(failure, 'expires_at')}
        name="expires_at"
        type="datetime-local"
        defaultValue={end}
      />
      <label className="choice">
        <input type="checkbox" name="require_phone" defaultChecked={link?.require_phone} />
        {t('link_phone')}
      </label>
      <Questions of={link?.custom_fields ?? []} failure={failure} />
      <Afterwards {...{ link, failure }} />
    </Folded>
  )
}

/** Of the fields that nothing folds away. */
const inSight = ['name', 'amount', 'min_amount', 'currency'] as const

const isFilled = (link: PaymentLink): boolean =>
  link.description !== '' ||
  link.usage_limit !== null ||
  link.expires_at !== null ||
  link.require_phone ||
  link.custom_fields.length > 0 ||
  link.redirect_url !== '' ||
  !link.show_confirmation_page

/** Where the payer goes once it is paid. */
const Afterwards = ({ link, failure }: Pick<FieldsProps, 'link' | 'failure'>) => (
  <>
    <TextField
      label={t('link_redirect')}
      hint={t('link_redirect_hint')}
      error={errorAt(failure, 'redirect_url')}
      name="redirect_url"
      type="url"
      maxLength={2048}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      defaultValue={link?.redirect_url}
    />
    <div className="field">
      <label className="choice">
        <input
          type="checkbox"
          name="show_confirmation_page"
          aria-describedby="confirms-how"
          defaultChecked={link?.show_confirmation_page ?? true}
        />
        {t('link_confirms')}
      </label>
      <p className="hint" id="confirms-how">
        {t('link_confirms_how')}
      </p>
    </div>
  </>
)

const Folded = ({ isOpen, children }: Readonly<{ isOpen: boolean; children: ReactNode }>) => (
  <details open={isOpen || undefined}>
    <summary>{t('more')}</summary>
    {children}
  </details>
)

function AmountFields({ link, currencies, failure }: FieldsProps) {
  const [isFree, setIsFree] = useState(link?.amount_type === 'FREE')
  // The other one may be there too, made by the API: it asks nobody for anything.
  const before = (link?.amount_type === 'FREE' ? link.min_amount : link?.amount) ?? ''
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
          defaultValue={asTyped(before)}
          required={!isFree}
        />
        <SelectField
          // Drawn anew once its choices are there: a native one chooses among those it has.
          key={currencies.length}
          label={t('currency')}
          error={errorAt(failure, 'currency')}
          name="currency"
          defaultValue={link?.currency}
          options={currencies.map((code) => [code, currencyName(code)])}
        />
      </div>
    </>
  )
}
