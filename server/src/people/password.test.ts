// Passwords that are refused though they are long enough.

import { Value } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { Invalid } from '../platform/errors.ts'
import { checkPassword, guessedFirst, requireGoodPassword } from './password.ts'
import { passwordField } from './person.ts'

const email = 'awa@shop.example'
const owner = { email, names: ['Awa', 'Diop', 'Boulangerie du Port'] }

describe('a password', () => {
  it.each([
    ...['password', 'PASSWORD', ' Motdepasse ', '12345678', 'liverpool', 'jessica1', 'Bonjour123'],
  ])('is not one of those that are guessed first: %j', (password) => {
    expect(Object.keys(checkPassword({ password }))).toEqual(['password'])
    expect(() => requireGoodPassword(password, owner)).toThrow(Invalid)
  })

  it.each([email, 'AWA@Shop.example', ` ${email} `])('is not one’s own e-mail: %j', (password) => {
    expect(Object.keys(checkPassword({ password, email: ` ${email}` }))).toEqual(['password'])
    expect(checkPassword({ password })).toEqual({})
  })

  it.each([
    ...['Awa-20262026', 'diop1234!', '2026 AWA Diop', 'awa.diop.99', 'boulangerieduport'],
    ...['Boulangerie du Port 1', 'PIROGUE-2026'],
  ])('is not made of its owner’s own words: %j', (password) => {
    expect(() => requireGoodPassword(password, owner)).toThrow(Invalid)
    const [first_name, last_name, merchant_name] = owner.names
    const body = { password, email, first_name, last_name, merchant_name }
    expect(Object.keys(checkPassword(body))).toEqual(['password'])
  })

  it('has twelve characters where it is the staff’s', () => {
    expect(() => requireGoodPassword('un canard', { ...owner, kind: 'STAFF' })).toThrow(Invalid)
    expect(() => requireGoodPassword('un canard jaune', { ...owner, kind: 'STAFF' })).not.toThrow()
    expect(() => requireGoodPassword('un canard', { ...owner, kind: 'MEMBER' })).not.toThrow()
  })

  it('may be anything else', () => {
    expect(checkPassword({ password: 'a long pass phrase', email })).toEqual({})
    expect(checkPassword({ password: `${email}!`, email: 'x@y.example' })).toEqual({})
    expect(checkPassword({ password: 'Awa sells bread', email, first_name: 'Awa' })).toEqual({})
    expect(checkPassword({ password: '        ', email: '' })).toEqual({})
    expect(checkPassword({ password: '93817264', email, first_name: '' })).toEqual({})
    expect(() => requireGoodPassword('a long pass phrase', owner)).not.toThrow()
  })

  it('is judged only where it is one', () => {
    for (const password of [undefined, null, 7, {}]) expect(checkPassword({ password })).toEqual({})
    expect(checkPassword({ password: 'a long pass phrase', email: 7 })).toEqual({})
  })
})

it('what is guessed first is long enough to be chosen, and written as it is compared', () => {
  expect(guessedFirst.size).toBeGreaterThan(10_000)
  for (const password of guessedFirst) {
    if (password === password.trim().toLowerCase() && Value.Check(passwordField, password)) continue
    expect.fail(`${JSON.stringify(password)} can be nobody’s password, or is not compared as it is`)
  }
})
