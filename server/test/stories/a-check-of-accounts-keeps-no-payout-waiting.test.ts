// Law 7: what staff have checked reads how accounts have fared, over all merchants and half a year.
// However long that takes, and however many are checked, payouts go on beside it.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { addAccount } from '../../src/gateways/accounts.ts'
import { pawapayAdapter } from '../../src/gateways/pawapay/pawapay-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { eventually, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { connectTo } from '../setup/database.ts'

let app: TestApp
let shop: Shop
beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '1000000' })
})
afterAll(() => app?.stop())

/** An account whose operator answers at once, and with nothing that it knows. */
async function account(no: number): Promise<string> {
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const made = await addAccount(deps, pawapayAdapter, {
    ...({ environment: 'SANDBOX', country: 'BJ', name: 'Checked' } as const),
    ...{ code: `checked_${no}`, settings: { base_url: app.url } },
    secrets: { api_token: 'a-token-that-opens-nothing' },
  })
  return made.id
}

/** How many of them wait for the table that stands still, by the name of their connections. */
const waiting = () => app.owner<{ name: string; count: number }[]>`
  select application_name as name, count(*)::int as count from pg_stat_activity
   where datname = current_database() and wait_event_type = 'Lock'
     and query like '%c.gateway_id%'
   group by application_name`

it('a dozen checks whose tables stand still leave the connections of money alone', async () => {
  const staff = await app.staff({ role: 'OPERATIONS' })
  const ids = await Promise.all(Array.from({ length: 12 }, (_, no) => account(no)))
  const rival = connectTo(app.database.options, 1)
  try {
    await rival`begin`
    // As where it has grown: no payout that its operator keeps reads or writes a callback.
    await rival`lock table gateway_callbacks in access exclusive mode`
    const checks = ids.map((id) => staff.post(`/admin/gateways/${id}/check/`))
    await eventually(async () => expect((await waiting()).length).toBeGreaterThan(0))
    await new Promise((ok) => setTimeout(ok, 1_500))
    const rows = await waiting()
    const made = await shop.post('/payouts/initialize/', {
      ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: newPayer('04').phone },
    })
    expect([made.status, rows.filter(({ name }) => name === 'pirogue')]).toEqual([201, []])
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBeLessThan(3)
    await rival`rollback`
    for (const { status } of await Promise.all(checks)) expect(status).toBe(200)
  } finally {
    await rival.end()
  }
}, 60_000)
