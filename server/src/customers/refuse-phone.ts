// The refusal of a number that cannot exist where it is to be used (contract 5.3, 8.21): it names
// the field that it was sent in, and shows how a number there is written.

import { type ErrorRow, type Refusal, refuse } from '../platform/errors.ts'
import { exampleOf, readPhone } from './phone.ts'

export type WrongPhone = Readonly<{
  /** Dotted, as in the errors of a body. */
  field: string
  /** Alpha-2 of the country it was read by; null where none was named. */
  country: string | null
}>

/** `invalid_customer` of the caller; `field` and `example` (E.164) stand beside its message. */
export function refusePhone(invalid_customer: ErrorRow, { field, country }: WrongPhone): Refusal {
  const example = country === null ? undefined : exampleOf(country)
  if (country === null || example === undefined) {
    return refuse(invalid_customer, {
      message: {
        en: 'This is not a valid phone number. Send it with + and its country code.',
        fr: 'Ce n’est pas un numéro valable. Envoyez-le avec + et l’indicatif du pays.',
      },
      extra: { field },
    })
  }
  const reading = readPhone(example, country)
  const e164 = reading.is === 'phone' ? reading.e164 : example
  return refuse(invalid_customer, {
    message: {
      en: `This is not a mobile number in ${country}. Send one such as ${example} or ${e164}.`,
      fr: `Ce n’est pas un numéro mobile (${country}). Exemple : ${example} ou ${e164}.`,
    },
    extra: { field, example: e164 },
  })
}
