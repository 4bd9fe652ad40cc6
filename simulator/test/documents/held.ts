// What an operator documents of its interface, as schemas that a recorded call is held to: an
// address, a header, a field, a value or a status that is in no document is a fault. Law: schemas
// are written from the operator's public documents alone, never from a dialect or an adapter.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { type TProperties, type TSchema, Type } from 'typebox'

/** Any other field is a fault. */
export const closed = <Fields extends TProperties>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false })

/** Others may be there too: of headers, which say more than an interface asks for. */
export const open = <Fields extends TProperties>(fields: Fields) => Type.Object(fields)

export const form = (pattern: RegExp) => Type.String({ pattern: pattern.source })
export const oneOf = (words: readonly string[]) => Type.Enum([...words])
export const may = Type.Optional
export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** Not empty. */
export const words = Type.String({ minLength: 1 })
/** RFC 3339 in UTC. */
export const moment = form(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/)
export const address = form(/^https?:\/\/\S+$/)
export const currency = form(/^[A-Z]{3}$/)
/** RFC 9562, version 4. */
export const uuid4 = form(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)

/** Bodies that a field of theirs tells apart, by its values. */
export type Choice = Readonly<{ by: string; of: Readonly<Record<string, TSchema>> }>

/** `EMPTY`: it has no body. `UNKNOWN`: documented, and no document says what its body is. */
export type Documented = TSchema | Choice | 'EMPTY' | 'UNKNOWN'

export type Operation = Readonly<{
  /** `GET /v2/deposits/{id}`: what is in braces is one part of a path. */
  at: string
  query?: TSchema
  headers: TSchema
  /** Of what is sent; `EMPTY` where nothing is. */
  body: Documented
  /** By status. */
  answers: Readonly<Record<number, Documented>>
}>

export type Exchange = Readonly<{
  method: string
  path: string
  sent: Readonly<{ headers: Readonly<Record<string, string>>; body: string }>
  status: number
  type: string
  body: string
}>

const ajv = new Ajv2020({ strict: false, allErrors: true })
const compiled = new Map<TSchema, ValidateFunction>()

const isChoice = (schema: TSchema | Choice): schema is Choice => 'by' in schema

/** What is wrong with a value; nothing where it is as documented. */
export function faultsIn(documented: TSchema | Choice, value: unknown): string[] {
  if (isChoice(documented)) {
    const { by, of } = documented
    const word = typeof value === 'object' && value !== null ? Reflect.get(value, by) : undefined
    const chosen = of[String(word)]
    return chosen === undefined ? [`${by} is ${String(word)}`] : faultsIn(chosen, value)
  }
  const validate = compiled.get(documented) ?? ajv.compile(documented)
  compiled.set(documented, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

/** A body as it went over the wire. */
function faultsOfBody(documented: Documented, body: string): string[] {
  if (documented === 'UNKNOWN') return []
  if (documented === 'EMPTY') return body === '' ? [] : [`a body: ${body}`]
  try {
    return faultsIn(documented, JSON.parse(body))
  } catch {
    return [`not JSON: ${body}`]
  }
}

const formOf = (at: string) => new RegExp(`^${at.replaceAll(/\{\w+\}/g, '[^/]+')}$`)

/** Which operation this call is of. */
function operationOf(operations: readonly Operation[], { method, path }: Exchange) {
  const [bare = ''] = path.split('?')
  return operations.find(({ at }) => formOf(at).test(`${method} ${bare}`))
}

/** Each once, and by its operation: a run asks the same thing many times. */
const distinct = (what: string, faults: readonly string[]): string[] =>
  [...new Set(faults)].map((fault) => `${what}: ${fault}`)

/** Of what was answered, to all of these calls. */
export function faultsOfAnswers(operations: readonly Operation[], calls: readonly Exchange[]) {
  return [...new Set(calls.flatMap((call) => faultsOfAnswer(operations, call)))]
}

function faultsOfAnswer(operations: readonly Operation[], call: Exchange): string[] {
  const operation = operationOf(operations, call)
  if (operation === undefined) return [`${call.method} ${call.path} is in no document`]
  const what = `${operation.at} ${call.status}`
  const answer = operation.answers[call.status]
  if (answer === undefined) return [`${what} is in no document: ${call.body}`]
  const isJson = call.type.startsWith('application/json')
  const stray = call.body === '' || isJson ? [] : [`of type ${call.type}`]
  return distinct(what, [...stray, ...faultsOfBody(answer, call.body)])
}

/** Of what was sent, in all of these calls. */
export function faultsOfRequests(operations: readonly Operation[], calls: readonly Exchange[]) {
  return [...new Set(calls.flatMap((call) => faultsOfRequest(operations, call)))]
}

function faultsOfRequest(operations: readonly Operation[], call: Exchange): string[] {
  const operation = operationOf(operations, call)
  if (operation === undefined) return [`${call.method} ${call.path} is in no document`]
  const [, query = ''] = call.path.split('?')
  const asked = Object.fromEntries(new URLSearchParams(query))
  return distinct(operation.at, [
    ...faultsIn(operation.query ?? closed({}), asked),
    ...faultsIn(operation.headers, call.sent.headers),
    ...faultsOfBody(operation.body, call.sent.body),
  ])
}
