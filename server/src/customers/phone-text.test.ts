// Numbers as people of their country write them, and as readers of a page see them.

import { describe, expect, it } from 'vitest'
import { callingCodeOf, countryOfPhone, writeHiddenPhone, writePhone } from './phone-text.ts'

describe('a number', () => {
  it.each([
    ['+2290197123410', '01 97 12 34 10', '01 97 •• •• 10'],
    ['+2250707123410', '07 07 12 34 10', '07 07 •• •• 10'],
    ['+221771234567', '77 123 45 67', '77 1•• •• 67'],
    ['+22890123456', '90 12 34 56', '90 •• •• 56'],
    ['+237671234567', '6 71 23 45 67', '6 71 •• •• 67'],
    ['what is no number', 'what is no number', 'what is no number'],
  ])('%s is written "%s" and hidden as "%s"', (e164, written, hidden) => {
    expect(writePhone(e164)).toBe(written)
    expect(writeHiddenPhone(e164)).toBe(hidden)
  })

  it('tells its country only where it is whole', () => {
    expect(countryOfPhone('+229 01 97 00 00 10')).toBe('BJ')
    expect(countryOfPhone('00225 07 07 00 01 10')).toBe('CI')
    expect(countryOfPhone('0197000010')).toBeUndefined()
    expect(countryOfPhone('')).toBeUndefined()
  })
})

it('a country has its calling code, and what is none has none', () => {
  expect([callingCodeOf('BJ'), callingCodeOf('XX')]).toEqual(['+229', undefined])
})
