// Settlements and the accounts they go to, beside each other.

import { Tabs } from '../../parts/tabs.tsx'
import { t } from '../../words/translate.ts'

export const SettlementTabs = () => (
  <Tabs
    name={t('settlements')}
    tabs={[
      { path: '/settlements', name: t('all_settlements') },
      { path: '/settlements/methods', name: t('methods') },
    ]}
  />
)
