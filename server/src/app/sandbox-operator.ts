// The sandbox operator of this installation: the configured one, one that another process runs
// already, or one of our own.

import path from 'node:path'
import type { Logger } from 'pino'
import type { Db } from '../platform/db.ts'
import { findServiceUrl, saveServiceUrl } from '../platform/server-addresses.ts'
import type { Config } from './config.ts'
import { startSimulatorProcess } from './simulator-process.ts'
import { simulatorSecrets } from './wire.ts'

export type SandboxOperator = Readonly<{
  url: () => string
  /** Ours, on this machine. */
  own: boolean
  stop(): Promise<void>
}>

export async function startSandboxOperator(
  config: Config,
  db: Db,
  keyring: Parameters<typeof simulatorSecrets>[0],
  log: Logger,
): Promise<SandboxOperator> {
  const elsewhere = config.simulator_url ?? (await aliveElsewhere(db))
  if (elsewhere !== null) return { url: () => elsewhere, own: false, stop: async () => undefined }
  const own = await startSimulatorProcess({
    port: config.simulator_port,
    ...simulatorSecrets(keyring),
    dir: path.resolve(config.data_dir),
    log,
  })
  await saveServiceUrl(db, 'simulator', own.url())
  return { url: own.url, own: true, stop: own.stop }
}

async function aliveElsewhere(db: Db): Promise<string | null> {
  const url = await findServiceUrl(db, 'simulator')
  if (url === undefined) return null
  const answered = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1000) }).then(
    (reply) => reply.ok,
    () => false,
  )
  return answered ? url : null
}
