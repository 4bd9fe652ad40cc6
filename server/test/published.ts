// The published interface as a test holds the service to it: which operations there are, and what
// in an answer is not as OpenAPI says (a wrong shape, a status or a field that is not published).

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { openApiDocument } from '../src/app/openapi-document.ts'
import { formats } from '../src/platform/http/formats.ts'

type Schema = Readonly<Record<string, unknown>>

export type Operation = Readonly<{
  /** `GET /countries/{id}/`. */
  name: string
  method: string
  path: string
  isPublic: boolean
  /** By status; undefined where the answer has no JSON. */
  answers: ReadonlyMap<number, Schema | undefined>
  /** By status, in lower case. */
  headers: ReadonlyMap<number, readonly string[]>
  /** By status: media types, perhaps with a star. */
  types: ReadonlyMap<number, readonly string[]>
}>

type Answer = Readonly<{ status: number; body: unknown; headers?: Headers }>

export type Published = Readonly<{
  operations: readonly Operation[]
  /** The operation at this address, with or without a query and the last slash. */
  operationAt(method: string, address: string): Operation | undefined
  /** What is wrong with an answer under the envelope; nothing when it is as published. */
  faultsOf(operation: Operation, answer: Answer): string[]
}>

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const objectIn = (value: unknown, name: string): Schema => {
  const inner = isObject(value) ? value[name] : undefined
  return isObject(inner) ? inner : {}
}

/** Made once for all files that share a process: the document is the same for each. */
let reading: Promise<Published> | undefined

export function readPublished(): Promise<Published> {
  reading ??= openApiDocument().then(publishedIn)
  return reading
}

const base = 'http://published/'

/** Each schema is compiled when it is first needed; what they refer to is known once, to all. */
function validators({ components }: Schema): (schema: Schema) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats })
  ajv.addSchema({ $id: base, components })
  const compiled = new Map<Schema, ValidateFunction>()
  return (schema) => {
    const known = compiled.get(schema)
    if (known !== undefined) return known
    const text = JSON.stringify(schema).replaceAll('"#/components/', `"${base}#/components/`)
    const validate = ajv.compile(JSON.parse(text))
    compiled.set(schema, validate)
    return validate
  }
}

function publishedIn(document: Schema): Published {
  const operations = operationsOf(document)
  const validatorOf = validators(document)
  return {
    operations,
    operationAt: (method, address) => {
      const [path = ''] = address.split('?')
      return operations.find((one) => one.method === method && formOf(one.path).test(path))
    },
    faultsOf(operation, { status, body, headers }) {
      const { name, answers } = operation
      if (!answers.has(status)) return [`${name} does not publish status ${status}`]
      const schema = answers.get(status)
      const unsaid = headers === undefined ? [] : strayHeaders(operation, status, headers)
      if (schema === undefined) {
        return body === undefined ? unsaid : [`${name} ${status} has a body`, ...unsaid]
      }
      const validate = validatorOf(schema)
      const wrong = validate(body) ? [] : (validate.errors ?? [])
      return [
        ...unsaid,
        ...wrong.map((error) => `${error.instancePath} ${error.message ?? ''}`),
        ...strays(document, schema, body, ''),
      ]
    },
  }
}

/** Of HTTP itself and of safe browsing: the same everywhere, and no part of the interface. */
const common = [
  /^(date|connection|keep-alive|transfer-encoding|allow|cache-control)$/,
  /^content-(type|length|encoding|security-policy)$/,
  /^(referrer-policy|permissions-policy|strict-transport-security|cross-origin-\w+-policy)$/,
  /^x-(content-type-options|frame-options|accel-buffering)$/,
]

/** Headers that are not published, and a media type that is not. */
function strayHeaders(operation: Operation, status: number, headers: Headers): string[] {
  const { name } = operation
  const published = operation.headers.get(status) ?? []
  const strange = [...headers.keys()]
    .filter((header) => !common.some((one) => one.test(header)) && !published.includes(header))
    .map((header) => `${name} ${status} does not publish the header ${header}`)
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  const [kind] = type.split('/')
  const types = operation.types.get(status) ?? []
  const isKnown = type === '' || [type, `${kind}/*`, '*/*'].some((one) => types.includes(one))
  return isKnown ? strange : [...strange, `${name} ${status} does not publish ${type}`]
}

const formOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+').replace(/\/$/, '/?')}$`)

function operationsOf(document: Schema): Operation[] {
  return Object.entries(objectIn(document, 'paths'))
    .flatMap(([path, item]) =>
      Object.entries(isObject(item) ? item : {}).map(([verb, operation]) => {
        const method = verb.toUpperCase()
        const security = isObject(operation) ? operation['security'] : undefined
        return {
          name: `${method} ${path}`,
          method,
          path,
          // One that is open, and has more for who is known, names an empty requirement.
          isPublic:
            Array.isArray(security) &&
            (security.length === 0 || security.some((one) => Object.keys(one).length === 0)),
          answers: answersOf(document, objectIn(operation, 'responses')),
          headers: namesIn(document, objectIn(operation, 'responses'), 'headers'),
          types: namesIn(document, objectIn(operation, 'responses'), 'content'),
        }
      }),
    )
    .sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))
}

function answersOf(document: Schema, responses: Schema): Map<number, Schema | undefined> {
  return new Map(
    Object.entries(responses).map(([status, response]) => {
      const content = objectIn(followed(document, response), 'content')
      const { schema } = objectIn(content, 'application/json')
      return [Number(status), isObject(schema) ? schema : undefined]
    }),
  )
}

function namesIn(document: Schema, responses: Schema, part: 'headers' | 'content') {
  return new Map(
    Object.entries(responses).map(([status, response]) => {
      const names = Object.keys(objectIn(followed(document, response), part))
      return [Number(status), names.map((name) => name.toLowerCase())]
    }),
  )
}

/** The schema or response itself, where a reference to it was given. */
function followed(document: Schema, value: unknown): Schema {
  if (!isObject(value)) return {}
  const reference = value['$ref']
  if (typeof reference !== 'string') return value
  const [, , kind = '', name = ''] = reference.split('/')
  return followed(document, objectIn(objectIn(document, 'components'), kind)[name])
}

/** Every schema that speaks of the same value: those of its references and of its unions. */
function partsOf(document: Schema, schema: unknown): Schema[] {
  const own = followed(document, schema)
  const inner = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => own[name] ?? [])
  return [own, ...inner.flatMap((part) => partsOf(document, part))]
}

/** Fields that the schema does not name, in objects of which it names any. */
function strays(document: Schema, schema: unknown, value: unknown, at: string): string[] {
  const parts = partsOf(document, schema)
  if (Array.isArray(value)) {
    const items = parts.find((part) => part['items'] !== undefined)?.['items']
    return value.flatMap((row, index) => strays(document, items, row, `${at}/${index}`))
  }
  const isOpen = parts.some((part) => 'patternProperties' in part || 'additionalProperties' in part)
  const named = Object.assign({}, ...parts.map((part) => objectIn(part, 'properties')))
  if (!isObject(value) || isOpen || Object.keys(named).length === 0) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = `${at}/${name}`
    return name in named ? strays(document, named[name], inner, here) : [`${here} is unpublished`]
  })
}
