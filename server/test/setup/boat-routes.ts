// Small routes for tests of the HTTP mechanism: one of each kind, with no business in them.

import { pino } from 'pino'
import { Type } from 'typebox'
import { defineErrors, Refusal, refuse, type Text } from '../../src/platform/errors.ts'
import type { RequestFacts } from '../../src/platform/http/admission.ts'
import { uuidParam } from '../../src/platform/http/filters.ts'
import { listByNumber } from '../../src/platform/http/lists.ts'
import { numberPageSchema, numberQuery } from '../../src/platform/http/pages.ts'
import {
  type Authenticated,
  type Caller,
  created,
  type Input,
  noContent,
  ok,
  type Rate,
  type ServedRoute,
} from '../../src/platform/http/route.ts'
import { buildServer, type HttpServer, type ServerOptions } from '../../src/platform/http/server.ts'
import { accessErrors } from '../../src/platform/http/transport-errors.ts'

export const boatErrors = defineErrors({
  boat_full: { status: 422, message: { en: 'The boat is full.', fr: 'La pirogue est pleine.' } },
  boat_away: {
    status: 409,
    retryable: true,
    message: { en: 'The boat is away.', fr: 'La pirogue est partie.' },
  },
  boat_wet: {
    status: 410,
    waits: true,
    message: { en: 'The boat is drying.', fr: 'La pirogue sèche.' },
  },
})

const Boat = Type.Object(
  { id: Type.String({ format: 'uuid' }), name: Type.String(), note: Type.Optional(Type.String()) },
  { title: 'Boat' },
)

const BoatBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 10 }),
  wood: Type.Optional(Type.Enum(['ROSEWOOD', 'KAPOK'])),
  seats: Type.Optional(Type.Integer({ minimum: 1, maximum: 90 })),
  price: Type.Optional(
    Type.Union([
      Type.String({
        pattern: '^\\d+$',
        'x-message': { en: 'Must be an amount.', fr: 'Doit être un montant.' },
      }),
      Type.Number(),
    ]),
  ),
  owner: Type.Optional(
    Type.Object({
      phone: Type.String({ minLength: 8 }),
      email: Type.Optional(Type.String({ format: 'email' })),
    }),
  ),
  ports: Type.Optional(Type.Array(Type.String({ minLength: 2 }), { maxItems: 3 })),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { maxProperties: 2 })),
})

export const boat_id = '01981f3a-0000-7000-8000-000000000001'
const luck: Text = { en: 'Thirteen brings bad luck.', fr: 'Treize porte malheur.' }

const boat = { id: boat_id, name: 'Teranga' }
const tag = 'Boats'

/** What the last handler received, for tests that look at the input itself. */
export const seen: { input: Input | undefined; handled: number } = { input: undefined, handled: 0 }

function see(input: Input): void {
  seen.input = input
  seen.handled += 1
}

const listBoats = listByNumber(
  (row) => row,
  async () => ({ count: 120, rows: [boat] }),
)

export const routes: readonly ServedRoute[] = [
  {
    method: 'GET',
    path: '/boats/',
    aliases: ['/canoes/'],
    access: 'any',
    query: Type.Object({ ...numberQuery, wood: Type.Optional(Type.Enum(['ROSEWOOD', 'KAPOK'])) }),
    summary: 'List boats',
    tag,
    responses: { 200: numberPageSchema(Boat) },
    example: { reply: { count: 1, next: null, previous: null, results: [boat] } },
    handler: async (input) => {
      see(input)
      return listBoats(input)
    },
  },
  {
    method: 'POST',
    path: '/boats/',
    aliases: ['/canoes/'],
    access: 'PAYIN',
    idempotent: true,
    body: BoatBody,
    check: (body): Readonly<Record<string, readonly Text[]>> =>
      body['seats'] === 13 ? { seats: [luck], name: [luck] } : {},
    summary: 'Build a boat',
    tag,
    responses: { 201: Boat },
    errors: [boatErrors.boat_full, boatErrors.boat_away, boatErrors.boat_wet],
    example: { body: { name: 'Teranga', wood: 'KAPOK' }, reply: boat },
    handler: async (input: Input<{ name: string }>) => {
      see(input)
      if (input.body.name === 'full') throw refuse(boatErrors.boat_full)
      if (input.body.name === 'away') throw refuse(boatErrors.boat_away, { retry_after_s: 7 })
      if (input.body.name === 'wet') throw refuse(boatErrors.boat_wet)
      if (input.body.name === 'bug') throw new Error('phone +221770000000 in table boats')
      return created({ ...boat, name: input.body.name })
    },
  },
  {
    method: 'GET',
    path: '/boats/:id/',
    access: 'any',
    summary: 'Read a boat',
    tag,
    responses: { 200: Boat },
    example: { reply: boat },
    handler: async (input) => {
      see(input)
      return ok({ ...boat, id: uuidParam(input, 'id') })
    },
  },
  {
    method: 'PATCH',
    path: '/boats/:id/',
    access: 'dashboard',
    body: Type.Object({
      note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      wood: Type.Optional(Type.String()),
    }),
    summary: 'Change a boat',
    tag,
    responses: { 200: Boat },
    example: { body: { note: null }, reply: boat },
    handler: async (input) => {
      see(input)
      return ok(boat)
    },
  },
  {
    method: 'DELETE',
    path: '/boats/:id/',
    access: 'any',
    summary: 'Sink a boat',
    tag,
    responses: { 204: null },
    example: {},
    handler: async () => noContent,
  },
  {
    method: 'POST',
    path: '/boats/:id/verify/',
    access: 'PAYOUT',
    suspended: 'allowed',
    body: Type.Object({ note: Type.Optional(Type.String()) }),
    guard: {
      check: async ({ ip }) => {
        if (ip === '203.0.113.66') throw refuse(accessErrors.permission_denied)
      },
    },
    summary: 'Look whether it floats',
    tag,
    responses: { 200: Boat },
    example: { reply: boat },
    handler: async (input) => {
      see(input)
      return ok(boat)
    },
  },
  {
    method: 'GET',
    path: '/woods/',
    access: 'public',
    envelope: 'raw',
    summary: 'List woods',
    tag,
    responses: { 200: Type.Array(Type.String()) },
    example: { reply: ['KAPOK'] },
    handler: async () => ok(['KAPOK']),
  },
  {
    method: 'GET',
    path: '/boats/export/',
    access: 'any',
    summary: 'Export boats',
    tag,
    responses: { 200: Type.String({ contentMediaType: 'text/csv' }) },
    example: {},
    handler: async () => ({
      status: 200,
      file: 'id,name\n',
      content_type: 'text/csv; charset=utf-8',
      filename: 'boats.csv',
    }),
  },
  {
    method: 'POST',
    path: '/boats/:id/photo/',
    access: 'any',
    upload: { content_types: ['image/png'], bytes_max: 2_000_000 },
    summary: 'Send a photo',
    tag,
    responses: { 200: Type.Object({ bytes: Type.Integer() }) },
    example: { reply: { bytes: 3 } },
    handler: async (input: Input<Buffer>) => ok({ bytes: input.body.length }),
  },
]

export const rate: Rate = { limit: 300, remaining: 299, reset_s: 42 }

class TooMany extends Refusal {
  readonly rate: Rate = { ...rate, remaining: 0 }

  constructor() {
    super(accessErrors.rate_limited, { retry_after_s: rate.reset_s })
  }
}

const caller: Caller = {
  merchant_id: 'm1',
  environment: 'SANDBOX',
  via: 'KEY',
  scope: 'BOTH',
  api_key_id: 'k1',
  member_id: null,
  session: null,
  ip: '127.0.0.1',
  request_id: 'r1',
  locale: 'en',
  suspended: false,
  fee_charge_mode_locked: null,
  allowed_countries: null,
  catalogue_version: 1n,
}

const callers: Readonly<Record<string, Partial<Caller>>> = {
  both: {},
  payin: { scope: 'PAYIN' },
  payout: { scope: 'PAYOUT' },
  suspended: { suspended: true },
  'suspended-payout': { suspended: true, scope: 'PAYOUT' },
  session: { via: 'SESSION' },
}

/** Known callers by their token; `slow` has no allowance left. */
export async function authenticate(facts: RequestFacts): Promise<Authenticated> {
  const token = facts.authorization?.replace('Bearer ', '')
  if (token === undefined) throw refuse(accessErrors.not_authenticated)
  if (token === 'slow') throw new TooMany()
  const known = callers[token]
  if (known === undefined) throw refuse(accessErrors.invalid_api_key)
  const { ip, request_id, locale } = facts
  return { caller: { ...caller, ...known, ip, request_id, locale }, rate }
}

export const config: ServerOptions['config'] = {
  default_locale: 'en',
  envelope: 'on',
  public_url: 'https://pay.example.org',
  trust_proxy: { is: 'nobody' },
}

export const as = (token: string) => ({ authorization: `Bearer ${token}` })

/** A server over the fixture routes, with a test's changes. */
export function buildFixture(changes: Partial<ServerOptions> = {}): Promise<HttpServer> {
  return buildServer({ routes, authenticate, config, log: pino({ level: 'silent' }), ...changes })
}
