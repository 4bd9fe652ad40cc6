// What a payer dials, in the payer's language: every instruction of the seeded catalogue is
// translated.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { instructionIn } from './catalogue.ts'

it('keeps the number to dial and the option', () => {
  const text = 'Dial #144*82# and choose option 2 to get a payment code'
  expect(instructionIn('fr', text)).toBe(
    'Composez #144*82# et choisissez l’option 2 pour obtenir un code de paiement',
  )
  expect(instructionIn('en', `${text}.`)).toBe(text)
})

it('knows every turn of phrase of the catalogue', () => {
  const path = resolve(import.meta.dirname, '../../seeds/networks.csv')
  const instructions = [...readFileSync(path, 'utf8').matchAll(/"((?:Dial|Enter)[^"]*)"/g)]
  expect(instructions.length).toBeGreaterThan(2)
  for (const [, text = ''] of instructions) expect(instructionIn('fr', text)).not.toBe(text)
})

it('shows what it does not know as it stands', () => {
  expect(instructionIn('fr', 'Open the app')).toBe('Open the app')
})
