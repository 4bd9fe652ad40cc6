// Transactions where a table has no room: the amount first, as on a counter; one link a card.

import { Link } from 'wouter'
import type { Transaction } from '../api/types.gen.ts'
import { writePhone } from '../format/phone.ts'
import { Status, stateOf } from '../ui/status.tsx'
import { useNetworkNames } from './networks.ts'
import { useHere } from './place.tsx'

export function TransactionCards({ rows }: { rows: readonly Transaction[] }) {
  const { amount, moment, to } = useHere()
  const networkName = useNetworkNames()
  const sectionOf = (row: Transaction) =>
    row.flow_direction === 'OUTBOUND' ? 'payouts' : 'payments'
  return (
    <ul className="cards">
      {rows.map((row) => (
        <li key={row.id}>
          <Link href={to(`/${sectionOf(row)}/${row.id}`)}>
            <span className="card-line">
              <b>{amount(row.requested_amount, row.currency)}</b>
              <Status of={stateOf(row)} />
            </span>
            <span className="card-line mute small">
              <bdi>
                {[writePhone(row.operation_msisdn), networkName(row.network_code)]
                  .filter(Boolean)
                  .join(' · ')}
              </bdi>
              <span>{moment(row.created_at)}</span>
            </span>
            {(row.failure_message || row.description) !== '' && (
              <bdi className="mute small line">{row.failure_message || row.description}</bdi>
            )}
          </Link>
        </li>
      ))}
    </ul>
  )
}
