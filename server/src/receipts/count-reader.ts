// Reading a receipt needs no credential, so the reader's address is counted, wrong tokens included
// (contract 3.6: public pages).

import type { Keyring } from '../platform/crypto/seal.ts'
import type { Sql } from '../platform/db.ts'
import { networkOf } from '../platform/throttle/network.ts'
import { countOrRefuse } from '../platform/throttle/throttle.ts'

export type ReaderDeps = Readonly<{
  db: Sql
  keyring: Pick<Keyring, 'mac'>
  limits: Readonly<{ public_per_ip_minute: number }>
}>

export const countReader = (
  { db, keyring, limits }: ReaderDeps,
  { ip }: Readonly<{ ip: string }>,
): Promise<void> =>
  countOrRefuse(
    { db, macs: keyring },
    { act: 'receipt-ip', target: networkOf(ip), most: limits.public_per_ip_minute, within_s: 60 },
  )
