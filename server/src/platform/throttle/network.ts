// What tries are counted by: one IPv4 address, or an IPv6 network of 64 bits, since one person may
// have all of its addresses.

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

const one_persons_bits = 64

/** In CIDR form for IPv6; anything else as it is. */
export function networkOf(ip: string): string {
  if (isIP(ip) !== 6) return ip
  const cidr = `${ip}/${one_persons_bits}`
  return `${ipaddr.IPv6.networkAddressFromCIDR(cidr).toString()}/${one_persons_bits}`
}
