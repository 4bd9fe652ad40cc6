// Moments as people read them: in their language, by the clocks of a place, which is named.

import type { Locale } from './errors.ts'

/** A place's name (`Africa/Porto-Novo`) or `UTC`; nothing that is only a distance from it. */
const zone_form = /^(UTC|(?!Etc\/)[A-Za-z_]+(\/[A-Za-z0-9_+-]+){1,2})$/

export function isTimeZone(name: string): boolean {
  if (!zone_form.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const languages = { en: 'en-GB', fr: 'fr-FR' } as const satisfies Record<Locale, string>

/** `22 novembre 2026 à 12:16 (Porto-Novo, UTC+1)` */
export function writeMoment(moment: Date, time_zone: string, locale: Locale): string {
  const form = new Intl.DateTimeFormat(languages[locale], {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: time_zone,
  })
  return `${withFirst(form.format(moment), locale)} (${placeOf(moment, time_zone, locale)})`
}

/** `22 novembre 2026` */
export function writeDay(moment: Date, time_zone: string, locale: Locale): string {
  const form = new Intl.DateTimeFormat(languages[locale], {
    dateStyle: 'long',
    timeZone: time_zone,
  })
  return withFirst(form.format(moment), locale)
}

/** "1er décembre": in French Intl writes the first of a month as any other day. */
export const withFirst = (text: string, locale: Locale): string =>
  locale === 'fr' ? text.replace(/^1(?= \p{L})/u, '1er') : text

/** Places of this continent that French calls otherwise than their ids, by CLDR. */
const inFrench: Readonly<Record<string, string>> = {
  ...{ 'Africa/Addis_Ababa': 'Addis-Abeba', 'Africa/Algiers': 'Alger' },
  ...{ 'Africa/Cairo': 'Le Caire', 'Africa/El_Aaiun': 'Laâyoune', 'Africa/Lome': 'Lomé' },
  ...{ 'Africa/Mogadishu': 'Mogadiscio', 'Africa/Ndjamena': 'N’Djamena' },
  ...{ 'Africa/Sao_Tome': 'São Tomé' },
}

/** The place, and how far its clocks are from UTC at that moment. */
export function placeOf(moment: Date, time_zone: string, locale: Locale): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: time_zone,
    timeZoneName: 'shortOffset',
  }).formatToParts(moment)
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const distance = offset.replace('GMT', 'UTC').replace(/\+0$/, '')
  const plain = time_zone.split('/').slice(1).at(-1)?.replaceAll('_', ' ')
  const place = locale === 'fr' ? (inFrench[time_zone] ?? plain) : plain
  return place === undefined ? distance : `${place}, ${distance}`
}
