// A key as JSON, field by field. The secret is shown once, beside it, by the route that made it.

import { type TSchema, Type } from 'typebox'
import { type ApiKey, keyStatuses, scopes } from './api-key.ts'
import { madeFields } from './made-by-key.ts'

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const moment = Type.String({ format: 'date-time' })
const uuid = Type.String({ format: 'uuid' })

const fields = {
  id: uuid,
  merchant: uuid,
  name: Type.String(),
  environment: Type.Enum(['SANDBOX', 'LIVE']),
  scope: Type.Enum([...scopes]),
  key_prefix: Type.String({ description: 'The first 12 characters of the secret.' }),
  last4: Type.String({ description: 'The last 4 characters of the secret.' }),
  status: Type.Enum([...keyStatuses]),
  is_active: Type.Boolean({ description: 'Whether the key works now: status ACTIVE.' }),
  ip_whitelist: Type.Array(Type.String(), {
    description: 'The addresses and networks that it may call from; empty: any address.',
  }),
  read_only: Type.Boolean({ description: 'When true, the key may only make GET requests.' }),
  expires_at: nullable(moment),
  revoked_at: nullable(moment),
  last_used_at: Type.Union([moment, Type.Null()], {
    description: 'Updated up to 10 seconds after the call.',
  }),
  last_used_ip: Type.String({ description: 'Empty until the key is used.' }),
  rotated_to: Type.Union([uuid, Type.Null()], { description: 'The key that replaces this one.' }),
  created_by_member: nullable(uuid),
  created_at: moment,
  updated_at: moment,
}

export const KeySchema = Type.Object(fields, { title: 'MerchantApiKey' })

export const IssuedKeySchema = Type.Object(
  {
    ...fields,
    secret: Type.String({ description: 'Send it as `Authorization: Bearer`. Shown only once.' }),
  },
  { title: 'IssuedApiKey' },
)

export const viewKey = (key: ApiKey) => ({
  id: key.id,
  merchant: key.merchant_id,
  name: key.name,
  environment: key.environment,
  scope: key.scope,
  key_prefix: key.key_prefix,
  last4: key.last4,
  status: key.status,
  is_active: key.status === 'ACTIVE',
  ip_whitelist: key.ip_whitelist,
  read_only: key.read_only,
  expires_at: key.expires_at?.toISOString() ?? null,
  revoked_at: key.revoked_at?.toISOString() ?? null,
  last_used_at: key.last_used_at?.toISOString() ?? null,
  last_used_ip: key.last_used_ip,
  rotated_to: key.rotated_to,
  created_by_member: key.created_by_member,
  created_at: key.created_at.toISOString(),
  updated_at: key.updated_at.toISOString(),
})

export const keyExample = {
  id: '01981f3a-0000-7000-8000-00000000e001',
  merchant: '01981f3a-0000-7000-8000-00000000a001',
  name: 'Till 1',
  environment: 'SANDBOX',
  scope: 'PAYIN',
  key_prefix: 'sk_test_4fG7',
  last4: 'x0Qs',
  status: 'ACTIVE',
  is_active: true,
  ip_whitelist: ['203.0.113.0/24'],
  read_only: false,
  expires_at: null,
  revoked_at: null,
  last_used_at: '2026-11-21T08:00:00.000Z',
  last_used_ip: '203.0.113.7',
  rotated_to: null,
  created_by_member: '01981f3a-0000-7000-8000-00000000b001',
  created_at: '2026-11-20T08:00:00.000Z',
  updated_at: '2026-11-20T08:00:00.000Z',
}

export const issuedExample = {
  ...keyExample,
  last_used_at: null,
  last_used_ip: '',
  secret: 'sk_test_4fG7kQ3vJ2mT9bC4nR8sW1yD6fG5hL0aE3iU7oKx0Qs',
}

export const RevokedKeySchema = Type.Object(
  { ...KeySchema.properties, ...madeFields },
  { title: 'RevokedApiKey' },
)
