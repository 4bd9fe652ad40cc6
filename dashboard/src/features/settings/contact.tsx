// Where the shop's payers find and ask it: shown at the foot of each page of theirs, and on papers.

import type { MerchantSettings } from '../../api/types.gen.ts'
import { errorAt, TextField, textIn } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'
import { Patch } from './settings-form.tsx'

const fields = [
  { name: 'phone', type: 'tel', maxLength: 25, hint: 'contact_phone_hint' },
  { name: 'whatsapp', type: 'tel', maxLength: 25, hint: 'contact_phone_hint' },
  { name: 'email', type: 'email', maxLength: 254, hint: undefined },
  { name: 'site_url', type: 'url', maxLength: 200, hint: 'contact_site_url_hint' },
] as const

export const Contact = ({ of: { contact } }: Readonly<{ of: MerchantSettings }>) => (
  <Patch
    name={t('contact')}
    fields={fields.map(({ name }) => `contact.${name}`)}
    body={(form) => ({
      contact: {
        phone: textIn(form, 'phone'),
        whatsapp: textIn(form, 'whatsapp'),
        email: textIn(form, 'email'),
        site_url: textIn(form, 'site_url'),
      },
    })}
  >
    {(failure) => (
      <>
        <p>{t('contact_hint')}</p>
        {fields.map(({ name, hint, ...input }) => (
          <TextField
            key={name}
            label={t(`contact_${name}`)}
            hint={hint && t(hint)}
            error={errorAt(failure, `contact.${name}`)}
            name={name}
            defaultValue={contact[name]}
            {...input}
          />
        ))}
      </>
    )}
  </Patch>
)
