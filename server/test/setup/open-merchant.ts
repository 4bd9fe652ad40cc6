// A merchant and its first key, made by the verbs that the command line uses; and the database of a
// service that runs as a process of its own, to make them there.

import { pino } from 'pino'
import { readConfig } from '../../src/app/config.ts'
import { connect } from '../../src/app/connect.ts'
import { keyringOf } from '../../src/app/secret-key.ts'
import { createKey } from '../../src/merchants/keys/issue-keys.ts'
import { createMerchant } from '../../src/merchants/merchant.ts'
import type { Keyring } from '../../src/platform/crypto/seal.ts'
import type { Db } from '../../src/platform/db.ts'
import type { Environment, Scope } from '../../src/platform/http/route.ts'

export type MerchantOptions = Readonly<{
  /** Of a merchant that is there already: it gets one more key. */
  merchant_id?: string
  name?: string
  /** Calls a minute; by default no limit that a test or a load could meet. */
  rate_limit?: number
  live?: boolean
  environment?: Environment
  scope?: Scope
}>

export async function openMerchant(
  db: Parameters<typeof createMerchant>[0],
  options: MerchantOptions = {},
): Promise<{ merchant_id: string; secret: string }> {
  const { name = 'Shop', rate_limit = 10_000_000, live = false } = options
  const { environment = 'SANDBOX', scope = 'BOTH' } = options
  const made = { name, rate_limit_per_minute: rate_limit, live_enabled: live }
  const merchant_id = options.merchant_id ?? (await createMerchant(db, made)).id
  const { secret } = await createKey(db, { merchant_id, environment, scope, name: 'test' })
  return { merchant_id, secret }
}

/** Its endpoint is registered over the API, as a merchant does it. */
export async function registerEndpoint(
  url: string,
  secret: string,
  endpoint: Readonly<{ url: string; events?: readonly string[] }>,
): Promise<void> {
  const reply = await fetch(`${url}/api/v1/merchant-webhooks/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(endpoint),
  })
  if (reply.status !== 201) throw new Error(`webhook: ${reply.status} ${await reply.text()}`)
}

export type OwnDatabase = Readonly<{
  /** As the database's superuser. */
  db: Db
  keyring: Keyring
  /** Leaves the database; to be called before the process that runs it ends. */
  close(): Promise<void>
}>

/** The database in the data directory of a service that is running. */
export async function openOwnDatabase(data_dir: string): Promise<OwnDatabase> {
  const reading = readConfig({ DATA_DIR: data_dir })
  if (reading.is === 'mistakes') throw new Error(reading.lines.join('\n'))
  const connection = await connect(reading.config, pino({ level: 'silent' }))
  const db = connection.open('superuser', { connections_max: 4, durable: true, name: 'test' })
  return {
    db,
    keyring: await keyringOf(reading.config),
    async close() {
      await db.end({ timeout: 5 })
      await connection.stop()
    },
  }
}

export async function withOwnDatabase<T>(
  data_dir: string,
  work: (own: OwnDatabase) => Promise<T>,
): Promise<T> {
  const own = await openOwnDatabase(data_dir)
  try {
    return await work(own)
  } finally {
    await own.close()
  }
}
