// Bodies spoiled in one way at a time: at a place inside the value, or in its text.

import { hostileNumbers, hostileShapes, hostileTexts, prototypeKeys } from './hostile-values.ts'
import { isObject, type JsonObject, Raw, withTwice, writeJson } from './json-text.ts'
import type { Random } from './random.ts'

export type Changed<T> = Readonly<{ value: T; label: string }>

export function hostileValue(random: Random): unknown {
  const kind = random.next()
  if (kind < 0.5) return random.pick(hostileTexts)
  if (kind < 0.75) return new Raw(random.pick(hostileNumbers))
  return random.pick(hostileShapes)
}

type Way = readonly string[]

/** The places in a value, its own first. */
function waysIn(value: unknown, way: Way = []): Way[] {
  if (typeof value !== 'object' || value === null || value instanceof Raw) return [way]
  const inner = Object.entries(value).slice(0, 30)
  return [way, ...inner.flatMap(([key, one]) => waysIn(one, [...way, key]))]
}

type Change = (value: unknown) => unknown

function changeAt(value: unknown, way: Way, change: Change): unknown {
  const [key, ...rest] = way
  if (key === undefined) return change(value)
  if (Array.isArray(value)) {
    return value.map((one, at) => (String(at) === key ? changeAt(one, rest, change) : one))
  }
  if (!isObject(value)) return value
  const fields = Object.entries(value)
  return Object.fromEntries(
    fields.map(([name, one]) => [name, name === key ? changeAt(one, rest, change) : one]),
  )
}

/**
 * For an object: a field more, twice, less, or by another name. For anything else: another value.
 */
const objectChanges: readonly ObjectChange[] = [
  ['unknown field', (object, random) => ({ ...object, extra: hostileValue(random) })],
  [
    'prototype key',
    (object, random) => {
      const key = JSON.stringify(random.pick(prototypeKeys))
      const entry = `${key}:${writeJson(hostileValue(random))}`
      const text = writeJson(object)
      return new Raw(text === '{}' ? `{${entry}}` : `{${entry},${text.slice(1)}`)
    },
  ],
  [
    'field twice',
    (object, random) => {
      const key = random.pickAny(Object.keys(object)) ?? 'amount'
      return withTwice(object, key, random.chance(0.5) ? object[key] : hostileValue(random))
    },
  ],
  [
    'field gone',
    (object, random) => {
      const gone = random.pickAny(Object.keys(object))
      return Object.fromEntries(Object.entries(object).filter(([key]) => key !== gone))
    },
  ],
  [
    'field renamed',
    (object, random) => {
      const old = random.pickAny(Object.keys(object))
      const name = random.chance(0.5) ? old?.toUpperCase() : random.pick(prototypeKeys)
      const fields = Object.entries(object)
      return Object.fromEntries(fields.map(([key, one]) => [key === old ? name : key, one]))
    },
  ],
]
type ObjectChange = readonly [string, (object: JsonObject, random: Random) => unknown]

const valueChanges: readonly ValueChange[] = [
  ['hostile value', (_value, random) => hostileValue(random)],
  ['hostile value', (_value, random) => hostileValue(random)],
  ['hostile text', (value, random) => `${spelled(value)}${random.pick(hostileTexts)}`],
  ['null', () => null],
  ['in a list', (value) => [value]],
  ['in an object', (value) => ({ value })],
  ['other type', (value) => (typeof value === 'string' ? Number(value) : String(value))],
  ['repeated', (value, random) => spelled(value).repeat(2 + random.below(60))],
  ['cut', (value, random) => spelled(value).slice(0, random.below(spelled(value).length + 1))],
  ['other case', (value) => spelled(value).toUpperCase()],
  ['spaces', (value) => ` ${spelled(value)}\u00a0`],
]
type ValueChange = readonly [string, (value: unknown, random: Random) => unknown]

const spelled = (value: unknown): string => (typeof value === 'string' ? value : writeJson(value))

export function mutateValue(random: Random, body: unknown): Changed<unknown> {
  const way = random.pickAny(waysIn(body)) ?? []
  let label = ''
  const value = changeAt(body, way, (found) => {
    if (isObject(found) && random.chance(0.8)) {
      const [name, change] = random.pick(objectChanges)
      label = name
      return change(found, random)
    }
    const [name, change] = random.pick(valueChanges)
    label = name
    return change(found, random)
  })
  return { value, label: `body ${way.join('.')}: ${label}` }
}

type TextChange = readonly [string, (text: Buffer, random: Random) => Buffer]

const of = (text: string): Buffer => Buffer.from(text)

const textChanges: readonly TextChange[] = [
  ['cut off', (text, random) => text.subarray(0, random.below(text.length + 1))],
  ['twice', (text) => Buffer.concat([text, text])],
  ['a comma too many', (text) => of(text.toString().replace(/\}$/, ',}'))],
  ['single quotes', (text) => of(text.toString().replaceAll('"', "'"))],
  ['a comment', (text) => Buffer.concat([of('/* x */'), text])],
  ['a byte order mark', (text) => Buffer.concat([of('\ufeff'), text])],
  ['UTF-16', (text) => Buffer.from(text.toString(), 'utf16le')],
  ['nothing', () => Buffer.alloc(0)],
  ['white space', () => of(' \t\r\n')],
  ['a bare value', (_text, random) => of(writeJson(hostileValue(random)))],
  ['a form', () => of('amount=5000&currency=XOF')],
  ['XML', () => of('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>')],
  ['a megabyte', (text) => Buffer.concat([text, Buffer.alloc(1_048_600, ' ')])],
  [
    'other bytes',
    (text, random) => {
      const spoiled = Buffer.from(text)
      for (let n = random.below(4); n >= 0; n -= 1) {
        if (spoiled.length > 0) spoiled[random.below(spoiled.length)] = random.below(256)
      }
      return spoiled
    },
  ],
]

export function mutateText(random: Random, text: Buffer): Changed<Buffer> {
  const [label, change] = random.pick(textChanges)
  return { value: change(text, random), label: `body text: ${label}` }
}
