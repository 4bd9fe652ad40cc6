// What is written down of a customer, when they are made and when they are changed.

import type { Customer } from '../../api/types.gen.ts'
import type { Failure } from '../../data/call.ts'
import { countryName } from '../../format/country.ts'
import { useCountries } from '../../parts/networks.ts'
import { useHere } from '../../parts/place.tsx'
import { errorAt, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'

const texts = ['first_name', 'last_name', 'phone', 'email'] as const
export const customerFields = [...texts, 'country'] as const

type Written = Pick<Customer, (typeof customerFields)[number]>

const nobody: Written = { first_name: '', last_name: '', phone: '', email: '', country: '' }

/** As the API takes it: an e-mail, a number or a country that is empty is none. */
export const customerOf = ({ first_name, last_name, phone, email, country }: Written) => ({
  ...{ first_name, last_name },
  ...{ phone: phone || null, email: email || null, country: country || null },
})

/** What these fields hold. */
export const customerIn = (form: FormData) =>
  customerOf({
    ...{ first_name: textIn(form, 'first_name'), last_name: textIn(form, 'last_name') },
    ...{ phone: textIn(form, 'phone'), email: textIn(form, 'email') },
    country: textIn(form, 'country'),
  })

type FieldsProps = Readonly<{ of?: Written; failure: Failure | undefined }>

export function CustomerFields({ of, failure }: FieldsProps) {
  const { merchant, language } = useHere()
  const known = useCountries()
  const { country, ...written } = of ?? { ...nobody, country: merchant.country }
  // What stands is a choice too, also where nobody collects there, or the countries did not come.
  const isKnown = !country || known.some(([code]) => code === country)
  const countries = isKnown ? known : [[country, countryName(country, language)] as const, ...known]
  return (
    <>
      {texts.map((name) => (
        <TextField
          key={name}
          label={t(`customer_${name}`)}
          hint={name === 'phone' ? t('customer_phone_hint') : undefined}
          error={errorAt(failure, name)}
          name={name}
          type={name === 'email' ? 'email' : name === 'phone' ? 'tel' : 'text'}
          autoComplete="off"
          maxLength={name === 'phone' ? 32 : 150}
          defaultValue={written[name]}
        />
      ))}
      <SelectField
        // Drawn anew once its choices are there: a native one chooses among those it has.
        key={countries.length}
        label={t('country')}
        error={errorAt(failure, 'country')}
        name="country"
        defaultValue={country ?? ''}
        options={[['', t('customer_no_country')], ...countries]}
      />
    </>
  )
}
