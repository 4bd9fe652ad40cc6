// Several processes of the service behind one address: they share its port, the database and one
// sandbox operator, which are started here and ended after them.

import type { Logger } from 'pino'
import { defaultPublicUrl } from '../../platform/settings/addresses.ts'
import type { Config } from '../config.ts'
import type { Connection } from '../connect.ts'
import { reservePort } from '../port.ts'
import { startSandboxOperator } from '../sandbox-operator.ts'
import { keyringIn } from '../secret-key.ts'
import type { Service } from '../start.ts'
import { keepProcesses } from './keep-processes.ts'

/** Ends the connection too, at its stop or when it cannot start. */
export async function startProcesses(
  count: number,
  config: Config,
  log: Logger,
  connection: Connection,
): Promise<Pick<Service, 'public_url' | 'simulator_url' | 'stop'>> {
  const ends = [() => connection.stop()]
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end()
  }
  try {
    const reserved = config.port === 0 ? await reservePort(0, config.host) : undefined
    if (reserved !== undefined) ends.push(reserved.release)
    const port = reserved?.port ?? config.port
    const options = { connections_max: 2, durable: false, name: 'pirogue-start' }
    const db = connection.open('pirogue_app', options)
    const keyring = await keyringIn(config, db, (line) => log.warn(line))
    const operator = await startSandboxOperator(config, { db, keyring, log })
    ends.push(() => operator.stop())
    const place = { port, operator: { url: operator.url(), own: operator.own() } }
    await reserved?.release()
    const kept = await keepProcesses(count, { is: 'serve', ...place }, log)
    ends.push(() => kept.stop())
    const local = defaultPublicUrl(config.host, port)
    const public_url = config.public_url_is_set ? config.public_url : local
    return { public_url, simulator_url: operator.url(), stop }
  } catch (error) {
    await stop()
    throw error
  }
}
