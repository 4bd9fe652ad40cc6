// Refunds: made, looked at, and decided by a second person or by staff.

import { randomUUID } from 'node:crypto'
import { newPayer } from '../harness.ts'
import type { MatrixRow, MatrixRows, Scene } from './row.ts'

/** A payment that has succeeded, of a merchant whose servers may refund and who can pay for it. */
async function paid({ app, owner }: Scene): Promise<{ payment_id: string }> {
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${owner.merchant_id}, gen_random_uuid(), '127.0.0.1')
    on conflict do nothing`
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '100000' })
  const { data } = await owner.pay({ customer: newPayer() })
  await owner.becomes(data.id, 'SUCCESS')
  return { payment_id: String(data.id) }
}

/** At an operator who waits until they are told. */
async function sent(scene: Scene): Promise<{ id: string }> {
  const { payment_id } = await paid(scene)
  const body = { amount: '100', reason: 'sandbox:04' }
  const {
    status,
    data,
    body: all,
  } = await scene.owner.post(`/payments/${payment_id}/refunds/`, body)
  if (status !== 201) throw new Error(JSON.stringify(all))
  return { id: String(data.id) }
}

/** One that another member has asked for. */
async function waiting(scene: Scene): Promise<{ id: string }> {
  const { owner, app } = scene
  const { payment_id } = await paid(scene)
  await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '50' })
  const { status, data, body } = await owner.post(`/payments/${payment_id}/refunds/`, {
    amount: '100',
  })
  await app.owner`delete from payout_limits where merchant_id = ${owner.merchant_id}`
  if (status !== 201) throw new Error(JSON.stringify(body))
  await app.owner`update refunds set member_id = ${randomUUID()} where id = ${data.id}`
  return { id: String(data.id) }
}

async function forStaff(scene: Scene): Promise<{ id: string }> {
  const { id } = await waiting(scene)
  await scene.app.owner`update refunds set waiting_for = 'STAFF' where id = ${id}`
  return { id }
}

const own = { access: 'BOTH', permission: 'payouts', second_factor: 'environment' } as const
const decision = {
  access: 'dashboard',
  permission: 'payouts',
  second_factor: 'environment',
  status: 200,
  params: waiting,
} as const
const byStaff: MatrixRow = { access: 'staff', staff: 'approvals', status: 200, params: forStaff }
const amount = () => ({ amount: '100' })

export const refundsRows: MatrixRows = {
  'POST /payments/{payment_id}/refunds/': { ...own, status: 201, params: paid, body: amount },
  'POST /payments/{payment_id}/refunds/preview/': {
    ...own,
    status: 200,
    params: paid,
    body: amount,
  },
  'GET /payments/{payment_id}/refunds/': { access: 'any', status: 200, params: paid },
  'GET /refunds/': {
    access: 'any',
    status: 200,
    query: '?status=PENDING&created_at__gte=2026-01-01',
  },
  'GET /refunds/export/': { access: 'any', status: 200 },
  'GET /refunds/{id}/': { access: 'any', status: 200, params: sent },
  'POST /refunds/{id}/verify/': {
    access: 'any',
    permission: 'read',
    suspended: 'allowed',
    status: 200,
    params: sent,
  },
  'POST /refunds/{id}/approve/': decision,
  'POST /refunds/{id}/reject/': { ...decision, body: () => ({ reason: 'a test' }) },
  'POST /refunds/{id}/cancel/': { ...own, status: 200, params: waiting },
  'POST /sandbox/refunds/{id}/resolve/': {
    access: 'any',
    permission: 'payins',
    status: 200,
    // The sandbox does not exist there.
    live_status: 404,
    params: sent,
    body: () => ({ outcome: 'SUCCESS' }),
  },
  'GET /admin/refunds/{id}/': { access: 'staff', staff: 'read', status: 200, params: sent },
  'POST /admin/refunds/{id}/approve/': byStaff,
  'POST /admin/refunds/{id}/reject/': { ...byStaff, body: () => ({ reason: 'a test' }) },
}
