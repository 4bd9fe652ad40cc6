// The address that operators call, over real HTTP, around what a test puts behind it.

import { pino } from 'pino'
import { addOriginRoutes } from '../../src/app/origin-routes.ts'
import { noteProbe } from '../../src/attempts/callback-probe.ts'
import type { CallbackDeps } from '../../src/attempts/receive-callback.ts'
import { keyringWithMacKeys } from '../../src/platform/crypto/mac-keys.ts'
import type { Keyring } from '../../src/platform/crypto/seal.ts'
import type { Db } from '../../src/platform/db.ts'
import { buildServer } from '../../src/platform/http/server.ts'

export type CallbackServer = Readonly<{ url: string; close(): Promise<void> }>

/** What callbacks are signed for, whatever their `Host` says. */
export const callbackAuthority = 'pirogue.example'

export async function serveCallbacks(callbacks: CallbackDeps): Promise<CallbackServer> {
  const server = await buildServer({
    routes: [],
    log: pino({ level: 'silent' }),
    config: {
      default_locale: 'en',
      envelope: 'on',
      public_url: 'http://127.0.0.1',
      trust_proxy: { is: 'nobody' },
    },
    authenticate: async () => {
      throw new Error('nobody signs in here')
    },
    extra: (http) =>
      addOriginRoutes(http, {
        callbacks,
        callback_authority: callbackAuthority,
        readiness: async () => ({ ready: true, report: {} }),
        metrics: async () => '',
        watching: { open: false, token: null },
        security: { contact: null, public_url: 'http://127.0.0.1' },
      }),
  })
  const { port } = await server.listen(0, '127.0.0.1')
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/** What answers callbacks of our own alone, to whichever account, as the service does. */
export async function serveProbes(db: Db, keyring: Keyring): Promise<CallbackServer> {
  const macs = await keyringWithMacKeys(db, keyring, [])
  const probed = (nonce: string) => noteProbe(db, nonce)
  const gateways = { get: () => ({ facts: {} }), all: () => [] }
  // Nothing but a probe is sent there.
  return serveCallbacks({
    ...{ db, macs, probed, gateways, gateway_ids: new Map() },
  } as unknown as CallbackDeps)
}
