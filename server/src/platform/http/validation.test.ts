// The sentence of each kind of wrong value, in both languages, and the canonical form of a body.

import fc from 'fast-check'
import { type TSchema, Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { canonicalJson, namedOnly, withoutNulls } from './json-body.ts'
import { compileBody, compileQuery } from './validation.ts'

const textsOf = (schema: TSchema, value: unknown) => {
  const check = compileBody(Type.Object({ x: schema }))
  return check({ x: value })['x']
}

const own = { en: 'Own sentence.', fr: 'Notre phrase.' }
const Money = Type.Union([Type.String({ pattern: '^\\d+$' }), Type.Number()])
const OwnSentence = Type.Union([Type.String({ maxLength: 1 }), Type.Number()], { 'x-message': own })
const Address = Type.String({ format: 'uri' })
const AddressOrNone = Type.Union([Address, Type.Literal('')])
const OwnAddress = Type.Union([Address, Type.Literal('')], { 'x-message': own })
const OwnOrNull = Type.Union([OwnSentence, Type.Null()])

describe('a wrong value', () => {
  it.each<[TSchema, unknown, string, string]>([
    [Type.String(), 5, 'Must be a string.', 'Doit être une chaîne de caractères.'],
    [Type.Integer(), 1.5, 'Must be a whole number.', 'Doit être un nombre entier.'],
    [Type.Boolean(), 'true', 'Must be true or false.', 'Doit être true ou false.'],
    [Type.Object({}), [], 'Must be an object.', 'Doit être un objet.'],
    [Type.Array(Type.String()), {}, 'Must be a list.', 'Doit être une liste.'],
    [Type.String({ minLength: 1 }), '', 'Must not be empty.', 'Ne peut pas être vide.'],
    [
      Type.String({ minLength: 3 }),
      'a',
      'Must have at least 3 characters.',
      'Doit avoir au moins 3 caractères.',
    ],
    [
      Type.String({ maxLength: 1 }),
      'ab',
      'Must have at most 1 character.',
      'Doit avoir au plus 1 caractère.',
    ],
    [Type.Integer({ minimum: 1 }), 0, 'Must be at least 1.', 'Doit être supérieur ou égal à 1.'],
    [Type.Integer({ maximum: 9 }), 10, 'Must be at most 9.', 'Doit être inférieur ou égal à 9.'],
    [Type.Enum(['A', 'B']), 'C', 'Must be one of: A, B.', 'Doit être l’une des valeurs : A, B.'],
    [Type.Literal('A'), 'C', 'Must be one of: A.', 'Doit être l’une des valeurs : A.'],
    [
      Type.Union([Type.Literal('A'), Type.Literal('B')]),
      'C',
      'Must be one of: A, B.',
      'Doit être l’une des valeurs : A, B.',
    ],
    [Type.String({ format: 'uuid' }), 'x', 'Must be a UUID.', 'Doit être un UUID.'],
    [
      Type.Record(Type.String(), Type.Unknown(), { maxProperties: 1 }),
      { a: 1, b: 2 },
      'Must have at most 1 entry.',
      'Doit avoir au plus 1 clé.',
    ],
    [
      Type.String({ pattern: '^a$' }),
      'b',
      'This value has the wrong format.',
      'Cette valeur n’a pas le bon format.',
    ],
    [Type.String({ pattern: '^a$', 'x-message': own }), 'b', own.en, own.fr],
    [OwnOrNull, 'ab', own.en, own.fr],
    // A union within a union: the sentence is that of the part that was meant, never an empty list.
    [Type.Union([OwnAddress, Type.Null()]), 'javascript:x', own.en, own.fr],
    [
      Type.Union([AddressOrNone, Type.Null()]),
      'javascript:x',
      'Must be an absolute http or https URL.',
      'Doit être une URL http ou https absolue.',
    ],
    [OwnOrNull, true, own.en, own.fr],
    [Type.Union([Type.String(), Type.Number()], { 'x-message': own }), true, own.en, own.fr],
    [
      Money,
      true,
      'Must be a string or a number.',
      'Doit être une chaîne de caractères ou un nombre.',
    ],
    [Money, 'b', 'This value has the wrong format.', 'Cette valeur n’a pas le bon format.'],
    [
      Type.Union([Type.String({ maxLength: 2 }), Type.Null()]),
      'abc',
      'Must have at most 2 characters.',
      'Doit avoir au plus 2 caractères.',
    ],
    [
      Type.Union([Type.String(), Type.Null()]),
      5,
      'Must be a string.',
      'Doit être une chaîne de caractères.',
    ],
  ])('of %j, %j, is told once', (schema, value, en, fr) => {
    expect(textsOf(schema, value)).toEqual([{ en, fr }])
  })

  it('that breaks two rules is told both', () => {
    const schema = Type.String({ minLength: 3, pattern: '^a' })
    expect(textsOf(schema, 'b')).toHaveLength(2)
  })

  it('inside a list of objects is named with its place', () => {
    const check = compileBody(
      Type.Object({ tiers: Type.Array(Type.Object({ fee: Type.String() })) }),
    )
    expect(Object.keys(check({ tiers: [{ fee: 'x' }, { fee: 1 }, {}] }))).toEqual([
      'tiers.1.fee',
      'tiers.2.fee',
    ])
  })

  it.each([
    ['email', 'a@b.sn', ['a', 'a@b', 'a b@c.sn', '@b.sn', 'a@b..sn', `${'a'.repeat(65)}@b.sn`]],
    ['uri', 'https://a.sn/b?c=d', ['a.sn', '/b', 'ftp://a.sn', 'javascript:x', 'http://u:p@a.sn']],
    [
      'date-time',
      '2026-01-31T08:00:00Z',
      ['2026-01-31', '2026-01-31T08:00:00', '2026-02-30T08:00:00Z'],
    ],
    ['date', '2026-01-31', ['2026-02-30', '31/01/2026', '2026-01-31T08:00:00Z']],
    ['ip', '2001:db8::1', ['1.2.3', 'x', '1.2.3.4/8']],
    ['uuid', '01981F3A-0000-7000-8000-00000000000a', ['x', '']],
  ])('of format %s is told from a right one', (format, right, wrongs) => {
    expect(textsOf(Type.String({ format }), right)).toBeUndefined()
    for (const wrong of wrongs) expect(textsOf(Type.String({ format }), wrong)).toHaveLength(1)
  })

  it('is never judged by an unknown format or keyword', () => {
    expect(() => compileBody(Type.String({ format: 'fax' }))('')).toThrow(/fax/)
    expect(() => compileBody(Type.Object({}, { maxLenght: 3 }))({})).toThrow(/maxLenght/)
  })

  it('is not held to the schema of schemas by who serves: the test of all routes does that', () => {
    expect(() => compileBody(Type.String({ $comment: 5 }))('')).not.toThrow()
    expect(() => compileQuery(Type.Object({}, { $comment: 5 }))({})).not.toThrow()
  })
})

describe('a query', () => {
  it('is read by the types that are published, and stays as it was', () => {
    const check = compileQuery(Type.Object({ page: Type.Optional(Type.Integer({ minimum: 1 })) }))
    const query = { page: '5', other: 'x' }
    expect(check(query)).toEqual({})
    expect(query).toEqual({ page: '5', other: 'x' })
    expect(Object.keys(check({ page: 'x' }))).toEqual(['page'])
  })
})

describe('null', () => {
  it('is dropped in named objects of lists and of composed schemas', () => {
    const schema = Type.Object({ rows: Type.Array(Type.Object({ a: Type.String() })) })
    const both = Type.Intersect([schema, Type.Object({ b: Type.Object({ c: Type.String() }) })])
    const body = { rows: [{ a: null, z: 1 }, null], b: { c: null }, d: null }
    expect(withoutNulls(both, body)).toEqual({
      body: { rows: [{ z: 1 }, null], b: {} },
      has_unknown: true,
    })
  })
})

describe('a body', () => {
  it('reaches a handler without what no schema names, and with its own fields whole', () => {
    const schema = Type.Intersect([
      Type.Object({
        a: Type.String(),
        b: Type.Object({ c: Type.Optional(Type.Integer()) }),
        rows: Type.Array(Type.Object({ z: Type.Integer() })),
        metadata: Type.Record(Type.String(), Type.Unknown()),
      }),
      Type.Object({ d: Type.Optional(Type.String()) }),
    ])
    const metadata = { anything: { at: 'all' } }
    const named = { a: 'x', b: { c: 1 }, rows: [{ z: 1 }], metadata, d: 'y' }
    const more = JSON.parse('{"role":"OWNER","__proto__":{"is_demo":true},"constructor":1}')
    const sent = { ...more, ...named, b: { ...more, c: 1 }, rows: [{ ...more, z: 1 }] }
    expect(namedOnly(schema, sent)).toEqual(named)
    expect(namedOnly(schema, { a: 'x' })).toEqual({ a: 'x' })
    expect([namedOnly(schema, 'x'), namedOnly(schema, [1])]).toEqual(['x', [1]])
  })
})

describe('canonical JSON', () => {
  it('is the same for every order of keys, and says the same', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const turned = (inner: unknown): unknown => {
          if (Array.isArray(inner)) return inner.map(turned)
          if (typeof inner !== 'object' || inner === null) return inner
          const entries = Object.entries(inner).reverse()
          return Object.fromEntries(entries.map(([key, part]) => [key, turned(part)]))
        }
        expect(canonicalJson(turned(value))).toBe(canonicalJson(value))
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})
