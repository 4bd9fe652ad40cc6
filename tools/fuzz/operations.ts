// The operations of the OpenAPI document, with every reference followed: what a request may hold,
// by the document alone.

import { isObject, type JsonObject } from './json-text.ts'

export type Parameter = Readonly<{
  name: string
  place: string
  required: boolean
  schema: JsonObject
}>

export type Operation = Readonly<{
  method: string
  /** As in the document, without the prefix: `/transactions/{id}/`. */
  path: string
  parameters: readonly Parameter[]
  body: Readonly<{ schema: JsonObject; example: unknown }> | undefined
  statuses: readonly number[]
}>

export type Contract = Readonly<{
  /** `/api/v1` */
  prefix: string
  operations: readonly [Operation, ...Operation[]]
  /** Follows a `$ref`, as often as it leads on. */
  resolve(schema: unknown): JsonObject
}>

const methods = ['get', 'post', 'put', 'patch', 'delete']

export function readContract(document: JsonObject): Contract {
  const resolve = (value: unknown): JsonObject => {
    if (!isObject(value)) return {}
    const ref = value['$ref']
    return typeof ref === 'string' ? resolve(lookUp(document, ref)) : value
  }
  const operations = Object.entries(resolve(document['paths'])).flatMap(([path, item]) =>
    Object.entries(resolve(item))
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => readOperation({ method, path, resolve }, resolve(operation))),
  )
  const [first, ...others] = operations
  if (first === undefined) throw new Error('the document has no operation')
  return { prefix: readPrefix(document), operations: [first, ...others], resolve }
}

type Reading = Readonly<{ method: string; path: string; resolve: Contract['resolve'] }>

function readOperation({ method, path, resolve }: Reading, operation: JsonObject): Operation {
  const parameters = listOf(operation['parameters']).map((one) => {
    const found = resolve(one)
    return {
      name: String(found['name']),
      place: String(found['in']),
      required: found['required'] === true,
      schema: resolve(found['schema']),
    }
  })
  const json = resolve(resolve(resolve(operation['requestBody'])['content'])['application/json'])
  const body =
    json['schema'] === undefined
      ? undefined
      : { schema: resolve(json['schema']), example: json['example'] }
  const statuses = Object.keys(resolve(operation['responses'])).map(Number)
  return { method: method.toUpperCase(), path, parameters, body, statuses }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function readPrefix(document: JsonObject): string {
  const [server] = listOf(document['servers'])
  const url = isObject(server) ? server['url'] : undefined
  return typeof url === 'string' ? new URL(url, 'http://x/').pathname.replace(/\/$/, '') : ''
}

/** `#/components/schemas/Payment` in the document. */
function lookUp(document: JsonObject, ref: string): unknown {
  let found: unknown = document
  for (const part of ref.split('/').slice(1)) {
    found = isObject(found) ? found[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined
  }
  return found
}
