// Home: what is to do, what came in today, what one has, what waits. Every figure is the API's own;
// what it does not count is not shown.

import type {
  GetOverviewData,
  GetOverviewResponse,
  GetTransactionsData,
  GetTransactionsResponse,
  MerchantBalance,
  Overview,
} from '../../api/types.gen.ts'
import type { ContentOf, Place } from '../../data/call.ts'
import { readAhead, useRead } from '../../data/queries.ts'
import { isZero } from '../../format/amount.ts'
import { byCountry, countryName } from '../../format/country.ts'
import { useHere } from '../../parts/place.tsx'
import { Page } from '../../parts/shell.tsx'
import { sectionOf, TransactionCards } from '../../parts/transaction-cards.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty, Read, type Reading } from '../../ui/state.tsx'
import { type Key, t } from '../../words/translate.ts'
import { Beginning } from './beginning.tsx'
import { Day } from './day.tsx'
import { FirstActs } from './first-acts.tsx'
import { Interruptions } from './interruptions.tsx'
import { OpenLive } from './open-live.tsx'

const every_ms = 60_000
const today = { url: '/overview/' } as const

/**
 * Beside the question who is signed in: the first figure comes a way there and back sooner. By the
 * page's address, where that names a merchant.
 */
export async function readToday(path: string): Promise<void> {
  const [, merchant, mode] = /\/([^/]+)\/(test|live)\/?$/.exec(path) ?? []
  if (merchant === undefined) return
  const place: Place = { merchant, environment: mode === 'live' ? 'LIVE' : 'SANDBOX' }
  await readAhead<GetOverviewData, GetOverviewResponse>(place, today)
}

export default function Home() {
  const { place } = useHere()
  const overview = useRead<GetOverviewData, GetOverviewResponse>(place, today, { every_ms })
  const waiting = useRead<GetTransactionsData, GetTransactionsResponse>(
    place,
    { url: '/transactions/', query: { status: 'PENDING', page_size: 5 } },
    { every_ms },
  )
  // What stands beneath is asked for with it and drawn after it: nothing that one reads moves.
  const isThere = overview.data !== undefined || overview.error !== null
  return (
    <Page title={t('home')}>
      <FirstActs />
      <OpenLive />
      <Read of={overview}>
        {(of) => (
          <>
            <Interruptions of={of.interruptions} />
            {isBegun(of) ? (
              <>
                <ToDo of={of.attention} />
                <Day of={of} />
                <Balances of={of.balances} />
              </>
            ) : (
              <Beginning />
            )}
          </>
        )}
      </Read>
      {isThere && <Waiting of={waiting} />}
    </Page>
  )
}

/** Whether anything has happened in the shop yet. */
const isBegun = ({ balances, attention, countries }: Overview): boolean =>
  balances.length + attention.length + countries.length > 0

function Balances({ of }: { of: readonly MerchantBalance[] }) {
  const { language, merchant } = useHere()
  const among = of.map(({ currency }) => currency)
  return (
    <section>
      <h2>{t('balances')}</h2>
      {of.length === 0 ? (
        <Empty>
          <p>{t('no_balance_yet')}</p>
        </Empty>
      ) : (
        <ul className="cards">
          {byCountry(of, language, merchant.country).map((balance) => (
            <Balance key={balance.id} of={balance} among={among} />
          ))}
        </ul>
      )}
    </section>
  )
}

type Attention = Overview['attention'][number]

/** Where each is dealt with. */
const leads: Readonly<Record<Attention['kind'], string>> = {
  PAYOUT_APPROVAL: '/payouts/approvals',
  REFUND_APPROVAL: '/payouts/approvals',
  PAYOUT_UNKNOWN: '/payouts?status=UNKNOWN',
  PAYMENT_UNKNOWN: '/payments?status=UNKNOWN',
  PAYOUT_INCIDENT: '/payouts?status=INCIDENT',
  PAYMENT_INCIDENT: '/payments?status=INCIDENT',
  PAYOUT_WAITS: '/payouts?status=HELD',
  PAYMENT_PENDING: '/payments?status=PENDING',
  WEBHOOK_OFF: '/developers/webhooks',
  WEBHOOK_FAILING: '/developers/webhooks',
  BALANCE_FROZEN: '/balances',
}

function ToDo({ of }: { of: readonly Attention[] }) {
  const { to, moment } = useHere()
  return (
    <section>
      <h2>{t('todo')}</h2>
      {of.length === 0 ? (
        <p className="mute">{t('todo_nothing')}</p>
      ) : (
        <ul className="cards">
          {of.map(({ kind, count, oldest_at }) => (
            <li key={kind}>
              <Link href={to(leads[kind])}>
                <span className="card-line">
                  <span>{t(`todo_${kind}`, { count })}</span>
                  {oldest_at !== null && (
                    <span className="small mute">{t('todo_since', { at: moment(oldest_at) })}</span>
                  )}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

type BalanceProps = Readonly<{
  of: MerchantBalance
  /** The currency of each. */
  among: readonly string[]
}>

/** The only one is a figure of its own; of several each has a line. */
function Balance({ of, among }: BalanceProps) {
  const { amountAmong, language, to } = useHere()
  const amount = amountAmong(among)
  const name = countryName(of.country, language)
  const sum = amount(of.available_amount, of.currency)
  const others: readonly (readonly [Key, string])[] = [
    ['in_flight', of.pending_amount],
    ['frozen', of.frozen_amount],
  ]
  const rest = (
    <>
      {others
        .filter(([, part]) => !isZero(part))
        .map(([word, part]) => (
          <span key={word} className="small line">
            {t(word, { amount: amount(part, of.currency) })}
          </span>
        ))}
      {of.is_frozen && <span className="wrong line">{t('balance_frozen')}</span>}
    </>
  )
  const address = to(`/balances/${of.country}`)
  if (among.length === 1) {
    return (
      <li className="balance">
        <Link href={address}>{name}</Link>
        <b className="big">{sum}</b>
        {rest}
      </li>
    )
  }
  return (
    <li>
      <Link href={address}>
        <span className="card-line">
          <span>{name}</span>
          <b>{sum}</b>
        </span>
        {rest}
      </Link>
    </li>
  )
}

/**
 * What nobody waits for needs no box to say so: what is to do has said it. The rest is in the lists
 * of those that are shown.
 */
function Waiting({ of }: { of: Reading<ContentOf<GetTransactionsResponse>> }) {
  const { to } = useHere()
  if (of.data?.results.length === 0) return null
  return (
    <section>
      <h2>{t('waiting')}</h2>
      <Read of={of}>
        {({ results, next }) => (
          <>
            <TransactionCards rows={results} />
            {next !== null &&
              [...new Set(results.map(sectionOf))].map((section) => (
                <p key={section}>
                  <Link href={to(`/${section}?status=PENDING`)}>{t(`waiting_${section}`)}</Link>
                </p>
              ))}
          </>
        )}
      </Read>
    </section>
  )
}
