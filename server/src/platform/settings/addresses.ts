// Where we listen, our public address, and which proxies we trust about addresses (contract 7.2).

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { parseCount, parseUrl, type Reader } from './reader.ts'

/** The proxies whose `X-Forwarded-For` is trusted (contract 3.5). */
export type TrustProxy =
  | { is: 'nobody' }
  | { is: 'hops'; count: number }
  | { is: 'networks'; cidrs: readonly string[] }

/** Our address when PUBLIC_URL is not set: `HOST`, or this machine when that is "all". */
export function defaultPublicUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`
}

export function readAddresses(reader: Reader, host: string) {
  const portText = 'a port number from 0 (any free one) to 65535'
  const port = reader.value('PORT', parsePort, portText) ?? 8080
  const simulator_port = reader.value('SIMULATOR_PORT', parsePort, portText) ?? 0
  if (port !== 0 && port === simulator_port) {
    reader.mistake('SIMULATOR_PORT', `"${port}"`, 'another port than PORT')
  }
  const urlText = 'an absolute http(s) URL without user, query or fragment'
  const public_url = reader.value('PUBLIC_URL', parseUrl, urlText)
  const dashboard_url = readDashboardUrl(reader, public_url ?? defaultPublicUrl(host, port))
  const simulator_url = reader.value('SIMULATOR_URL', parseUrl, urlText) ?? null
  return {
    port,
    host,
    public_url: public_url ?? defaultPublicUrl(host, port),
    public_url_is_set: public_url !== undefined,
    dashboard_url,
    simulator_port,
    simulator_url,
  }
}

/**
 * A host name of the dashboard's own; null: it is at PUBLIC_URL. Another port is not enough: to a
 * cookie all ports of a host are one.
 */
function readDashboardUrl(reader: Reader, public_url: string): string | null {
  const expected = 'an origin without a path, such as https://dashboard.example.org'
  const found = reader.value('DASHBOARD_URL', parseOrigin, expected)
  if (found === undefined) return null
  if (new URL(found).hostname === new URL(public_url).hostname) {
    reader.mistake('DASHBOARD_URL', `"${found}"`, 'another host name than that of PUBLIC_URL')
  }
  return found
}

function parseOrigin(text: string): string | undefined {
  const url = parseUrl(text)
  return url !== undefined && new URL(url).origin === url ? url : undefined
}

/** Public addresses that calls of ours leave from; none: nobody has said. */
export function readEgress(reader: Reader): readonly string[] {
  const expected = 'a comma-separated list of IP addresses or networks, such as 203.0.113.7'
  return reader.value('PUBLIC_EGRESS_ADDRESSES', parseNetworks, expected) ?? []
}

/** The proxies that accounts may go through, `http://host:port` each. */
export function readEgressProxies(reader: Reader): readonly string[] {
  const expected = 'a comma-separated list of proxies, such as http://10.0.0.5:3128'
  return reader.value('EGRESS_PROXIES', parseProxies, expected) ?? []
}

function parseProxies(text: string): readonly string[] | undefined {
  const all = text.split(',').map((part) => part.trim())
  return all.every((one) => /^http:\/\/[^\s\\/?#@]+:\d+$/.test(one) && URL.canParse(one))
    ? all
    : undefined
}

function parseNetworks(text: string): readonly string[] | undefined {
  const all = text.split(',').map((part) => part.trim())
  return all.every(isNetwork) ? all : undefined
}

export function readTrustProxy(reader: Reader): TrustProxy {
  const expected =
    'the number of proxies in front of us, or their addresses as a list of IPs and CIDRs (not ' +
    'true, nor a network that includes everyone: then anyone could choose their own IP)'
  return reader.value('TRUST_PROXY', parseTrustProxy, expected) ?? { is: 'nobody' }
}

function parseTrustProxy(text: string): TrustProxy | undefined {
  const hops = parseCount(text)
  if (hops !== undefined) {
    if (hops > 100) return undefined
    return hops === 0 ? { is: 'nobody' } : { is: 'hops', count: hops }
  }
  const cidrs = parseNetworks(text)
  return cidrs && { is: 'networks', cidrs }
}

function isNetwork(text: string): boolean {
  if (isIP(text) !== 0) return true
  const [address = '', bits = ''] = text.split('/')
  if (isIP(address) === 0 || !/^\d{1,3}$/.test(bits)) return false
  return ipaddr.isValidCIDR(text) && ipaddr.parseCIDR(text)[1] > 0
}

function parsePort(text: string): number | undefined {
  const port = parseCount(text)
  return port !== undefined && port <= 65_535 ? port : undefined
}

export function parseHost(text: string): string | undefined {
  const isName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text) && !/^[\d.]+$/.test(text)
  return isIP(text) !== 0 || isName ? text : undefined
}

export const isLoopback = (host: string) =>
  host === 'localhost' || (isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback')
