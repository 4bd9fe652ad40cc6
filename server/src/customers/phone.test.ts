// Without these, money could be asked from, or sent to, a stranger (contract 5.3).

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  callingCodeOf,
  countryOfPhone,
  maskPhone,
  readPhone,
  writeHiddenPhone,
  writePhone,
} from './phone.ts'

describe('a phone number as people type it', () => {
  it.each([
    ['CI', '0700000001', '+2250700000001'],
    ['CI', '+2250700000001', '+2250700000001'],
    ['CI', '2250700000001', '+2250700000001'],
    ['CI', '002250700000001', '+2250700000001'],
    ['CI', '+00225 07 00 00 00 01', '+2250700000001'],
    ['CI', ' +225 (07) 00-00-00.01 ', '+2250700000001'],
    ['CI', '\u202a+225\u00a007\u202f00\u201100\u201100 01\u202c', '+2250700000001'],
    ['CI', '＋２２５０７００００００９９', '+2250700000099'],
    ['ci', '0700000001', '+2250700000001'],
    ['SN', '77 000 00 01', '+221770000001'],
    ['SN', '+221770000001', '+221770000001'],
    ['CM', '237670000001', '+237670000001'],
    ['CM', '6 70 00 00 01', '+237670000001'],
    ['BF', '70000001', '+22670000001'],
    ['ML', '70000001', '+22370000001'],
    ['TG', '+22890000001', '+22890000001'],
    ['NE', '90000001', '+22790000001'],
    ['GW', '955000001', '+245955000001'],
    ['GN', '620000001', '+224620000001'],
    ['CG', '060000001', '+242060000001'],
    ['CG', '+242 06 000 0001', '+242060000001'],
    ['CD', '0810000001', '+243810000001'],
    ['CD', '243810000001', '+243810000001'],
    ['GA', '074000001', '+24174000001'],
    ['GA', '+24174000001', '+24174000001'],
    ['GH', '0240000001', '+233240000001'],
    ['GH', '+233 024 000 0001', '+233240000001'],
    ['NG', '08030000001', '+2348030000001'],
    ['NG', '2348030000001', '+2348030000001'],
    ['TD', '60000001', '+23560000001'],
    ['CF', '70000001', '+23670000001'],
  ])('in %s, %s is %s', (country, input, e164) => {
    expect(readPhone(input, country)).toMatchObject({ is: 'phone', e164 })
  })

  it.each([
    ['CI', '+2250000'],
    ['CI', '12345'],
    ['CI', '070000000'],
    ['CI', '07000000011'],
    ['CI', '9999999999'],
    ['CI', '0000000000'],
    ['CI', '+221770000001'], // Sénégal
    ['CI', '00221770000001'],
    ['SN', '+33612345678'],
    ['SN', '000000000'],
    ['BJ', '0201234567'],
    ['NG', '080300000012'],
    ['CI', 'call me'],
    ['CI', '07 00 00 00 0O'],
    ['CI', '+'],
    ['CI', ''],
    ['CI', '225+0700000001'],
    ['CI', '0700000001 ext 5'],
    ['CI', '0'.repeat(100_000)],
  ])('in %s, %s is impossible', (country, input) => {
    expect(readPhone(input, country)).toEqual({ is: 'impossible' })
  })

  it('gives the national number, whose last two digits choose the sandbox outcome', () => {
    for (const [country, input] of [
      ['BJ', '97000004'],
      ['CI', '+2250700000004'],
      ['GH', '0240000004'],
      ['CM', '237670000004'],
    ] as const) {
      const reading = readPhone(input, country)
      expect(reading.is === 'phone' && reading.national.slice(-2)).toBe('04')
    }
  })
})

describe('numbers of an old plan', () => {
  it.each([
    ['BJ', '97000001', '+2290197000001'],
    ['BJ', '+22997000000', '+2290197000000'],
    ['BJ', '0022997000000', '+2290197000000'],
    ['BJ', '22997000000', '+2290197000000'],
    ['BJ', '0197000001', '+2290197000001'],
    ['BJ', '+2290197000001', '+2290197000001'],
    ['BJ', '01970000', '+2290101970000'], // also one that looks like a new one cut short
    ['BJ', '00000001', '+2290100000001'],
    ['BJ', '00 12 34 56', '+2290100123456'],
    ['BJ', '+229 00 00 00 01', '+2290100000001'],
    ['BJ', '22900000001', '+2290100000001'],
    ['BJ', '10000001', '+2290110000001'],
    ['BJ', '22912345', '+2290122912345'], // eight digits that begin like the calling code
    ['CI', '07000001', '+2250707000001'], // Orange
    ['CI', '+22507000001', '+2250707000001'],
    ['CI', '22548000001', '+2250748000001'],
    ['CI', '69 00 00 01', '+2250769000001'],
    ['CI', '98000001', '+2250798000001'],
    ['CI', '05000001', '+2250505000001'], // MTN
    ['CI', '0022564000001', '+2250564000001'],
    ['CI', '96000001', '+2250596000001'],
    ['CI', '01000001', '+2250101000001'], // Moov
    ['CI', '73-00-00-01', '+2250173000001'],
    ['CI', '40000001', '+2250140000001'],
  ])('in %s, %s is now %s', (country, input, e164) => {
    expect(readPhone(input, country)).toMatchObject({ is: 'phone', e164 })
  })

  it.each([
    ['CI', '60000001', 'an operator that closed'],
    ['CI', '21000001', 'a fixed line, which holds no wallet'],
    ['CI', '00000001', 'nobody'],
    ['CI', '99000001', 'nobody'],
    ['CI', '80000001', 'nobody'],
  ])('in %s, %s belongs to %s and is impossible', (country, input) => {
    expect(readPhone(input, country)).toEqual({ is: 'impossible' })
  })

  it('reads the same whichever way it is written, and reads its own answer unchanged', () => {
    const country = fc.constantFrom(
      { iso2: 'CI', dial: '225', starts: ['07', '48', '05', '64', '01', '70', '0707', '0564'] },
      { iso2: 'BJ', dial: '229', starts: ['97', '61', '40', '0197', '0161'] },
    )
    const rest = fc.stringMatching(/^\d{6}$/)
    fc.assert(
      fc.property(country, fc.nat(), rest, ({ iso2, dial, starts }, pick, digits) => {
        const national = `${starts[pick % starts.length]}${digits}`
        const reading = readPhone(national, iso2)
        if (reading.is !== 'phone') throw new Error(`${iso2} ${national}`)
        expect(reading.national).toHaveLength(10)
        expect(reading.national.endsWith(national)).toBe(true)
        for (const written of [`+${dial}${national}`, `00${dial}${national}`, dial + national]) {
          expect(readPhone(written, iso2)).toEqual(reading)
        }
        expect(readPhone(reading.e164, iso2)).toEqual(reading)
        expect(readPhone(reading.e164, 'XX')).toEqual(reading)
      }),
    )
  })
})

describe('cards, which have no country of their own', () => {
  it.each([
    ['+33612345678', '+33612345678'],
    ['+33 1 42 68 53 00', '+33142685300'],
    ['+1 415 555 2671', '+14155552671'],
    ['0044 7911 123456', '+447911123456'],
    ['221770000001', '+221770000001'],
    ['+22997000001', '+2290197000001'],
    ['+22507000001', '+2250707000001'],
  ])('%s is %s', (input, e164) => {
    expect(readPhone(input, 'XX')).toMatchObject({ is: 'phone', e164 })
  })

  it.each(['+999123456789', '+3361', '0700000001', '77 000 00 01', 'x'])(
    '%s is impossible',
    (input) => {
      expect(readPhone(input, 'XX')).toEqual({ is: 'impossible' })
    },
  )
})

describe('a masked number', () => {
  it.each([
    ['+2250700000001', '+225********01'],
    ['+22670000042', '+226******42'],
    ['+123', '****'],
    ['', ''],
  ])('%s is shown as %s', (e164, masked) => {
    expect(maskPhone(e164)).toBe(masked)
  })
})

// Numbers as people of their country write them, and as readers of a page see them.

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
