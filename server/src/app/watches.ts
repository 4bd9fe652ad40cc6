// What every process does again and again, whether it is a worker or not: it reads what others may
// have changed, and exchanges what it has measured.

import { listExposed } from '../attempts/exposure.ts'
import type { Health } from '../gateways/health.ts'
import type { LiveGateways } from '../gateways/live-gateways.ts'
import { listSaidClosed } from '../gateways/operator-state-statements.ts'
import type { DatabaseClock } from '../platform/database-clock.ts'
import { type Watch, watchEvery } from '../platform/jobs/watch-every.ts'
import { showFullAccounts } from './metrics.ts'
import type { Parts } from './parts.ts'

/** How long a change of an account may take to count in a process. Milliseconds. */
const refresh_ms = 1_000
const exchange_ms = 5_000

type Watched = Readonly<{ gateways: LiveGateways; health: Health; clock: DatabaseClock }>

export function startWatches({ log, quick }: Parts, { gateways, health, clock }: Watched): Watch[] {
  const warned = (message: string) => (err: unknown) => log.warn({ err }, message)
  // The first calls are judged by the database's clock, too.
  clock.measure().catch(warned('the database’s clock was not read; it will be'))
  return [
    watchEvery({
      work: () => Promise.all([gateways.refresh(), clock.measure()]),
      every_ms: refresh_ms,
      onFault: warned('accounts and the clock were not read anew; they will be'),
    }),
    watchEvery({
      work: async () => {
        await health.exchange(quick)
        const full = await listExposed(quick)
        health.setExposed(full)
        showFullAccounts(full.length)
        health.setSaidClosed(await listSaidClosed(quick))
        await gateways.exchangeCallbacks()
      },
      every_ms: exchange_ms,
      onFault: warned('how routes fare, or whose callbacks come, was not exchanged; it will be'),
    }),
  ]
}
