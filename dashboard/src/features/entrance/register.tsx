// Signing up: a shop and its owner. The sandbox opens at once; live waits for the address and the
// papers.

import { useEffect, useRef, useState } from 'react'
import type {
  Country,
  GetCountriesData,
  GetCountriesResponse,
  PostAuthRegisterData,
  PostAuthRegisterResponse,
} from '../../api/types.gen.ts'
import { call, root } from '../../data/call.ts'
import { meet } from '../../data/session.ts'
import { byName, countryName } from '../../format/country.ts'
import { useAct } from '../../ui/act.tsx'
import { Button, errorAt, Form, SelectField, secretIn, TextField, textIn } from '../../ui/form.tsx'
import { languageNow, t } from '../../words/translate.ts'
import { EntrancePage } from './entrance-page.tsx'
import { NewPassword } from './new-password.tsx'

const fields = ['merchant_name', 'country', 'first_name', 'last_name', 'email', 'phone', 'password']

export function Register() {
  const { failure, isBusy, run } = useAct()
  const countries = useCountries()
  const isMade = useRef(false)
  const submit = (form: FormData) =>
    run(async () => {
      if (!isMade.current) await make(form)
      isMade.current = true
      await meet()
      location.assign(root)
    })
  const text = (name: (typeof fields)[number], label: string, more: object) => (
    <TextField label={label} error={errorAt(failure, name)} name={name} {...more} />
  )
  return (
    <EntrancePage title={t('register_title')}>
      <p>{t('register_how')}</p>
      <Form name={t('register_title')} failure={failure} fields={fields} onSubmit={submit}>
        {text('merchant_name', t('shop_name'), { maxLength: 150, required: true })}
        <SelectField
          label={t('country')}
          error={errorAt(failure, 'country')}
          name="country"
          options={byName(countries, languageNow()).map((code) => [
            code,
            countryName(code, languageNow()),
          ])}
        />
        {text('first_name', t('first_name'), { ...named('given-name'), required: true })}
        {text('last_name', t('last_name'), { ...named('family-name'), required: true })}
        {text('email', t('email'), { type: 'email', autoComplete: 'username', required: true })}
        {text('phone', t('phone'), { type: 'tel', autoComplete: 'tel', hint: t('optional') })}
        <NewPassword isFirst error={errorAt(failure, 'password')} />
        <Button type="submit" busy={isBusy}>
          {t('register_act')}
        </Button>
      </Form>
    </EntrancePage>
  )
}

function make(form: FormData): Promise<unknown> {
  const phone = textIn(form, 'phone')
  return call<PostAuthRegisterData, PostAuthRegisterResponse>({
    ...{ method: 'POST', url: '/auth/register/' },
    body: {
      merchant_name: textIn(form, 'merchant_name'),
      country: textIn(form, 'country'),
      email: textIn(form, 'email'),
      first_name: textIn(form, 'first_name'),
      last_name: textIn(form, 'last_name'),
      password: secretIn(form),
      cookie: true,
      ...(phone !== '' && { phone }),
    },
  })
}

const named = (autoComplete: string) => ({ autoComplete, maxLength: 100 })

/** Benin until the list is there: the form is never without a country. */
function useCountries(): readonly string[] {
  const [list, setList] = useState<readonly Country[]>([])
  useEffect(() => {
    call<GetCountriesData, GetCountriesResponse>({ method: 'GET', url: '/countries/' }).then(
      setList,
      () => undefined,
    )
  }, [])
  const codes = list.map(({ iso_code }) => iso_code)
  return codes.length === 0 ? ['BJ'] : codes
}
