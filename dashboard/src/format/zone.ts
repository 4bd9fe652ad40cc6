// The places that zones of time are named after, as the server writes them on its pages and in its
// letters. One test holds both against each other.

import type { Language } from './amount.ts'

/** Those of this continent that French calls otherwise than their ids, by CLDR. */
const inFrench: Readonly<Record<string, string>> = {
  ...{ 'Africa/Addis_Ababa': 'Addis-Abeba', 'Africa/Algiers': 'Alger' },
  ...{ 'Africa/Cairo': 'Le Caire', 'Africa/El_Aaiun': 'Laâyoune', 'Africa/Lome': 'Lomé' },
  ...{ 'Africa/Mogadishu': 'Mogadiscio', 'Africa/Ndjamena': 'N’Djamena' },
  ...{ 'Africa/Sao_Tome': 'São Tomé' },
}

/** "Porto-Novo" of "Africa/Porto-Novo", "Le Caire" of "Africa/Cairo". */
export const placeOf = (zone: string, language: Language): string =>
  (language === 'fr' ? inFrench[zone] : undefined) ??
  zone.split('/').at(-1)?.replaceAll('_', ' ') ??
  zone
