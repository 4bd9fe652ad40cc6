// Moments in the reader's language.

import type { Locale } from '../platform/errors.ts'

const moment = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const
const moments = {
  en: new Intl.DateTimeFormat('en-GB', moment),
  fr: new Intl.DateTimeFormat('fr-FR', moment),
}

export const formatMoment = (moment: Date, locale: Locale): string =>
  `${moments[locale].format(moment)} UTC`
