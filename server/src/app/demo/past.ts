// What a made-up past is drawn from: names, phones, moments, and chances that are the same for the
// same seed.

import { getExampleNumber, isSupportedCountry } from 'libphonenumber-js/mobile'
import examples from 'libphonenumber-js/mobile/examples'
import { idFromHash } from '../../platform/ids.ts'

/** A small generator of chance (mulberry32), so that the same call makes the same history. */
export function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Makes ids of a moment; `salt` keeps those of two runs apart. */
export function idsOfPast(salt: Buffer): (at: Date) => string {
  let made = 0
  return (at) => {
    made += 1
    // The counter is what makes it unique; the salt in front of it is the run's.
    const tail = Buffer.alloc(10)
    salt.copy(tail, 0, 0, 5)
    tail.writeUIntBE(made, 5, 5)
    return idFromHash(at.getTime(), tail)
  }
}

export const firstNames = [
  ...['Awa', 'Kofi', 'Aminata', 'Kwame', 'Élodie', 'Fatoumata', 'Ibrahim', 'Chloé', 'Moussa'],
  ...['Adjoa', 'Seydou', 'Mariam', 'Jean-Baptiste', 'Nadège', 'Ousmane', 'Zénab', 'Yao', 'Ruth'],
]
export const lastNames = [
  ...['Diop', 'Traoré', 'Mensah', 'N’Diaye', 'Koné', 'Houngbédji', 'Ba', 'Ly', 'Kouassi', 'Sow'],
  ...['Owusu', 'Mbarga', 'Adébayo', 'Ouédraogo', 'Togbé', 'Camara', 'Étoundi', 'Fofana', 'Nkrumah'],
]

/** A mobile number of the country that looks like one, the `nth`. */
export function phoneOf(country: string, nth: number): string {
  const known = isSupportedCountry(country) ? getExampleNumber(country, examples) : undefined
  const start = (known?.number ?? '+225070000000').slice(0, -7)
  return start + String(nth).padStart(7, '0')
}
