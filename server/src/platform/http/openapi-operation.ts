// One route as one OpenAPI operation: what it takes and what it answers.

import { readsPlace } from './admission.ts'
import { isObject } from './json-body.ts'
import { type AccessTables, accessOf } from './openapi-access.ts'
import { errorResponses, headersOf } from './openapi-errors.ts'
import { type Components, type Json, refTo, successSchema } from './openapi-schemas.ts'
import { securityOf } from './openapi-security.ts'
import type { PathReference } from './path-reference.ts'
import { type Envelope, wrapSuccess } from './reply.ts'
import type { ServedRoute } from './route.ts'

export type OperationContext = Readonly<{
  components: Components
  envelope: Envelope
  /** Names in `components.parameters` of those by which a session says where it acts. */
  place_parameters: readonly string[]
  path_reference: Pick<PathReference, 'partOf' | 'meaning'> | undefined
  access_tables: AccessTables
}>

const paramsOf = (path: string): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/** `/payments/:payment_id/verify/` as OpenAPI writes it. */
export const openApiPath = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

function successResponse(
  route: ServedRoute,
  status: number,
  first: boolean,
  { components, envelope }: OperationContext,
): Json {
  const schema = route.responses[status]
  const headers = headersOf(route, [
    ...(route.idempotent === true ? ['Idempotent-Replayed'] : []),
    ...(route.session_cookie === undefined ? [] : ['Set-Cookie']),
    ...(route.session_cookie === 'deleted' ? ['Clear-Site-Data'] : []),
    ...(route.sends ?? []),
  ])
  const description = status === 204 ? 'Done; no content.' : route.summary
  if (schema === null || schema === undefined) return { description, headers }
  const shown = components.publish(schema)
  const { contentMediaType }: { contentMediaType?: unknown } = schema
  const others = Object.fromEntries(
    Object.entries(route.also ?? {}).map(([type, other]) => [
      type,
      { schema: components.publish(other) },
    ]),
  )
  if (typeof contentMediaType === 'string') {
    const { reply: text } = route.example
    const example = typeof text === 'string' ? { example: text } : {}
    const file = { [contentMediaType]: { schema: shown, ...example } }
    return { description, headers, content: { ...file, ...others } }
  }
  const wrapped = envelope === 'on' && route.envelope !== 'raw'
  const { reply, other_replies } = route.example
  const bare = JSON.stringify(first ? reply : other_replies?.[status])
  const value =
    bare === undefined ? undefined : JSON.parse(wrapped ? wrapSuccess(bare, status) : bare)
  const body = {
    schema: wrapped ? successSchema(shown, status) : shown,
    ...(value === undefined ? {} : { example: value }),
  }
  return { description, headers, content: { 'application/json': body, ...others } }
}

function responsesOf(route: ServedRoute, context: OperationContext): Json {
  const statuses = Object.keys(route.responses).map(Number)
  const successes = statuses.map((status, position) => [
    String(status),
    successResponse(route, status, position === 0, context),
  ])
  const errors = errorResponses(route, context.envelope, context.components)
  return { ...Object.fromEntries(successes), ...errors }
}

function queryParameters(route: ServedRoute, components: Components): Json[] {
  if (route.query === undefined) return []
  const { properties, required }: { properties?: unknown; required?: unknown } = route.query
  const names: unknown[] = Array.isArray(required) ? required : []
  return Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => {
    const { description, ...schema } = components.publish(property)
    const meaning = typeof description === 'string' ? description : components.meaningOf(name)
    const described = meaning === undefined ? {} : { description: meaning }
    return { name, in: 'query', required: names.includes(name), ...described, schema }
  })
}

/** A part of the path: an id has its form, but where a reference may stand for it. */
function describePart(
  name: string,
  path: string,
  { components, path_reference }: OperationContext,
): Json {
  const is_reference = name === path_reference?.partOf(path)
  const meaning = is_reference ? path_reference?.meaning : components.meaningOf(name)
  const schema =
    /(^|_)id$/.test(name) && !is_reference ? { type: 'string', format: 'uuid' } : { type: 'string' }
  return { ...(meaning === undefined ? {} : { description: meaning }), schema }
}

function parametersOf(route: ServedRoute, path: string, context: OperationContext): Json[] {
  const inPath = paramsOf(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    ...describePart(name, route.path, context),
  }))
  const headers = [
    ...(route.idempotent === true ? ['IdempotencyKey'] : []),
    ...(readsPlace(route) ? context.place_parameters : []),
    'Prefer',
    'AcceptLanguage',
    'RequestId',
  ]
  return [
    ...inPath,
    ...queryParameters(route, context.components),
    ...headers.map((name) => refTo('parameters', name)),
  ]
}

function requestBodyOf(route: ServedRoute, components: Components): Json | undefined {
  if (route.upload !== undefined) {
    const types = route.upload.content_types
    return { required: true, content: Object.fromEntries(types.map((type) => [type, {}])) }
  }
  if (route.body === undefined) return undefined
  const { required }: { required?: unknown } = route.body
  const { body } = route.example
  const example = body === undefined ? {} : { example: body }
  const content = { 'application/json': { schema: components.publish(route.body), ...example } }
  return { required: Array.isArray(required) && required.length > 0, content }
}

function operationId(route: ServedRoute, path: string): string {
  const words = path.replace(/:(\w+)/g, 'by_$1').split(/[^A-Za-z0-9]+/)
  return [route.method.toLowerCase(), ...words.filter((word) => word !== '')].join('_')
}

/** The operation at `path`, which is the route's own or one of its aliases. */
export function operationOf(route: ServedRoute, path: string, context: OperationContext): Json {
  const requestBody = requestBodyOf(route, context.components)
  const alias = path === route.path ? undefined : `Same as \`${openApiPath(route.path)}\`.`
  const aliases = (route.aliases ?? []).map((other) => `\`${openApiPath(other)}\``)
  const also = aliases.length > 0 ? `Also at ${aliases.join(', ')}.` : undefined
  const description = [route.description, alias ?? also].filter(Boolean).join('\n\n')
  return {
    operationId: operationId(route, path),
    tags: [route.tag],
    summary: route.summary,
    ...(description === '' ? {} : { description }),
    security: securityOf(route),
    'x-access': accessOf(route, context.access_tables),
    parameters: parametersOf(route, path, context),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: responsesOf(route, context),
  }
}
