// What staff see and set of the platform's data, and the audit log.

import { addGateways } from '../../src/gateways/gateways.ts'
import { newId } from '../../src/platform/ids.ts'
import { plantAttempt, plantIncident, plantTransaction } from '../setup/transaction-rows.ts'
import type { MatrixRow, MatrixRows, Scene } from './row.ts'

const reads = { access: 'staff', staff: 'read', status: 200 } as const
const prices = { access: 'staff', staff: 'pricing' } as const
const steers = { access: 'staff', staff: 'gateways', status: 200 } as const

const tiers = [{ min_amount: '1', max_amount: '1000', percent: '1', fee_charge_mode: 'ADD_ON' }]
const slot = { network: 'coris_bj', direction: 'DISBURSE' } as const

/** Nobody has a price or a route in `slot`: what an earlier call made goes. */
async function emptySlot({ app: { owner } }: Scene): Promise<void> {
  await owner`delete from pricing_tiers where pricing_rule_id in (select id from pricing_rules
    where direction = ${slot.direction}
      and network_id = (select id from networks where code = ${slot.network}))`
  await owner`delete from pricing_rules where direction = ${slot.direction}
    and network_id = (select id from networks where code = ${slot.network})`
  await owner`delete from merchant_pricing_tiers`
  await owner`delete from merchant_pricing_rules`
  await owner`delete from routes where direction = ${slot.direction}
    and network_id = (select id from networks where code = ${slot.network})`
}

async function ruleBody(scene: Scene) {
  await emptySlot(scene)
  return { ...slot, tiers }
}

async function idIn({ app }: Scene, of: 'network' | 'gateway' | 'route' | 'pricing_rule') {
  const { owner } = app
  const [row] = await {
    network: () => owner`select id from networks where code = 'wave_sn'`,
    gateway: () => owner`select id from gateways where code = 'simulator_a'`,
    route: () => owner`select id from routes where environment = 'SANDBOX' limit 1`,
    // Not of a network that other rows pay by: whoever may, changes it.
    pricing_rule: () => owner`
      select r.id from pricing_rules r join networks n on n.id = r.network_id
       where n.code = 'wave_sn' order by r.id limit 1`,
  }[of]()
  return { id: String(row?.['id']) }
}

const ofMerchant = async ({ owner }: Scene) => ({ merchant_id: owner.merchant_id })

async function ofMerchantsRule(scene: Scene) {
  await emptySlot(scene)
  const { owner, app } = scene
  const id = newId()
  await app.owner`
    insert into merchant_pricing_rules (merchant_id, id, network_id, direction)
    select ${owner.merchant_id}, ${id}, n.id, ${slot.direction}
      from networks n where n.code = ${slot.network}`
  await app.owner`
    insert into merchant_pricing_tiers (merchant_id, id, merchant_pricing_rule_id, min_amount,
      max_amount, percent_ppm, fee_charge_mode)
    values (${owner.merchant_id}, ${newId()}, ${id}, 100, 200, 0, 'ADD_ON')`
  return { merchant_id: owner.merchant_id, id }
}

async function ofTransaction({ app, owner }: Scene) {
  return { id: (await plantTransaction(app.owner, owner.merchant_id)).id }
}

async function ofIncident({ app, owner }: Scene) {
  const transaction = await plantTransaction(app.owner, owner.merchant_id)
  const attempt = await plantAttempt(app.owner, transaction)
  return { id: (await plantIncident(app.owner, transaction, attempt)).id }
}

const pricingRows: Record<string, MatrixRow> = {
  'GET /admin/pricing-rules/': reads,
  'POST /admin/pricing-rules/': { ...prices, status: 201, body: ruleBody },
  'GET /admin/pricing-rules/{id}/': { ...reads, params: (scene) => idIn(scene, 'pricing_rule') },
  'PUT /admin/pricing-rules/{id}/': {
    ...prices,
    status: 200,
    params: (scene) => idIn(scene, 'pricing_rule'),
    body: () => ({ tiers }),
  },
  'GET /admin/merchants/{merchant_id}/pricing-rules/': { ...reads, params: ofMerchant },
  'POST /admin/merchants/{merchant_id}/pricing-rules/': {
    ...prices,
    status: 201,
    params: ofMerchant,
    body: ruleBody,
  },
  'PUT /admin/merchants/{merchant_id}/pricing-rules/': {
    ...prices,
    status: 200,
    params: ofMerchant,
    body: ruleBody,
  },
  'GET /admin/merchants/{merchant_id}/pricing-rules/{id}/': { ...reads, params: ofMerchantsRule },
  'DELETE /admin/merchants/{merchant_id}/pricing-rules/{id}/': {
    ...prices,
    status: 204,
    params: ofMerchantsRule,
  },
}

/** An account of SANDBOX that no process opens. */
async function ofAccount({ app }: Scene, adapter = 'not_here') {
  const id = newId()
  const code = codeOf(id)
  await addGateways(app.owner, [
    { id, code, adapter, name: 'Desk', environment: 'SANDBOX', is_active: false },
  ])
  return { id }
}

const codeOf = (id: string) => `desk_${id.replaceAll('-', '')}`

async function ofFormerSecrets(scene: Scene) {
  const { id } = await ofAccount(scene)
  await scene.app.owner`
    insert into gateway_secrets (gateway_id, version, state, sealed, fingerprint)
    values (${id}, 1, 'PREVIOUS', '\\x00', '0123456789ab')`
  return { id }
}

const orangeSecrets = {
  ...{ client_id: 'client-of-the-matrix', client_secret: 'secret-of-the-matrix' },
  merchant_key: 'key-of-the-matrix',
}

const accountRows: Record<string, MatrixRow> = {
  'GET /admin/operators/': reads,
  'POST /admin/gateways/': {
    ...steers,
    status: 201,
    body: () => ({
      ...{ adapter: 'orange', code: codeOf(newId()), country: 'CI', secrets: orangeSecrets },
      settings: { shown_name: 'Boutique', country_path: 'ci' },
    }),
  },
  'GET /admin/gateways/{id}/secrets/': { ...reads, params: (scene) => ofAccount(scene) },
  'POST /admin/gateways/{id}/secrets/': {
    ...steers,
    status: 201,
    params: (scene) => ofAccount(scene, 'orange'),
    body: () => ({ secrets: orangeSecrets }),
  },
  'POST /admin/gateways/{id}/secrets/retire/': { ...steers, params: ofFormerSecrets },
  'GET /admin/gateways/{id}/steps/': { ...reads, params: (scene) => ofAccount(scene, 'orange') },
  'POST /admin/gateways/{id}/check/': { ...steers, params: (scene) => ofAccount(scene) },
}

const steeringRows: Record<string, MatrixRow> = {
  'GET /admin/gateways/': reads,
  'GET /admin/gateways/{id}/': { ...reads, params: (scene) => idIn(scene, 'gateway') },
  'PATCH /admin/gateways/{id}/': {
    ...steers,
    params: (scene) => idIn(scene, 'gateway'),
    body: () => ({ name: `Desk ${newId()}` }),
  },
  'GET /admin/routes/': reads,
  'POST /admin/routes/': {
    ...steers,
    status: 201,
    body: async (scene) => {
      await emptySlot(scene)
      return { ...slot, gateway: 'simulator_b', priority: 9 }
    },
  },
  'GET /admin/routes/{id}/': { ...reads, params: (scene) => idIn(scene, 'route') },
  'PATCH /admin/routes/{id}/': {
    ...steers,
    params: (scene) => idIn(scene, 'route'),
    body: () => ({ breaker: false }),
  },
  'POST /admin/routes/{id}/accept-limits/': {
    ...steers,
    params: (scene) => idIn(scene, 'route'),
  },
  'GET /admin/networks/': reads,
  'PATCH /admin/networks/{id}/': {
    ...steers,
    params: (scene) => idIn(scene, 'network'),
    body: () => ({ name: `Wave ${newId()}` }),
  },
}

export const adminRows: MatrixRows = {
  ...pricingRows,
  ...steeringRows,
  ...accountRows,
  'GET /admin/exchange-rates/': reads,
  'POST /admin/exchange-rates/': {
    access: 'staff',
    staff: 'rates',
    status: 201,
    body: () => ({ base: 'ISK', quote: 'VND', rate: '190.5' }),
  },
  'GET /admin/approvals/': reads,
  'GET /admin/incidents/': reads,
  'GET /admin/incidents/{id}/': { ...reads, params: ofIncident },
  'GET /admin/transactions/': reads,
  'GET /admin/transactions/{id}/': { ...reads, params: ofTransaction },
  'GET /audit-logs/export/': { access: 'dashboard', permission: 'audit', status: 200 },
  'GET /audit-logs/': { access: 'dashboard', permission: 'audit', status: 200 },
  'GET /admin/audit-logs/': reads,
}
