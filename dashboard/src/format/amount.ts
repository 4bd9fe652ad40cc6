// Sums as people read them, from the API's decimal strings: never a number, so nothing is rounded.
// The same text as on the payer's pages; one test holds both against each other.

const no_break = '\u00a0'

/** The name of a currency in French, where it is not the code. */
const frenchNames: Readonly<Record<string, string>> = { XOF: 'FCFA', XAF: 'FCFA' }

const withoutCents = new Set(
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
)

export type Language = 'fr' | 'en'

/** `"12500.00"` to "12 500 FCFA" in French, "XOF 12,500" in English. */
export function writeAmount(decimal: string, currency: string, language: Language): string {
  const [, sign = '', units = '0', cents = '00'] = /^(-?)(\d+)(?:\.(\d\d))?$/.exec(decimal) ?? []
  const isFrench = language === 'fr'
  const grouped = units.replace(/\B(?=(\d{3})+$)/g, isFrench ? no_break : ',')
  const isWhole = withoutCents.has(currency) && cents === '00'
  const figure = isWhole ? grouped : `${grouped}${isFrench ? ',' : '.'}${cents}`
  const minus = sign === '' ? '' : '−'
  const name = writeCurrency(currency, language)
  return isFrench ? `${minus}${figure}${no_break}${name}` : `${minus}${name}${no_break}${figure}`
}

export const writeCurrency = (currency: string, language: Language): string =>
  language === 'fr' ? (frenchNames[currency] ?? currency) : currency

export const isZero = (decimal: string): boolean => /^-?0+(\.0+)?$/.test(decimal)

/** A typed amount, as the API reads it: spaces out, a comma before cents is a point. */
export const readTyped = (text: string): string =>
  text.replace(/\s/g, '').replace(/,(\d{1,2})$/, '.$1')
