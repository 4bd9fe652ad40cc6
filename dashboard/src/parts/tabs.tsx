// Places beside each other, as links: the address says which one is open.

import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { Link } from '../ui/link.tsx'
import { t } from '../words/translate.ts'
import { Badge, usePayoutCounts } from './payout-counts.tsx'
import { useHere } from './place.tsx'

/** `sign` stands beside its name. */
export type Tab = Readonly<{ path: string; name: string; sign?: ReactNode }>

export function Tabs({ name, tabs }: Readonly<{ name: string; tabs: readonly Tab[] }>) {
  const { to } = useHere()
  const [location] = useLocation()
  const row = useRef<HTMLElement>(null)
  const signs = tabs.filter(({ sign }) => sign !== undefined).length
  // On a telephone the row scrolls: the one that is open is in sight, with what came beside it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is open
  useEffect(() => {
    const open = row.current?.querySelector('[aria-current]')
    open?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [location, signs])
  return (
    <nav className="tabs" aria-label={name} ref={row}>
      <ul>
        {tabs.map((tab) => (
          <li key={tab.path}>
            <Link href={to(tab.path)} aria-current={location === to(tab.path) ? 'page' : undefined}>
              {tab.name}
              {tab.sign}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

export const PaymentTabs = () => (
  <Tabs
    name={t('payments')}
    tabs={[
      { path: '/payments', name: t('all_payments') },
      { path: '/payments/refunds', name: t('refunds') },
    ]}
  />
)

/** With how many wait, and for what: each leads to them. */
export function PayoutTabs() {
  const { to } = useHere()
  const counts = usePayoutCounts()
  const { waiting = 0, unknown = 0 } = counts ?? {}
  return (
    <>
      <Tabs
        name={t('payouts')}
        tabs={[
          { path: '/payouts', name: t('all_payouts') },
          {
            path: '/payouts/approvals',
            name: t('to_approve'),
            sign: counts && <Badge of={counts} isNamed />,
          },
          { path: '/payouts/limits', name: t('limits') },
        ]}
      />
      {waiting + unknown > 0 && (
        <ul className="waits-for">
          {unknown > 0 && (
            <li>
              <Link href={`${to('/payouts')}?status=UNKNOWN`}>
                {t('todo_PAYOUT_UNKNOWN', { count: unknown })}
              </Link>
            </li>
          )}
          {waiting > 0 && (
            <li>
              <Link href={`${to('/payouts')}?status=HELD`}>
                {t('todo_PAYOUT_WAITS', { count: waiting })}
              </Link>
            </li>
          )}
        </ul>
      )}
    </>
  )
}
