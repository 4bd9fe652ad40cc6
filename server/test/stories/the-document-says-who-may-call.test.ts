// `x-access` of each operation (who may: keys by scope, mode and address, members by right and second
// factor, staff by right) answers for every credential there is what the matrix of doors expects,
// which real calls hold the service to; and the rule of listed addresses is tried here. So are the
// headers by which a session says for which merchant it calls, and in which environment.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '../../src/app/openapi-document.ts'
import { roles } from '../../src/merchants/roles.ts'
import { staffRoles } from '../../src/people/staff-roles.ts'
import { openWorld, type World } from '../bad-input/world.ts'
import { type Json, shopWith } from '../harness.ts'
import { type Credential, openCredentials } from '../matrix/credentials.ts'
import { expectedOf } from '../matrix/expected.ts'
import { merchantRow } from '../matrix/merchant-rows.ts'
import type { MatrixRow } from '../matrix/row.ts'
import { matrixRows } from '../matrix/rows.ts'
import { type Operation, readPublished } from '../published.ts'

const published = await readPublished()
const document: Json = await openApiDocument()

/** In place of an id. */
const nothing = '00000000-0000-7000-8000-000000000000'

const accessOf = ({ path, method }: Operation): Json =>
  document.paths[path][method.toLowerCase()]['x-access']

let world: World
let credentials: readonly Credential[]
beforeAll(async () => {
  world = await openWorld()
  const { app, callers } = world
  const others = await Promise.all([app.shop(), app.shop(), app.shop()])
  const [young, suspended, other] = others.map(({ merchant_id }) => merchant_id)
  credentials = await openCredentials(app, {
    live: callers.shop.merchant_id,
    young: young ?? '',
    suspended: suspended ?? '',
    other: other ?? '',
  })
}, 60_000)
afterAll(() => world?.stop())

const rowOf = ({ name }: Operation): MatrixRow =>
  matrixRows[name] ?? merchantRow(name, world) ?? { access: 'public', status: 0 }

/** What the document says, as a row: by nothing but its words. */
function rowSaid({ key, member, staff, suspended }: Json): MatrixRow {
  const status = 0
  if (staff !== undefined) return { access: 'staff', status, staff: staff.permission }
  if (key === undefined && member === undefined) return { access: 'public', status }
  if (suspended === undefined) return { access: 'person', status }
  const narrow = key?.scopes.filter((scope: string) => scope !== 'BOTH') ?? []
  const [scope] = narrow.length === 0 ? ['BOTH' as const] : narrow
  const access = key === undefined ? 'dashboard' : narrow.length > 1 ? 'any' : scope
  const second_factor = member?.second_factor ?? 'none'
  const noKeys = key?.environments.length === 1 && member?.environments.length === 2
  return {
    ...{ access, status, suspended },
    ...(member === undefined ? {} : { permission: member.permission }),
    ...(second_factor === 'none' ? {} : { second_factor }),
    ...(noKeys ? { live_keys: 'refused' as const } : {}),
  }
}

/** Behind the door more is asked, by what the call is about: the matrix's calls show that. */
const narrowerBehind: Readonly<Record<string, string>> = {
  'GET /availability/': 'of a credential that is shown, that it is let in: it has more then',
  'DELETE /merchant-members/{id}/': 'everybody may leave by themselves; others, by right',
  'POST /admin/downloads/': 'what the address of the file asks of its callers',
  'POST /admin/proposals/{id}/confirm/': 'the right to what is proposed',
  'POST /admin/proposals/{id}/withdraw/': 'the right to what is proposed',
  'PUT /sandbox/dialects/': 'of keys the scope for the way that is chosen',
}
const isWhole = ({ name }: Operation): boolean => narrowerBehind[name] === undefined

describe('x-access', () => {
  it.each(published.operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    (_, operation) => {
      const { method } = operation
      const row = rowOf(operation)
      const said = rowSaid(accessOf(operation))
      for (const credential of credentials) {
        const { name } = credential
        const expected = expectedOf(method, row, credential)
        if (!isWhole(operation) && expected !== 'right') continue
        expect([name, expectedOf(method, said, credential)]).toEqual([name, expected])
      }
    },
  )

  it('names the roles that are let in, and no other', () => {
    const fresh = { second_factor: 'FRESH', environment: 'SANDBOX' } as const
    const usual = { name: '', headers: async () => ({}), ...fresh }
    const open = { suspended: false, live_enabled: true, stranger: false }
    for (const operation of published.operations.filter(isWhole)) {
      const { member, staff } = accessOf(operation)
      const lets = (by: Credential) =>
        expectedOf(operation.method, rowOf(operation), by) === 'right'
      if (member?.roles !== undefined) {
        const may = roles.filter((role) => lets({ is: 'member', role, ...usual, ...open }))
        expect([operation.name, member.roles]).toEqual([operation.name, may])
      }
      if (staff?.roles !== undefined) {
        const may = staffRoles.filter((role) => lets({ is: 'staff', role, demo: false, ...usual }))
        expect([operation.name, staff.roles]).toEqual([operation.name, may])
      }
    }
  })

  it('says what staff must have given, and that a reading key reads', () => {
    for (const operation of published.operations.filter(isWhole)) {
      const { staff, key } = accessOf(operation)
      const stale = credentials.find(({ name }) => name === 'staff whose code is old')
      const none = credentials.find(({ name }) => name === 'staff without a second factor')
      if (stale === undefined || none === undefined) throw new Error('no staff')
      if (staff !== undefined) {
        const lets = (by: Credential) =>
          expectedOf(operation.method, rowOf(operation), by) === 'right'
        const needed = lets(none) ? 'none' : lets(stale) ? 'enrolled' : 'fresh'
        expect([operation.name, staff.second_factor]).toEqual([operation.name, needed])
      }
      if (key !== undefined) expect(key.read_only).toBe(operation.method === 'GET')
    }
  })

  it('is wider than what is done for a few operations, each for its reason', () => {
    const names = published.operations.filter((one) => !isWhole(one)).map(({ name }) => name)
    expect(names.sort()).toEqual(Object.keys(narrowerBehind).sort())
    for (const operation of published.operations.filter((one) => !isWhole(one))) {
      const { method } = operation
      const said = rowSaid(accessOf(operation))
      const wider = credentials.filter(
        (by) =>
          expectedOf(method, said, by) === 'right' &&
          expectedOf(method, rowOf(operation), by) !== 'right',
      )
      expect(wider.length).toBeGreaterThan(0)
    }
  })

  it('names the mode that an address is in: all of the sandbox, and nothing else', () => {
    const narrow = published.operations.filter((operation) => {
      const { member, key } = accessOf(operation)
      return [member, key].some((one) => one?.environments?.length === 1) && member !== undefined
    })
    const said = narrow.filter((one) => accessOf(one).member.environments.length === 1)
    const sandbox = published.operations.filter(({ path }) => path.startsWith('/sandbox/'))
    expect(said.map(({ name }) => name)).toEqual(sandbox.map(({ name }) => name))
  })
})

describe('the list of addresses', () => {
  it('is asked of keys where the document says so, and nowhere else', async () => {
    const shop = await world.app.shop({ scope: 'BOTH' })
    const wrong: string[] = []
    for (const operation of published.operations) {
      const { key } = accessOf(operation)
      if (key === undefined) continue
      const path = operation.path.replace(/\{\w+\}/g, nothing)
      const { status, body } = await shop.call(operation.method, path)
      const isRefused = status === 403 && body?.error?.code === 'ip_not_whitelisted'
      if (isRefused !== key.ip_list) wrong.push(`${operation.name}: ${status}`)
    }
    expect(wrong).toEqual([])
    const listed = published.operations.filter((one) => accessOf(one).key?.ip_list === true)
    expect(listed.length).toBeGreaterThan(3)
  })
})

describe('X-Merchant and X-Environment', () => {
  const both = ['X-Merchant', 'X-Environment']

  function namedBy({ path, method }: Operation): string[] {
    const { parameters }: Json = document.paths[path][method.toLowerCase()]
    const names = parameters.map(({ $ref = '', name }: Json) => {
      return name ?? document.components.parameters[$ref.split('/').at(-1)].name
    })
    return both.filter((name) => names.includes(name))
  }

  function isForMembers(operation: Operation): boolean {
    const { access, permission, knows_callers } = rowOf(operation)
    if (access === 'person' || access === 'staff') return false
    if (access === 'public') return knows_callers === true
    return permission !== undefined || operation.method === 'GET'
  }

  it('are named by what a member’s session calls for a merchant, and by nothing else', () => {
    const wrong = published.operations.filter(
      (one) => namedBy(one).join() !== (isForMembers(one) ? both : []).join(),
    )
    expect(wrong.map(({ name }) => name)).toEqual([])
    const named = published.operations.filter((one) => namedBy(one).length > 0)
    expect(named.length).toBeGreaterThan(150)
    expect(published.operations.length - named.length).toBeGreaterThan(100)
  })

  it('are optional, since a key has both, and say which there are', () => {
    const { Merchant, Environment } = document.components.parameters
    expect([Merchant.required, Environment.required]).toEqual([false, false])
    expect(Merchant.schema).toEqual({ type: 'string', format: 'uuid' })
    expect(Environment.schema).toMatchObject({ enum: ['SANDBOX', 'LIVE'], default: 'SANDBOX' })
    for (const { description, example } of [Merchant, Environment]) {
      expect([description, example]).toEqual([expect.any(String), expect.any(String)])
    }
  })

  it('are named where both are read: there alone a wrong one is refused, as published', async () => {
    const { app, callers } = world
    const { key, merchant_id } = await app.member()
    const headers = { 'x-merchant': 'mine', 'x-environment': 'MOON' }
    const odd = shopWith(app.url, merchant_id, key, headers)
    const wrong: string[] = []
    for (const operation of published.operations) {
      const reply = await odd.call(operation.method, operation.path.replace(/\{\w+\}/g, nothing))
      const told = both.every((name) => reply.status === 400 && name in (reply.error ?? {}))
      if (told !== namedBy(operation).length > 0) wrong.push(`${operation.name}: ${reply.status}`)
      if (told) wrong.push(...published.faultsOf(operation, reply))
    }
    expect(wrong).toEqual([])
    const own = await callers.shop.get('/merchant/', headers)
    expect([own.status, own.data.id]).toEqual([200, callers.shop.merchant_id])
  })

  it('the environment is read of people and of staff too, and a wrong one is refused', async () => {
    const { app } = world
    const callers = { person: await app.member(), staff: await app.staff() }
    const wrong: string[] = []
    for (const operation of published.operations) {
      const { access } = rowOf(operation)
      if (access !== 'person' && access !== 'staff') continue
      const odd = shopWith(app.url, '', callers[access].key, { 'x-environment': 'MOON' })
      const reply = await odd.call(operation.method, operation.path.replace(/\{\w+\}/g, nothing))
      const isTold = reply.status === 400 && 'X-Environment' in (reply.error ?? {})
      if (!isTold) wrong.push(`${operation.name}: ${reply.status}`)
      wrong.push(...published.faultsOf(operation, reply))
    }
    expect(wrong).toEqual([])
  })

  it('choose one of the merchants of a member, and what was made there', async () => {
    const { app, callers } = world
    const first = await app.member()
    const { merchant_id: second } = await app.shop()
    await app.owner`
      insert into memberships (merchant_id, person_id, role)
      values (${second}, ${first.person_id}, 'OWNER')`
    const member = shopWith(app.url, '', first.key)
    const at = (merchant: string) => ({ 'x-merchant': merchant })
    const link = { name: 'At the second', currency: 'XOF', amount: '500' }
    expect((await member.post('/payment-links/', link, at(second))).status).toBe(201)
    const seen = async (headers: Record<string, string>) => {
      const [merchant, links] = await Promise.all([
        member.get('/merchant/', headers),
        member.get('/payment-links/', headers),
      ])
      return [merchant.data?.id ?? merchant.error.code, links.data?.count ?? links.error.code]
    }
    expect(await seen({})).toEqual([first.merchant_id, 0])
    expect(await seen(at(second))).toEqual([second, 1])
    expect(await seen({ ...at(second), 'x-environment': 'sandbox' })).toEqual([second, 1])
    const refused = (code: string) => [code, code]
    expect(await seen(at(callers.shop.merchant_id))).toEqual(refused('permission_denied'))
    expect(await seen({ ...at(second), 'x-environment': 'LIVE' })).toEqual(
      refused('live_mode_not_enabled'),
    )
    // A person's own account is the same whichever merchant is named.
    const me = await member.get('/auth/me/', at(callers.shop.merchant_id))
    expect(me.data.merchants.map(({ id }: Json) => id)).toEqual([first.merchant_id, second])
  })
})
