// The merchant's own operations (payments, lists, webhooks …) as rows of the matrix: their calls
// stand in bad-input/expectations.ts, here is what a session needs for them.

import type { Permission } from '../../src/platform/http/route.ts'
import { expectations } from '../bad-input/expectations.ts'
import type { World } from '../bad-input/world.ts'
import type { MatrixRow } from './row.ts'

/** By the first segments of the path. */
const permissionOf: readonly (readonly [RegExp, Permission])[] = [
  [/^(POST|PUT) \/(payments|sandbox)\//, 'payins'],
  [/^(POST|PATCH|DELETE) \/merchant-webhooks\//, 'webhooks'],
]
/** No gateway takes LIVE payments here; the sandbox does not exist there. */
const liveStatuses: readonly (readonly [RegExp, number])[] = [
  [/^POST \/payments\/softpay\//, 422],
  [/^GET \/quotes\//, 422],
  [/\/sandbox\//, 404],
]

/** What a member's role must allow for it, by this file's own reading of the contract. */
export const merchantPermission = (name: string): Permission | undefined =>
  permissionOf.find(([pattern]) => pattern.test(name))?.[1]

const inLive = /^(POST|PATCH|DELETE) \/merchant-webhooks\//

/** Undefined for an operation that has no line there. */
export function merchantRow(name: string, world: World): MatrixRow | undefined {
  const expected = expectations[name]
  if (expected === undefined) return undefined
  const permission = merchantPermission(name)
  const [, live_status] = liveStatuses.find(([pattern]) => pattern.test(name)) ?? []
  const { id, body } = expected
  const [, parameter = 'id'] = /\{(\w+)\}/.exec(name) ?? []
  const params = async () => {
    // A merchant has few webhooks: those made for earlier calls make room.
    await world.app.owner`
      update webhooks set deleted_at = now() where url = 'https://hooks.example.com/fresh'`
    return { [parameter]: (await id?.fresh?.(world)) ?? world.named(`{${id?.own}}`) }
  }
  return {
    access: expected.access,
    suspended: expected.suspended,
    status: expected.status,
    ...(permission === undefined ? {} : { permission }),
    ...(name === 'GET /availability/' ? { knows_callers: true } : {}),
    ...(inLive.test(name) ? { second_factor: 'environment' } : {}),
    ...(expected.query === undefined ? {} : { query: expected.query }),
    ...(live_status === undefined ? {} : { live_status }),
    ...(id === undefined ? {} : { params }),
    ...(id?.of === 'everybody' ? { record: 'everybody' } : {}),
    ...(body === undefined ? {} : { body }),
  }
}
