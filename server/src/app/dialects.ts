// The imitations that merchants of the sandbox choose, and the sandbox operator that starts them.

import { getCatalogueVersion } from '../catalogue/store.ts'
import type { AccountClients } from '../gateways/account-tls.ts'
import { dialectCode } from '../gateways/dialects.ts'
import { openDialect } from '../gateways/open-dialect.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import { dialectRoutes } from '../sandbox/dialect-routes.ts'
import { type DialectDeps, startDialect } from '../sandbox/dialects.ts'
import type { Parts } from './parts.ts'

type Reach = Readonly<{ token: string }> & Pick<AccountClients, 'shared'>

export function dialectsOf(
  parts: Parts,
  { db, catalogue }: Pick<PaymentDeps, 'db' | 'catalogue'>,
  { token, shared: outbound }: Reach,
) {
  const { keyring, simulator_url: base_url, callback_base } = parts
  const deps: DialectDeps = {
    ...{ db, keyring, catalogue },
    openDialect(dialect) {
      const code = dialectCode(dialect)
      const callback_url = `${callback_base(code)}/callbacks/${code}`
      return openDialect({ base_url, token, outbound }, { dialect, callback_url })
    },
  }
  return { routes: dialectRoutes(deps), resume: () => resume(parts, deps) }
}

/** Those that somebody has chosen before: they run again, and are known where they are now. */
async function resume({ gateways, log }: Parts, deps: DialectDeps): Promise<void> {
  const chosen = gateways.flatMap(({ dialect }) => dialect ?? [])
  if (chosen.length === 0) return
  const now = await deps.catalogue(await getCatalogueVersion(deps.db))
  const started = chosen.map((dialect) => startDialect(deps, now, dialect))
  for (const one of await Promise.allSettled(started)) {
    if (one.status === 'rejected') log.warn({ err: one.reason }, 'a dialect does not run')
  }
}
