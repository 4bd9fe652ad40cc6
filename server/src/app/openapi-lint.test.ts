// What linters of OpenAPI ask of a document (Spectral's `oas` rules, Redocly's `recommended`), as
// laws of our own: names, tags, answers, parameters, and that each example is what its schema says.
// Two of theirs are not ours: the specification ends every path with a slash, and has addresses such
// as `/payment-links/public/{slug}/` beside `/payment-links/{id}/poster/`.

import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { formats } from '../platform/http/formats.ts'
import { openApiDocument } from './openapi-document.ts'

type Json = { [key: string]: unknown }

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const document: Json = JSON.parse(JSON.stringify(await openApiDocument()))
const methods = ['get', 'put', 'post', 'delete', 'patch']

const at = (value: unknown, key: string): Json => {
  const found = isObject(value) ? value[key] : undefined
  return isObject(found) ? found : {}
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

type Operation = Readonly<{ name: string; path: string; node: Json; is_webhook: boolean }>

const operationsOf = (section: string): Operation[] =>
  Object.entries(at(document, section)).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const node = isObject(item) ? item[method] : undefined
      const name = `${method.toUpperCase()} ${path}`
      return isObject(node) ? [{ name, path, node, is_webhook: section === 'webhooks' }] : []
    }),
  )

const operations = [...operationsOf('paths'), ...operationsOf('webhooks')]

/** The node that a reference leads to, or the node itself. */
function resolved(node: unknown): Json {
  const reference = isObject(node) ? node['$ref'] : undefined
  if (typeof reference !== 'string') return isObject(node) ? node : {}
  return reference
    .slice(2)
    .split('/')
    .reduce<Json>((found, key) => at(found, key), document)
}

/** Each object of the document, with its place as a JSON pointer. */
function* nodesIn(value: unknown, place: string): Generator<readonly [string, Json]> {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) yield* nodesIn(one, `${place}/${index}`)
  }
  if (!isObject(value)) return
  yield [place, value]
  for (const [key, one] of Object.entries(value)) {
    if (key === 'example' || key === 'examples') continue
    const step = key.replaceAll('~', '~0').replaceAll('/', '~1')
    yield* nodesIn(one, `${place}/${step}`)
  }
}

const nodes = [...nodesIn(document, '#')]

/** The names of those that do not hold it. */
const without = (holds: (one: Operation) => boolean): string[] =>
  operations.filter((one) => !holds(one)).map(({ name }) => name)

describe('an operation', () => {
  it('is one of many, each with a name of its own that can stand in an address', () => {
    expect(operations.length).toBeGreaterThan(200)
    const ids = operations.map(({ node }) => String(node['operationId']))
    expect(ids.filter((id) => !/^[\w.-]+$/.test(id))).toEqual([])
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })

  it('has a summary in one line, without a full stop of its own where it is a command', () => {
    expect(without(({ node }) => /^[A-Z][^\n]{4,}$/.test(String(node['summary'])))).toEqual([])
    const stopped = operations.filter(({ node, is_webhook }) => {
      return !is_webhook && /\.$/.test(String(node['summary']).split('\n')[0] ?? '')
    })
    expect(stopped.map(({ name }) => name)).toEqual([])
  })

  it('answers something good and something bad; the list of countries can only be good', () => {
    const has = (node: Json, form: RegExp) =>
      Object.keys(at(node, 'responses')).some((status) => form.test(status))
    expect(without(({ node }) => has(node, /^[23]/))).toEqual([])
    expect(without(({ node }) => has(node, /^4/))).toEqual(['GET /countries/'])
  })

  it('has a description for each answer', () => {
    const answers = operations.flatMap(({ name, node }) =>
      Object.entries(at(node, 'responses')).map(([status, answer]) => ({ name, status, answer })),
    )
    const bare = answers.filter(({ answer }) => !resolved(answer)['description'])
    expect(bare.map(({ name, status }) => `${name} ${status}`)).toEqual([])
  })

  it('declares each parameter of its path, and none twice', () => {
    const faults = operations.flatMap(({ name, path, node, is_webhook }) => {
      const all = list(node['parameters']).map(resolved)
      const named = all.map((one) => `${one['in']} ${one['name']}`)
      const twice = named.filter((one, index) => named.indexOf(one) !== index)
      const wanted = is_webhook ? [] : [...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => one)
      const declared = all.filter((one) => one['in'] === 'path').map((one) => one['name'])
      const isSame = [...wanted].sort().join() === declared.sort().join()
      return twice.length === 0 && isSame ? [] : [`${name}: ${twice} ${declared}`]
    })
    expect(faults).toEqual([])
  })

  it('asks for no body where there is none', () => {
    const reading = operations.filter(({ name }) => /^(GET|HEAD) /.test(name))
    expect(reading.filter(({ node }) => 'requestBody' in node)).toEqual([])
  })
})

describe('a tag', () => {
  it('is used, declared once and described', () => {
    const tags = list(document['tags']).filter(isObject)
    const names = tags.map(({ name }) => name)
    const used = new Set(operations.flatMap(({ node }) => list(node['tags'])))
    expect(new Set(names).size).toBe(names.length)
    expect([...used].filter((name) => !names.includes(name))).toEqual([])
    expect(names.filter((name) => !used.has(name))).toEqual([])
    expect(tags.filter(({ description }) => !description).map(({ name }) => name)).toEqual([])
    expect(without(({ node }) => list(node['tags']).length === 1)).toEqual([])
  })
})

describe('a schema', () => {
  it('says the type of its values, and none twice', () => {
    const enums = nodes.filter(([, node]) => Array.isArray(node['enum']))
    expect(enums.length).toBeGreaterThan(100)
    const untyped = enums.filter(([, node]) => !('type' in node))
    expect(untyped.map(([place]) => place)).toEqual([])
    const twice = enums.filter(
      ([, node]) => new Set(list(node['enum'])).size !== list(node['enum']).length,
    )
    expect(twice.map(([place]) => place)).toEqual([])
  })

  it('requires only what it has', () => {
    const lost = nodes.flatMap(([place, { required, properties }]) =>
      Array.isArray(required) && isObject(properties)
        ? required
            .filter((name) => !(String(name) in properties))
            .map((name) => `${place}: ${name}`)
        : [],
    )
    expect(lost).toEqual([])
  })

  it('is used, and every reference leads to something', () => {
    const references = nodes.flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []))
    const lost = references.filter((one) => Object.keys(resolved({ $ref: one })).length === 0)
    expect(lost).toEqual([])
    const used = new Set(references)
    const schemas = Object.keys(at(at(document, 'components'), 'schemas'))
    expect(schemas.filter((name) => !used.has(`#/components/schemas/${name}`))).toEqual([])
  })
})

describe('a text', () => {
  it('holds no script and no markup', () => {
    const texts = nodes.flatMap(([place, { description, summary }]) =>
      [description, summary]
        .filter((text) => typeof text === 'string')
        .map((text) => ({ place, text })),
    )
    const marked = texts.filter(({ text }) => /<(?:script|\/|[a-z]+ )|eval\(/i.test(text))
    expect(marked).toEqual([])
  })
})

describe('an example', () => {
  it('is what its schema says: of bodies, of answers and of events', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, formats })
    ajv.addSchema({ ...document, $id: 'document' }, 'document', false, false)
    const shown = nodes.filter(([, node]) => 'example' in node && isObject(node['schema']))
    expect(shown.length).toBeGreaterThan(300)
    const faults = shown.flatMap(([place, node]) => {
      const check = ajv.compile({ $ref: `document${place}/schema` })
      return check(node['example']) ? [] : [`${place}: ${ajv.errorsText(check.errors)}`]
    })
    expect(faults).toEqual([])
  })
})
