// The published interface as a file is made of: the document of the very routes that `wire` builds,
// made without a database, a gateway or a port (the clients here never connect).

import { pino } from 'pino'
import { openKeyring } from '../platform/crypto/seal.ts'
import { type Db, openDb } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { buildOpenApi, type OpenApiDocument } from '../platform/http/openapi.ts'
import { createWaker } from '../platform/jobs/notify.ts'
import { readConfig } from './config.ts'
import { type Wired, wire } from './wire.ts'

/** What `/api/v1/openapi.json` serves under the default settings, its server address relative. */
export const openApiDocument = (): Promise<OpenApiDocument> =>
  fromWired(({ routes, openapi }) => buildOpenApi(routes, openapi))

/** Every route of the API, for laws that hold for all of them; not to be called. */
export const everyRoute = (): Promise<Wired['routes']> => fromWired(({ routes }) => routes)

async function fromWired<T>(read: (wired: Wired) => T): Promise<T> {
  const db = openDb({ connections_max: 1, durable: true, application_name: 'pirogue-openapi' })
  const wired = wireUnconnected(db)
  try {
    return read(wired)
  } finally {
    await wired.close()
    await db.end({ timeout: 1 })
  }
}

function wireUnconnected(db: Db): Wired {
  const reading = readConfig({})
  assert(reading.is === 'config', 'the default configuration is right')
  return wire({
    config: reading.config,
    db,
    quick: db,
    reads: db,
    openAlone: async () => ({ db, close: async () => undefined }),
    // Nothing is sealed or signed here: any well-formed key will do.
    keyring: openKeyring(Buffer.alloc(32).toString('base64')),
    waker: createWaker(),
    wakeOthers: () => undefined,
    simulator_url: () => 'http://127.0.0.1:1',
    callback_base: () => 'http://127.0.0.1:1',
    own_ports: () => [],
    gateways: [],
    public_url: 'http://127.0.0.1:1',
    dashboard_url: 'http://127.0.0.1:1',
    log: pino({ level: 'silent' }),
  })
}
