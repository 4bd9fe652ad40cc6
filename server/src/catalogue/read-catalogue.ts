// The catalogue as this process holds it: read from memory, never older than the version that the
// caller's own request saw.

import type { Db, Sql, Tx } from '../platform/db.ts'
import { assert, invalid } from '../platform/errors.ts'
import { type Versioned, versioned } from '../platform/versioned.ts'
import type { Catalogue, Network } from './catalogue.ts'
import {
  findNetwork,
  hasCountry,
  listCountries,
  listNetworkNames,
  listNetworks,
  shareNetwork,
} from './store.ts'

export type CatalogueOf = Versioned<Catalogue>

/** The catalogue in memory, loaded again when the version moves on. */
export function catalogueIn(db: Db): CatalogueOf {
  return versioned(async () => {
    const [countries, networks] = await Promise.all([listCountries(db), listNetworks(db)])
    const byIso = new Map(countries.map((country) => [country.iso_code, country]))
    const byCode = new Map(networks.map((network) => [network.code, network]))
    return {
      countries,
      networks,
      countryByCode: (iso_code) => byIso.get(iso_code.toUpperCase()),
      networkByCode: (code) => byCode.get(code),
    }
  })
}

// Whether we serve a country, for code without a caller and so without a caller's catalogue.

export const isServed = (sql: Sql, iso_code: string): Promise<boolean> => hasCountry(sql, iso_code)

/** Throws a 400 on `country` for one that we do not serve. */
export async function requireServed(sql: Sql, iso_code: string): Promise<void> {
  if (await isServed(sql, iso_code)) return
  throw invalid('country', {
    en: `We do not serve ${iso_code}. GET /countries/ lists the countries we do.`,
    fr: `Nous ne desservons pas ${iso_code}. GET /countries/ donne la liste des pays desservis.`,
  })
}

// The names of operators, for checks that a merchant is not mistaken for one.

export const networkNames = (sql: Sql): Promise<string[]> => listNetworkNames(sql)

// A network by the code that staff name it with, as the database has it now.

/** Throws a 400 on `network` for a code that is no network's. An inactive one is one. */
export async function getNetworkByCode(sql: Sql, code: string): Promise<Network> {
  const network = await findNetwork(sql, code)
  if (network !== undefined) return network
  throw invalid('network', {
    en: `There is no network ${code}.`,
    fr: `Le réseau ${code} n’existe pas.`,
  })
}

/** The network of a row that names it, which stays as it is until the transaction ends. */
export async function keepNetwork(tx: Tx, id: string): Promise<Network> {
  const network = await shareNetwork(tx, id)
  assert(network !== undefined, `network ${id} is there`)
  return network
}
