// Rows of the matrix: reports and the accounting journal. See row.ts.

import type { MatrixRows } from './row.ts'

const today = () => new Date().toISOString().slice(0, 10)

export const reportsRows: MatrixRows = {
  'GET /overview/': { access: 'any', status: 200 },
  'GET /stats/transactions/': {
    ...{ access: 'any', status: 200, query: `?from=${today()}&to=${today()}` },
  },
  'GET /reports/daily/': { access: 'any', status: 200, query: `?date=${today()}` },
  'GET /reports/journal/': { access: 'any', status: 200, query: `?from=${today()}&to=${today()}` },
  'GET /reports/journal/accounts/': { access: 'any', status: 200 },
  'PUT /reports/journal/accounts/': {
    access: 'dashboard',
    permission: 'settings',
    status: 200,
    body: () => ({ sales: '701' }),
  },
}
