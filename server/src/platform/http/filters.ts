// Readers of one query or path parameter each (contract 1.6). An absent or empty parameter is no
// filter; one that cannot be read is a 400 on its name.

import { Type } from 'typebox'
import { type FieldErrors, Invalid, invalid, refuse, type Text } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { readMoment } from './formats.ts'
import type { Input } from './route.ts'
import { transportErrors } from './transport-errors.ts'

export type Query = Readonly<Record<string, string>>

/** The id in the path, in lower case; an ill-formed one is unknown: 404 (contract 3.5). */
export function uuidParam(input: Pick<Input, 'params'>, name: string): string {
  const id = input.params[name]
  if (id === undefined || !isUuid(id)) throw refuse(transportErrors.not_found)
  return id.toLowerCase()
}

function present(query: Query, name: string): string | undefined {
  const value = query[name]
  return value === '' ? undefined : value
}

export const oneOf = (values: readonly string[]): Text => ({
  en: `Must be one of: ${values.join(', ')}.`,
  fr: `Doit être l’une des valeurs : ${values.join(', ')}.`,
})

/** One of `values`, exactly as written there. */
export function enumFilter<const V extends string>(
  query: Query,
  name: string,
  values: readonly V[],
): V | undefined {
  const text = present(query, name)
  if (text === undefined) return undefined
  const value = values.find((allowed) => allowed === text)
  if (value === undefined) throw invalid(name, oneOf(values))
  return value
}

const trueWords: readonly string[] = ['true', 'True', '1']
const falseWords: readonly string[] = ['false', 'False', '0']

/** A yes or no in a query (contract 8.7), as the common client libraries write it. */
export const flagSchema = Type.Enum([...trueWords, ...falseWords])

export function flagFilter(query: Query, name: string): boolean | undefined {
  const word = enumFilter(query, name, [...trueWords, ...falseWords])
  return word === undefined ? undefined : trueWords.includes(word)
}

/** A bound in time as text for `::timestamptz`, in UTC with microseconds; see `readMoment`. */
export function dateFilter(query: Query, name: string): string | undefined {
  const text = present(query, name)
  if (text === undefined) return undefined
  // A `+` that the client did not escape arrives as a space: `…T10:00:00 01:00` means it.
  const moment = readMoment(
    text.replace(/ (\d\d:?\d\d)$/, (tail, zone: string) => (text.length > 16 ? `+${zone}` : tail)),
  )
  if (moment === undefined) {
    throw invalid(name, {
      en: 'Must be an ISO 8601 date or date-time, such as 2026-01-31T08:00:00Z.',
      fr: 'Doit être une date ou une date-heure ISO 8601, par exemple 2026-01-31T08:00:00Z.',
    })
  }
  return moment
}

const moment = Type.Optional(
  Type.String({ description: 'An ISO 8601 date or date-time; UTC if it has no time zone.' }),
)

/** Query properties of the bounds in time, to spread into a list's query schema. */
export const timeQuery = { created_at__gte: moment, created_at__lte: moment }

/** What the schema cannot express: the bounds are dates that exist. For a list's `check_query`. */
export function checkTimes(query: Query): FieldErrors {
  const wrong: Record<string, readonly Text[]> = {}
  for (const name of ['created_at__gte', 'created_at__lte']) {
    try {
      dateFilter(query, name)
    } catch (error) {
      if (!(error instanceof Invalid)) throw error
      Object.assign(wrong, error.fields)
    }
  }
  return wrong
}

export const readTimes = (query: Query) => ({
  created_at__gte: dateFilter(query, 'created_at__gte'),
  created_at__lte: dateFilter(query, 'created_at__lte'),
})

export function uuidFilter(query: Query, name: string): string | undefined {
  const text = present(query, name)
  if (text === undefined) return undefined
  if (!isUuid(text)) throw invalid(name, { en: 'Must be a UUID.', fr: 'Doit être un UUID.' })
  return text.toLowerCase()
}

/** A 3-letter code, in upper case. Its existence is not checked: an unknown one finds nothing. */
export function currencyFilter(query: Query, name = 'currency'): string | undefined {
  const text = present(query, name)?.toUpperCase()
  if (text !== undefined && !/^[A-Z]{3}$/.test(text)) {
    throw invalid(name, {
      en: 'Must be a 3-letter currency code, such as XOF.',
      fr: 'Doit être un code de devise à 3 lettres, par exemple XOF.',
    })
  }
  return text
}

export type SortBy<F extends string> = Readonly<{ field: F; descending: boolean }>

/** `ordering=-created_at,name`: fields of the allow-list, `-` for descending; else `fallback`. */
export function orderingFilter<const F extends string>(
  query: Query,
  fields: readonly F[],
  fallback: readonly SortBy<NoInfer<F>>[],
): readonly SortBy<F>[] {
  const text = present(query, 'ordering')
  if (text === undefined) return fallback
  return text.split(',').map((part) => {
    const name = part.trim()
    const field = fields.find((allowed) => allowed === name.replace(/^-/, ''))
    if (field === undefined) throw invalid('ordering', oneOf(orderings(fields)))
    return { field, descending: name.startsWith('-') }
  })
}

/** The same for a list sorted by one field: the first that `ordering` names. */
export function singleSort<const F extends string>(
  query: Query,
  fields: readonly F[],
  fallback: SortBy<NoInfer<F>>,
): SortBy<F> {
  const [order = fallback] = orderingFilter(query, fields, [fallback])
  return order
}

export const newestFirst = { field: 'created_at', descending: true } as const

/** Every value that `ordering` takes over these fields, as OpenAPI lists them. */
export const orderings = (fields: readonly string[]): string[] =>
  fields.flatMap((field) => [field, `-${field}`])
