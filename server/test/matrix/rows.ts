// All of them.

import { adminRows } from './admin-rows.ts'
import { authRows } from './auth-rows.ts'
import { checkoutRows } from './checkout-rows.ts'
import { keysRows } from './keys-rows.ts'
import { membersRows } from './members-rows.ts'
import { peopleRows } from './people-rows.ts'
import type { MatrixRows } from './row.ts'
import { staffRows } from './staff-rows.ts'

export const matrixRows: MatrixRows = {
  ...authRows,
  ...peopleRows,
  ...keysRows,
  ...membersRows,
  ...staffRows,
  ...adminRows,
  ...checkoutRows,
}
