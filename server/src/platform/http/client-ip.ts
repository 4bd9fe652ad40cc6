// The client's address (contract 3.5). Anybody can write `X-Forwarded-For`, so it is trusted only
// as far as TRUST_PROXY names the proxies in front of us.

import { BlockList, isIP } from 'node:net'
import type { TrustProxy } from '../settings/addresses.ts'

/** IPv4 in IPv6 form (`::ffff:192.0.2.1`) becomes IPv4; a zone (`%eth0`) is dropped. */
export function normaliseIp(text: string): string {
  const [address = ''] = text.trim().toLowerCase().split('%')
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? []
  if (mapped !== undefined) return mapped
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address) ?? []
  if (high === undefined || low === undefined) return address
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return `${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`
}

const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** An address as proxies write it: bare, with a port, or in brackets; undefined when it is none. */
function readForwarded(text: string): string | undefined {
  const trimmed = text.trim()
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed) ?? []
  const [, ported] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(trimmed) ?? []
  const address = normaliseIp(bracketed ?? ported ?? trimmed)
  return isIP(address) === 0 ? undefined : address
}

/** Whether we trust the proxy at this address, so many steps from us. */
type Trusts = (address: string, position: number) => boolean

function trustOf(trust: TrustProxy): Trusts {
  if (trust.is === 'nobody') return () => false
  if (trust.is === 'hops') return (_, position) => position < trust.count
  const networks = new BlockList()
  for (const cidr of trust.cidrs) {
    const [address = '', bits] = cidr.split('/')
    if (bits === undefined) networks.addAddress(normaliseIp(address), family(normaliseIp(address)))
    else networks.addSubnet(address, Number(bits), family(address))
  }
  return (address) => networks.check(address, family(address))
}

export type ClientIp = (peer: string, forwarded_for: string | string[] | undefined) => string

/**
 * A function that walks from our peer towards the client, while each address is a trusted proxy.
 */
export function clientIpReader(trust: TrustProxy): ClientIp {
  const trusts = trustOf(trust)
  return (peer, forwarded_for) => {
    let address = normaliseIp(peer)
    if (trust.is === 'nobody' || forwarded_for === undefined) return address
    const chain = [forwarded_for].flat().join(',').split(',').reverse()
    for (const [position, text] of chain.entries()) {
      if (!trusts(address, position)) break
      const next = readForwarded(text)
      // An entry of a trusted proxy that we cannot read hides the rest, so the walk stops at the
      // proxy.
      if (next === undefined) break
      address = next
    }
    return address
  }
}
