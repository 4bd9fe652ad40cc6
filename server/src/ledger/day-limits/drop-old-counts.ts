// Deletes the counts of days that are long over.

import type { Db } from '../../platform/db.ts'
import { deleteOldCounts } from './store.ts'

export const dropOldCounts = (db: Db): Promise<void> => deleteOldCounts(db)
