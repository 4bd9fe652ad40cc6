// A payout that is taken back at the operator itself, as somebody does on its portal.

import { expect } from 'vitest'
import { simulatorSecrets } from '../../src/app/wire.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import type { TestApp } from '../harness.ts'

/** Of a payout's attempt, at the sandbox operator. */
export async function reversedThere(app: TestApp, attempt_id: string): Promise<void> {
  const { token } = simulatorSecrets(openKeyring(app.config.secret_key ?? ''))
  const [row] = await app.owner`select our_key, gateway_code from attempts where id = ${attempt_id}`
  const operator = String(row?.['gateway_code']).endsWith('_a') ? 'a' : 'b'
  const reply = await fetch(
    `${app.simulator.url}/${operator}/payouts/${row?.['our_key']}/reverse`,
    {
      ...{ method: 'POST', body: '{}' },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    },
  )
  expect(reply.status).toBe(200)
}
