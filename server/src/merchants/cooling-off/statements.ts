// The cooling-off's parts of a statement about `merchants`.

import type { Fragment, Sql } from '../../platform/db.ts'

/** Hours in force at this moment; null: the platform's own. `m` is the merchant's row. */
export const coolingOffOf = (sql: Sql): Fragment => sql`
  (case when m.cooling_off_next_at <= now() then m.cooling_off_next else m.cooling_off_hours end)`
