// What is filled in: fields of each kind, with a hint, wrong, off; a form that was refused.

import { useState } from 'react'
import { FileField } from '../src/features/settings/file-field.tsx'
import { CodeField } from '../src/parts/code-field.tsx'
import { Narrow, periodFields } from '../src/parts/narrow.tsx'
import { sumLabel } from '../src/parts/network-fields.tsx'
import { type NumberChoice, NumberFields } from '../src/parts/number-field.tsx'
import { Button, errorAt, Field, Form, SelectField, TextField } from '../src/ui/form.tsx'
import { t } from '../src/words/translate.ts'
import { Case, emptyAt, networks, nothing, rates, refusal } from './values.tsx'

const Texts = () => (
  <>
    <Case name="TextField: filled in; wrong, with a hint; sums">
      <TextField label={t('name')} defaultValue="Awa" />
      <TextField label={t('email')} hint={t('code_hint')} error={t('fill_in')} type="email" />
      <TextField label={sumLabel('XOF')} inputMode="decimal" defaultValue="12 500" />
      <TextField label={sumLabel('')} inputMode="decimal" error={t('not_a_sum')} />
    </Case>
    <Case name="SelectField: chosen; wrong, with a hint">
      <SelectField label={t('network')} options={networks} />
      <SelectField
        label={t('network')}
        hint={t('network_guessed')}
        error={t('fill_in')}
        options={[['', t('choose_network')], ...networks]}
      />
    </Case>
    <Case name="Field around another element">
      <Field label={t('search')}>{({ id }) => <input id={id} type="search" />}</Field>
    </Case>
  </>
)

const Choice = () => (
  <Case name="One of them, any of them">
    {(['radio', 'checkbox'] as const).map((type) => (
      <fieldset key={type}>
        <legend>{t('network')}</legend>
        {networks.map(([code, name]) => (
          <label key={code} className="choice">
            <input type={type} name={type} defaultChecked={code === networks[0]?.[0]} />
            {name}
          </label>
        ))}
      </fieldset>
    ))}
  </Case>
)

const guessed: NumberChoice = {
  ...{ number: '01 97 00 00 10', bare: '0197000010', isGuessed: true, currency: 'XOF' },
  ...{ chosen: { country: 'BJ', network: 'mtn_bj' }, rate: rates[0] },
  ...{ setNumber: nothing, setChosen: nothing, take: nothing, guess: async () => nothing() },
  whenGuessed: async () => guessed.chosen,
}

function Phone() {
  const names = { number: 'msisdn', network: 'network' } as const
  const fields = { rates, names, label: t('recipient_number') }
  const untyped = { number: '', isGuessed: false, chosen: { country: 'BJ', network: '' } }
  return (
    <Case name="NumberFields: its network guessed; refused">
      <NumberFields {...fields} of={guessed} failure={undefined} />
      <NumberFields {...fields} of={{ ...guessed, ...untyped }} failure={emptyAt('msisdn')} />
    </Case>
  )
}

const Code = () => (
  <Case name="CodeField: asked for; refused">
    <CodeField name="totp" failure={undefined} />
    <CodeField name="code" failure={emptyAt('code')} />
  </Case>
)

function Files() {
  const field = { label: t('kyc_file'), hint: t('kyc_file_hint'), onTake: nothing }
  return (
    <Case name="FileField: free; while one is sent">
      <FileField {...field} busy={false} />
      <FileField {...field} busy />
    </Case>
  )
}

type Filters = Readonly<Partial<Record<'search' | 'network' | 'from' | 'to', string>>>

function Narrowing() {
  const [filters, set] = useState<Filters>({ from: '2026-11-01', network: 'mtn_bj' })
  const search = { name: 'search', label: t('reference'), is: 'search' } as const
  const network = { name: 'network', label: t('network'), is: networks } as const
  return (
    <Case name="Narrow, Periods, Chips">
      <Narrow fields={[search, network, ...periodFields()]} filters={filters} set={set} />
    </Case>
  )
}

function Forms() {
  const [failure] = useState(() => emptyAt('email'))
  const [whole] = useState(refusal)
  return (
    <Case name="Form: refused at a field; refused as a whole">
      <Form name={t('sign_in')} failure={failure} fields={['email']} onSubmit={nothing}>
        <TextField label={t('email')} name="email" error={errorAt(failure, 'email')} />
        <Button type="submit">{t('sign_in')}</Button>
      </Form>
      <Form name={t('confirm')} failure={whole} fields={[]} onSubmit={nothing}>
        <Button type="submit">{t('confirm')}</Button>
      </Form>
    </Case>
  )
}

export const fieldPages = {
  ...{ text: Texts, choice: Choice, phone: Phone, code: Code, file: Files },
  ...{ filters: Narrowing, form: Forms },
}
