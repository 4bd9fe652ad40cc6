// Host and TLS as DATABASE_URL gives them. Law: an address that demands a proven certificate gets
// one, under the host's own name. The driver alone does not do that (postgres 3.4.9,
// connection.js:283 and parseOptions): `sslmode=require` proves nothing, an IP address is compared
// with "localhost", and `sslrootcert` goes to the server as a setting.

import { readFileSync } from 'node:fs'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'

/** `full`: the certificate is trusted and names the host. `ca`: it is trusted. */
export type Proving = 'full' | 'ca' | 'none'

export type DatabaseAddress = Readonly<{
  /** Without the certificate settings where we verify; otherwise unchanged. */
  url: string
  /** Empty: the driver's own default, which PGHOST sets. */
  hosts: readonly string[]
  proving: Proving
  /** A file of trusted certificates; null: those of the system. */
  root_file: string | null
}>

const provings: Readonly<Record<string, Proving>> = { 'verify-full': 'full', 'verify-ca': 'ca' }

export function readDatabaseAddress(text: string): DatabaseAddress {
  const at = text.indexOf('?')
  const address = at === -1 ? text : text.slice(0, at)
  const parameters = new URLSearchParams(at === -1 ? '' : text.slice(at + 1))
  const root = parameters.get('sslrootcert')
  const mode =
    parameters.get('sslmode') ?? parameters.get('ssl') ?? (root === 'system' ? 'verify-full' : '')
  const proving = provings[mode] ?? 'none'
  const hosts = hostsOf(address)
  if (proving === 'none') return { url: text, hosts, proving, root_file: null }
  for (const name of ['sslmode', 'ssl', 'sslrootcert']) parameters.delete(name)
  const rest = parameters.toString()
  const url = rest === '' ? address : `${address}?${rest}`
  return { url, hosts, proving, root_file: root === 'system' ? null : root }
}

function hostsOf(address: string): string[] {
  const [, authority = ''] = /^\w+:\/\/([^/]*)/.exec(address) ?? []
  const all = authority.slice(authority.lastIndexOf('@') + 1)
  return all.split(',').map(hostOf).filter(Boolean)
}

/** `[::1]:5432`, `db:5432`, `%2Frun%2Fpostgresql`. */
const hostOf = (part: string): string =>
  /^\[(.*)\]/.exec(part)?.[1] ?? decodeURIComponent(part.replace(/:\d*$/, ''))

export type TlsOptions = Readonly<{
  rejectUnauthorized: true
  ca?: string
  checkServerIdentity: (name: string, certificate: PeerCertificate) => Error | undefined
}>

/** What the driver hands to Node's TLS; undefined: it follows the address. */
export function tlsOptionsOf(address: DatabaseAddress): TlsOptions | undefined {
  const { proving, hosts, root_file } = address
  if (proving === 'none') return undefined
  const [only, ...others] = hosts
  return {
    rejectUnauthorized: true,
    ...(root_file === null ? {} : { ca: readRoot(root_file) }),
    checkServerIdentity: (name, certificate) => {
      if (proving === 'ca') return undefined
      // Of several hosts, the driver's own choice; it has none for an IP address.
      const meant = others.length === 0 && only !== undefined ? only : name
      return checkServerIdentity(meant, certificate)
    },
  }
}

function readRoot(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new Error(`DATABASE_URL: the file of sslrootcert cannot be read${code}.`)
  }
}
