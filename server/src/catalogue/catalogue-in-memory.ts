// The catalogue as this process holds it: read from memory, never older than the version that the
// caller's own request saw.

import type { Db } from '../platform/db.ts'
import { type Versioned, versioned } from '../platform/versioned.ts'
import type { Catalogue } from './catalogue.ts'
import { listCountries, listNetworks } from './store.ts'

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
