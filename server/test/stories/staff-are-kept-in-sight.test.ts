// Staff are kept in sight: which merchants' payers one of them looked at is written down, and a
// session that is left open ends soon.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountsOwnId } from '../../src/audit/audit.ts'
import { type Json, type Reply, startApp, type TestApp } from '../harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } })
})
afterAll(() => app?.stop())

const codeOf = ({ status, error }: Reply) => [status, error?.code]

describe('who looks at payers’ data', () => {
  it('across merchants stands in the audit log, once an hour and merchant', async () => {
    const clerk = await app.staff({ role: 'SUPPORT' })
    const shop = await app.shop()
    const { data } = await shop.pay()
    for (let i = 0; i < 3; i += 1) {
      expect((await clerk.get('/admin/transactions/')).status).toBe(200)
      expect((await clerk.get(`/admin/transactions/${data.id}/`)).status).toBe(200)
      await clerk.get(`/admin/transactions/?merchant=${shop.merchant_id}`)
    }
    const looks = await app.owner<Json[]>`
      select merchant_id, target_kind from audit_logs
       where actor_id = ${clerk.person_id} and action = 'payers.looked_at' order by target_kind`
    expect(looks).toEqual([
      { merchant_id: accountsOwnId, target_kind: 'everybody' },
      { merchant_id: shop.merchant_id, target_kind: 'merchant' },
    ])
  })
})

describe('a session of the staff', () => {
  it('ends after half an hour without a call, and after 12 hours in any case', async () => {
    const [idle, long] = [await app.staff(), await app.staff()]
    const age = (person_id: string, column: string, by: string) => app.owner`
      update sessions set ${app.owner(column)} = ${app.owner(column)} - ${by}::text::interval
       where person_id = ${person_id}`
    await age(idle.person_id, 'last_seen_at', '29 minutes')
    expect((await idle.get('/admin/auth/me/')).status).toBe(200)
    await age(idle.person_id, 'last_seen_at', '30 minutes')
    expect(codeOf(await idle.get('/admin/auth/me/'))).toEqual([401, 'session_expired'])
    expect((await long.get('/admin/auth/me/')).status).toBe(200)
    await age(long.person_id, 'ends_at', '12 hours')
    expect(codeOf(await long.get('/admin/auth/me/'))).toEqual([401, 'session_expired'])
  })
})
