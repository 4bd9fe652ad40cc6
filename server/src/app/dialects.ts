// The imitations that merchants of the sandbox choose, and the sandbox operator that starts them.

import { getCatalogueVersion } from '../catalogue/store.ts'
import { listFoundGateways } from '../gateways/account-store.ts'
import type { AccountClients } from '../gateways/account-tls.ts'
import { dialectCode, dialectOfAccount } from '../gateways/dialects.ts'
import type { LiveGateways } from '../gateways/live-gateways.ts'
import { openDialect, resolveAtDialect } from '../gateways/open-dialect.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import { dialectRoutes } from '../sandbox/dialect-routes.ts'
import { type DialectDeps, startDialect } from '../sandbox/dialects.ts'
import type { ResolveDeps } from '../sandbox/resolve.ts'
import { sandboxRoutes } from '../sandbox/routes.ts'
import type { Parts } from './parts.ts'

type Reach = Readonly<{ token: string }> &
  Pick<AccountClients, 'shared'> &
  Pick<LiveGateways, 'noteDialect'>

export function dialectsOf(
  parts: Parts,
  payments: PaymentDeps,
  { token, shared: outbound, noteDialect }: Reach,
) {
  const { keyring, simulator_url: base_url, callback_base } = parts
  const { db, catalogue } = payments
  const operator = { base_url, token, outbound }
  const deps: DialectDeps = {
    ...{ db, keyring, catalogue },
    async openDialect(dialect) {
      const code = dialectCode(dialect)
      const callback_url = `${callback_base(code)}/callbacks/${code}`
      const opened = await openDialect(operator, { dialect, callback_url })
      // Before anybody can use it: no webhook of a merchant may reach its port.
      if (opened !== undefined) noteDialect(opened.base_url)
      return opened
    },
  }
  const steerDialect: ResolveDeps['steerDialect'] = (gateway_code, about) => {
    const dialect = dialectOfAccount(gateway_code)
    return dialect === undefined ? undefined : resolveAtDialect(operator, dialect, about)
  }
  const routes = [...sandboxRoutes({ ...payments, steerDialect }), ...dialectRoutes(deps)]
  return { routes, resume: () => resume(parts, deps) }
}

/**
 * Those that somebody has chosen by now: they run again, and are known where they are now. An
 * operator may move long after our start.
 */
async function resume({ log }: Parts, deps: DialectDeps): Promise<void> {
  const accounts = await listFoundGateways(deps.db)
  const chosen = accounts.flatMap(({ dialect }) => dialect ?? [])
  if (chosen.length === 0) return
  const now = await deps.catalogue(await getCatalogueVersion(deps.db))
  const started = chosen.map((dialect) => startDialect(deps, now, dialect))
  for (const one of await Promise.allSettled(started)) {
    if (one.status === 'rejected') log.warn({ err: one.reason }, 'a dialect does not run')
  }
}
