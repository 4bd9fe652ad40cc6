// JSON from outside: what is an object, and that nothing in it is ambiguous.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFields } from './json-fields.ts'

describe('fields', () => {
  it('are those of an object, and of nothing else', () => {
    expect(readFields('{"a":1}')).toEqual({ a: 1 })
    for (const raw of ['', 'null', '[]', '"a"', '7', '{"a":', '<html>', '{}{}', 'NaN']) {
      expect(readFields(raw), raw).toBeUndefined()
    }
  })

  it('are none where a key stands twice in one object, at any depth, however it is written', () => {
    const twice = [
      '{"status":"FAILED","status":"SUCCESSFUL"}',
      '{"status":"FAILED","\\u0073tatus":"SUCCESSFUL"}',
      '{"data":{"amount":"1","amount" : "2"}}',
      '{"all":[{"a":1},{"b":1,"b":1}]}',
      '{"__proto__":1,"__proto__":2}',
    ]
    for (const raw of twice) expect(readFields(raw), raw).toBeUndefined()
  })

  it('may have the same key in several objects, and texts that look like keys', () => {
    const alike = [
      '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}',
      '{"a":"\\"b\\":1,\\"b\\":2"}',
      '{"a":"b:","b":["a","a:",":"]}',
    ]
    for (const raw of alike) expect(readFields(raw), raw).toEqual(JSON.parse(raw))
  })

  it('are whatever an object is written as', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (object) => {
        const raw = JSON.stringify(object)
        expect(readFields(raw)).toEqual(JSON.parse(raw))
      }),
    )
  })

  it('of a body that is nested beyond reason are none, and nothing is thrown', () => {
    const deep = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    expect(readFields(deep)).toBeUndefined()
  })
})
