// Made from the published interface: each operation answers its right call as OpenAPI says, and
// each wrong caller, id and method with its own status. A new operation fails until it is expected.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restoreMerchant, suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import { type Expectation, expectations } from '../bad-input/expectations.ts'
import { openWorld, type Who, type World } from '../bad-input/world.ts'
import type { Reply } from '../harness.ts'
import { matrixRows } from '../matrix/rows.ts'
import { type Operation, readPublished } from '../published.ts'

let world: World
const published = await readPublished()

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

type Expected = Operation & { expected: Expectation }
type Call = Readonly<{ as?: Who; id?: string; method?: string; slash?: boolean }>

const all: Expected[] = published.operations.flatMap((operation) => {
  const expected = expectations[operation.name]
  return expected === undefined ? [] : [{ ...operation, expected }]
})
const named = (operations: readonly Expected[]) =>
  operations.map((operation) => [operation.name, operation] as const)
const idOf = ({ expected }: Expected) => expected.id
const authenticated = all.filter(({ expected }) => expected.access !== 'public')
const withId = all.filter((one) => idOf(one) !== undefined)
const ofMerchant = withId.filter((one) => idOf(one)?.of === 'merchant')

function send(operation: Expected, { as = 'shop', id, method, slash = true }: Call = {}) {
  const { expected, path } = operation
  const { body, query = '', id: takes } = expected
  const filled = path.replace(/\{\w+\}/, id ?? world.named(`{${takes?.own}}`))
  const address = slash ? filled : filled.replace(/\/$/, '')
  return world.callers[as].call(method ?? operation.method, address + query, {
    ...(body === undefined || method === 'GET'
      ? {}
      : { body: JSON.stringify(body()), headers: { 'content-type': 'application/json' } }),
  })
}

function expectCode(operation: Expected, reply: Reply, status: number, code: string): void {
  expect(reply).toMatchObject({
    status,
    body: { success: false, error: { code, message: expect.any(String) }, code: status },
  })
  expect(published.faultsOf(operation, reply)).toEqual([])
}

/** The allowance that every answer to a known caller shows (contract 1.4). */
function expectAllowance({ headers }: Reply): void {
  for (const name of ['limit', 'remaining', 'reset']) {
    expect(headers.get(`ratelimit-${name}`)).toMatch(/^\d+$/)
  }
}

describe('the published operations', () => {
  it('are those that are served', async () => {
    const { body } = await world.callers.nobody.call('GET', '/openapi.json')
    const served = Object.entries<object>(body.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(served.sort()).toEqual(published.operations.map(({ name }) => name).sort())
  })

  it('are all expected, and all that is expected is there', () => {
    // Those of people, merchants' own affairs and staff stand in the matrix.
    const names = published.operations
      .map(({ name }) => name)
      .filter((name) => !(name in matrixRows))
    expect(names.filter((name) => expectations[name] === undefined)).toEqual([])
    expect(Object.keys(expectations).filter((name) => !names.includes(name))).toEqual([])
    expect(all.length).toBeGreaterThan(0)
  })

  it.each(named(all))('%s says whether it needs a credential', (_, operation) => {
    expect(operation.isPublic).toBe(operation.expected.access === 'public')
  })
})

// Without this, a check that reads nothing would pass every answer.
describe('what is held to the published interface', () => {
  it('is found wrong in its status, its fields and their values', async () => {
    const verify = published.operationAt('GET', `/payments/${world.names['paid']}/verify`)
    if (verify === undefined) throw new Error('verify is not published')
    const { status, body, data } = await world.callers.shop.get(
      world.named('/payments/{paid}/verify/'),
    )
    const faults = (changed: object, as = status) =>
      published.faultsOf(verify, { status: as, body: { ...body, data: changed } })
    expect(faults(data)).toEqual([])
    expect(faults({ ...data, secret: 1 })).toEqual(['/data/secret is unpublished'])
    expect(faults({ ...data, amounts: { ...data.amounts, cost: '1' } })).toEqual([
      '/data/amounts/cost is unpublished',
    ])
    expect(faults({ ...data, status: 'DONE' })).toEqual([expect.stringContaining('/data/status')])
    expect(faults({ ...data, message: undefined })).not.toEqual([])
    expect(faults(data, 418)).toEqual([expect.stringContaining('418')])
  })
})

describe('a right call', () => {
  it.each(named(all))('%s answers as published', async (_, operation) => {
    const { expected } = operation
    const id = await expected.id?.fresh?.(world)
    const reply = await send(operation, id === undefined ? {} : { id })
    expect(reply.status, JSON.stringify(reply.body)).toBe(expected.status)
    expect(published.faultsOf(operation, reply)).toEqual([])
    if (expected.access !== 'public') expectAllowance(reply)
    // Lists must have shown a row, or nothing was held to the row's schema.
    if (reply.data?.results !== undefined) expect(reply.data.results.length).toBeGreaterThan(0)
  })
})

describe('401', () => {
  it.each(named(authenticated))('%s without a credential', async (_, operation) => {
    const reply = await send(operation, { as: 'nobody' })
    expectCode(operation, reply, 401, 'not_authenticated')
    expect((await send(operation, { as: 'nobody', slash: false })).body).toEqual(reply.body)
  })

  it.each(named(authenticated))('%s with a key that was revoked', async (_, operation) => {
    expectCode(operation, await send(operation, { as: 'revoked' }), 401, 'revoked_api_key')
  })

  it('is not asked of a public route, but for one that has more for who is known', async () => {
    const open = all.filter(({ expected }) => expected.access === 'public')
    expect(open.map(({ name }) => name).sort()).toEqual(['GET /availability/', 'GET /countries/'])
    for (const operation of open) {
      expect((await send(operation, { as: 'nobody' })).status).toBe(200)
      // One has more for who is known: there a wrong credential is not passed over.
      const isKnowing = operation.name === 'GET /availability/'
      const { status } = await send(operation, { as: 'revoked' })
      expect([operation.name, status]).toEqual([operation.name, isKnowing ? 401 : 200])
    }
  })
})

describe('403', () => {
  const scoped = all.filter(({ expected }) => expected.access === 'PAYIN')
  it.each(named(scoped))('%s with a key for payouts', async (_, operation) => {
    const reply = await send(operation, { as: 'payout' })
    expectCode(operation, reply, 403, 'api_key_scope_forbidden')
    expectAllowance(reply)
  })

  const unscoped = authenticated.filter(
    ({ expected, method }) => expected.access === 'any' && method === 'GET',
  )
  it.each(named(unscoped))('never: %s with a key of either scope', async (_, operation) => {
    for (const as of ['payin', 'payout'] as const) {
      expect((await send(operation, { as })).status).toBe(200)
    }
  })

  it.each(named(authenticated))('%s in LIVE without approval', async (_, operation) => {
    expectCode(operation, await send(operation, { as: 'unapproved' }), 403, 'live_mode_not_enabled')
  })

  it.each(named(ofMerchant))('%s with the id of another merchant', async (_, operation) => {
    const before = await world.count()
    const reply = await send(operation, { as: 'stranger' })
    expectCode(operation, reply, 403, 'permission_denied')
    expectAllowance(reply)
    expect(await world.count()).toEqual(before)
  })
})

describe('404', () => {
  it.each(named(withId))('%s with an unknown or ill-formed id', async (_, operation) => {
    for (const id of [world.names['unknown'] ?? '', 'x', '1', 'null']) {
      expectCode(operation, await send(operation, { id }), 404, 'not_found')
    }
  })

  it.each(named(ofMerchant))('%s with an id of the other environment', async (_, operation) => {
    const before = await world.count()
    expectCode(operation, await send(operation, { as: 'live' }), 404, 'not_found')
    expect(await world.count()).toEqual(before)
  })

  const shared = withId.filter((one) => idOf(one)?.of === 'everybody')
  it.each(named(shared))('never: %s by anyone', async (_, operation) => {
    for (const as of ['live', 'stranger'] as const) {
      expect((await send(operation, { as })).status).toBe(200)
    }
  })
})

describe('405', () => {
  const paths = [...new Map(all.map((operation) => [operation.path, operation])).values()]
  it.each(named(paths))('at the address of %s', async (_, operation) => {
    const taken = all.filter(({ path }) => path === operation.path).map(({ method }) => method)
    const get = all.find(({ path, method }) => path === operation.path && method === 'GET')
    // Of a file there is no HEAD: its answer has no JSON.
    const has_head = get !== undefined && get.answers.get(200) !== undefined
    const allowed = [...taken, ...(has_head ? ['HEAD'] : [])].sort().join(', ')
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (taken.includes(method)) continue
      const reply = await send(operation, { method })
      expect(reply).toMatchObject({ status: 405, error: { code: 'method_not_allowed' } })
      expect(reply.headers.get('allow')).toBe(allowed)
    }
  })
})

describe('a suspended merchant', () => {
  beforeAll(() => suspendMerchant(world.app.service.db, world.callers.shop.merchant_id, 'test'))
  afterAll(() => restoreMerchant(world.app.service.db, world.callers.shop.merchant_id))

  const by = (suspended: 'allowed' | 'refused') =>
    named(authenticated.filter(({ expected }) => expected.suspended === suspended))

  it.each(by('refused'))('is refused %s', async (_, operation) => {
    const before = await world.count()
    const reply = await send(operation)
    expectCode(operation, reply, 403, 'merchant_suspended')
    expectAllowance(reply)
    expect(await world.count()).toEqual(before)
  })

  it.each(by('allowed'))('still reads %s', async (_, operation) => {
    const reply = await send(operation)
    expect(reply.status).toBe(operation.expected.status)
    expect(published.faultsOf(operation, reply)).toEqual([])
  })
})
