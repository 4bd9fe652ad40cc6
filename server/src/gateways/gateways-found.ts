// The gateways this installation has, for whoever opens their adapters.

import type { Db } from '../platform/db.ts'
import { type GatewayRow, listGateways } from './store.ts'

export const gatewaysFound = (db: Db): Promise<GatewayRow[]> => listGateways(db)
