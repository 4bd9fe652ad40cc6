// Rows of the matrix: paying a merchant out. See row.ts.

import { plantMethod, plantPhone } from '../setup/settling.ts'
import type { MatrixRow, MatrixRows, Scene } from './row.ts'

/** To the bank of the records' merchant, who has something to be paid, however often they ask. */
async function settlement({ app, owner }: Scene) {
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '1000' })
  const payout_method = await plantMethod(app, owner.merchant_id)
  return { country: 'BJ', requested_amount: '1000', payout_method }
}

async function waiting(scene: Scene): Promise<Record<string, string>> {
  const { status, data, body } = await scene.owner.post('/settlements/', await settlement(scene))
  if (status !== 201) throw new Error(JSON.stringify(body))
  return { id: String(data.id) }
}

/** At an operator who waits until they are told. */
async function sent(scene: Scene): Promise<Record<string, string>> {
  const { app, owner, staff } = scene
  const payout_method = await plantPhone(app, owner.merchant_id, '04')
  const { data } = await owner.post('/settlements/', {
    ...(await settlement(scene)),
    payout_method,
  })
  const { status, body } = await staff.post(`/admin/settlements/${data.id}/approve/`)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return { id: String(data.id) }
}

async function approved(scene: Scene): Promise<Record<string, string>> {
  const params = await waiting(scene)
  const { status, body } = await scene.staff.post(`/admin/settlements/${params['id']}/approve/`)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return params
}

async function paid(scene: Scene): Promise<Record<string, string>> {
  const params = await approved(scene)
  const path = `/admin/settlements/${params['id']}/execute/`
  const { status, body } = await scene.staff.post(path, { gateway_reference: 'VIR-1' })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return params
}

const pdf = Buffer.from('%PDF-1.7 proof')

async function proven(scene: Scene): Promise<Record<string, string>> {
  const params = await approved(scene)
  const { status, body } = await scene.staff.call(
    'POST',
    `/admin/settlements/${params['id']}/proof/`,
    { headers: { 'content-type': 'application/pdf' }, body: new Uint8Array(pdf) },
  )
  if (status !== 200) throw new Error(JSON.stringify(body))
  return params
}

const decided: MatrixRow = { access: 'staff', staff: 'approvals', status: 200, params: waiting }
const own = { permission: 'settlements', second_factor: 'environment' } as const

export const settlementsRows: MatrixRows = {
  'POST /settlements/': {
    access: 'PAYOUT',
    ...own,
    status: 201,
    // Nobody has LIVE money here, and nobody another merchant's payout method.
    live_status: 422,
    unfunded_status: 400,
    body: settlement,
  },
  'GET /settlements/': { access: 'any', status: 200, query: '?status=PENDING&country=BJ' },
  'GET /settlements/export/': { access: 'any', status: 200, query: '?status=PENDING' },
  'GET /settlements/{id}/': { access: 'any', status: 200, params: waiting },
  'POST /settlements/{id}/cancel/': { access: 'PAYOUT', ...own, status: 200, params: waiting },
  'POST /sandbox/settlements/{id}/resolve/': {
    access: 'any',
    permission: 'payins',
    status: 200,
    // The sandbox does not exist there.
    live_status: 404,
    params: sent,
    body: () => ({ outcome: 'SUCCESS' }),
  },
  'GET /admin/settlements/': { access: 'staff', staff: 'read', status: 200 },
  'GET /admin/settlements/{id}/': decided,
  'POST /admin/settlements/{id}/approve/': decided,
  'POST /admin/settlements/{id}/execute/': {
    ...decided,
    params: approved,
    body: () => ({ gateway_reference: 'VIR-1' }),
  },
  'POST /admin/settlements/{id}/proof/': {
    ...decided,
    params: approved,
    upload: { content_type: 'application/pdf', bytes: () => pdf },
  },
  'GET /admin/settlements/{id}/proof/': { ...decided, params: proven },
  'GET /settlements/{id}/proof/': { access: 'any', status: 200, params: proven },
  'POST /admin/settlements/{id}/return/': {
    ...decided,
    status: 201,
    params: paid,
    body: () => ({ note: 'a test' }),
  },
  'POST /admin/settlements/{id}/fail/': { ...decided, body: () => ({ reason: 'a test' }) },
}
