// Reads the OpenAPI document as the pages need it: operations by group, fields of a schema as rows.

import type { OpenApiDocument } from '../platform/http/openapi.ts'

export type Operation = Readonly<{
  id: string
  method: string
  path: string
  group: string
  summary: string
  description: string
  is_open: boolean
  /** The operation as the document has it. */
  node: Json
}>

export type Json = Readonly<Record<string, unknown>>

export type Field = Readonly<{
  /** Dotted within objects; `[]` for the entries of a list. */
  name: string
  type: string
  required: boolean
  description: string
}>

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const objectAt = (node: Json, key: string): Json => {
  const value = node[key]
  return isObject(value) ? value : {}
}

const textAt = (node: Json, key: string): string => {
  const value = node[key]
  return typeof value === 'string' ? value : ''
}

export class ApiDocument {
  readonly operations: readonly Operation[]
  readonly #document: Json

  constructor(document: OpenApiDocument) {
    this.#document = document
    this.operations = Object.entries(objectAt(document, 'paths')).flatMap(([path, item]) =>
      methods.flatMap((method) => {
        const node = isObject(item) ? item[method] : undefined
        return isObject(node) ? [operationOf(method, path, node)] : []
      }),
    )
  }

  get description(): string {
    return textAt(objectAt(this.#document, 'info'), 'description')
  }

  /** The address that paths are below, without a slash at its end. */
  get base_url(): string {
    const [server] = Array.isArray(this.#document['servers']) ? this.#document['servers'] : []
    return isObject(server) ? textAt(server, 'url') : ''
  }

  /** The groups' names: what merchants call first, then what only staff call. */
  groups(): Readonly<{ merchants: readonly string[]; staff: readonly string[] }> {
    const tags = Array.isArray(this.#document['tags']) ? this.#document['tags'] : []
    const listed = tags.flatMap((tag) => (isObject(tag) ? textAt(tag, 'name') : []))
    const all = new Set(this.operations.map(({ group }) => group))
    const sorted = [...new Set([...listed.filter((name) => all.has(name)), ...all])]
    const is_staff = (name: string) =>
      this.operations.every(({ group, path }) => group !== name || path.startsWith('/admin/'))
    return {
      merchants: sorted.filter((name) => !is_staff(name)),
      staff: sorted.filter(is_staff),
    }
  }

  webhooks(): readonly Operation[] {
    return Object.entries(objectAt(this.#document, 'webhooks')).flatMap(([name, item]) => {
      const node = isObject(item) ? item['post'] : undefined
      return isObject(node) ? [operationOf('post', name, node)] : []
    })
  }

  /** The node itself, or what it refers to. */
  resolve(node: unknown): Json {
    if (!isObject(node)) return {}
    const reference = node['$ref']
    if (typeof reference !== 'string') return node
    const parts = reference.replace(/^#\//, '').split('/')
    const found = parts.reduce<unknown>(
      (at, part) => (isObject(at) ? at[part] : undefined),
      this.#document,
    )
    return isObject(found) ? found : {}
  }

  /** The fields of a schema as flat rows, those of an object within it below its own row. */
  fieldsOf(schema: unknown, prefix = '', depth = 0): Field[] {
    const node = this.#one(schema)
    const required = Array.isArray(node['required']) ? node['required'] : []
    return Object.entries(objectAt(node, 'properties')).flatMap(([key, value]) => {
      const name = `${prefix}${key}`
      const property = this.#one(value)
      const own = isObject(value) ? textAt(value, 'description') : ''
      const row: Field = {
        name,
        type: this.typeOf(value),
        required: required.includes(key),
        description: own || textAt(property, 'description'),
      }
      if (depth >= depth_max) return [row]
      const entries = property['items']
      const below =
        entries === undefined
          ? this.fieldsOf(property, `${name}.`, depth + 1)
          : this.fieldsOf(entries, `${name}[].`, depth + 1)
      return [row, ...below]
    })
  }

  typeOf(schema: unknown): string {
    const node = this.resolve(schema)
    const choices = node['anyOf'] ?? node['oneOf']
    if (Array.isArray(choices)) {
      return [...new Set(choices.map((one) => this.typeOf(one)))].filter((one) => one).join(' or ')
    }
    if ('const' in node) return JSON.stringify(node['const'])
    if (Array.isArray(node['enum'])) return node['enum'].map((one) => String(one)).join(', ')
    if (node['items'] !== undefined) return `list of ${this.typeOf(node['items'])}`
    const type = node['type']
    const format = textAt(node, 'format')
    const shown = Array.isArray(type) ? type.join(' or ') : String(type ?? '')
    return format === '' ? shown : `${shown} (${format})`
  }

  /** Of a choice with null, or of parts that all hold, the object that has the fields. */
  #one(schema: unknown): Json {
    const node = this.resolve(schema)
    const parts = node['anyOf'] ?? node['oneOf'] ?? node['allOf']
    if (!Array.isArray(parts) || node['properties'] !== undefined) return node
    const objects = parts.map((part) => this.#one(part)).filter((part) => 'properties' in part)
    const properties = Object.assign({}, ...objects.map((part) => part['properties']))
    return objects.length === 0 ? node : { ...objects[0], properties }
  }
}

const depth_max = 2

function operationOf(method: string, path: string, node: Json): Operation {
  const [group = 'Other'] = Array.isArray(node['tags']) ? node['tags'] : []
  const security = node['security']
  return {
    id: textAt(node, 'operationId') || `${method}_${path}`,
    method: method.toUpperCase(),
    path,
    group: String(group),
    summary: textAt(node, 'summary'),
    description: textAt(node, 'description'),
    is_open: Array.isArray(security) && security.length === 0,
    node,
  }
}

/** A group's name as part of an address. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
