// A moment as the clocks of the payer's country show it.

import type { Locale } from '../platform/errors.ts'

/** One hour ahead of UTC all year; the other countries that we serve keep UTC itself. */
const hourAhead = new Set(['BJ', 'NE', 'NG', 'TD', 'CM', 'CF', 'CG', 'CD', 'GA'])

export const writeMoment = (moment: Date, country: string, locale: Locale): string =>
  new Intl.DateTimeFormat(locale === 'fr' ? 'fr-FR' : 'en-GB', {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: hourAhead.has(country) ? 'Africa/Lagos' : 'UTC',
  }).format(moment)
