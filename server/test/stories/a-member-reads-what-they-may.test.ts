// Whoever is signed in reads beforehand what they may do at each of their merchants, and until when
// their second factor counts: what the server enforces, not what a client believes.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mayAs, roles } from '../../src/merchants/roles.ts'
import type { Permission } from '../../src/platform/http/route.ts'
import { type Json, type SignedInCaller, startApp, type TestApp } from '../harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

/** A call for each of these rights that is refused in another way once the right is there. */
const calls: readonly (readonly [Permission, string, string])[] = [
  ['links', 'POST', '/payment-links/'],
  ['keys', 'POST', '/merchant-api-keys/'],
  ['transfers', 'POST', '/wallet-transfers/'],
  ['customers', 'POST', '/customers/'],
  ['audit', 'GET', '/audit-logs/'],
  ['members', 'POST', '/merchant-invitations/'],
]

const isDenied = async (by: SignedInCaller, method: string, path: string): Promise<boolean> => {
  const init = method === 'GET' ? {} : { body: '{}' }
  const headers = { 'content-type': 'application/json' }
  const { status, body } = await by.call(method, path, { ...init, headers })
  return status === 403 && body.error.code === 'permission_denied'
}

const giveCode = (by: SignedInCaller, ago: string) => app.owner`
  update sessions set totp_at = now() - ${ago}::interval where id = ${by.session_id}`

const secondFactorOf = ({ second_factor, second_factor_until }: Json) => ({
  ...{ second_factor, second_factor_until },
})

describe('GET /auth/me/', () => {
  it.each(roles)('tells %s which rights the server gives them', async (role) => {
    const member = await app.member({ role })
    const { data } = await member.get('/auth/me/')
    const [{ permissions }] = data.merchants
    expect(permissions).toEqual([...mayAs[role]])
    for (const [right, method, path] of calls) {
      expect([right, !(await isDenied(member, method, path))]).toEqual([
        right,
        permissions.includes(right),
      ])
    }
  })

  it('tells them of each merchant by itself, at sign-in too', async () => {
    const member = await app.member({ role: 'VIEWER' })
    const other = await app.shop()
    await app.owner`
      insert into memberships (merchant_id, person_id, role)
      values (${other.merchant_id}, ${member.person_id}, 'FINANCE')`
    const { data } = await member.get('/auth/me/')
    const rightsOf = ({ merchants }: Json) =>
      merchants
        .map(({ role, permissions }: Json) => [role, permissions])
        .sort(([a]: [string], [b]: [string]) => (a < b ? -1 : 1))
    const both = [
      ['FINANCE', [...mayAs.FINANCE]],
      ['VIEWER', [...mayAs.VIEWER]],
    ]
    expect(rightsOf(data)).toEqual(both)
    const { email, password } = member
    const signed_in = await fetch(`${app.url}/api/v1/auth/login/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    })
    const { data: at_sign_in }: Json = await signed_in.json()
    expect(rightsOf(at_sign_in)).toEqual(both)
  })

  it('says until when the second factor counts', async () => {
    const never = await app.member({ second_factor: 'NONE' })
    const none = { second_factor: 'NONE', second_factor_until: null }
    expect(secondFactorOf((await never.get('/auth/me/')).data)).toEqual(none)
    const member = await app.member({ second_factor: 'FRESH' })
    await giveCode(member, '9 minutes')
    const fresh = secondFactorOf((await member.get('/auth/me/')).data)
    const [row] = await app.owner`
      select totp_at + interval '10 minutes' as until from sessions where id = ${member.session_id}`
    const until = new Date(row?.['until']).toISOString()
    expect(fresh).toEqual({ second_factor: 'FRESH', second_factor_until: until })
    await giveCode(member, '10 minutes 1 second')
    const stale = { second_factor: 'STALE', second_factor_until: null }
    expect(secondFactorOf((await member.get('/auth/me/')).data)).toEqual(stale)
    const renamed = await member.call('PATCH', '/auth/me/', {
      body: JSON.stringify({ first_name: 'Awa' }),
      headers: { 'content-type': 'application/json' },
    })
    expect(secondFactorOf(renamed.data)).toEqual(stale)
  })
})

describe('GET /admin/auth/me/', () => {
  it('says the same of staff, and nothing of a demo’s factor', async () => {
    const staff = await app.staff()
    await giveCode(staff, '1 minute')
    const [row] = await app.owner`
      select totp_at + interval '10 minutes' as until from sessions where id = ${staff.session_id}`
    expect(secondFactorOf((await staff.get('/admin/auth/me/')).data)).toEqual({
      second_factor: 'FRESH',
      second_factor_until: new Date(row?.['until']).toISOString(),
    })
    const demo = await app.staff({ demo: true })
    await giveCode(demo, '1 minute')
    expect(secondFactorOf((await demo.get('/admin/auth/me/')).data)).toEqual({
      ...{ second_factor: 'NONE', second_factor_until: null },
    })
  })
})
