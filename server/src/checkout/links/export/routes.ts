// The file of a merchant's payment links: the list's filters, every match.

import { csvExport, type ExportDeps } from '../../../platform/export/export-route.ts'
import type { ServedRoute } from '../../../platform/http/route.ts'
import { linkQuery, readLinkFilters } from '../filters.ts'
import { columns, linkRows } from './store.ts'

export const linkExportRoute = (deps: ExportDeps): ServedRoute =>
  csvExport(deps, {
    path: '/payment-links/export/',
    query: linkQuery,
    summary: 'Export payment links as CSV',
    description: 'A link’s page is at `/pay/` and its `slug`.',
    tag: 'Payment links',
    filename: 'payment-links.csv',
    columns,
    rowsOf: ({ caller: { merchant_id, environment }, query }) =>
      linkRows({ ...readLinkFilters(query), merchant_id, environment }),
  })
