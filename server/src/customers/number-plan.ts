// Changes of national numbering plans that people still type across: the old form, the date it
// ended, and the digits that went before it. Data with its source; the rule is in `phone.ts`.

type Renumbering = Readonly<{
  /** A whole national number of the old plan. */
  old: RegExp
  /** Put before it. */
  prefix: string
}>

export type NumberPlan = Readonly<{
  country: string
  calling_code: string
  /** The day the new plan came into force. */
  since: string
  /** The form of a national number since then. */
  now: RegExp
  renumberings: readonly Renumbering[]
}>

/**
 * Côte d'Ivoire. The operator's two digits went before the old eight: ARTCI's announcement of
 * 2020-07-28 (newsgeek.ci, same day). Which old range was whose: the libphonenumber metadata of
 * February 2021, when both forms were valid (mobile `01` before 0[1-3], [457][0-3]; `05` before
 * [04-9][4-6]; `07` before [04-8][7-9], 9[78]), and its carrier table for +225 names the same
 * operators. Old fixed lines (2x, 3x) hold no wallet and the closed GreenN (60, 61) has no
 * successor: both stay eight digits, which is impossible.
 */
const coteDIvoire: NumberPlan = {
  country: 'CI',
  calling_code: '225',
  since: '2021-01-31',
  now: /^[02][157]\d{8}$/,
  renumberings: [
    { old: /^(?:0[1-3]|[457][0-3])\d{6}$/, prefix: '01' }, // Moov
    { old: /^[04-9][4-6]\d{6}$/, prefix: '05' }, // MTN
    { old: /^(?:[04-8][7-9]|9[78])\d{6}$/, prefix: '07' }, // Orange
  ],
}

/**
 * Bénin. One prefix for every operator: ARCEP's change as reported on the day (allafrica.com,
 * 2024-11-30). Every number of eight digits is read as an old one, whatever it begins with
 * (contract 8.5): one rule, and no judgement of which ranges were ever given out.
 */
const benin: NumberPlan = {
  country: 'BJ',
  calling_code: '229',
  since: '2024-11-30',
  now: /^01\d{8}$/,
  renumberings: [{ old: /^\d{8}$/, prefix: '01' }],
}

const plans: readonly NumberPlan[] = [coteDIvoire, benin]

/** The dated plan of a country, where it has one. */
export function findNumberPlan(country_iso2: string): NumberPlan | undefined {
  return plans.find((plan) => plan.country === country_iso2)
}

/**
 * Where people keep their number when they change operator, so that it does not say for sure whose
 * it is. Bénin, Cameroun, Ghana, Nigeria: the libphonenumber metadata of 2026-07-17
 * (`mobileNumberPortableRegion`). Sénégal: ARTP, 2015-09-01 (socialnetlink.org, same day). Côte
 * d'Ivoire: ARTCI, September 2018 (bbc.com/afrique/region-45395636). Togo: ARCEP, 2024-05-03
 * (osiris.sn, same day).
 */
const portable: ReadonlySet<string> = new Set(['BJ', 'CI', 'CM', 'GH', 'NG', 'SN', 'TG'])

export const isPortable = (country_iso2: string): boolean => portable.has(country_iso2)

/** A national number in today's form; one that is not of the old form comes back as it is. */
export function renumber(plan: NumberPlan, national: string): string {
  const change = plan.renumberings.find(({ old }) => old.test(national))
  return change ? change.prefix + national : national
}

/** The same for digits that begin with a calling code (no `+`), of any country. */
export function renumberInternational(digits: string): string {
  const plan = plans.find(({ calling_code }) => digits.startsWith(calling_code))
  if (!plan) return digits
  return plan.calling_code + renumber(plan, digits.slice(plan.calling_code.length))
}
