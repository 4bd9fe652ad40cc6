// Places beside each other, as links: the address says which one is open.

import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { Link } from '../ui/link.tsx'
import { t } from '../words/translate.ts'
import { anyText } from './filter-values.ts'
import { Badge, usePayoutCounts } from './payout-counts.tsx'
import { useFilters, useHere } from './place.tsx'

/** `sign` stands beside its name; `isOpen`: where more than its path says so. */
export type Tab = Readonly<{ path: string; name: string; sign?: ReactNode; isOpen?: boolean }>

export function Tabs({ name, tabs }: Readonly<{ name: string; tabs: readonly Tab[] }>) {
  const { to } = useHere()
  const [location] = useLocation()
  const row = useRef<HTMLElement>(null)
  const isOpen = (tab: Tab): boolean => tab.isOpen ?? location === to(tab.path)
  const open = tabs.findIndex(isOpen)
  const signs = tabs.filter(({ sign }) => sign !== undefined).length
  // On a telephone the row scrolls: the one that is open is in sight, with what came beside it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is open
  useEffect(() => {
    const shown = row.current?.querySelector('[aria-current]')
    shown?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [open, signs])
  return (
    <nav className="tabs" aria-label={name} ref={row}>
      <ul>
        {tabs.map((tab) => (
          <li key={tab.path}>
            <Link href={to(tab.path)} aria-current={isOpen(tab) ? 'page' : undefined}>
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
  const [location] = useLocation()
  const { status } = useFilters({ status: anyText }).filters
  const isList = location === to('/payouts')
  const isFailed = isList && status === 'FAILED'
  return (
    <>
      <Tabs
        name={t('payouts')}
        tabs={[
          { path: '/payouts', name: t('all_payouts'), isOpen: isList && !isFailed },
          {
            path: '/payouts/approvals',
            name: t('to_approve'),
            sign: counts && <Badge of={counts} isNamed />,
          },
          { path: '/payouts?status=FAILED', name: t('filter_FAILED'), isOpen: isFailed },
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
