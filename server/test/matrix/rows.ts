// All of them.

import { adjustmentsRows } from './adjustments-rows.ts'
import { adminRows } from './admin-rows.ts'
import { authRows } from './auth-rows.ts'
import { checkoutRows } from './checkout-rows.ts'
import { keysRows } from './keys-rows.ts'
import { membersRows } from './members-rows.ts'
import { payoutsRows } from './payouts-rows.ts'
import { peopleRows } from './people-rows.ts'
import { receiptsRows } from './receipts-rows.ts'
import { refundsRows } from './refunds-rows.ts'
import { reportsRows } from './reports-rows.ts'
import type { MatrixRows } from './row.ts'
import { settlementsRows } from './settlements-rows.ts'
import { staffRows } from './staff-rows.ts'
import { walletsRows } from './wallets-rows.ts'
import { webhooksRows } from './webhooks-rows.ts'

export const matrixRows: MatrixRows = {
  ...authRows,
  ...peopleRows,
  ...keysRows,
  ...membersRows,
  ...staffRows,
  ...adminRows,
  ...checkoutRows,
  ...payoutsRows,
  ...refundsRows,
  ...walletsRows,
  ...settlementsRows,
  ...webhooksRows,
  ...adjustmentsRows,
  ...reportsRows,
  ...receiptsRows,
}
