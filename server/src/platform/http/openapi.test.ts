// The published interface (contract 1.7): valid OpenAPI 3.1, complete, true, and served offline.

import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { as, boat_id, buildFixture, routes } from '../../../test/setup/boat-routes.ts'
import { formats } from './formats.ts'
import { buildOpenApi } from './openapi.ts'
import type { HttpServer } from './server.ts'
import { accessErrors } from './transport-errors.ts'

let server: HttpServer
beforeAll(async () => {
  server = await buildFixture()
})
afterAll(() => server.close())

type Json = { [key: string]: Json } & Json[]

const document: Json = JSON.parse(JSON.stringify(buildOpenApi(routes)))

/** What stands at a path of the document, references followed. */
function at(...path: readonly string[]): Json {
  let found = document
  for (const key of path) {
    const next = found[key]
    if (next === undefined) throw new Error(`nothing at ${path.join(' ')}`)
    const $ref: unknown = next['$ref']
    found = typeof $ref === 'string' ? at(...$ref.slice(2).split('/')) : next
  }
  return found
}

describe('the document', () => {
  it('is valid OpenAPI 3.1, in both envelopes', async () => {
    for (const envelope of ['on', 'off'] as const) {
      const { valid, errors } = await new Validator().validate(buildOpenApi(routes, { envelope }))
      expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
    }
    expect(document['openapi']).toBe('3.1.0')
    expect(at('info')['version']).toBe('1.0.0')
  })

  it('has every route and alias, each operation once', () => {
    const served = routes.flatMap(({ method, path, aliases = [] }) =>
      [path, ...aliases].map((one) => `${method} ${one.replace(':id', '{id}')}`),
    )
    const shown = Object.entries(at('paths')).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(shown.sort()).toEqual(served.sort())
    const ids = JSON.stringify(document).match(/"operationId":"\w+"/g) ?? []
    expect(new Set(ids).size).toBe(served.length)
    expect(at('paths', '/canoes/', 'post', 'description')).toBe('Same as `/boats/`.')
  })

  it('shows the schema that validates, its enums as lists, and no annotation of ours', () => {
    const body = at('paths', '/boats/', 'post', 'requestBody', 'content', 'application/json')
    const properties = body['schema']?.['properties']
    expect(properties?.['wood']).toEqual({ type: 'string', enum: ['ROSEWOOD', 'KAPOK'] })
    expect(properties?.['name']).toEqual({ type: 'string', minLength: 1, maxLength: 10 })
    expect(JSON.stringify(document)).not.toMatch(/x-message|x-null-refused|x-empty-absent/)
  })

  it('wraps the answer and its example in the envelope, but not on a raw route', () => {
    const created = at('paths', '/boats/', 'post', 'responses', '201', 'content')
    const schema = created['application/json']?.['schema']
    const example = created['application/json']?.['example']
    expect(schema?.['properties']?.['data']).toEqual({ $ref: '#/components/schemas/Boat' })
    expect(example).toMatchObject({ success: true, data: { name: 'Teranga' }, code: 201 })
    const raw = at('paths', '/woods/', 'get', 'responses', '200', 'content', 'application/json')
    expect(raw).toEqual({
      schema: { type: 'array', items: { type: 'string' } },
      example: ['KAPOK'],
    })
  })

  it('lists every error of a route with an example of the envelope', () => {
    const conflict = at('paths', '/boats/', 'post', 'responses', '409')
    expect(conflict['description']).toBe('`boat_away`')
    expect(at('paths', '/boats/', 'post', 'responses', '409', 'headers')).toHaveProperty(
      'Retry-After',
    )
    const content = at('paths', '/boats/', 'post', 'responses', '409', 'content')
    expect(content['application/json']?.['examples']?.['boat_away']?.['value']).toEqual({
      success: false,
      error: { message: 'The boat is away.', code: 'boat_away', retryable: true },
      code: 409,
    })
    const elsewhere = ['dashboard_only', 'totp_required']
    const codes = Object.keys(accessErrors).filter((code) => !elsewhere.includes(code))
    const operation = JSON.stringify([
      ...['400', '401', '403', '422', '429', '413', '415', '500', '503'].map((status) =>
        at('paths', '/boats/', 'post', 'responses', status),
      ),
    ])
    for (const code of [...codes, 'malformed_json', 'boat_full', 'internal_error']) {
      expect(operation).toContain(`"${code}"`)
    }
    for (const code of elsewhere) expect(operation).not.toContain(code)
  })

  it('shows a refusal that may name what was made without it and with it', () => {
    const naming = routes.map((route) => {
      const { errors = [] } = route
      const names = { transaction: 'a transaction' }
      return { ...route, errors: errors.map((row) => ({ ...row, retryable: true, names })) }
    })
    const named: Json = JSON.parse(JSON.stringify(buildOpenApi(naming)))
    const response = named['paths']?.['/boats/']?.['post']?.['responses']?.['422']
    const [, , , name = ''] = String(response?.['$ref']).split('/')
    const shown = named['components']?.['responses']?.[name] ?? response
    const examples = shown?.['content']?.['application/json']?.['examples']
    const full = { message: 'The boat is full.', code: 'boat_full' }
    expect(examples?.['boat_full']?.['value']?.['error']).toEqual({ ...full, retryable: true })
    expect(examples?.['boat_full_with_transaction']?.['value']?.['error']).toEqual({
      ...full,
      transaction: 'a transaction',
    })
  })

  it('names the headers of a refusal that waits, of one that is kept, and of a file', () => {
    const headersOf = (path: string, method: string, status: string) =>
      Object.keys(at('paths', path, method, 'responses', status, 'headers'))
    expect(headersOf('/boats/', 'post', '410')).toContain('Retry-After')
    expect(headersOf('/boats/', 'post', '422')).toContain('Idempotent-Replayed')
    expect(headersOf('/boats/{id}/', 'patch', '400')).not.toContain('Idempotent-Replayed')
    const [first, ...others] = routes
    const sends = ['Content-Disposition', 'Time-Zone'] as const
    const sending: Json = JSON.parse(
      JSON.stringify(buildOpenApi(first ? [{ ...first, sends }, ...others] : [])),
    )
    const answer = sending['paths']?.['/boats/']?.['get']?.['responses']?.['200']?.['headers']
    expect(Object.keys(answer ?? {})).toEqual(expect.arrayContaining([...sends]))
    for (const name of sends) expect(sending['components']?.['headers']?.[name]).toBeDefined()
  })

  it('shows the key only where it counts, security, path ids and headers', () => {
    const parameters = JSON.stringify(at('paths', '/boats/', 'post', 'parameters'))
    expect(parameters).toContain('#/components/parameters/IdempotencyKey')
    const verify = at('paths', '/boats/{id}/verify/', 'post')
    expect(JSON.stringify(verify)).not.toContain('IdempotencyKey')
    // No session may: no role is named.
    expect(verify['security']).toEqual([{ bearer: [] }])
    expect(at('paths', '/boats/{id}/', 'get', 'security')).toEqual([
      { bearer: [] },
      { memberCookie: [], requestedWith: [] },
    ])
    expect(verify['parameters']?.[0]).toEqual({
      name: 'id',
      in: 'path',
      required: true,
      schema: { type: 'string', format: 'uuid' },
    })
    expect(at('paths', '/woods/', 'get', 'security')).toEqual([])
    expect(at('components', 'parameters', 'IdempotencyKey', 'schema')).toEqual({
      type: 'string',
      minLength: 1,
      maxLength: 255,
    })
    const list = at('paths', '/boats/', 'get', 'parameters')
    expect(list.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['page', 'page_size', 'wood']),
    )
  })

  it('refuses two different schemas of one name', () => {
    const [first, second] = routes
    if (first === undefined || second === undefined) throw new Error('no routes')
    const other = Type.Object({ sail: Type.String() }, { title: 'Boat' })
    expect(() => buildOpenApi([first, { ...second, responses: { 201: other } }])).toThrow(/Boat/)
  })
})

describe('the answers', () => {
  const ajv = new Ajv2020({ strict: false, formats })

  it.each([
    ['GET', '/boats/', '/boats/', 200],
    ['POST', '/boats/', '/boats/', 201],
    ['GET', '/boats/{id}/', `/boats/${boat_id}/`, 200],
    ['GET', '/boats/{id}/', '/boats/x/', 404],
    ['GET', '/woods/', '/woods/', 200],
  ] as const)('of %s %s are what the document says', async (method, path, url, status) => {
    const body = method === 'POST' ? { payload: { name: 'x' } } : {}
    const headers = as('both')
    const reply = await server.inject({ method, url: `/api/v1${url}`, headers, ...body })
    expect(reply.statusCode).toBe(status)
    const content = at('paths', path, method.toLowerCase(), 'responses', String(status), 'content')
    const schema = { ...content['application/json']?.['schema'], components: at('components') }
    const validate = ajv.compile(JSON.parse(JSON.stringify(schema)))
    validate(reply.json())
    expect(validate.errors).toBeNull()
    const shown = Object.keys(
      at('paths', path, method.toLowerCase(), 'responses', String(status), 'headers'),
    )
    expect(shown).toContain('X-Request-Id')
  })
})

describe('the docs', () => {
  it('are one document, as JSON, as YAML and where tools look for it', async () => {
    const json = await server.inject({ url: '/api/v1/openapi.json' })
    const yaml = await server.inject({ url: '/api/v1/openapi.yaml' })
    const pages = await server.inject({ url: '/docs/json' })
    expect(json.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(json.json().servers).toEqual([{ url: 'https://pay.example.org/api/v1' }])
    expect(json.json().paths).toEqual(document['paths'])
    expect(parse(yaml.body)).toEqual(json.json())
    expect(pages.json()).toEqual(json.json())
  })

  it('come compressed to whom takes that, in less than a quarter of their size', async () => {
    const bare = await server.inject({ url: '/openapi.json' })
    for (const [encoding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const headers = { 'accept-encoding': encoding }
      for (const _ of ['made', 'kept']) {
        const reply = await server.inject({ url: '/openapi.json', headers })
        expect(reply.headers['content-encoding']).toBe(encoding)
        expect(reply.headers['vary']).toContain('Accept-Encoding')
        expect(unpack(reply.rawPayload).toString()).toBe(bare.body)
        expect(reply.rawPayload.length).toBeLessThan(bare.rawPayload.length / 4)
      }
    }
  })

  it('come in the envelope to whom asks for it', async () => {
    const prefer = { prefer: 'envelope=on' }
    const json = await server.inject({ url: '/api/v1/openapi.json', headers: prefer })
    expect(json.json()).toMatchObject({ success: true, code: 200, data: { openapi: '3.1.0' } })
  })
})
