// What routes have in common, written once: what a whole list shares, and the parts that every
// list, read and removal answers alike. A route then shows what is its own.

import { type TProperties, type TSchema, Type } from 'typebox'
import { orderings } from './filters.ts'
import {
  cursorPageSchema,
  cursorQuery,
  eitherPageSchema,
  eitherQuery,
  numberPageSchema,
  numberQuery,
  onlyOrder,
} from './pages.ts'
import { type Input, noContent, type Route, type ServedRoute } from './route.ts'

/** What the routes of a list share; a route that differs says so itself. */
type Shared = Pick<Route, 'tag' | 'access' | 'staff'>

/** A route as it stands in a list: without what the list says for all. */
export type Listed<R extends Shared = Route> = Omit<R, 'tag' | 'access'> &
  Partial<Pick<R, 'tag' | 'access'>>

/** The routes of one list, each completed by what they share. */
export function routesWith(shared: Shared, routes: readonly Listed[]): Route[]
export function routesWith(shared: Shared, routes: readonly Listed<ServedRoute>[]): ServedRoute[]
export function routesWith(shared: Shared, routes: readonly Listed<ServedRoute>[]): ServedRoute[] {
  return routes.map((route) => ({ ...shared, ...route }))
}

/** GET of a list with numbered pages of `row`; `query` are its filters. */
export const numberList = (row: TSchema, example: unknown, query: TProperties = {}) => ({
  method: 'GET' as const,
  query: Type.Object({ ...numberQuery, ...query }),
  responses: { 200: numberPageSchema(row) },
  example: { reply: { count: 1, next: null, previous: null, results: [example] } },
})

/** The same list, by cursor as well: one that may grow to millions. */
export const eitherList = (row: TSchema, example: unknown, query: TProperties = {}) => ({
  ...numberList(row, example, query),
  query: Type.Object({ ...eitherQuery, ...query }),
  responses: { 200: eitherPageSchema(row) },
})

/** GET of a list that is walked by cursor, newest first. */
export const cursorList = (row: TSchema, example: unknown, query: TProperties = {}) => ({
  method: 'GET' as const,
  query: Type.Object({ ...cursorQuery, ordering: onlyOrder('-created_at'), ...query }),
  responses: { 200: cursorPageSchema(row) },
  example: { reply: { next: null, previous: null, results: [example] } },
})

/** The filter `search`; `description` names what is searched. */
export const searchFilter = (description: string, maxLength = 255) =>
  Type.Optional(Type.String({ maxLength, description }))

/** The parameter `ordering` over these fields. */
export const orderingBy = (fields: readonly string[]) => Type.Optional(Type.Enum(orderings(fields)))

/** GET of one thing. */
export const reads = (schema: TSchema, example: unknown) => ({
  method: 'GET' as const,
  responses: { 200: schema },
  example: { reply: example },
})

/** DELETE, answered with nothing once `remove` is done. */
export const removes = (remove: (input: Input) => Promise<unknown>) => ({
  method: 'DELETE' as const,
  responses: { 204: null },
  example: {},
  handler: async (input: Input) => {
    await remove(input)
    return noContent
  },
})
