// Rows of the matrix: staff adjust a merchant's books. See row.ts.

import type { MatrixRow, MatrixRows, Scene } from './row.ts'

async function adjustmentBody({ app }: Scene) {
  const shop = await app.shop()
  const funded = await shop.post('/sandbox/balances/', { country: 'BJ', amount: '1000' })
  const balance = String(funded.data.id)
  return { balance, kind: 'CREDIT_MERCHANT', amount: '100', reason: 'a test' }
}

/** Asked for by another than those who call. */
async function ofAdjustment(scene: Scene): Promise<Record<string, string>> {
  const other = await scene.app.staff()
  const { status, data, body } = await other.post(
    '/admin/adjustments/',
    await adjustmentBody(scene),
  )
  if (status !== 201) throw new Error(JSON.stringify(body))
  return { id: String(data.id) }
}

const decided: MatrixRow = { access: 'staff', staff: 'balances', status: 200, params: ofAdjustment }

export const adjustmentsRows: MatrixRows = {
  'POST /admin/adjustments/': {
    access: 'staff',
    staff: 'balances',
    status: 201,
    body: adjustmentBody,
  },
  'GET /admin/adjustments/': {
    access: 'staff',
    staff: 'read',
    status: 200,
    query: '?status=PENDING&country=BJ',
  },
  'GET /admin/adjustments/{id}/': { ...decided, staff: 'read' },
  'POST /admin/adjustments/{id}/confirm/': decided,
  'POST /admin/adjustments/{id}/refuse/': { ...decided, body: () => ({ reason: 'a test' }) },
}
