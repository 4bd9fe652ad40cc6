// A schema is compiled when a call first needs it, so that a start is quick. What a start would have
// found is found here: every schema of every route can be compiled, and is a schema.

import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { compileBody, compileQuery } from '../platform/http/validation.ts'
import { everyRoute } from './openapi-document.ts'

const routes = await everyRoute()
const ajv = new Ajv2020()

const bodies = routes.flatMap(({ method, path, body }) =>
  body === undefined ? [] : [{ name: `${method} ${path}`, schema: body }],
)
const queries = routes.flatMap(({ method, path, query }) =>
  query === undefined ? [] : [{ name: `${method} ${path}`, schema: query }],
)

describe('every route', () => {
  it('is looked at', () => {
    expect(bodies.length).toBeGreaterThan(80)
    expect(queries.length).toBeGreaterThan(40)
  })

  it.each(bodies)('has a body that can be checked: $name', ({ schema }) => {
    expect(ajv.validateSchema(schema)).toBe(true)
    expect(() => compileBody(schema)({})).not.toThrow()
  })

  it.each(queries)('has a query that can be checked: $name', ({ schema }) => {
    expect(ajv.validateSchema(schema)).toBe(true)
    expect(() => compileQuery(schema)({})).not.toThrow()
  })
})
