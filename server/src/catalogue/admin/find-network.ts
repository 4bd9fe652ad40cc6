// A network by the code that staff name it with, as the database has it now.

import type { Sql } from '../../platform/db.ts'
import { invalid } from '../../platform/errors.ts'
import type { Network } from '../catalogue.ts'
import { findNetwork } from './store.ts'

/** Throws a 400 on `network` for a code that is no network's. An inactive one is one. */
export async function getNetworkByCode(sql: Sql, code: string): Promise<Network> {
  const network = await findNetwork(sql, code)
  if (network !== undefined) return network
  throw invalid('network', {
    en: `There is no network ${code}.`,
    fr: `Le réseau ${code} n’existe pas.`,
  })
}
