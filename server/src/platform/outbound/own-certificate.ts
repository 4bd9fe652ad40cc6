// A certificate of our own, for a receiver that wants to see one (mTLS). Law: with one that is no
// good nothing is dialled, so that nothing can have left.

import { createPrivateKey, X509Certificate } from 'node:crypto'

/** PEM: whom to trust instead of Node's list, and what we show of ourselves. */
export type OwnTls = Readonly<{ ca?: string; cert?: string; key?: string }>

/** `another_key`: the certificate is not of this key. */
export type CertificateFault = 'unreadable' | 'no_key' | 'another_key' | 'not_yet' | 'over'

export type OwnCertificate = Readonly<{
  /** Until when it is good, milliseconds since 1970; NaN where it cannot be read. */
  until_ms: number
  fault(now_ms: number): CertificateFault | undefined
}>

const day_ms = 86_400_000

/** Undefined where we show none. The first of a chain is ours. */
export function readOwnCertificate({ cert, key }: OwnTls): OwnCertificate | undefined {
  if (cert === undefined && key === undefined) return undefined
  const without = (fault: CertificateFault) => ({ until_ms: Number.NaN, fault: () => fault })
  if (cert === undefined || key === undefined) return without('no_key')
  try {
    const ours = new X509Certificate(cert)
    if (!ours.checkPrivateKey(createPrivateKey(key))) return without('another_key')
    const [from_ms, until_ms] = [Date.parse(ours.validFrom), Date.parse(ours.validTo)]
    return {
      until_ms,
      fault: (now_ms) => (now_ms < from_ms ? 'not_yet' : now_ms > until_ms ? 'over' : undefined),
    }
  } catch {
    return without('unreadable')
  }
}

/** Whole days that are left of it. */
export const daysLeft = ({ until_ms }: OwnCertificate, now_ms: number): number =>
  Math.floor((until_ms - now_ms) / day_ms)
