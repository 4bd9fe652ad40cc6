// What a merchant manages for access: API keys, the IP whitelist, payout methods.

import { randomInt } from 'node:crypto'
import { createKey } from '../../src/merchants/keys/issue-keys.ts'
import { newId } from '../../src/platform/ids.ts'
import type { MatrixRow, MatrixRows, Scene } from './row.ts'

const made = 'matrix made'

/** An account has few active keys: those made for earlier calls make room. */
async function keyBody({ app }: Scene) {
  await app.owner`
    update api_keys set revoked_at = now() where name = ${made} and revoked_at is null`
  return { name: made, environment: 'SANDBOX', scope: 'PAYIN' }
}

async function ofKey({ app, owner: { merchant_id } }: Scene) {
  const request = { merchant_id, environment: 'SANDBOX', scope: 'PAYIN', name: made } as const
  return { id: (await createKey(app.owner, request)).id }
}

const keyReads = { access: 'dashboard', permission: 'read', status: 200 } as const
const keyWrites = {
  access: 'dashboard',
  permission: 'keys',
  second_factor: 'environment',
  status: 201,
} as const

const someAddress = () => `198.18.${randomInt(256)}.${randomInt(256)}`

async function entryBody({ app }: Scene) {
  await app.owner`delete from ip_whitelist where label = ${made}`
  return { ip_address: someAddress(), label: made }
}

async function ofEntry({ app, owner: { merchant_id } }: Scene) {
  const id = newId()
  await app.owner`delete from ip_whitelist where label = ${made}`
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address, label)
    values (${merchant_id}, ${id}, ${someAddress()}, ${made})`
  return { id }
}

const entryReads = { access: 'any', permission: 'read', status: 200 } as const
const entryWrites = {
  access: 'dashboard',
  permission: 'whitelist',
  second_factor: 'account',
} as const

const whitelistRows = (path: string): Record<string, MatrixRow> => ({
  [`GET ${path}`]: entryReads,
  [`POST ${path}`]: { ...entryWrites, status: 201, body: entryBody },
  [`GET ${path}{id}/`]: { ...entryReads, params: ofEntry, record: 'both' },
  [`PATCH ${path}{id}/`]: {
    ...entryWrites,
    status: 200,
    params: ofEntry,
    record: 'both',
    body: () => ({ status: 'INACTIVE' }),
  },
  [`DELETE ${path}{id}/`]: { ...entryWrites, status: 204, params: ofEntry, record: 'both' },
})

async function methodBody({ app }: Scene) {
  await app.owner`
    update payout_methods set deleted_at = now() where label = ${made} and deleted_at is null`
  const bank = { bank_name: 'Bank of the Gulf', account_number: 'BJ0610100100144390000769' }
  return { country: 'BJ', type: 'BANK_ACCOUNT', label: made, ...bank }
}

async function ofMethod({ app, owner: { merchant_id } }: Scene) {
  const id = newId()
  await app.owner`
    insert into payout_methods (merchant_id, id, country, type, label, bank_name, account_number)
    values (${merchant_id}, ${id}, 'BJ', 'BANK_ACCOUNT', ${made}, 'Bank of the Gulf', '12345678')`
  return { id }
}

const methodReads = { access: 'dashboard', permission: 'read', status: 200 } as const
const methodWrites = {
  access: 'dashboard',
  permission: 'payout_methods',
  second_factor: 'account',
} as const

export const keysRows: MatrixRows = {
  'GET /merchant-api-keys/': keyReads,
  'POST /merchant-api-keys/': { ...keyWrites, body: keyBody },
  'GET /merchant-api-keys/{id}/': { ...keyReads, params: ofKey },
  'PATCH /merchant-api-keys/{id}/': {
    ...keyWrites,
    status: 200,
    params: ofKey,
    body: () => ({ read_only: true }),
  },
  'POST /merchant-api-keys/{id}/revoke/': { ...keyWrites, status: 200, params: ofKey },
  'POST /merchant-api-keys/{id}/rotate/': { ...keyWrites, params: ofKey, body: () => ({}) },
  'DELETE /merchant-api-keys/{id}/': { ...keyWrites, status: 204, params: ofKey },

  ...whitelistRows('/merchant-ip-whitelist/'),
  ...whitelistRows('/merchant-ip-whitelist-entries/'),

  'GET /merchant-payout-methods/': methodReads,
  'POST /merchant-payout-methods/': { ...methodWrites, status: 201, body: methodBody },
  'GET /merchant-payout-methods/{id}/': { ...methodReads, params: ofMethod, record: 'both' },
  'PATCH /merchant-payout-methods/{id}/': {
    ...methodWrites,
    status: 200,
    params: ofMethod,
    record: 'both',
    body: () => ({ label: made }),
  },
  'DELETE /merchant-payout-methods/{id}/': {
    ...methodWrites,
    status: 204,
    params: ofMethod,
    record: 'both',
  },
}
