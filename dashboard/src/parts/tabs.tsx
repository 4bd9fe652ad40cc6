// Places beside each other, as links: the address says which one is open.

import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { t } from '../words/translate.ts'
import { useHere } from './place.tsx'

export type Tab = Readonly<{ path: string; name: string }>

export function Tabs({ name, tabs }: Readonly<{ name: string; tabs: readonly Tab[] }>) {
  const { to } = useHere()
  const [location] = useLocation()
  const row = useRef<HTMLElement>(null)
  // On a telephone the row scrolls: the one that is open is in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is open
  useEffect(() => {
    const open = row.current?.querySelector('[aria-current]')
    open?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [location])
  return (
    <nav className="tabs" aria-label={name} ref={row}>
      <ul>
        {tabs.map((tab) => (
          <li key={tab.path}>
            <Link href={to(tab.path)} aria-current={location === to(tab.path) ? 'page' : undefined}>
              {tab.name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

export const PayoutTabs = () => (
  <Tabs
    name={t('payouts')}
    tabs={[
      { path: '/payouts', name: t('all_payouts') },
      { path: '/payouts/approvals', name: t('to_approve') },
      { path: '/payouts/limits', name: t('limits') },
    ]}
  />
)
