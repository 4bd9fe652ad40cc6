// The gateways of this installation, for the code that opens their adapters.

import type { Db } from '../platform/db.ts'
import { type GatewayRow, listGateways } from './store.ts'

export const gatewaysFound = (db: Db): Promise<GatewayRow[]> => listGateways(db)
