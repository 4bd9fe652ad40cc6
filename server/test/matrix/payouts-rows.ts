// Payouts, their limits and approvals, top-ups, and what two people say of an incident.

import { randomUUID } from 'node:crypto'
import { eventually, newPayer, type Shop } from '../harness.ts'
import type { MatrixRows, Scene } from './row.ts'

const amount = '60000'
const payout = () => ({
  amount,
  currency: 'XOF',
  country: 'BJ',
  method: 'mtn_bj',
  recipient: { msisdn: newPayer().phone },
  customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
})

/** The merchant's servers may pay out, and there is something to pay with. */
async function ready({ app, owner }: Scene): Promise<void> {
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${owner.merchant_id}, gen_random_uuid(), '127.0.0.1')
    on conflict do nothing`
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '1000000' })
}

/** A payout that waits for a second person. */
async function waiting(scene: Scene) {
  await ready(scene)
  const { owner } = scene
  await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '50000' })
  const { data } = await owner.post('/payouts/initialize/', payout())
  // Dropped by them it would stand for a day yet: they may work in LIVE.
  await scene.app.owner`delete from payout_limits where merchant_id = ${owner.merchant_id}`
  return { payout_id: String(data.id) }
}

async function limit({ owner }: Scene) {
  const figures = { country: 'BJ', per_day: '900000000' }
  const { data } = await owner.post('/merchant-payout-limits/', figures)
  return { id: String(data.id) }
}

/** One that another member has asked to loosen. */
async function looser(scene: Scene) {
  const { id } = await limit(scene)
  await scene.app.owner`
    update payout_limits
       set next_per_day = per_day * 2, next_at = now() + interval '1 day', next_wait_h = 24,
           next_by = ${randomUUID()}
     where id = ${id}`
  return { id }
}

async function paidOut(scene: Scene) {
  await ready(scene)
  const { data } = await scene.owner.post('/payouts/initialize/', payout())
  return { payout_id: String(data.id) }
}

/** One that its operator has paid. */
async function paid(scene: Scene) {
  const { payout_id: id } = await paidOut(scene)
  await eventually(async () => {
    const { data } = await scene.owner.get(`/transactions/${id}/`)
    if (data.status !== 'SUCCESS') throw new Error(`${id} is ${data.status}`)
  })
  return { id }
}

/** An incident of the scene's merchant that nobody has looked at. */
async function incident({ app, owner }: Scene) {
  const { data } = await payin(owner)
  await owner.becomes(data.id, 'SUCCESS')
  const id = randomUUID()
  await app.owner`
    insert into incidents (merchant_id, id, environment, type, attempt_id, transaction_id,
      gateway_id, country, currency)
    select merchant_id, ${id}, environment, 'OUTCOME_UNKNOWN', id, transaction_id, gateway_id,
           country_code, currency
      from attempts where transaction_id = ${data.id}`
  return { id }
}

const payin = (shop: Shop) => shop.pay({ customer: newPayer() })

async function proposed(scene: Scene) {
  const { id } = await incident(scene)
  const other = await scene.app.staff()
  await other.post(`/admin/incidents/${id}/resolve/`, {
    resolution: 'RECOVERED',
    amount: '0',
    note: 'seen',
  })
  return { id }
}

/** Of a country where nobody pays, so that the other rows go on. */
async function closing({ app }: Scene) {
  const id = randomUUID()
  await app.owner`
    insert into gateway_closings (id, gateway_id, country, from_at)
    select ${id}, id, 'XX', now() from gateways where code = 'simulator_a'`
  return { id }
}

const decision = {
  access: 'dashboard',
  permission: 'payouts',
  second_factor: 'environment',
  status: 200,
  params: waiting,
} as const
const onIncident = { access: 'staff', staff: 'incidents', status: 200 } as const
const ofLimit = { access: 'dashboard', params: limit } as const
const setting = { permission: 'settings', second_factor: 'environment' } as const

export const payoutsRows: MatrixRows = {
  'POST /payouts/initialize/': {
    access: 'PAYOUT',
    permission: 'payouts',
    second_factor: 'environment',
    status: 201,
    live_status: 422,
    unfunded_status: 422,
    body: async (scene) => {
      await ready(scene)
      return payout()
    },
  },
  'GET /payouts/counts/': { access: 'any', status: 200 },
  'GET /payouts/{payout_id}/verify/': {
    access: 'PAYOUT',
    suspended: 'allowed',
    status: 200,
    params: paidOut,
  },
  'POST /payouts/{payout_id}/approve/': decision,
  'POST /payouts/{payout_id}/reject/': { ...decision, body: () => ({ reason: 'no' }) },
  'POST /payouts/{payout_id}/cancel/': {
    access: 'PAYOUT',
    permission: 'payouts',
    second_factor: 'environment',
    status: 200,
    params: waiting,
  },
  'POST /admin/payouts/{id}/cancel/': {
    access: 'staff',
    staff: 'approvals',
    status: 200,
    params: async (scene) => ({ id: (await waiting(scene)).payout_id }),
    body: () => ({ reason: 'a test' }),
  },
  'GET /merchant-payout-limits/': { access: 'dashboard', status: 200 },
  'POST /merchant-payout-limits/': {
    access: 'dashboard',
    ...setting,
    status: 201,
    body: () => ({ country: 'SN', per_day: '1000000' }),
  },
  'GET /merchant-payout-limits/{id}/': { ...ofLimit, status: 200 },
  'DELETE /merchant-payout-limits/{id}/': { ...ofLimit, ...setting, status: 202 },
  'POST /merchant-payout-limits/{id}/confirm/': {
    ...ofLimit,
    ...setting,
    // Everybody here became a member a moment ago, and none of them may be the second one.
    status: 409,
    params: looser,
  },
  'POST /merchant-payout-limits/{id}/cancel/': {
    ...ofLimit,
    ...setting,
    status: 200,
    params: looser,
  },
  'POST /top-ups/initialize/': {
    access: 'PAYIN',
    permission: 'top_ups',
    status: 201,
    live_status: 422,
    body: () => ({
      amount: '4000',
      currency: 'XOF',
      country: 'BJ',
      network: 'mtn_bj',
      phone: newPayer().phone,
    }),
  },
  'GET /admin/gateway-balances/': { access: 'staff', staff: 'read', status: 200 },
  'PUT /admin/gateway-balances/': {
    access: 'staff',
    staff: 'gateways',
    status: 200,
    async body({ app }) {
      await app.owner`
        insert into gateway_balances (gateway_id, wallet, currency, amount, read_at)
        select id, 'main', 'XOF', 100, now() from gateways where code = 'simulator_a'
        on conflict do nothing`
      return { gateway: 'simulator_a', wallet: 'main', currency: 'XOF', low_below: null }
    },
  },
  'GET /admin/gateway-floats/': { access: 'staff', staff: 'read', status: 200 },
  'PUT /admin/gateway-floats/': {
    access: 'staff',
    staff: 'gateways',
    status: 200,
    body: () => ({ gateway: 'simulator_a', country: 'SN', is_empty: false }),
  },
  'GET /admin/gateway-hours/': { access: 'staff', staff: 'read', status: 200 },
  'PUT /admin/gateway-hours/': {
    access: 'staff',
    staff: 'gateways',
    status: 200,
    body: () => ({ gateway: 'simulator_a', country: 'SN', direction: 'COLLECT', windows: [] }),
  },
  'GET /admin/gateway-closings/': { access: 'staff', staff: 'read', status: 200 },
  'POST /admin/gateway-closings/': {
    access: 'staff',
    staff: 'gateways',
    status: 201,
    // Over at once: other rows of the matrix pay.
    body: () => ({
      ...{ gateway: 'simulator_a', country: 'SN' },
      ...{ from_at: '2999-01-01T00:00:00Z', ends_at: '2999-01-02T00:00:00Z' },
    }),
  },
  'DELETE /admin/gateway-closings/{id}/': {
    access: 'staff',
    staff: 'gateways',
    status: 204,
    params: closing,
  },
  'POST /admin/transactions/{id}/reverse/': {
    access: 'staff',
    staff: 'approvals',
    status: 202,
    params: paid,
    body: () => ({ note: 'sent to the wrong number' }),
  },
  'POST /admin/incidents/{id}/resolve/': {
    ...onIncident,
    params: incident,
    body: () => ({ resolution: 'RECOVERED', amount: '0', note: 'seen' }),
  },
  'POST /admin/incidents/{id}/confirm/': { ...onIncident, params: proposed },
  'POST /admin/incidents/{id}/withdraw/': { ...onIncident, params: proposed },
}
