// What a process holds open for as long as others read: files of rows and streams of hints.

import { actExportRoute } from '../audit/export/routes.ts'
import { linkExportRoute } from '../checkout/links/export/routes.ts'
import { streamRoute } from '../events/stream/routes.ts'
import { type Streams, streamsOn } from '../events/stream/streams.ts'
import { type AvailabilityNow, availabilityIn } from '../gateways/availability.ts'
import { listFares } from '../gateways/availability-store.ts'
import { entryExportRoute } from '../ledger/export/routes.ts'
import { areAdmitted } from '../merchants/admitted-store.ts'
import { listZones } from '../merchants/time-zones/store.ts'
import { type Exports, exportsOn } from '../platform/export/exports.ts'
import type { ServedRoute } from '../platform/http/route.ts'
import { refundExportRoute } from '../refunds/export/routes.ts'
import { settlementExportRoute } from '../settlements/export/routes.ts'
import { transactionExportRoute } from '../transactions/export/routes.ts'
import { transferExportRoute } from '../wallets/export/routes.ts'
import { logExportRoute } from '../webhooks/logs/export/routes.ts'
import { showEventStreams } from './metrics.ts'
import type { Parts } from './parts.ts'

/** `availability`: what streams compare and what calls answer is the same copy. */
export type Lasting = Readonly<{
  exports: Exports
  streams: Streams
  availability: AvailabilityNow
}>

/** `clock`: the database's, in milliseconds. */
export function lastingOn({ openAlone, quick, log }: Parts, clock: () => number): Lasting {
  const availability = availabilityIn(() => listFares(quick), clock)
  return {
    exports: exportsOn(openAlone),
    availability,
    streams: streamsOn({
      ...{ db: quick, log, onCount: showEventStreams },
      areAdmitted: (followers) => areAdmitted(quick, followers),
      networksOf: async (environment) =>
        (await availability(environment))
          .map(({ network_code, direction, status }) => `${network_code} ${direction} ${status}`)
          .join(),
    }),
  }
}

export function lastingRoutes({ db }: Parts, { exports, streams }: Lasting): ServedRoute[] {
  const deps = { db, exports, zonesOf: (merchant_id: string) => listZones(db, merchant_id) }
  return [
    transactionExportRoute(deps),
    refundExportRoute(deps),
    entryExportRoute(deps),
    settlementExportRoute(deps),
    transferExportRoute(deps),
    linkExportRoute(deps),
    actExportRoute(deps),
    logExportRoute(deps),
    streamRoute({ streams }),
  ]
}
