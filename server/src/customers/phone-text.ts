// Numbers as people of their country write them, and the country of a number. Others who have a
// page's address see of a number only what its owner needs to recognise it.

import {
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/mobile'

/** `+2290197000010` as `01 97 00 00 10`; what cannot be read stays as it is. */
export function writePhone(e164: string): string {
  const phone = parsePhoneNumberFromString(e164)
  if (phone === undefined) return e164
  // The library writes the last four digits of Côte d'Ivoire together; people there write pairs.
  if (phone.country === 'CI') return phone.nationalNumber.replace(/\B(?=(\d{2})+$)/g, ' ')
  return phone.format('NATIONAL')
}

/** `01 97 •• •• 10`: the beginning and the last two digits. */
export function writeHiddenPhone(e164: string): string {
  const text = writePhone(e164)
  const total = text.replace(/\D/g, '').length
  const shown = Math.min(4, Math.max(0, total - 7) + 1)
  let seen = 0
  return text.replace(/\d/g, (digit) => {
    seen += 1
    return seen <= shown || seen > total - 2 ? digit : '•'
  })
}

/** Alpha-2, of a number in international form; undefined when it does not show. */
export function countryOfPhone(text: string): string | undefined {
  const typed = text.trim().replace(/^00/, '+')
  return typed.startsWith('+') ? parsePhoneNumberFromString(typed)?.country : undefined
}

/** `+229`; undefined for what is no country (cards). */
export const callingCodeOf = (country: string): string | undefined =>
  isSupportedCountry(country) ? `+${getCountryCallingCode(country)}` : undefined
