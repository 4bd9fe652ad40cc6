// What `gateway check` looks at between us and an operator: its name, its certificate, ours, and
// our own address, which it calls. It asks for nothing but the head of a page.

import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { Environment } from '../platform/http/route.ts'
import { refuseAddress } from '../platform/outbound/addresses.ts'
import { daysLeft, type OwnTls, readOwnCertificate } from '../platform/outbound/own-certificate.ts'
import { certificateTexts } from './account-tls.ts'
import type { Finding } from './gateway.ts'

const day_ms = 86_400_000
const expiry_warn_days = 21
const patience_ms = 10_000

const pass = (what: string, found: string): Finding => ({ what, is: 'PASS', found, fix: '' })
const fail = (what: string, found: string, fix: string): Finding => ({
  ...{ what, found, fix },
  is: 'FAIL',
})

type Way = Readonly<{ code: string; base_url: string; tls: OwnTls; now_ms: number }>

/** Name, our certificate, TLS: what follows on what failed is not looked at. */
export async function connectionFindings(way: Way): Promise<Finding[]> {
  const { hostname, port, protocol } = new URL(way.base_url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const addresses = await dns.lookup(host, { all: true }).catch(() => [])
  if (addresses.length === 0) {
    return [fail('name', `${host} has no address`, 'Compare base_url; ask your name server.')]
  }
  const before = [pass('name', `${host} has ${addresses.length} addresses`), ...ownFindings(way)]
  if (protocol !== 'https:' || before.some(({ is }) => is === 'FAIL')) return before
  return [...before, await tlsFinding(way, { host, port: Number(port || '443') })]
}

/** Of a certificate of ours, where the account has one. */
function ownFindings({ code, tls, now_ms }: Way): Finding[] {
  const own = readOwnCertificate(tls)
  if (own === undefined) return []
  const what = 'client certificate'
  const fix = `Ask the operator for another, then: npm run cli -- gateway rotate ${code}`
  const fault = own.fault(now_ms)
  if (fault !== undefined) return [fail(what, certificateTexts[fault].en, fix)]
  const days = daysLeft(own, now_ms)
  const found = `good for ${days} days`
  return [days < expiry_warn_days ? { what, is: 'WARN', found, fix } : pass(what, found)]
}

function tlsFinding({ tls, now_ms }: Way, at: Readonly<{ host: string; port: number }>) {
  return new Promise<Finding>((resolve) => {
    const name = isIP(at.host) === 0 ? { servername: at.host } : {}
    const socket = connect({ ...at, ...name, ...tls, timeout: patience_ms })
    let until_ms: number | undefined
    const end = (finding: Finding) => {
      socket.destroy()
      resolve(finding)
    }
    socket.on('timeout', () => end(fail('TLS', 'no answer', 'Ask the operator whether it is up.')))
    socket.on('error', (error) => {
      end(until_ms === undefined ? handshakeFault(error) : unwanted(tls))
    })
    socket.on('secureConnect', () => {
      until_ms = Date.parse(socket.getPeerCertificate().valid_to)
      // Whoever wants a certificate of ours says so by hanging up, once it should answer.
      socket.write(`HEAD / HTTP/1.1\r\nhost: ${at.host}\r\nconnection: close\r\n\r\n`)
    })
    socket.once('data', () => end(goodTls(`${socket.getProtocol()}`, until_ms ?? 0, now_ms)))
    socket.on('close', () => end(unwanted(tls)))
  })
}

function goodTls(protocol: string, until_ms: number, now_ms: number): Finding {
  const days = Math.floor((until_ms - now_ms) / day_ms)
  const found = `${protocol}, certificate good for ${days} days`
  if (days >= expiry_warn_days) return pass('TLS', found)
  return { what: 'TLS', is: 'WARN', found, fix: 'Ask the operator when it renews its certificate.' }
}

const unwanted = ({ cert }: OwnTls): Finding =>
  fail(
    'TLS',
    `the operator hangs up once it has seen ${cert === undefined ? 'no' : 'our'} certificate`,
    cert === undefined
      ? 'Where it wants one of ours: set tls_certificate and tls_key, as it gave them.'
      : 'Ask the operator whether it knows our certificate, and for which environment.',
  )

const ask = 'Nothing is sent until the operator renews it: ask the operator.'

/** By the codes of OpenSSL and Node. */
const handshakeFaults: Readonly<Record<string, readonly [found: string, fix: string]>> = {
  CERT_HAS_EXPIRED: ['its certificate has expired', ask],
  CERT_NOT_YET_VALID: ['its certificate is not good yet', `Compare this machine’s clock. ${ask}`],
  ERR_TLS_CERT_ALTNAME_INVALID: ['its certificate is of another name', 'Compare base_url.'],
  ECONNREFUSED: ['nobody listens there', 'Compare base_url, then ask whether it is up.'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['no TLS is spoken there', 'Compare base_url and its port.'],
}
const nobodyVouches =
  'Somebody may stand between: compare base_url. Where the operator has its own authority, set ' +
  'tls_ca.'

function handshakeFault(error: Error): Finding {
  const code = 'code' in error ? String(error.code) : ''
  const [found, fix] = handshakeFaults[code] ?? []
  if (found !== undefined && fix !== undefined) return fail('TLS', found, fix)
  const isUnknown = /SELF_SIGNED|UNABLE_TO_|UNTRUSTED/.test(code)
  if (isUnknown)
    return fail('TLS', 'nobody that we trust vouches for its certificate', nobodyVouches)
  return fail(
    'TLS',
    error.message,
    'The operator’s certificate or the way to it: ask the operator.',
  )
}

/** Where an operator calls us: in LIVE over https from the internet. */
export function addressFinding(public_url: string, { code, environment }: AddressOf): Finding {
  const what = 'our address'
  const { protocol, hostname, origin } = new URL(public_url)
  const found = `${origin}/callbacks/${code}`
  const isHere = isOurs(hostname.replace(/^\[|\]$/g, ''))
  if (protocol === 'https:' && !isHere) return pass(what, found)
  const why = isHere ? 'is this machine’s or this network’s own' : 'is not https'
  const fix = 'Set PUBLIC_URL to an https:// address that the operator reaches over the internet.'
  return { what, found: `${found} ${why}`, fix, is: environment === 'LIVE' ? 'FAIL' : 'WARN' }
}

/** Where our calls leave from: many operators admit only addresses that they were given. */
export function egressFinding(
  addresses: readonly string[],
  { environment }: Pick<AddressOf, 'environment'>,
): Finding {
  const what = 'addresses that our calls leave from'
  const near = addresses.filter((one) => isOurs(one.replace(/\/\d+$/, '')))
  if (addresses.length > 0 && near.length === 0) {
    return pass(what, `${addresses.join(', ')}: give them to the operator`)
  }
  const found = near.length === 0 ? 'not known' : `${near.join(', ')} is of this network alone`
  const fix =
    'Set PUBLIC_EGRESS_ADDRESSES to the public ones, as your provider or router shows them, and ' +
    'give them to the operator.'
  if (environment === 'LIVE' || near.length > 0) return { what, is: 'WARN', found, fix }
  return pass(what, `${found}: PUBLIC_EGRESS_ADDRESSES is not set`)
}

type AddressOf = Readonly<{ code: string; environment: Environment }>

const rules = { allow_private: false, own_ports: () => [] }

const isOurs = (host: string): boolean =>
  host === 'localhost' || (isIP(host) !== 0 && refuseAddress(host, 443, rules) !== undefined)
