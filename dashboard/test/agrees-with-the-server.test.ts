// What the dashboard has of its own although the server has it too (it runs elsewhere and shares no
// code) is the same: how sums are written, which role may do what, which statuses there are.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { auditActions, targetKinds } from '../../server/src/audit/actions.ts'
import { exampleOf, readPhone, writeInternational } from '../../server/src/customers/phone.ts'
import { mayAs } from '../../server/src/merchants/roles.ts'
import { currencies } from '../../server/src/money/currency.ts'
import { readTyped, writeDecimal } from '../../server/src/pages/write-values.ts'
import type { SendResult } from '../../server/src/platform/outbound/outbound.ts'
import { placeOf as placeThere } from '../../server/src/platform/write-moment.ts'
import { rolesThatMay } from '../src/data/rights.ts'
import { acts, targets } from '../src/features/audit/known.ts'
import { silences } from '../src/features/developers/silences.ts'
import { verifyCode } from '../src/features/developers/verify-code.ts'
import { beginsWithin, endsWithin } from '../src/features/reports/span.ts'
import {
  isZero,
  lookAlike,
  readTyped as readTypedHere,
  writeAmount,
  writeWithCode,
} from '../src/format/amount.ts'
import {
  clockOfMoment,
  dayBeside,
  edgeOfDay,
  momentOfClock,
  writeDate,
  writeDay,
  writeExactly,
  writeMoment,
  writeTime,
  zoneName,
} from '../src/format/moment.ts'
import { hidePhone, writePhone } from '../src/format/phone.ts'
import { placeOf } from '../src/format/zone.ts'
import { fileColumns, moreOfTransactions } from '../src/parts/file-columns.ts'
import { en, fr } from './all-words.ts'

const languages = ['fr', 'en'] as const

describe('a sum', () => {
  it('is written as on the payer’s pages, in every currency and language', () => {
    const units = fc.bigInt({ min: 0n, max: 999_999_999_999n })
    const cents = fc.constantFrom('00', '05', '50', '99')
    fc.assert(
      fc.property(units, cents, fc.constantFrom(...currencies), (whole, part, currency) => {
        const decimal = `${whole}.${part}`
        for (const language of languages) {
          const there = writeDecimal(decimal, currency, language)
          expect(writeAmount(decimal, currency, language)).toBe(there)
        }
      }),
    )
  })

  it('keeps its sign and is never shortened', () => {
    expect(writeAmount('-12500.00', 'XOF', 'en')).toBe('−FCFA\u00a012,500')
    expect(writeAmount('1250000000.00', 'XOF', 'fr')).toBe('1\u00a0250\u00a0000\u00a0000\u00a0FCFA')
    expect([isZero('0.00'), isZero('0.05')]).toEqual([true, false])
  })

  it('says of which FCFA it is where both stand, and nothing more where one does', () => {
    expect(lookAlike(['XOF', 'GNF', 'XAF'])).toBe(true)
    for (const one of [[], ['XOF'], ['XOF', 'XOF'], ['XAF', 'GNF', 'XAF']]) {
      expect(lookAlike(one)).toBe(false)
    }
    expect(writeWithCode('12500.00', 'XOF', 'fr')).toBe('12\u00a0500\u00a0FCFA\u00a0(XOF)')
    expect(writeWithCode('12500.00', 'XAF', 'en')).toBe('FCFA\u00a0(XAF)\u00a012,500')
    expect(writeWithCode('12.50', 'GHS', 'en')).toBe('GHS\u00a012.50')
  })

  it('is read from what people type as the pages read it', () => {
    for (const typed of ['12 500', '12\u202f500', '12,5', '12.50', ' 5000 ', '5.000', '5 000 F']) {
      expect(readTypedHere(typed)).toBe(readTyped(typed))
    }
  })
})

it('a place of the clocks is called as on the payer’s pages, in French by its French name', () => {
  const zones = Intl.supportedValuesOf('timeZone').filter((zone) => zone.startsWith('Africa/'))
  expect(zones.length).toBeGreaterThan(50)
  const now = new Date()
  for (const zone of zones) {
    for (const language of languages) {
      const [there] = placeThere(now, zone, language).split(', UTC')
      expect(placeOf(zone, language)).toBe(there)
    }
  }
  const cities = ['Lome', 'Cairo', 'Algiers', 'Addis_Ababa', 'Ndjamena', 'Sao_Tome']
  const named = cities.map((city) => placeOf(`Africa/${city}`, 'fr'))
  expect(named).toEqual(['Lomé', 'Le Caire', 'Alger', 'Addis-Abeba', 'N’Djamena', 'São Tomé'])
  expect(placeOf('Africa/Lome', 'en')).toBe('Lome')
})

it('whom to ask for what one may not do is who may there, the widest role first', () => {
  const widest = ['OWNER', 'ADMIN', 'FINANCE', 'DEVELOPER', 'VIEWER'] as const
  expect(Object.keys(rolesThatMay).sort()).toEqual([...mayAs.OWNER].sort())
  for (const right of mayAs.OWNER) {
    const roles = widest.filter((role) => mayAs[role].includes(right))
    expect([right, rolesThatMay[right]]).toEqual([right, roles])
  }
})

/** These are of operators alone: no webhook waits its turn there, or goes by a proxy. */
type Because = Exclude<Extract<SendResult, { because: string }>['because'], 'pace' | 'proxy'>

it('why a webhook’s server gave no answer has words, whatever the reason', () => {
  const reasons: Readonly<Record<Because, true>> = {
    ...{ dns: true, refused: true, tls: true, connect_timeout: true },
    ...{ timeout: true, reset: true, unreadable: true },
  }
  expect([...silences]).toEqual([...Object.keys(reasons), 'address_not_allowed'].sort())
})

it('every act that the audit log can name has words, and so has what it was done to', () => {
  const keys = [
    ...auditActions.map((act) => `did_${act}`),
    ...targetKinds.map((of) => `target_${of}`),
  ]
  const told = (words: object) =>
    Object.keys(words)
      .filter((key) => /^(did|target)_/.test(key))
      .sort()
  expect(keys.length).toBeGreaterThan(170)
  for (const words of [fr, en]) expect(told(words)).toEqual([...keys].sort())
})

type Json = ReturnType<typeof JSON.parse>

const { paths, components }: Json = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../server/openapi.json'), 'utf8'),
)
const published = components.schemas

it.each([
  ['movement of a balance', published.LedgerEntry, 'entry'],
  ['thing that waits on Home', published.OverviewAttention, 'todo'],
  [
    'movement of a day',
    published.DailyReport.properties.balances.items.properties.movements.items,
    'movement',
  ],
])('every kind of %s has words, and no words are left of one that is gone', (_, of, stem) => {
  const kinds: readonly string[] = of.properties.kind.enum
  expect(kinds.length).toBeGreaterThan(8)
  // A kind's words end in its code, in capitals; the screen's other words do not.
  const told = (words: object) =>
    Object.keys(words).filter((key) => new RegExp(`^${stem}_[A-Z_]+$`).test(key))
  const wanted = kinds.map((kind) => `${stem}_${kind}`).sort()
  for (const words of [fr, en]) expect(told(words).sort()).toEqual(wanted)
})

it('the columns that a file is chosen of are those of the API, each with words', () => {
  const files = Object.entries<Json>(paths).filter(([path]) => path.endsWith('/export/'))
  const offered = files.map(([path, { get }]) => {
    const [, names = ''] = /The columns: ([\w,]+)\./.exec(get.description) ?? []
    return [path, names.split(',')]
  })
  expect(fileColumns).toEqual(Object.fromEntries(offered))
  const appended = files.flatMap(([, { get }]) => {
    const { description } = get.parameters.find(({ name }: Json) => name === 'columns')
    return /`all` appends ([\w, ]+)\./.exec(description)?.[1]?.split(', ') ?? []
  })
  expect(moreOfTransactions).toEqual(appended)
  const all = [...Object.values(fileColumns).flat(), ...moreOfTransactions]
  const wanted = [...new Set(all)].map((name) => `column_${name}`).sort()
  const told = (words: object) => Object.keys(words).filter((key) => key.startsWith('column_'))
  for (const words of [fr, en]) expect(told(words)).toEqual(wanted)
})

/** What people do with their own accounts, and the platform with its operators and prices. */
const elsewhere = [
  ...['email', 'factor_reset', 'password', 'person', 'recovery_codes', 'second_factor', 'session'],
  ...['exchange_rate', 'gateway', 'gateway_balance', 'gateway_float', 'gateway_hours'],
  ...['gateway_secrets', 'network', 'operator_limits', 'pricing_rule', 'proposal', 'receipt_key'],
  ...['route', 'staff'],
]

it('the audit log is narrowed to every act that can stand in a merchant’s own', () => {
  const own = auditActions.filter((act) => !elsewhere.includes(act.split('.')[0] ?? ''))
  expect([...acts]).toEqual(own)
  expect(targetKinds).toEqual(expect.arrayContaining([...targets]))
})

describe('a moment', () => {
  const now = new Date('2026-11-22T23:30:00Z')

  it('is of today by the merchant’s own clock', () => {
    const late = '2026-11-22T23:05:00Z'
    expect(writeMoment(late, { language: 'fr', zone: 'Africa/Dakar' }, now)).toBe('23:05')
    expect(writeMoment(late, { language: 'fr', zone: 'Africa/Porto-Novo' }, now)).toBe('00:05')
    const noon = '2026-11-22T12:00:00Z'
    expect(writeMoment(noon, { language: 'en', zone: 'Africa/Lagos' }, now)).toBe('22 Nov, 13:00')
    expect(writeMoment('2025-11-22T12:00:00Z', { language: 'en', zone: 'UTC' }, now)).toBe(
      '22 Nov 2025, 12:00',
    )
  })

  it('of the first of a month has its own number in French', () => {
    const first = '2026-12-01T12:05:09Z'
    const fr = { language: 'fr', zone: 'UTC' } as const
    expect(writeMoment(first, fr, new Date('2026-12-03T00:00:00Z'))).toBe('1er déc., 12:05')
    expect(writeDate(first, fr)).toBe('1er décembre 2026')
    expect(writeExactly(first, fr)).toBe('1er décembre 2026 à 12:05:09')
    expect(writeDay('2026-12-01', 'fr')).toBe('mardi 1er décembre')
    expect(writeDay('2026-12-01', 'en')).toBe('Tuesday 1 December')
    expect([writeDate('2026-12-11T12:05:00Z', fr), writeTime('2026-12-11T01:05:00Z', fr)]).toEqual([
      '11 décembre 2026',
      '01:05:00',
    ])
  })

  it('is in a field for a day and a time as its clock shows it, and is read from there', () => {
    for (const [zone, typed, iso] of [
      ['Africa/Porto-Novo', '2099-11-30T18:00', '2099-11-30T17:00:00.000Z'],
      ['Africa/Dakar', '2026-12-31T23:59', '2026-12-31T23:59:00.000Z'],
      ['Europe/Paris', '2026-07-01T00:05', '2026-06-30T22:05:00.000Z'],
    ] as const) {
      expect(new Date(momentOfClock(typed, zone)).toISOString()).toBe(iso)
      expect(clockOfMoment(iso, zone)).toBe(typed)
    }
  })

  it('a day begins and ends there too, also where the clocks are moved in summer', () => {
    expect(edgeOfDay('2026-11-22', 'begins', 'Africa/Porto-Novo')).toBe(
      '2026-11-22T00:00:00.000+01:00',
    )
    expect(edgeOfDay('2026-11-22', 'ends', 'Africa/Dakar')).toBe('2026-11-22T23:59:59.999Z')
    expect(edgeOfDay('2026-07-01', 'begins', 'Europe/Paris')).toBe('2026-07-01T00:00:00.000+02:00')
    expect([zoneName('Africa/Dakar'), zoneName('Africa/Lagos')]).toEqual(['UTC', 'UTC+1'])
    expect(zoneName('Asia/Kolkata')).toBe('UTC+5:30')
    expect([dayBeside('2026-03-01', -1), dayBeside('2026-12-31', 1)]).toEqual([
      '2026-02-28',
      '2027-01-01',
    ])
  })
})

it('a phone number is grouped as at home, and left alone where the pattern is not known', () => {
  const write = (e164: string) => writePhone(e164).replaceAll('\u00a0', ' ')
  expect(write('+2290197000010')).toBe('+229 01 97 00 00 10')
  expect(write('+221771234567')).toBe('+221 77 123 45 67')
  expect(write('+237677123456')).toBe('+237 6 77 12 34 56')
  expect(write('+22997000010')).toBe('+22997000010')
  expect(write('+33612345678')).toBe('+33612345678')
  expect(write('')).toBe('')
})

it('of a text only its numbers are hidden, not its references, sums and names', () => {
  const hide = (text: string) => hidePhone(text).replaceAll('\u00a0', ' ')
  expect(hide('+2290197000010')).toBe('+229 01 97 •• •• 10')
  expect(hide('+33612345678')).toBe('+33612••••78')
  expect(hide('Awa (+2290197000010), port')).toBe('Awa (+229 01 97 •• •• 10), port')
  expect(hide('+229 01 97 00 00 10')).toBe('+229 01 97 •• •• 10')
  const others = [
    ...['TXN-20261201-B6GKKS3AC9', 'TXN-20261201-V84CD3T983', 'SET-20261201-0000000010'],
    ...['A+2290197000010', '+1234', '2290197000010', 'Rice 2026 12 01 0012', ''],
    ...['************10', 'awa+2290197000010@example.com'],
  ]
  expect(others.map(hide)).toEqual(others)
})

const seeds = resolve(import.meta.dirname, '../../server/seeds/networks.csv')

/** Every country of the catalogue with its currency; cards are of none. */
const currencyIn = new Map(
  readFileSync(seeds, 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
    .filter(([country = '']) => /^[A-Z]{2}$/.test(country) && country !== 'XX')
    .map(([country = '', , currency = '']) => [country, currency] as const)
    .sort(),
)
const phoneCountries = [...currencyIn.keys()]

const exampleIn = (country: string): string => {
  const read = readPhone(exampleOf(country) ?? '', country)
  return read.is === 'phone' ? read.e164 : ''
}

it('sums and numbers of every country are here and there as the golden file has them', async () => {
  expect(phoneCountries.length).toBeGreaterThan(15)
  const sums = ['12500.00', '999.00', '1250000.00']
  const lines = [...currencyIn].flatMap(([country, currency]) =>
    languages.map((language) => {
      const here = sums.map((sum) => writeAmount(sum, currency, language))
      expect(here).toEqual(sums.map((sum) => writeDecimal(sum, currency, language)))
      return [country, language, ...here, writePhone(exampleIn(country))].join(' | ')
    }),
  )
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('formats.golden.txt')
})

it.each(phoneCountries)('a number of %s is written as the server writes it', (country) => {
  const national = exampleOf(country)
  const e164 = exampleIn(country)
  // Pairs in Côte d'Ivoire, on paper and on the payer's page too.
  const written = country === 'CI' ? `+225 ${national}` : writeInternational(e164)
  expect(writePhone(e164).replaceAll('\u00a0', ' ')).toBe(written)
})

it('the code that checks a signature is that of the guide, which runs against real deliveries', () => {
  const guide = readFileSync(resolve(import.meta.dirname, '../../docs/guides/webhooks.md'), 'utf8')
  expect(verifyCode.map(({ language }) => language)).toEqual(['Node', 'PHP', 'Python'])
  for (const { text } of verifyCode) expect(guide).toContain(`\n${text}\n\`\`\``)
})

describe('a week or month of a report', () => {
  it('is a part where the period begins or ends within it', () => {
    const begins = (step: 'day' | 'week' | 'month', date: string) => beginsWithin(step, date)
    expect(begins('month', '2026-01-16')).toBe(true)
    expect(begins('month', '2026-02-01')).toBe(false)
    expect(begins('week', '2026-11-26')).toBe(true)
    expect(begins('week', '2026-11-23')).toBe(false)
    expect(begins('day', '2026-11-26')).toBe(false)
    const ends = (step: 'day' | 'week' | 'month', to: string, date: string) =>
      endsWithin({ step, to }, date)
    expect(ends('month', '2026-03-18', '2026-03-01')).toBe(true)
    expect(ends('month', '2026-03-18', '2026-02-01')).toBe(false)
    expect(ends('month', '2026-03-31', '2026-03-01')).toBe(false)
    expect(ends('week', '2026-11-26', '2026-11-23')).toBe(true)
    expect(ends('week', '2026-11-26', '2026-11-16')).toBe(false)
    expect(ends('week', '2026-11-29', '2026-11-23')).toBe(false)
    expect(ends('day', '2026-11-26', '2026-11-26')).toBe(false)
  })
})
