// What removing a member answers: the keys they leave behind.

import { Type } from 'typebox'
import type { ApiKey } from '../keys/api-key.ts'
import { KeySchema, keyExample, viewKey } from '../keys/view.ts'

const KeyLeftSchema = Type.Pick(KeySchema, [
  'id',
  'name',
  'environment',
  'scope',
  'key_prefix',
  'last4',
  'last_used_at',
])

export const RemovedSchema = Type.Object(
  {
    keys: Type.Array(KeyLeftSchema, {
      description: 'The member’s API keys that worked until now.',
    }),
    keys_revoked: Type.Boolean({ description: 'False: the keys still work.' }),
  },
  { title: 'MemberRemoved' },
)

export const viewKeyLeft = (key: ApiKey) => {
  const { id, name, environment, scope, key_prefix, last4, last_used_at } = viewKey(key)
  return { id, name, environment, scope, key_prefix, last4, last_used_at }
}

const { id, name, environment, scope, key_prefix, last4, last_used_at } = keyExample

export const keyLeftExample = { id, name, environment, scope, key_prefix, last4, last_used_at }
