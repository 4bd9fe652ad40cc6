// What people read: short lines, their own language, and what to do when they did not ask.

import { describe, expect, it } from 'vitest'
import { passwordChangedEmail, type Recipient, resetEmail, verificationEmail } from './emails.ts'

const link = 'http://127.0.0.1/dashboard/page#the-token'
const awa: Recipient = { email: 'awa@shop.example', locale: 'fr', first_name: 'Awa' }
const emails = { verificationEmail, resetEmail, passwordChangedEmail }
const all = Object.entries(emails).flatMap(([name, compose]) =>
  (['en', 'fr'] as const).map((locale) => [name, locale, compose] as const),
)

describe('every letter', () => {
  it.each(all)('%s in %s has its link on a line, and says what if it was not me', (...row) => {
    const [, locale, compose] = row
    const { to, subject, text, locale: stated } = compose({ ...awa, locale }, link)
    expect([to, stated]).toEqual([awa.email, locale])
    expect(text.split('\n')).toContain(link)
    expect(text).toMatch(locale === 'en' ? /^Hello Awa,\n\n/ : /^Bonjour Awa,\n\n/)
    expect(text).toMatch(
      locale === 'en' ? /If (you did not|this was not)/ : /Si (vous n|ce n’était)/,
    )
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(92)
    expect(subject).toMatch(/^[^\n]{10,50}$/)
    expect(compose({ ...awa, locale: locale === 'en' ? 'fr' : 'en' }, link).text).not.toBe(text)
  })

  it.each(['Awa', 'Aïssatou Fatou', 'N’Golo', 'Jean-Marie', 'أمينة'])('greets %s', (first_name) => {
    expect(resetEmail({ ...awa, first_name }, link).text).toMatch(`Bonjour ${first_name},`)
  })

  it.each([
    'You won: visit http://evil.example',
    'evil.example',
    'Call +221771234567',
    'Awa\n\nhttp://evil.example',
    'x'.repeat(41),
    '',
  ])('says nothing that is no name: %j', (first_name) => {
    expect(verificationEmail({ ...awa, first_name }, link).text).toMatch(/^Bonjour,\n\n/)
  })
})
