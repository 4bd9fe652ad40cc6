// Addresses and networks as a merchant writes them, in the one form that we keep. Pure. Law: what
// is kept never means more addresses than its text shows, in whatever form a caller's address
// comes.

import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Text } from '../../platform/errors.ts'
import { normaliseIp } from '../../platform/http/client-ip.ts'

export type NetworkReading =
  | Readonly<{ is: 'network'; network: string }>
  | Readonly<{ is: 'refused'; why: Text }>

const malformed: Text = {
  en: 'Must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24.',
  fr: 'Doit être une adresse IPv4 ou IPv6, ou un réseau tel que 203.0.113.0/24.',
}
const tooWide: Text = {
  en: 'Is too wide: at most a /8 of IPv4 or a /32 of IPv6.',
  fr: 'Est trop large : au plus un /8 en IPv4 ou un /32 en IPv6.',
}
const unspecified: Text = {
  en: 'Must not hold 0.0.0.0 or ::, which stand for every address.',
  fr: 'Ne doit pas contenir 0.0.0.0 ni ::, qui désignent toutes les adresses.',
}

/** The least bits that must be fixed. */
const bits_min = { 4: 8, 6: 32 } as const
/** Where IPv6 has room for the whole of IPv4: a network that holds it would mean everybody. */
const mapped_prefix = '::ffff:'
const mapped_bits = 96

type Parts = Readonly<{ address: string; bits: number; family: 4 | 6 }>

/**
 * Host bits are cut (`10.1.2.3/8` is `10.0.0.0/8`), one address has no `/32`, IPv6 is written as
 * short as RFC 5952 has it, and IPv4 in IPv6 form is IPv4.
 */
export function readNetwork(text: string): NetworkReading {
  const parts = readParts(text)
  if (parts === undefined) return { is: 'refused', why: malformed }
  const { address, bits, family } = parts
  if (bits < bits_min[family]) return { is: 'refused', why: tooWide }
  const first = firstOf(parts)
  if (holdsEverybody(first, bits, family)) return { is: 'refused', why: unspecified }
  const isOne = bits === (family === 4 ? 32 : 128)
  const network = isOne ? ipaddr.parse(address).toString() : `${first}/${bits}`
  return { is: 'network', network }
}

function readParts(text: string): Parts | undefined {
  const [, typed = '', bitsText] = /^([^/%\s]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? []
  const version = isIP(typed)
  if (version === 0) return undefined
  const bits = bitsText === undefined ? undefined : Number(bitsText)
  if (bits !== undefined && bits > (version === 4 ? 32 : 128)) return undefined
  const address = normaliseIp(ipaddr.parse(typed).toString())
  if (version === 4 || isIP(address) === 6) {
    const family = version === 4 ? 4 : 6
    return { address, bits: bits ?? (family === 4 ? 32 : 128), family }
  }
  // IPv4 in IPv6 form; with fewer bits than the form itself it is a network of IPv6.
  const own = (bits ?? 128) - mapped_bits
  if (own >= 0) return { address, bits: own, family: 4 }
  return { address: mapped_prefix + address, bits: own + mapped_bits, family: 6 }
}

const firstOf = ({ address, bits, family }: Parts): string =>
  (family === 4 ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(`${address}/${bits}`).toString()

function holdsEverybody(first: string, bits: number, family: 4 | 6): boolean {
  if (family === 4) return first === '0.0.0.0'
  if (first === '::') return true
  const mapped = ipaddr.IPv6.parse('::ffff:0:0')
  return bits < mapped_bits && mapped.match([ipaddr.IPv6.parse(first), bits])
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Whether the address is in one of these networks, all of them in the form of `readNetwork`. */
export const isInside = (networks: readonly string[], ip: string): boolean => listOf(networks)(ip)

/** The same for many addresses: the networks are read once. */
export function listOf(networks: readonly string[]): (ip: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [first = '', bits] = network.split('/')
    if (bits === undefined) list.addAddress(first, familyOf(first))
    else list.addSubnet(first, Number(bits), familyOf(first))
  }
  return (ip) => {
    const address = normaliseIp(ip)
    return isIP(address) !== 0 && list.check(address, familyOf(address))
  }
}
