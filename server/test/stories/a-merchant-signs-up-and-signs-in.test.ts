// A merchant signs up, works in the sandbox at once, and its people log in and out.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, shopWith, startApp, type TestApp } from '../harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const anyone = () => shopWith(app.url, '', '')
const request = (email: string) => ({
  merchant_name: 'Boutique Awa',
  country: 'SN',
  email,
  password: 'a long pass phrase',
  first_name: 'Awa',
  last_name: 'Diop',
})
const as = (token: string, headers: Record<string, string> = {}) => ({
  authorization: `Bearer ${token}`,
  ...headers,
})

describe('signing up', () => {
  it('answers like a login, and the session works on the merchant’s own routes', async () => {
    const made = await anyone().post('/auth/register/', request('awa@shop.example'))
    expect(made.status).toBe(201)
    expect(made.data.member).toMatchObject({ email: 'awa@shop.example', email_verified: false })
    expect(made.data.merchants).toMatchObject([{ name: 'Boutique Awa', role: 'OWNER' }])
    const { token } = made.data
    const me = await anyone().get('/auth/me/', as(token))
    expect(me.data.merchants).toEqual(made.data.merchants)
    const paid = await anyone().pay({}, as(token))
    expect(paid.status).toBe(201)
    const list = await anyone().get('/transactions/', as(token))
    expect(list.data.results.map((one: Json) => one.id)).toEqual([paid.data.id])
    expect(list.data.results[0].merchant).toBe(made.data.merchants[0].id)
  })

  it('makes one account of fifty that come at once with the same e-mail', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, () =>
        anyone().post('/auth/register/', request('Same@shop.example')),
      ),
    )
    const statuses = replies.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(49)
    const rows = await app.owner`select 1 from people where email = 'same@shop.example'`
    expect(rows.count).toBe(1)
  })
})

describe('logging in and out', () => {
  it('answers a wrong e-mail and a wrong password alike', async () => {
    await anyone().post('/auth/register/', request('out@shop.example'))
    const login = (email: string, password: string) =>
      anyone().post('/auth/login/', { email, password })
    const wrong = await login('out@shop.example', 'not my pass phrase')
    const nobody = await login('nobody@shop.example', 'not my pass phrase')
    expect(wrong.status).toBe(401)
    expect(nobody.body).toEqual(wrong.body)
    const right = await login(' OUT@shop.example ', 'a long pass phrase')
    expect(right.status).toBe(200)
    const { token } = right.data
    expect((await anyone().post('/auth/logout/', undefined, as(token))).status).toBe(204)
    const after = await anyone().get('/auth/me/', as(token))
    expect([after.status, after.error.code]).toEqual([401, 'session_expired'])
  })
})
