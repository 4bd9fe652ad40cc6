// The file of a merchant's audit log: the list's filters, every match.

import type { Db } from '../../platform/db.ts'
import { csvExport, type ExportDeps } from '../../platform/export/export-route.ts'
import { checkTimes } from '../../platform/http/filters.ts'
import type { ServedRoute } from '../../platform/http/route.ts'
import { actQuery, actSearch, readActFilters } from '../filters.ts'
import { listActorNames } from '../store.ts'
import { actRows, columns } from './store.ts'

export const actExportRoute = (deps: ExportDeps & Readonly<{ db: Db }>): ServedRoute =>
  csvExport(deps, {
    path: '/audit-logs/export/',
    access: 'dashboard',
    permission: 'audit',
    query: { ...actQuery, ...actSearch },
    check_query: checkTimes,
    summary: 'Export the audit log of your account as CSV',
    description: 'Of both environments, as the list shows it; `before` and `after` are JSON.',
    tag: 'Audit',
    filename: 'audit-log.csv',
    columns,
    rowsOf: async ({ caller: { merchant_id }, query }) => {
      const names = await listActorNames(deps.db, merchant_id)
      const search = query['search'] || undefined
      return actRows({ ...readActFilters(query, 'MERCHANT'), search, merchant_id, names })
    },
  })
