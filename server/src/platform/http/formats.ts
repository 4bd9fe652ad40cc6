// The string formats that our schemas may name. Few and our own, so that what OpenAPI publishes is
// what is checked; an unknown format fails when the server starts.

import { isIP } from 'node:net'
import { isUuid } from '../ids.ts'
import { isDate, isDateTime } from './time-text.ts'

const email_form =
  /^[^\s@<>()",;:\\[\]]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i

const isEmail = (text: string): boolean => text.length <= 254 && email_form.test(text)

/** An absolute http(s) URL without a user or password in it. */
function isWebUrl(text: string): boolean {
  // The parser forgives white space, line ends and backslashes; what is kept and sent should not.
  if (!/^https?:\/\/[^\s\\\p{Cc}]+$/iu.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: isUuid,
  email: isEmail,
  date: isDate,
  'date-time': isDateTime,
  uri: isWebUrl,
  ip: (text) => isIP(text) !== 0,
}
