// Staff change a network: its name, what it takes, whether it works. Takes effect in every process
// on the next request.

import { actorOfPerson, changedFields } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import { invalid, refuse } from '../../platform/errors.ts'
import type { Environment, Person } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import type { Network } from '../catalogue.ts'
import { publishCatalogue } from '../extend-catalogue.ts'
import { hasCodeRoute, lockNetwork, type NetworkSettings, updateNetwork } from '../store.ts'
import { requireNotDemo } from './require-not-demo.ts'

export type ChangeNetworkDeps = Readonly<{
  db: Db
  /** Acts that concern no merchant are kept under this one. */
  platformMerchant: Readonly<Record<Environment, string>>
}>

/** Refuses an unknown id; a change that changes nothing writes nothing. */
export function changeNetwork(
  { db, platformMerchant }: ChangeNetworkDeps,
  person: Person,
  { id, ...sent }: Partial<NetworkSettings> & Readonly<{ id: string }>,
): Promise<Network> {
  return inTransaction(db, async (tx) => {
    await requireNotDemo(tx, person)
    const network = await lockNetwork(tx, id)
    if (network === undefined) throw refuse(transportErrors.not_found)
    const was = settingsOf(network)
    const to = { ...was, ...sent }
    await requireInstructions(tx, network, to)
    const changes = changedFields(was, to)
    if (changes === undefined) return network
    const updated_at = await updateNetwork(tx, id, to)
    await recordAct(tx, {
      merchant_id: platformMerchant[person.environment],
      environment: null,
      actor: actorOfPerson(person),
      action: 'network.changed',
      target_kind: 'network',
      target_id: id,
      ...changes,
    })
    await publishCatalogue(tx)
    return { ...network, ...to, updated_at }
  })
}

const settingsOf = (network: Network): NetworkSettings => ({
  name: network.name,
  is_active: network.is_active,
  takes_payins: network.takes_payins,
  takes_payouts: network.takes_payouts,
  otp_instructions: network.otp_instructions,
  collect_routing: network.collect_routing,
  disburse_routing: network.disburse_routing,
})

/** A payer who must bring a code needs instructions on how to get one (contract 5.4). */
async function requireInstructions(
  tx: Tx,
  { id, otp_kind }: Network,
  { otp_instructions }: NetworkSettings,
): Promise<void> {
  if (otp_instructions.trim() !== '') return
  if (otp_kind !== 'PRE' && !(await hasCodeRoute(tx, id))) return
  throw invalid('otp_instructions', {
    en: 'Payers of this network need a code first: describe how they get it.',
    fr: 'Les payeurs de ce réseau ont d’abord besoin d’un code : indiquez comment l’obtenir.',
  })
}
