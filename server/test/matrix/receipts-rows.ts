// Exports, invoices and receipts.

import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { receiptOf } from '../../src/receipts/receipt-of.ts'
import { plantStatusLog, plantTransaction } from '../setup/transaction-rows.ts'
import type { MatrixRows, Scene } from './row.ts'

async function planted({ app, owner }: Scene) {
  const key = await plantTransaction(app.owner, owner.merchant_id, { status: 'SUCCESS' })
  await plantStatusLog(app.owner, key)
  return key
}

const paid = async (scene: Scene) => ({ id: (await planted(scene)).id })

async function token(scene: Scene) {
  const { config, owner: db } = scene.app
  const keyring = openKeyring(config.secret_key ?? '')
  const { url } = await receiptOf({ db, keyring, public_url: '' }, await planted(scene))
  return { token: url.replace('/receipts/', '') }
}

export const receiptsRows: MatrixRows = {
  'GET /transactions/export/': { access: 'any', status: 200 },
  'GET /merchant-ledger-entries/export/': { access: 'any', status: 200 },
  'GET /transactions/{id}/invoice/': { access: 'any', status: 200, params: paid },
  'GET /transactions/{id}/receipt/': { access: 'any', status: 200, params: paid },
  'POST /transactions/{id}/receipt/revoke/': {
    access: 'PAYIN',
    permission: 'payins',
    status: 200,
    params: paid,
  },
  'GET /receipts/keys/': { access: 'public', status: 200 },
  'GET /receipts/{token}/': { access: 'public', status: 200, params: token },
}
