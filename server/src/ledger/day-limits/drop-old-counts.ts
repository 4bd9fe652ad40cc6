// What was counted on days that are long over is of no use to anybody.

import type { Db } from '../../platform/db.ts'
import { deleteOldCounts } from './store.ts'

export const dropOldCounts = (db: Db): Promise<void> => deleteOldCounts(db)
