// The frame of the lists for developers: one heading, and the way from each list to the others.

import type { ReactNode } from 'react'
import { Calls } from '../../parts/as-curl.tsx'
import { useHere } from '../../parts/place.tsx'
import { Page } from '../../parts/shell.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { t } from '../../words/translate.ts'

const tabs = ['keys', 'webhooks', 'deliveries', 'events', 'addresses', 'sandbox'] as const

type Props = Readonly<{ of: (typeof tabs)[number]; acts?: ReactNode; children: ReactNode }>

/** One of the lists, with the way to the others above it. */
export function Section({ of, acts, children }: Props) {
  const { environment } = useHere()
  const shown = tabs.filter((tab) => tab !== 'sandbox' || environment === 'SANDBOX')
  return (
    <Page title={t(`dev_${of}`)} acts={acts}>
      <Tabs
        name={t('developers')}
        tabs={shown.map((tab) => ({ path: `/developers/${tab}`, name: t(`dev_${tab}`) }))}
      />
      {children}
      <Calls />
    </Page>
  )
}
