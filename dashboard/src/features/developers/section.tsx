// The frame of the lists for developers: one heading, and the way from each list to the others.

import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { useHere } from '../../parts/place.tsx'
import { Page } from '../../parts/shell.tsx'
import { t } from '../../words/translate.ts'

const tabs = ['keys', 'webhooks', 'deliveries', 'events', 'addresses', 'sandbox'] as const

type Props = Readonly<{ of: (typeof tabs)[number]; acts?: ReactNode; children: ReactNode }>

/** One of the lists, with the way to the others above it. */
export function Section({ of, acts, children }: Props) {
  const { to, environment } = useHere()
  const [location] = useLocation()
  const shown = tabs.filter((tab) => tab !== 'sandbox' || environment === 'SANDBOX')
  return (
    <Page title={t(`dev_${of}`)} acts={acts}>
      <nav className="tabs" aria-label={t('developers')}>
        {shown.map((tab) => {
          const address = to(`/developers/${tab}`)
          return (
            <Link key={tab} href={address} aria-current={location === address ? 'page' : undefined}>
              {t(`dev_${tab}`)}
            </Link>
          )
        })}
      </nav>
      {children}
    </Page>
  )
}
