// What people read: short lines, their own language, and what to do when they did not ask.

import { describe, expect, it } from 'vitest'
import { passwordChangedLetter, type Reader, resetLetter, verifyLetter } from './letters.ts'

const link = 'http://127.0.0.1/dashboard/page#the-token'
const awa: Reader = { email: 'awa@shop.example', locale: 'fr', first_name: 'Awa' }
const letters = { verifyLetter, resetLetter, passwordChangedLetter }
const all = Object.entries(letters).flatMap(([name, write]) =>
  (['en', 'fr'] as const).map((locale) => [name, locale, write] as const),
)

describe('every letter', () => {
  it.each(all)('%s in %s has its link on a line, and says what if it was not me', (...row) => {
    const [, locale, write] = row
    const { to, subject, text, locale: said } = write({ ...awa, locale }, link)
    expect([to, said]).toEqual([awa.email, locale])
    expect(text.split('\n')).toContain(link)
    expect(text).toMatch(locale === 'en' ? /^Hello Awa,\n\n/ : /^Bonjour Awa,\n\n/)
    expect(text).toMatch(
      locale === 'en' ? /If (you did not|it was not)/ : /Si (vous ne|ce n’était)/,
    )
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(92)
    expect(subject).toMatch(/^[^\n]{10,50}$/)
    expect(write({ ...awa, locale: locale === 'en' ? 'fr' : 'en' }, link).text).not.toBe(text)
  })

  it.each(['Awa', 'Aïssatou Fatou', 'N’Golo', 'Jean-Marie', 'أمينة'])('greets %s', (first_name) => {
    expect(resetLetter({ ...awa, first_name }, link).text).toMatch(`Bonjour ${first_name},`)
  })

  it.each([
    'You won: visit http://evil.example',
    'evil.example',
    'Call +221771234567',
    'Awa\n\nhttp://evil.example',
    'x'.repeat(41),
    '',
  ])('says nothing that is no name: %j', (first_name) => {
    expect(verifyLetter({ ...awa, first_name }, link).text).toMatch(/^Bonjour,\n\n/)
  })
})
