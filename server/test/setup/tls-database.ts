// A PostgreSQL of a test's own that speaks TLS on loopback, with a certificate made on the spot.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { cleanEnvironment, ensureCluster, placeFor } from '../../src/platform/embedded/cluster.ts'
import { nativeDirectory, programPath } from '../../src/platform/embedded/native-binary.ts'
import { unprivilegedAccount } from '../../src/platform/embedded/unprivileged.ts'
import { makeCertificate } from './certificate.ts'
import { freePort } from './loopback.ts'

export type TlsDatabase = Readonly<{
  port: number
  /** The file of the certificate that it shows. */
  root_file: string
  /** A file beside it, with this text. */
  write(name: string, text: string): Promise<string>
  stop(): Promise<void>
}>

/** Accepts anybody on this machine who speaks TLS; its certificate names `host`. */
export async function startTlsDatabase(host: string): Promise<TlsDatabase> {
  const account = unprivilegedAccount()
  const home = await mkdtemp(path.join(tmpdir(), 'pirogue-tls-'))
  await chmod(home, 0o755)
  const native = nativeDirectory(account)
  const directory = placeFor(path.join(home, 'database'), account, () => undefined)
  const data = await ensureCluster({ directory, native, account, durable: false })
  const { key, cert } = makeCertificate(host)
  const write = async (name: string, text: string) => {
    const file = path.join(home, name)
    await writeFile(file, text, { mode: 0o600 })
    if (account.uid !== undefined && account.gid !== undefined) {
      chownSync(file, account.uid, account.gid)
    }
    return file
  }
  const port = await freePort()
  const root_file = await write('server.crt', cert)
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    fsync: 'off',
    ssl: 'on',
    ssl_cert_file: root_file,
    ssl_key_file: await write('server.key', key),
    hba_file: await write('hba.conf', 'hostssl all all 127.0.0.1/32 trust\n'),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(programPath(native, 'postgres'), ['-D', data, ...flags], {
    ...account,
    cwd: directory,
    env: cleanEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await untilReady(child.stderr)
  return {
    port,
    root_file,
    write,
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGINT')
      await exited
      await rm(home, { recursive: true, force: true })
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function untilReady(log: NodeJS.ReadableStream): Promise<void> {
  let output = ''
  await new Promise<void>((resolve, reject) => {
    log.on('data', (chunk) => {
      output += String(chunk)
      if (output.includes('ready to accept connections')) resolve()
    })
    log.on('end', () => reject(new Error(output)))
  })
}
