// What a merchant's networks speak in the sandbox: the plain operator, or the imitated wire of a
// real one. Law: a choice counts for what is sent from then on; what was sent stays with the
// account that has it.

import type { Catalogue, Network } from '../catalogue/catalogue.ts'
import type { CatalogueOf } from '../catalogue/read-catalogue.ts'
import {
  dialectsOf,
  directionsOf,
  keepDialect,
  type OpenedDialect,
  plainDialect,
} from '../gateways/dialects.ts'
import type { Direction } from '../gateways/gateway.ts'
import { choiceKey } from '../gateways/routing.ts'
import { keepChoice } from '../merchants/settings/choose-dialect.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db.ts'
import { invalid, refuse, type Text } from '../platform/errors.ts'
import { requireScope } from '../platform/http/admission.ts'
import type { Caller } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'

export type DialectDeps = Readonly<{
  db: Db
  keyring: Keyring
  catalogue: CatalogueOf
  /** Undefined while the sandbox operator cannot start it. */
  openDialect: (dialect: string) => Promise<OpenedDialect | undefined>
}>

export type Spoken = Readonly<{
  network_code: string
  direction: Direction
  dialect: string
  available: readonly string[]
}>

/** Of each network in use, one for each way that money takes. */
export function listSpoken({ networks }: Catalogue, choices: Caller['sandbox_dialects']): Spoken[] {
  return networks
    .filter(({ is_active }) => is_active)
    .flatMap((network) =>
      directionsOf(network).map((direction) => spokenOf(network, direction, choices)),
    )
}

const spokenOf = (
  network: Network,
  direction: Direction,
  choices: Caller['sandbox_dialects'] = {},
): Spoken => ({
  network_code: network.code,
  direction,
  dialect: choices[choiceKey(network.id, direction)] ?? plainDialect,
  available: dialectsOf(network, direction),
})

export type DialectChoice = Readonly<{
  network_code: string
  direction: Direction
  dialect: string
}>

/** Refuses what the network does not do, and what cannot imitate it. */
export async function chooseDialect(
  deps: DialectDeps,
  caller: Caller,
  choice: DialectChoice,
): Promise<Spoken> {
  const { db } = deps
  const catalogue = await deps.catalogue(caller.catalogue_version)
  const network = networkOf(catalogue, choice)
  const { direction, dialect } = choice
  requireScope(caller, direction === 'COLLECT' ? 'PAYIN' : 'PAYOUT')
  if (!directionsOf(network).includes(direction)) throw invalid('direction', notThatWay)
  const available = dialectsOf(network, direction)
  if (!available.includes(dialect)) throw invalid('dialect', oneOf(available))
  if (dialect !== plainDialect) await startDialect(deps, catalogue, dialect)
  await keepChoice(db, caller, {
    key: choiceKey(network.id, direction),
    ...{ network_code: network.code, direction, dialect, usual: plainDialect },
  })
  return { network_code: network.code, direction, dialect, available }
}

function networkOf(catalogue: Catalogue, { network_code }: DialectChoice): Network {
  const network = catalogue.networkByCode(network_code)
  if (network?.is_active) return network
  throw invalid('network_code', {
    en: 'This network does not exist or is disabled. See GET /networks/.',
    fr: 'Ce réseau n’existe pas ou est désactivé. Voir GET /networks/.',
  })
}

/** There when it is chosen: nobody's first payment waits for it. */
export async function startDialect(
  { db, keyring, openDialect }: Omit<DialectDeps, 'catalogue'>,
  { networks }: Catalogue,
  dialect: string,
): Promise<void> {
  const opened = await openDialect(dialect)
  if (opened === undefined) throw refuse(transportErrors.service_unavailable)
  await keepDialect({ db, keyring }, { dialect, opened, networks })
}

const notThatWay: Text = {
  en: 'This network does not support this direction. Send the other one.',
  fr: 'Ce réseau n’accepte pas ce sens. Envoyez l’autre.',
}

const oneOf = (available: readonly string[]): Text => ({
  en: `This network can speak ${available.join(', ')} in the sandbox.`,
  fr: `Dans le bac à sable, ce réseau peut parler : ${available.join(', ')}.`,
})
