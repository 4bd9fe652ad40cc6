// Somebody approves what would send money, and waits for a row that another has locked. Meanwhile
// they lose the right, or are switched off, and that is answered: their approval sends nothing, and
// whoever has the right decides.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, newPayer, type Reply, startApp, type TestApp } from '../harness.ts'
import { paidPayment, refund, refundEnds, refundingShop } from '../setup/refunds.ts'
import { attemptsOf, richSettler } from '../setup/settling.ts'
import { approve, now, richShop, transfer, transferred } from '../setup/transfers.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

const tables = ['payout_approvals', 'refunds', 'settlements', 'wallet_transfers'] as const
const idOf = { payout_approvals: 'transaction_id' } as Readonly<Record<string, string>>

/** The code of an act that waits for this row while something else is done and answered. */
async function whileItWaits(
  [table, id]: readonly [(typeof tables)[number], string],
  act: () => Promise<Reply>,
  meanwhile: () => PromiseLike<unknown>,
) {
  const { acting } = await app.owner.begin(async (tx) => {
    await tx`select 1 from ${tx(table)} where ${tx(idOf[table] ?? 'id')} = ${id} for update`
    const acting = act()
    await eventually(async () => {
      const waiting = await app.owner`
        select 1 from pg_stat_activity
         where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`
      expect(waiting.count).toBeGreaterThan(0)
    })
    await meanwhile()
    return { acting }
  })
  const { status, error } = await acting
  return [status, error?.code]
}

const refused = [403, 'permission_denied']

describe('a second member', () => {
  async function shopOfTwo() {
    const shop = await refundingShop(app, {}, '100000')
    const { merchant_id } = shop
    const owner = await app.member({ merchant_id })
    const second = await app.member({ merchant_id, role: 'FINANCE' })
    await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '1000' })
    const becomes = (role: string) => app.owner`
      update memberships set role = ${role}
       where merchant_id = ${merchant_id} and person_id = ${second.person_id}`
    const isOff = (off: boolean) => app.owner`
      update people set disabled_at = ${off ? app.owner`now()` : null}
       where id = ${second.person_id}`
    return { shop, owner, second, becomes, isOff }
  }

  it('who may not pay out any more sends no payout', async () => {
    const { shop, owner, second, becomes } = await shopOfTwo()
    const made = await owner.post('/payouts/initialize/', {
      ...{ amount: '5000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: newPayer('10').phone },
    })
    const { id } = made.data
    const act = () => second.post(`/payouts/${id}/approve/`)
    const row = ['payout_approvals', id] as const
    expect(await whileItWaits(row, act, () => becomes('VIEWER'))).toEqual(refused)
    const kept = await owner.get(`/transactions/${id}/`)
    expect(kept.data).toMatchObject({ status: 'PENDING', approval: 'REQUIRED', attempts: [] })
    await becomes('FINANCE')
    expect((await act()).status).toBe(200)
    await shop.becomes(id, 'SUCCESS')
  })

  it('who was switched off sends no refund', async () => {
    const { shop, owner, second, isOff } = await shopOfTwo()
    const { data } = await refund(owner, await paidPayment(shop))
    expect(data.waiting_for).toBe('SECOND_MEMBER')
    const act = () => second.post(`/refunds/${data.id}/approve/`)
    expect(await whileItWaits(['refunds', data.id], act, () => isOff(true))).toEqual(refused)
    await isOff(false)
    expect((await act()).status).toBe(200)
    await refundEnds(shop, data.id, 'SUCCESS')
  })
})

describe('one of the staff who was switched off', () => {
  const isOff = (person_id: string) => app.owner`
    update people set disabled_at = now() where id = ${person_id}`

  it('sends no settlement', async () => {
    const [staff, other] = [await app.staff(), await app.staff()]
    const shop = await richSettler(app)
    const { data } = await shop.settle('10')
    const act = () => staff.post(`/admin/settlements/${data.id}/approve/`)
    const row = ['settlements', String(data.id)] as const
    expect(await whileItWaits(row, act, () => isOff(staff.person_id))).toEqual(refused)
    expect(await attemptsOf(app, data.id)).toHaveLength(0)
    expect((await other.post(`/admin/settlements/${data.id}/approve/`)).status).toBe(200)
    await shop.ends(data.id, 'SUCCESS')
  })

  it('moves no transfer', async () => {
    const [staff, other] = [await app.staff(), await app.staff()]
    const shop = await richShop(app, '10000000')
    const { id } = await transferred(shop, transfer({ from_amount: '9000000' }))
    const row = ['wallet_transfers', id] as const
    const act = () => approve(staff, id)
    expect(await whileItWaits(row, act, () => isOff(staff.person_id))).toEqual(refused)
    expect(await now(shop, id)).toMatchObject({ status: 'PENDING' })
    expect((await approve(other, id)).status).toBe(200)
  })
})
