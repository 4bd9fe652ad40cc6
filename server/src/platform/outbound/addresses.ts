// Which addresses a call on a merchant's behalf may reach (contract 6.6). Law: an address passes
// because it is known to be public, or because private ones are allowed; everything else is
// refused.

import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

type Address = ReturnType<typeof ipaddr.parse>

export type AddressRules = Readonly<{
  /** Loopback and private networks pass (WEBHOOK_ALLOW_PRIVATE). */
  allow_private: boolean
  /** The ports that we listen on now; on this machine's addresses they are always refused. */
  own_ports: () => readonly number[]
}>

/** No webhook reaches these, private or not: they hand out a cloud machine's credentials. */
const metadata = [
  'fd00:ec2::/32', // AWS
  'fd20:ce::/32', // Google
  '168.63.129.16/32', // Azure; looks public
].map((cidr) => ipaddr.parseCIDR(cidr))

const nat64 = ipaddr.parseCIDR('64:ff9b::/96')
const globalUnicast = ipaddr.parseCIDR('2000::/3')

export type AddressRefusal =
  | 'not_an_address'
  | 'link_local'
  | 'metadata'
  | 'own_port'
  | 'not_public'

/** Undefined when this address and port may be called, else why not. Zone ids are refused. */
export function refuseAddress(
  text: string,
  port: number,
  rules: AddressRules,
): AddressRefusal | undefined {
  if (isIP(text) === 0 || text.includes('%')) return 'not_an_address'
  const address = unmap(parse(text))
  if (metadata.some((cidr) => inside(address, cidr))) return 'metadata'
  if (address.range() === 'linkLocal') return 'link_local'
  if (rules.own_ports().includes(port) && isThisMachine(address)) return 'own_port'
  if (isPublic(address)) return undefined
  const isPrivate = ['loopback', 'private', 'uniqueLocal'].includes(address.range())
  return rules.allow_private && isPrivate ? undefined : 'not_public'
}

/** ipaddr.js reads `::8.8.8.8` as if it were mapped; the URL parser's hex form leaves no doubt. */
const parse = (text: string) =>
  ipaddr.parse(isIP(text) === 6 ? new URL(`http://[${text}]/`).hostname.slice(1, -1) : text)

/** `::ffff:127.0.0.1` is dialled as 127.0.0.1, so it is judged as such. */
function unmap(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
    ? address.toIPv4Address()
    : address
}

function isPublic(address: Address): boolean {
  if (inside(address, nat64)) {
    // Where IPv6-only hosts reach IPv4 names (DNS64): the last four bytes are the real target.
    const target = ipaddr.fromByteArray(address.toByteArray().slice(12))
    return target.range() === 'unicast' && !metadata.some((cidr) => inside(target, cidr))
  }
  if (address.range() !== 'unicast') return false
  // Outside 2000::/3 lie `::7f00:1` (IPv4-compatible) and ranges that are not assigned.
  return address.kind() === 'ipv4' || inside(address, globalUnicast)
}

function isThisMachine(address: Address): boolean {
  if (['loopback', 'unspecified'].includes(address.range())) return true
  const own = Object.values(networkInterfaces()).flatMap((rows) => rows ?? [])
  return own.some((row) => {
    const [text = ''] = row.address.split('%')
    return ipaddr.parse(text).toString() === address.toString()
  })
}

function inside(address: Address, [network, bits]: [Address, number]): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}
