// Countries in the reader's language; what is no country (cards of anywhere) as in the catalogue.

import type { Locale } from '../platform/errors.ts'

const names = {
  en: new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }),
  fr: new Intl.DisplayNames('fr', { type: 'region', fallback: 'none' }),
}

export const countryName = (iso_code: string, name: string, locale: Locale): string =>
  names[locale].of(iso_code) ?? name
