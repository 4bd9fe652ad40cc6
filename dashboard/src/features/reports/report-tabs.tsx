// The day's sheet and the files, beside each other.

import { Tabs } from '../../parts/tabs.tsx'
import { t } from '../../words/translate.ts'

export const ReportTabs = () => (
  <Tabs
    name={t('reports')}
    tabs={[
      { path: '/reports', name: t('day_sheet') },
      { path: '/reports/series', name: t('series') },
      { path: '/reports/files', name: t('files') },
    ]}
  />
)
