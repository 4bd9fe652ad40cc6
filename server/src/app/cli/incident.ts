// `incident list`: the contradictions that wait for two people.

import type { Command } from 'commander'
import { listOpenIncidents, type OpenIncident } from '../../incidents/store.ts'
import { formatAmount } from '../../money/format.ts'
import { positiveInteger } from './arguments.ts'
import type { Session } from './session.ts'

export function addIncidentCommands(program: Command, run: Session): void {
  program
    .command('incident')
    .description('contradictions between our records and the gateways’')
    .command('list')
    .description('list open incidents, newest first')
    .option('--limit <count>', 'maximum number to list', positiveInteger, 100)
    .action((options: { limit: number }) =>
      run.withDb('pirogue_app', async (db) => {
        const found = await listOpenIncidents(db, options.limit)
        const lines = found.length === 0 ? ['No incident is open.'] : found.map(lineOf)
        return { json: found.map(viewIncident), lines }
      }),
    )
}

const viewIncident = (incident: OpenIncident) => ({
  id: incident.id,
  type: incident.type,
  merchant: incident.merchant_id,
  environment: incident.environment,
  transaction: incident.transaction_id,
  settlement: incident.settlement_id,
  attempt: incident.attempt_id,
  callback: incident.callback_id,
  gateway: incident.gateway_code,
  country: incident.country,
  currency: incident.currency,
  amount: formatAmount(incident.amount),
  suspense_side: incident.suspense_side,
  created_at: incident.created_at.toISOString(),
})

function lineOf(incident: OpenIncident): string {
  const { id, type, environment, merchant_id, gateway_code, amount, currency } = incident
  const about = incident.transaction_id ?? incident.settlement_id ?? incident.callback_id ?? '-'
  const money = amount === 0n ? 'nothing in suspense' : `${formatAmount(amount)} ${currency}`
  return [
    incident.created_at.toISOString(),
    id,
    environment,
    type,
    money,
    `about ${about}`,
    `merchant ${merchant_id}`,
    `gateway ${gateway_code ?? '-'}`,
  ].join('  ')
}
