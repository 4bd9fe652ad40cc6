// `gateway set`: settings of an account that is there already. One person changes those of SANDBOX;
// in LIVE two of the staff do, in the API.

import type { Command } from 'commander'
import { isInUse } from '../../attempts/exposure-statements.ts'
import { systemActor } from '../../audit/audit.ts'
import type { FoundGateway } from '../../gateways/account-store.ts'
import { setSettings } from '../../gateways/change-settings.ts'
import type { Db } from '../../platform/db.ts'
import { nextLine, settingLine } from './command-texts.ts'
import type { WithAccount } from './gateway-hours.ts'

type Commands = Readonly<{
  withAccount: WithAccount
  /** Key and value of `key=value`. */
  pairOf: (text: string) => [string, string]
  /** Writes what one person may not do alone into the audit log, and throws. */
  refuseAlone: (db: Db, account: FoundGateway) => Promise<void>
}>

export function addSetCommand(
  gateway: Command,
  { withAccount, pairOf, refuseAlone }: Commands,
): void {
  gateway
    .command('set <code> <settings...>')
    .description('change settings that are no secret (SANDBOX): key=value, or key= to take it away')
    .action((code: string, pairs: readonly string[]) =>
      withAccount(code, async ({ db, account }) => {
        await refuseAlone(db, account)
        const deps = { db, isInUse: (id: string) => isInUse(db, id), own_hosts: false }
        const request = { ...account, settings: Object.fromEntries(pairs.map(pairOf)) }
        const settings = await setSettings(deps, request, systemActor)
        const lines = Object.entries(settings).map(([key, value]) => settingLine(key, value))
        const next = nextLine(`gateway check ${code}`)
        return { json: { code, settings }, lines: [...lines, next] }
      }),
    )
}
