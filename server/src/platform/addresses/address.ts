// Where a server of ours (the sandbox operator) can be reached by the other processes.

import type { Db } from '../db.ts'
import { findAddress, upsertAddress } from './store.ts'

export const findServiceUrl = (db: Db, name: string): Promise<string | undefined> =>
  findAddress(db, name)

export const saveServiceUrl = (db: Db, name: string, url: string): Promise<void> =>
  upsertAddress(db, name, url)
