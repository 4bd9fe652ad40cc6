// A value that its schema allows, as far as a schema can say. What only the service knows (which
// network belongs to which country) comes from `recipes.ts`.

import { isObject, type JsonObject } from './json-text.ts'
import type { Contract } from './operations.ts'
import type { Random } from './random.ts'

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789_- éÀ🛶'

const formats: Readonly<Record<string, readonly string[]>> = {
  uuid: ['~payment~', '~webhook~', '~stranger~', '00000000-0000-4000-8000-000000000000'],
  email: ['awa@example.com', 'a.b+c@example.org'],
  uri: ['https://hook.invalid/', 'http://127.0.0.1:9/hook'],
  date: ['2026-01-31', '2020-02-29'],
  'date-time': ['2026-01-31T08:00:00Z', '2026-01-31T08:00:00.123456+01:00'],
  ip: ['192.0.2.7', '2001:db8::1'],
}

const numberOf = (value: unknown, fallback: number): number =>
  typeof value === 'number' ? value : fallback

export function validValue(random: Random, contract: Contract, given: unknown): unknown {
  const schema = contract.resolve(given)
  for (const choice of ['anyOf', 'oneOf', 'enum']) {
    const options = schema[choice]
    if (!Array.isArray(options)) continue
    const option: unknown = random.pickAny(options)
    return choice === 'enum' ? option : validValue(random, contract, option)
  }
  if ('const' in schema) return schema['const']
  if (schema['type'] === 'object') return validObject(random, contract, schema)
  if (schema['type'] === 'array') {
    const length = random.below(Math.min(4, numberOf(schema['maxItems'], 3) + 1))
    return Array.from({ length }, () => validValue(random, contract, schema['items']))
  }
  return validScalar(random, schema)
}

function validObject(random: Random, contract: Contract, schema: JsonObject): JsonObject {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : []
  const fields = properties
    .filter(([key]) => required.includes(key) || random.chance(0.5))
    .map(([key, inner]) => [key, validValue(random, contract, inner)] as const)
  return Object.fromEntries(fields)
}

function validScalar(random: Random, schema: JsonObject): unknown {
  const { type, format, pattern } = schema
  if (type === 'boolean') return random.chance(0.5)
  if (type === 'null') return null
  if (type === 'integer' || type === 'number') {
    const lowest = numberOf(schema['minimum'], 0)
    return lowest + random.below(Math.min(1_000, numberOf(schema['maximum'], 1_000) - lowest + 1))
  }
  const known = typeof format === 'string' ? formats[format] : undefined
  if (known !== undefined) return random.pick(known)
  if (typeof pattern === 'string') return random.pick(['BJ', 'XOF', 'mtn_bj', '~payment~', 'abc'])
  const shortest = numberOf(schema['minLength'], 0)
  const room = Math.min(40, numberOf(schema['maxLength'], 40)) - shortest
  const length = shortest + random.below(Math.max(1, room + 1))
  return Array.from({ length }, () => random.pickAny([...alphabet]) ?? 'a').join('')
}
