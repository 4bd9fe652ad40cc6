// Where a payer finds and asks a merchant: its site, a telephone, WhatsApp, an e-mail address. All
// of it is public. Law: a page leads to nothing but an https site, a number and an address that
// were read here (docs/decisions/0069).

import { Type } from 'typebox'
import { emailForm, emailOf } from '../../people/person.ts'
import { Invalid, type Text } from '../../platform/errors.ts'

const contactFields = ['site_url', 'phone', 'whatsapp', 'email'] as const
type Field = (typeof contactFields)[number]

/** What is not there is unknown; numbers are E.164. */
export type Contact = Readonly<Partial<Record<Field, string>>>

const site_length_max = 200
const site_form = '^\\s*(https://[^\\s\\\\]+)?\\s*$'
const phone_form = '^(\\+[1-9][0-9 ().-]{5,22}[0-9])?$'

const phoneFault: Text = {
  en: 'Must be a number with its country code, such as +229 01 97 00 00 10, or empty.',
  fr: 'Doit être un numéro avec son indicatif, par exemple +229 01 97 00 00 10, ou vide.',
}
const siteFault: Text = {
  en: 'Must be an https address such as https://boutique.example, or empty.',
  fr: 'Doit être une adresse https comme https://boutique.example, ou vide.',
}
const emailFault: Text = {
  en: 'Must be an e-mail address such as help@boutique.example, or empty.',
  fr: 'Doit être une adresse e-mail comme aide@boutique.example, ou vide.',
}

const fields = {
  site_url: Type.String({
    maxLength: site_length_max,
    description: 'Your site, as an https address; empty: none.',
  }),
  phone: Type.String({
    maxLength: 25,
    description: 'The number that payers may call, E.164; empty: none.',
  }),
  whatsapp: Type.String({
    maxLength: 25,
    description: 'The number that payers may write to by WhatsApp, E.164; empty: none.',
  }),
  email: Type.String({
    maxLength: 254,
    description: 'The address that payers may write to; empty: none.',
  }),
}

const about = 'Shown to your payers on pages and papers; in LIVE once our staff have seen it.'

export const ContactSchema = Type.Object(fields, { description: about })

const withForm = (field: Field, pattern: string, fault: Text) =>
  Type.Optional(Type.String({ ...fields[field], pattern, 'x-message': fault }))

export const ContactChange = Type.Object(
  {
    site_url: withForm('site_url', site_form, siteFault),
    phone: withForm('phone', phone_form, phoneFault),
    whatsapp: withForm('whatsapp', phone_form, phoneFault),
    email: withForm('email', `^(${emailForm})?$`, emailFault),
  },
  { description: about },
)

/** What was not named stays; what is empty goes. Refuses what a page may not lead to. */
export function changedContact(was: Contact, request: Contact): Contact {
  const next = { ...was, ...readContact(request) }
  return Object.fromEntries(
    contactFields.flatMap((field) => (next[field] ? [[field, next[field]]] : [])),
  )
}

function readContact({ site_url, phone, whatsapp, email }: Contact): Contact {
  const site = site_url === undefined ? undefined : siteOf(site_url.trim())
  const wrong = [
    ...(site_url !== undefined && site === undefined ? [['contact.site_url', [siteFault]]] : []),
    ...(isNumber(phone) ? [] : [['contact.phone', [phoneFault]]]),
    ...(isNumber(whatsapp) ? [] : [['contact.whatsapp', [phoneFault]]]),
  ]
  if (wrong.length > 0) throw new Invalid(Object.fromEntries(wrong))
  return {
    ...(site === undefined ? {} : { site_url: site }),
    ...(phone === undefined ? {} : { phone: digitsOf(phone) }),
    ...(whatsapp === undefined ? {} : { whatsapp: digitsOf(whatsapp) }),
    ...(email === undefined ? {} : { email: emailOf(email) }),
  }
}

const digitsOf = (phone: string): string => phone.replace(/[^+0-9]/g, '')

/** A number of E.164 has 15 digits at most; the shortest have 7. */
const isNumber = (phone = ''): boolean =>
  phone === '' || /^\+[1-9][0-9]{6,14}$/.test(digitsOf(phone))

/**
 * Undefined: a page may not lead there. No name or password before the host, which would look like
 * another host; a host with a dot, in the letters that DNS has, so that no look-alike letter hides.
 */
function siteOf(text: string): string | undefined {
  if (text === '') return ''
  if (!/^https:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return undefined
  const { protocol, username, password, hostname, port, href } = new URL(text)
  const isNamed = /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]+$/.test(hostname)
  const isPlain = protocol === 'https:' && username === '' && password === '' && port === ''
  return isPlain && isNamed && href.length <= site_length_max ? href : undefined
}

/** In LIVE what staff have seen; a part that was taken away is away at once. */
export const contactIn = ({
  contact,
  reviewed_contact,
}: Readonly<{ contact: Contact; reviewed_contact: Contact | null }>): Contact =>
  Object.fromEntries(
    Object.entries(reviewed_contact ?? {}).filter(([field]) => Object.hasOwn(contact, field)),
  )

export const viewContact = (contact: Contact) => ({
  site_url: contact.site_url ?? '',
  phone: contact.phone ?? '',
  whatsapp: contact.whatsapp ?? '',
  email: contact.email ?? '',
})

/** `https://boutique.example/fr/` is read as `boutique.example/fr`. */
export const siteName = (site_url: string): string =>
  site_url.replace(/^https:\/\//, '').replace(/\/$/, '')

export const contactExample = {
  site_url: 'https://boutique-awa.example/',
  phone: '+221770000010',
  whatsapp: '+221770000010',
  email: 'aide@boutique-awa.example',
}
