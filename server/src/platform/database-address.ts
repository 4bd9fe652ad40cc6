// What DATABASE_URL says of host and TLS. Law: what asks for a proven certificate gets one, under
// the host's own name. The driver alone does otherwise (postgres 3.4.9, connection.js:283): with
// `sslmode=require` nothing is proven, an IP address is compared with "localhost"; `sslrootcert` is
// sent to the server as a setting of its own (index.js, parseOptions).

import { readFileSync } from 'node:fs'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'

/** `full`: the certificate is believed and names the host. `ca`: it is believed. */
export type Proving = 'full' | 'ca' | 'none'

export type DatabaseAddress = Readonly<{
  /** Without what is said about certificates where we prove them; else as it was. */
  url: string
  /** Empty: the driver's own default, which PGHOST sets. */
  hosts: readonly string[]
  proving: Proving
  /** A file of certificates to believe; null: those of the system. */
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

/** What the driver hands to Node's TLS; undefined: it does as the address says. */
export function tlsOptionsOf(address: DatabaseAddress): TlsOptions | undefined {
  const { proving, hosts, root_file } = address
  if (proving === 'none') return undefined
  const [only, ...others] = hosts
  return {
    rejectUnauthorized: true,
    ...(root_file === null ? {} : { ca: readRoot(root_file) }),
    checkServerIdentity: (name, certificate) => {
      if (proving === 'ca') return undefined
      // Of several hosts, the driver's word says which; it has none for an IP address.
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
