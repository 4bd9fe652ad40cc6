// `key create`, `key revoke`: the keys with which a merchant's server calls.

import type { Command } from 'commander'
import { systemActor } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { revokeKey } from '../../merchants/keys/end-keys.ts'
import { createKey } from '../../merchants/keys/issue-keys.ts'
import { inTransaction } from '../../platform/db.ts'
import type { Environment, Scope } from '../../platform/http/route.ts'
import { given, wordFrom } from './arguments.ts'
import type { Session } from './session.ts'

type CreateOptions = { merchant?: string; scope: Scope; env: Environment; name: string }

export function addKeyCommands(program: Command, run: Session): void {
  const key = program.command('key').description('API keys')
  const scopes = wordFrom(['PAYIN', 'PAYOUT', 'BOTH'])
  const environments = wordFrom(['SANDBOX', 'LIVE'])

  const create = key
    .command('create [merchant]')
    .description('create an API key for a merchant; its secret is shown only once')
    .option('--merchant <id>', 'the merchant')
    .option('--scope <scope>', 'PAYIN, PAYOUT or BOTH', scopes, 'BOTH')
    .option('--env <environment>', 'SANDBOX or LIVE', environments, 'SANDBOX')
    .option('--name <name>', 'a name for the key', '')
    .action(async (id: string | undefined, options: CreateOptions) => {
      const merchant_id = given(create, 'merchant', options.merchant, id)
      const { scope, env: environment, name } = options
      await run.withDb('pirogue_app', async (db) => {
        const made = await inTransaction(db, async (tx) => {
          const key = await createKey(tx, { merchant_id, environment, scope, name })
          await recordAct(tx, {
            merchant_id,
            environment,
            actor: systemActor,
            action: 'api_key.created',
            target_kind: 'api_key',
            target_id: key.id,
            after: { name, environment, scope, last4: key.last4 },
          })
          return key
        })
        return {
          json: made,
          lines: [
            `Key ${made.id} (${scope}, ${environment}) of merchant ${merchant_id}.`,
            `Secret: ${made.secret}`,
            'The secret is shown only once: we keep only its hash.',
          ],
        }
      })
    })

  const revoke = key
    .command('revoke [id]')
    .description('revoke a key; it is refused from its next call on')
    .option('--id <id>', 'the key')
    .action(async (id: string | undefined, options: { id?: string }) => {
      const key_id = given(revoke, 'id', options.id, id)
      await run.withDb('pirogue_app', async (db) => {
        await inTransaction(db, (tx) => revokeKey(tx, key_id))
        return { json: { id: key_id, revoked: true }, lines: [`Key ${key_id} is revoked.`] }
      })
    })
}
