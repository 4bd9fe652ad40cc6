// Sums as people read them, from the API's decimal strings: never a number, so nothing is rounded.
// The same text as on the payer's pages; one test holds both against each other.

const no_break = '\u00a0'

/** What people call a currency, where it is not the code. */
const spokenNames: Readonly<Record<string, string>> = { XOF: 'FCFA', XAF: 'FCFA' }

const withoutCents = new Set(
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
)

export type Language = 'fr' | 'en'

/** `"12500.00"` to "12 500 FCFA" in French, "FCFA 12,500" in English. */
export const writeAmount = (decimal: string, currency: string, language: Language): string =>
  write(decimal, [currency, writeCurrency(currency)], language)

/** Beside sums of the other FCFA too: "12 500 FCFA (XOF)" in French, "FCFA (XOF) 12,500". */
export const writeWithCode = (decimal: string, currency: string, language: Language): string =>
  write(decimal, [currency, currencyName(currency)], language)

type Named = readonly [currency: string, name: string]

function write(decimal: string, [currency, name]: Named, language: Language): string {
  const [, sign = '', units = '0', cents = '00'] = /^(-?)(\d+)(?:\.(\d\d))?$/.exec(decimal) ?? []
  const isFrench = language === 'fr'
  const grouped = units.replace(/\B(?=(\d{3})+$)/g, isFrench ? no_break : ',')
  const isWhole = withoutCents.has(currency) && cents === '00'
  const figure = isWhole ? grouped : `${grouped}${isFrench ? ',' : '.'}${cents}`
  const minus = sign === '' ? '' : '−'
  return isFrench ? `${minus}${figure}${no_break}${name}` : `${minus}${name}${no_break}${figure}`
}

export const writeCurrency = (currency: string): string => spokenNames[currency] ?? currency

/** "FCFA (XOF)", "GHS": where several currencies are called the same. */
export const currencyName = (currency: string): string =>
  currency in spokenNames ? `${writeCurrency(currency)}${no_break}(${currency})` : currency

/** Whether two of them are called the same, so that a sum is of one or of the other. */
export function lookAlike(currencies: readonly string[]): boolean {
  const codes = [...new Set(currencies)]
  return new Set(codes.map(writeCurrency)).size < codes.length
}

type Country = Readonly<{ iso_code: string; default_currency: string }>

/** Each once, that of the shop's `own` country first. */
export function currenciesOf(countries: readonly Country[], own: string | null): string[] {
  const home = countries.find(({ iso_code }) => iso_code === own)?.default_currency
  const all = countries.map(({ default_currency }) => default_currency)
  return [...new Set([home ?? 'XOF', ...all])]
}

/** "0.06504000" to "0,06504" in French, "0.06504" in English. */
export function writeRate(decimal: string, language: Language): string {
  const rate = decimal.replace(/\.?0+$/, (zeros) => (decimal.includes('.') ? '' : zeros))
  return language === 'fr' ? rate.replace('.', ',') : rate
}

export const isZero = (decimal: string): boolean => /^-?0+(\.0+)?$/.test(decimal)

// What a person typed as an amount, read as the payer's pages read it: three digits behind a point
// or a comma are thousands.

const currency_words =
  /(?:f\s*cfa|cfa|xof|xaf|gnf|fg|ghs|gh₵|ngn|₦|cdf|fc|usd|us\$|eur|francs?|f|\$|€)/

const around = new RegExp(`^${currency_words.source}|${currency_words.source}$`, 'gi')

/** As the API reads it: no spaces, no currency's name, cents behind a point. */
export function readTyped(text: string): string {
  const bare = text.replace(/[\s'’]/g, '').replace(around, '')
  const [, units, cents] = /^([1-9]\d{0,2}(?:[.,]\d{3})+)(?:[.,](\d{1,2}))?$/.exec(bare) ?? []
  if (units === undefined) return bare.replace(/,(\d{1,2})$/, '.$1')
  const digits = units.replace(/[.,]/g, '')
  return cents === undefined ? digits : `${digits}.${cents}`
}

/** "2500.00" to "2500", "12.50" as it is: a sum of the API's in a field that people write in. */
export const asTyped = (decimal: string): string => decimal.replace(/\.00$/, '')

/** Of a sum as it was read, two digits behind the point, as the API writes it; '': it is none. */
export function sumIn(typed: string): string {
  const [, units, cents = ''] = /^0*(\d+)(?:\.(\d{1,2}))?$/.exec(typed) ?? []
  return units === undefined ? '' : `${units}.${cents.padEnd(2, '0')}`
}

/** Of two sums as `sumIn` writes them; never of what is none. */
export const isLess = (one: string, other: string): boolean =>
  one !== '' && (one.length < other.length || (one.length === other.length && one < other))

/** A ratio to one, as the API writes it: `4.52`. */
export const writeRatio = (decimal: string, language: Language): string =>
  language === 'fr' ? decimal.replace('.', ',') : decimal
