// Rows of the matrix: see row.ts.

import type { MatrixRows } from './row.ts'

export const staffRows: MatrixRows = {}
