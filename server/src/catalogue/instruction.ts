// What a payer dials to get a code. The catalogue has it in English; its three phrases are
// translated into French here, and anything else is shown as it is.

import type { Locale } from '../platform/errors.ts'

const french: readonly (readonly [RegExp, string])[] = [
  [
    /^Dial (\S+) and choose option (\d+) to get a payment code$/,
    'Composez $1 et choisissez l’option $2 pour obtenir un code de paiement',
  ],
  [/^Dial (\S+) to get a payment code$/, 'Composez $1 pour obtenir un code de paiement'],
  [/^Enter the code received by SMS$/, 'Entrez le code reçu par SMS'],
]

export function instructionIn(locale: Locale, instruction: string): string {
  const text = instruction.trim().replace(/\.$/, '')
  if (locale === 'en' || text === '') return text
  const translation = french.find(([form]) => form.test(text))
  return translation === undefined ? text : text.replace(translation[0], translation[1])
}
