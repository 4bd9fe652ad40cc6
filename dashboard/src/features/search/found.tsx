// One kind of what was found, as cards; and where each leads.

import type { SearchGroup, SearchResult } from '../../api/types.gen.ts'
import { Advice } from '../../parts/advice.tsx'
import { useHere } from '../../parts/place.tsx'
import { foundState } from '../../parts/states.ts'
import { Link } from '../../ui/link.tsx'
import { Status, stateOf } from '../../ui/status.tsx'
import { type Key, t } from '../../words/translate.ts'

type Kind = SearchGroup['kind']

const names: Readonly<Record<Kind, Key>> = {
  TRANSACTION: 'payments_and_payouts',
  CUSTOMER: 'customers',
  PAYMENT_LINK: 'links',
  CHECKOUT_SESSION: 'checkouts',
  REFUND: 'refunds',
  SETTLEMENT: 'settlements',
  WALLET_TRANSFER: 'transfers',
  API_KEY: 'dev_keys',
}

type Section =
  | 'payments'
  | 'payouts'
  | 'customers'
  | 'links'
  | 'checkouts'
  | 'settlements'
  | 'transfers'
  | 'developers/keys'

/** Where a kind's list is; refunds stand at their payment. */
const sections: Readonly<Record<Kind, Section>> = {
  TRANSACTION: 'payments',
  CUSTOMER: 'customers',
  PAYMENT_LINK: 'links',
  CHECKOUT_SESSION: 'checkouts',
  REFUND: 'payments',
  SETTLEMENT: 'settlements',
  WALLET_TRANSFER: 'transfers',
  API_KEY: 'developers/keys',
}

const isOut = ({ transaction_type: type }: SearchResult): boolean =>
  type === 'RETRAIT' || type === 'TRANSFERT'

/** The address of what was found. */
export const pathOf = (kind: Kind, of: SearchResult): string =>
  `/${isOut(of) ? 'payouts' : sections[kind]}/${of.transaction ?? of.id}`

/** What a list finds its customers by: a number without what makes it readable. */
const listed = (q: string): string =>
  encodeURIComponent(/^[+\d\s().-]+$/.test(q) ? q.replace(/[^+\d]/g, '') : q)

/** A list of its own, narrowed to what was typed; keys are few, and stand in theirs unnarrowed. */
const listOf = (kind: Kind, q: string): string =>
  kind === 'API_KEY' ? `/${sections[kind]}` : `/${sections[kind]}?search=${listed(q)}`

export function Found({ group: { kind, results, more }, q }: { group: SearchGroup; q: string }) {
  const { to } = useHere()
  const name = t(names[kind])
  return (
    <section>
      <h2>{name}</h2>
      <ul className="cards" aria-label={name}>
        {results.map((of) => (
          <li key={of.id}>
            <Link href={to(pathOf(kind, of))}>
              <Card of={of} kind={kind} />
            </Link>
          </li>
        ))}
      </ul>
      {more && kind === 'TRANSACTION' && (
        <p>
          <Link href={to(`/payments?search=${encodeURIComponent(q)}`)}>
            {t('search_more_payments')}
          </Link>
          {' · '}
          <Link href={to(`/payouts?search=${encodeURIComponent(q)}`)}>
            {t('search_more_payouts')}
          </Link>
        </p>
      )}
      {more && kind !== 'TRANSACTION' && kind !== 'REFUND' && (
        <p>
          <Link href={to(listOf(kind, q))}>{t('search_more', { name })}</Link>
        </p>
      )}
    </section>
  )
}

/** A sum first, as on a counter, then who; where there is none, who or what. */
function Card({ of, kind }: { of: SearchResult; kind: Kind }) {
  const { amount, moment, phone } = useHere()
  const { title, currency } = of
  const name = phone(title) || title || t('customer_erased')
  const sum = of.amount !== null && currency !== null ? amount(of.amount, currency) : undefined
  const end = kind === 'TRANSACTION' ? endOf(of) : undefined
  const state = end === undefined ? foundState({ kind, ...of }) : stateOf(end)
  return (
    <>
      <span className="card-line">
        <b>
          <bdi>{sum ?? name}</bdi>
        </b>
        {state && <Status of={state} />}
      </span>
      <span className="card-line mute small">
        <bdi>{[sum && name, detailOf(of, phone)].filter(Boolean).join(' · ')}</bdi>
        <span>{moment(of.at)}</span>
      </span>
      {end && <Advice of={end} />}
    </>
  )
}

/** Who has no name is called by the number, which is not said twice. */
export const detailOf = ({ title, detail }: SearchResult, phone: (e164: string) => string) =>
  detail === title ? '' : phone(detail) || detail

const ends = ['SUCCESS', 'FAILED', 'CANCELLED'] as const

/** How a transaction ended, as far as a search knows. */
const endOf = (of: SearchResult) => ({
  status: ends.find((end) => end === of.status) ?? ('PENDING' as const),
  ...{ incident: of.incident, outcome_unknown: of.outcome_unknown },
  ...{ approval: null, waiting_reason: null },
  returned_at: of.status === 'RETURNED' ? of.at : null,
  transaction_type: of.transaction_type,
  flow_direction: isOut(of) ? ('OUTBOUND' as const) : ('INBOUND' as const),
})
