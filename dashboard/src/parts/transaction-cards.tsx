// Transactions where a table has no room: the amount first, as on a counter; one link a card.

import type { ReactNode } from 'react'
import type { Transaction } from '../api/types.gen.ts'
import { Link } from '../ui/link.tsx'
import { EndOf } from '../ui/status.tsx'
import { Advice } from './advice.tsx'
import { adviceOn } from './advice-on.ts'
import { useNetworkNames } from './networks.ts'
import { useHere } from './place.tsx'
import { Sum, When } from './tips.tsx'
import { whyFailed } from './why-failed.ts'

type CardsProps<Row> = Readonly<{
  rows: readonly Row[]
  /** Beside the description: who asked for it. */
  by?: (row: Row) => string
  /** What is offered of a row, beside its link. */
  actOf?: (row: Row) => ReactNode
}>

const nothing = () => ''

/** In which section's list it is, and under which its own page. */
export const sectionOf = ({ flow_direction }: Pick<Transaction, 'flow_direction'>) =>
  flow_direction === 'OUTBOUND' ? 'payouts' : 'payments'

/** Other lists than those of money have no names: there the number says who it is. */
type Named = Transaction & Readonly<{ customer_name?: string }>

export function TransactionCards<Row extends Named>({
  rows,
  by = nothing,
  actOf = nothing,
}: CardsProps<Row>) {
  const { to, phone } = useHere()
  const networkName = useNetworkNames()
  return (
    <ul className="cards">
      {rows.map((row) => (
        <li key={row.id}>
          <Link href={to(`/${sectionOf(row)}/${row.id}`)}>
            <span className="card-line">
              <b>
                <Sum of={row.requested_amount} currency={row.currency} />
              </b>
              <EndOf of={row} />
            </span>
            <span className="card-line mute small">
              <bdi>
                {inALine(
                  row.customer_name,
                  phone(row.operation_msisdn),
                  !row.customer_name && networkName(row.network_code),
                )}
              </bdi>
              <When of={row.created_at} />
            </span>
            <Advice of={row} />
            <Rest
              of={inALine(
                row.customer_name && networkName(row.network_code),
                by(row),
                (!adviceOn(row) && whyFailed(row)) || row.description,
              )}
            />
          </Link>
          {actOf(row)}
        </li>
      ))}
    </ul>
  )
}

const inALine = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter(Boolean).join(' · ')

const Rest = ({ of }: { of: string }) =>
  of === '' ? null : <bdi className="mute small line">{of}</bdi>
