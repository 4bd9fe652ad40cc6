// Rows of the matrix: transfers between a merchant's countries. See row.ts.

import type { MatrixRow, MatrixRows, Scene } from './row.ts'

const transfer = { from_country: 'BJ', to_country: 'CM', from_amount: '100' }

/** The records' merchant has something to move, however often it is asked for. */
const fund = ({ owner }: Scene) =>
  owner.post('/sandbox/balances/', { country: 'BJ', amount: '1000' })

async function waiting(scene: Scene): Promise<Record<string, string>> {
  await fund(scene)
  const { status, data, body } = await scene.owner.post('/wallet-transfers/', transfer)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return { id: String(data.id) }
}

const decided: MatrixRow = { access: 'staff', staff: 'approvals', status: 200, params: waiting }

export const walletsRows: MatrixRows = {
  'POST /wallet-transfers/': {
    access: 'PAYOUT',
    permission: 'transfers',
    second_factor: 'environment',
    status: 201,
    // Nobody has LIVE money here.
    live_status: 422,
    unfunded_status: 422,
    body: async (scene) => {
      await fund(scene)
      return transfer
    },
  },
  'GET /wallet-transfers/': { access: 'any', status: 200, query: '?status=PENDING' },
  'GET /wallet-transfers/export/': { access: 'any', status: 200, query: '?status=PENDING' },
  'GET /wallet-transfers/{id}/': { access: 'any', status: 200, params: waiting },
  'GET /admin/wallet-transfers/': { access: 'staff', staff: 'read', status: 200 },
  'POST /admin/wallet-transfers/{id}/approve/': decided,
  'POST /admin/wallet-transfers/{id}/reject/': { ...decided, body: () => ({ reason: 'a test' }) },
}
