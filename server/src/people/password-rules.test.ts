// Passwords that are refused though they are long enough.

import { Value } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { Invalid } from '../platform/errors.ts'
import { guessedFirst } from './guessed-first.ts'
import { checkPassword, insistPassword } from './password-rules.ts'
import { passwordField } from './person.ts'

const email = 'awa@shop.example'

describe('a password', () => {
  it.each(['password', 'PASSWORD', ' Motdepasse ', '12345678'])('is not %j', (password) => {
    expect(Object.keys(checkPassword({ password }))).toEqual(['password'])
    expect(() => insistPassword(password, email)).toThrow(Invalid)
  })

  it.each([email, 'AWA@Shop.example', ` ${email} `])('is not one’s own e-mail: %j', (password) => {
    expect(Object.keys(checkPassword({ password, email: ` ${email}` }))).toEqual(['password'])
    expect(checkPassword({ password })).toEqual({})
  })

  it('may be anything else', () => {
    expect(checkPassword({ password: 'a long pass phrase', email })).toEqual({})
    expect(checkPassword({ password: `${email}!`, email })).toEqual({})
    expect(checkPassword({ password: '        ', email: '' })).toEqual({})
    expect(() => insistPassword('a long pass phrase', email)).not.toThrow()
  })

  it('is judged only where it is one', () => {
    for (const password of [undefined, null, 7, {}]) expect(checkPassword({ password })).toEqual({})
    expect(checkPassword({ password: 'a long pass phrase', email: 7 })).toEqual({})
  })
})

it('what is guessed first is long enough to be chosen, and written as it is compared', () => {
  expect(guessedFirst.size).toBeGreaterThan(60)
  for (const password of guessedFirst) {
    expect(password).toBe(password.trim().toLowerCase())
    expect([password, Value.Check(passwordField, password)]).toEqual([password, true])
  }
})
