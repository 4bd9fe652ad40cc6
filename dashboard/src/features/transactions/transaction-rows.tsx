// The rows of payments and payouts: a table where there is room, cards on a telephone; one link a
// row. Those that are ticked are saved as a file.

import type { ListedTransaction } from '../../api/types.gen.ts'
import { Advice } from '../../parts/advice.tsx'
import { adviceOn, isOwn } from '../../parts/advice-on.ts'
import { useNetworkNames } from '../../parts/networks.ts'
import { useHere } from '../../parts/place.tsx'
import { Records } from '../../parts/records.tsx'
import type { Ticked } from '../../parts/save-list.tsx'
import { Sum, When } from '../../parts/tips.tsx'
import { TransactionCards } from '../../parts/transaction-cards.tsx'
import { whyFailed } from '../../parts/why-failed.ts'
import { isContested, isErased, isRetryable } from '../../ui/contested.ts'
import { Link } from '../../ui/link.tsx'
import { EndOf } from '../../ui/status.tsx'
import { useIsWide } from '../../ui/wide.ts'
import { t } from '../../words/translate.ts'
import { maker } from './made-by.ts'
import { isPaidOnPage } from './sentence.ts'
import type { Kind } from './transaction-filters.tsx'

export type Ticks = Ticked & Readonly<{ tick: (id: string, isOn: boolean) => void }>

type RowsProps = Readonly<{ kind: Kind; rows: readonly ListedTransaction[]; ticks: Ticks }>

type TickProps = Readonly<{ of: ListedTransaction; ticks: Ticks }>

/** In a table the column is no wider than its boxes. */
function Tick({ of: { id, reference }, ticks }: TickProps) {
  const isWide = useIsWide()
  return (
    <label className="choice">
      <input
        type="checkbox"
        aria-label={t('tick_of', { reference })}
        checked={ticks.ids.includes(id)}
        onChange={({ currentTarget: { checked } }) => ticks.tick(id, checked)}
      />
      {!isWide && t('tick')}
    </label>
  )
}

/**
 * Of one that failed: straight to the second step of asking its payer again, or to a new payout
 * with what this one was; only where one may and it makes sense.
 */
function Again({ of }: { of: ListedTransaction }) {
  const { may, to } = useHere()
  const { id, reference, transaction_type: type } = of
  if (of.status !== 'FAILED' || isContested(of)) return null
  if (type === 'PAIEMENT' || type === 'RECHARGE') {
    // Whether a page can still be paid its own page says.
    return isRetryable(of) && !isPaidOnPage(of) && may(isOwn(of) ? 'top_ups' : 'payins') ? (
      <Link
        className="again"
        href={to(`/payments/${id}?act=retry`)}
        aria-label={t(isOwn(of) ? 'retry_own_of' : 'retry_of', { reference })}
      >
        {t(isOwn(of) ? 'retry_own' : 'retry')}
      </Link>
    ) : null
  }
  if (type !== 'RETRAIT' || isErased(of) || !may('payouts')) return null
  return (
    <Link
      className="again"
      href={to(`/payouts/new?again=${id}`)}
      aria-label={t('pay_again_of', { reference })}
    >
      {t('pay_again')}
    </Link>
  )
}

/** What came to nothing cost nothing. */
const isNothing = (status: ListedTransaction['status']): boolean =>
  status === 'FAILED' || status === 'CANCELLED'

export function Rows({ kind, rows, ticks }: RowsProps) {
  const { amount, phone } = useHere()
  const networkName = useNetworkNames()
  const feeOf = ({ status, amounts: { fee, currency } }: ListedTransaction) =>
    isNothing(status) ? '–' : amount(fee, currency)
  return (
    <Records
      caption={t(kind)}
      rows={rows}
      keyOf={({ id }) => id}
      to={({ id }) => `/${kind}/${id}`}
      kept={kind}
      hasNumbers
      acts={(row) => <Tick of={row} ticks={ticks} />}
      columns={[
        {
          name: 'reference',
          of: ({ reference }) => <span className="whole">{reference}</span>,
          below: (row) => (
            <>
              <bdi className="mute small line">{row.description}</bdi>
              <bdi className="mute small line">{maker(row)}</bdi>
            </>
          ),
        },
        { name: 'date', of: ({ created_at }) => <When of={created_at} />, is: 'whole' },
        { name: 'status', of: (row) => <State of={row} /> },
        {
          ...{ name: kind === 'payouts' ? 'recipient' : 'payer', is: 'whole' },
          of: (row) => (
            <>
              <bdi className="line">{row.customer_name}</bdi>
              {phone(row.operation_msisdn)}
              <span className="mute small line">{networkName(row.network_code)}</span>
            </>
          ),
        },
        {
          name: 'amount',
          of: (row) => <Sum of={row.requested_amount} currency={row.currency} />,
          is: 'figure',
        },
        { name: 'fees', of: feeOf, is: 'figure' },
      ]}
      cards={
        <TransactionCards
          rows={rows}
          by={(row) => (kind === 'payouts' ? maker(row) : '')}
          actOf={(row) => (
            <>
              <Again of={row} />
              {ticks.areShown && <Tick of={row} ticks={ticks} />}
            </>
          )}
        />
      }
    />
  )
}

function State({ of }: { of: ListedTransaction }) {
  return (
    <>
      <EndOf of={of} />
      <Advice of={of} />
      {adviceOn(of) === undefined && of.status === 'FAILED' && (
        <span className="mute small line">{whyFailed(of)}</span>
      )}
      <Again of={of} />
    </>
  )
}
