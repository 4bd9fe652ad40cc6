// Checks bodies and queries against the schemas that OpenAPI publishes, and reports every wrong
// field at once (contract 1.3). Ajv decides, this file names the field and picks the sentence.

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import type { FieldErrors, Text } from '../errors.ts'
import { formats } from './formats.ts'
import { choiceText, ownText, textOf, typeText } from './validation-messages.ts'

/** The wrong fields of a value; empty when it fits. */
export type Check = (value: unknown) => FieldErrors

/** Longer than any text that one of our patterns accepts. */
const pattern_length_max = 1_024

/**
 * All errors are reported, so a pattern is tried even on a text that is too long. Its length is
 * checked first, because the cost of a pattern may grow faster than the text.
 */
const boundedRegExp = Object.assign(
  (pattern: string, flags: string) => {
    const form = new RegExp(pattern, flags)
    return {
      test: (text: string) => text.length <= pattern_length_max && form.test(text),
      // Ajv distinguishes patterns by this (ajv 8, `usePattern` in vocabularies/code.js).
      toString: () => form.toString(),
    }
  },
  { code: 'new RegExp' },
)

/** A text that is too long for the schema is reported as that, and not for its form as well. */
const isReported = ({ keyword, data, parentSchema }: ErrorObject): boolean =>
  keyword !== 'pattern' ||
  typeof data !== 'string' ||
  data.length <= pattern_length_max ||
  parentSchema?.['maxLength'] === undefined

function makeAjv(coerceTypes: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    coerceTypes,
    removeAdditional: false,
    useDefaults: false,
    // The schema of schemas is compiled for it, 50 ms of a process's first call for each of the two
    // (measured). That ours are schemas is a test's matter (`app/openapi-document.test.ts`).
    validateSchema: false,
    // Gives each error the schema it comes from, which may carry its own sentence.
    verbose: true,
    strictTypes: false,
    strictRequired: false,
    formats,
    code: { regExp: boundedRegExp },
  })
  return ajv.addVocabulary(['x-message', 'x-null-refused', 'x-empty-absent', 'example'])
}

const bodies = makeAjv(false)
// A query holds only strings: `page_size=5` is the integer that its schema publishes.
const queries = makeAjv(true)

const isUnion = (error: ErrorObject): boolean =>
  error.keyword === 'anyOf' || error.keyword === 'oneOf'

const isChoice = (error: ErrorObject): boolean =>
  error.keyword === 'const' || error.keyword === 'enum'

type Branches = ReadonlyMap<string, readonly ErrorObject[]>

function branchesOf(union: ErrorObject, errors: readonly ErrorObject[]): Branches {
  const branches = new Map<string, ErrorObject[]>()
  for (const error of errors) {
    const [branch = ''] = error.schemaPath.slice(union.schemaPath.length + 1).split('/')
    const known = branches.get(branch)
    if (known === undefined) branches.set(branch, [error])
    else known.push(error)
  }
  return branches
}

/** The branch of a union that the value was meant for, as far as its type shows. */
const meantBranch = (union: ErrorObject, branches: Branches): readonly ErrorObject[] | undefined =>
  [...branches.values()].find((errors) => isMeant(union, errors))

/** A branch that is a union itself is meant where one of its own branches is. */
function isMeant({ instancePath }: ErrorObject, errors: readonly ErrorObject[]): boolean {
  const here = errors.filter((error) => error.instancePath === instancePath)
  const [inner] = here.filter(isUnion).sort(outermost)
  if (inner === undefined) {
    return !here.some((error) => error.keyword === 'type' || isChoice(error))
  }
  const inside = errors.filter((error) => error.schemaPath.startsWith(`${inner.schemaPath}/`))
  return meantBranch(inner, branchesOf(inner, inside)) !== undefined
}

/** The shortest path is the outermost: everything below it is resolved with it. */
const outermost = (a: ErrorObject, b: ErrorObject): number =>
  a.schemaPath.length - b.schemaPath.length

type Found = { error: ErrorObject; text: Text }

function resolveUnion(union: ErrorObject, branches: Branches): Found[] {
  const own = ownText(union)
  if (own !== undefined) return [{ error: union, text: own }]
  const meant = meantBranch(union, branches)
  if (meant !== undefined) return resolveUnions(meant)
  const here = [...branches.values()]
    .flat()
    .filter((error) => error.instancePath === union.instancePath)
  const choices = here.filter(isChoice)
  if (choices.length > 0) return [{ error: union, text: choiceText(choices) }]
  // A union within this one (an amount or null) may have its own sentence.
  const inner = here.map(ownText).find((text) => text !== undefined)
  if (inner !== undefined) return [{ error: union, text: inner }]
  const types = here.filter((error) => error.keyword === 'type')
  if (types.length === 0) return [{ error: union, text: textOf(union) }]
  return [{ error: union, text: typeText(types.flatMap((error) => error.params['type'])) }]
}

/** One error for each union instead of those of all its branches. */
function resolveUnions(errors: readonly ErrorObject[]): Found[] {
  const [union] = errors.filter(isUnion).sort(outermost)
  if (union === undefined) return errors.map((error) => ({ error, text: textOf(error) }))
  const isInside = (error: ErrorObject) => error.schemaPath.startsWith(`${union.schemaPath}/`)
  const inside = errors.filter(isInside)
  const outside = errors.filter((error) => error !== union && !isInside(error))
  return [...resolveUnion(union, branchesOf(union, inside)), ...resolveUnions(outside)]
}

/** `/customer/phone` becomes `customer.phone`; an item of a list is reported on the list. */
function fieldOf(error: ErrorObject, root: string): string {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const missing: unknown = error.params['missingProperty']
  if (typeof missing === 'string') path.push(missing)
  else if (path.length > 1 && /^\d+$/.test(path.at(-1) ?? '')) path.pop()
  return path.length === 0 ? root : path.join('.')
}

function fieldErrors(errors: readonly ErrorObject[], root: string): FieldErrors {
  const fields = new Map<string, Text[]>()
  for (const { error, text } of resolveUnions(errors.filter(isReported))) {
    const field = fieldOf(error, root)
    const texts = fields.get(field) ?? []
    if (!texts.some((known) => known.en === text.en)) texts.push(text)
    fields.set(field, texts)
  }
  return Object.fromEntries(fields)
}

const nothing: FieldErrors = {}

/** Each union is resolved among all errors: their number is bounded, whatever was sent. */
const errors_max = 1_000

/**
 * Compiled when it is first used: with the OpenAPI document, all of them together were some 40% of
 * the work of a start (measured), and few processes serve every route. That each can be compiled
 * is a test's matter (`app/openapi-document.test.ts`).
 */
function checkWith(ajv: Ajv2020, schema: TSchema, root: string): Check {
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= ajv.compile(schema)
    if (validate(value)) return nothing
    return fieldErrors((validate.errors ?? []).slice(0, errors_max), root)
  }
}

/** A check of bodies; an error in the body as a whole is reported on `body`. */
export const compileBody = (schema: TSchema): Check => checkWith(bodies, schema, 'body')

/** A check of queries; works on a copy, since the handler gets the strings as they came. */
export function compileQuery(schema: TSchema): Check {
  const check = checkWith(queries, schema, 'query')
  return (value) => check(structuredClone(value))
}
