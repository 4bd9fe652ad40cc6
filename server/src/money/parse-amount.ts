// How an amount comes in (contract 2.1, 2.2): a decimal string, or a JSON number as many clients
// send. What is not exactly an amount is refused with a reason; nothing is rounded on the way in.

import type { Currency } from './currency.ts'
import { smallestUnit } from './currency.ts'

/** Why an input is no amount. Stable; its sentence is in `amountFaultText`. */
export type AmountFault = 'not_a_decimal' | 'too_many_decimals' | 'too_large' | 'zero' | 'not_whole'

export type AmountReading =
  | Readonly<{ is: 'amount'; hundredths: bigint }>
  | Readonly<{ is: 'invalid'; why: AmountFault }>

/** The message for the caller, in the shape of `platform/errors` Text. */
export const amountFaultText: Readonly<Record<AmountFault, Readonly<{ en: string; fr: string }>>> =
  {
    not_a_decimal: {
      en: 'Must be a positive decimal number, such as "1500.00".',
      fr: 'Doit être un nombre décimal positif, par exemple « 1500.00 ».',
    },
    too_many_decimals: {
      en: 'May have at most 2 decimal places.',
      fr: 'Peut avoir au plus 2 décimales.',
    },
    too_large: {
      en: 'May have at most 12 digits before the decimal point.',
      fr: 'Peut avoir au plus 12 chiffres avant la virgule.',
    },
    zero: {
      en: 'The amount must be above zero.',
      fr: 'Le montant doit être supérieur à zéro.',
    },
    not_whole: {
      en: 'This currency has no minor unit: a whole amount is expected.',
      fr: 'Cette devise n’a pas de centimes : un montant entier est attendu.',
    },
  }

const INTEGER_DIGITS_MAX = 12

const invalid = (why: AmountFault): AmountReading => ({ is: 'invalid', why })

/** A JSON number is read as its shortest decimal form, which is what the client wrote. */
function textOf(input: unknown): string | undefined {
  if (typeof input === 'string') return input
  return typeof input === 'number' ? String(input) : undefined
}

/** Zero or more; signs, exponents, spaces and a point without digits around it are no decimals. */
function readHundredths(input: unknown): AmountReading {
  const text = textOf(input)
  const [, units, part = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text ?? '') ?? []
  if (units === undefined) return invalid('not_a_decimal')
  if (part.length > 2) return invalid('too_many_decimals')
  const significant = units.replace(/^0+(?=\d)/, '')
  if (significant.length > INTEGER_DIGITS_MAX) return invalid('too_large')
  return { is: 'amount', hundredths: BigInt(significant + part.padEnd(2, '0')) }
}

/** An amount whose currency is not known to be one: the form alone is checked. */
export function parseDecimal(input: unknown): AmountReading {
  const reading = readHundredths(input)
  return reading.is === 'amount' && reading.hundredths === 0n ? invalid('zero') : reading
}

/**
 * The form of a body's `amount`, so that it is reported together with the other wrong fields. One
 * that is missing or of another type is the schema's to refuse.
 */
export function checkDecimal({ amount }: Readonly<Record<string, unknown>>) {
  const reading = textOf(amount) === undefined ? undefined : parseDecimal(amount)
  return reading?.is === 'invalid' ? { amount: [amountFaultText[reading.why]] } : {}
}

/**
 * An amount of `currency`, in hundredths. `"100.00"` XOF is fine and `"100.50"` XOF is not; missing
 * input is `not_a_decimal`. The currency must be one (`isCurrency`), else use `parseDecimal`.
 */
export function parseAmount(input: unknown, currency: Currency): AmountReading {
  const reading = parseDecimal(input)
  if (reading.is === 'invalid') return reading
  return reading.hundredths % smallestUnit(currency) === 0n ? reading : invalid('not_whole')
}

/** For our own figures (prices, floors), where zero is a value; undefined if no decimal. */
export function parseHundredths(text: string): bigint | undefined {
  const reading = readHundredths(text)
  return reading.is === 'amount' ? reading.hundredths : undefined
}
