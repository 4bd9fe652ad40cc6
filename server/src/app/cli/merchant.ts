// `merchant create`, `merchant suspend`, `merchant restore`.

import type { Command } from 'commander'
import { systemActor } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { restoreMerchant, suspendMerchant } from '../../merchants/admin/suspend-merchant.ts'
import {
  createMerchant,
  type MerchantMade,
  type MerchantRequest,
} from '../../merchants/merchant.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { inTransaction, type Tx } from '../../platform/db.ts'
import type { Config } from '../config.ts'
import { keyringOf } from '../secret-key.ts'
import { given, positiveInteger } from './arguments.ts'
import type { Session } from './session.ts'

type CreateOptions = { name?: string; rateLimit?: number; live?: true }

export function addMerchantCommands(program: Command, run: Session): void {
  const merchant = program.command('merchant').description('merchants')
  addCreate(merchant, run)

  const suspend = merchant
    .command('suspend [id]')
    .description('make a merchant read-only; payments under way are completed')
    .option('--merchant <id>', 'the merchant')
    .option('--reason <text>', 'why', '')
    .action(async (id: string | undefined, options: { merchant?: string; reason: string }) => {
      const merchant_id = given(suspend, 'merchant', options.merchant, id)
      await run.withDb('pirogue_app', async (db, config) => {
        const by = await emailDepsOf(config)
        const { reason } = options
        await inTransaction(db, (tx) => suspendMerchant(tx, merchant_id, reason, by))
        return {
          json: { id: merchant_id, status: 'SUSPENDED', reason },
          lines: [`Merchant ${merchant_id} is suspended.`, ...formatEmailWarning(by)],
        }
      })
    })

  const restore = merchant
    .command('restore [id]')
    .description('restore a suspended merchant')
    .option('--merchant <id>', 'the merchant')
    .action(async (id: string | undefined, options: { merchant?: string }) => {
      const merchant_id = given(restore, 'merchant', options.merchant, id)
      await run.withDb('pirogue_app', async (db, config) => {
        const by = await emailDepsOf(config)
        await inTransaction(db, (tx) => restoreMerchant(tx, merchant_id, by))
        return {
          json: { id: merchant_id, status: 'ACTIVE' },
          lines: [`Merchant ${merchant_id} is active.`, ...formatEmailWarning(by)],
        }
      })
    })
}

async function createAndRecord(tx: Tx, request: MerchantRequest): Promise<MerchantMade> {
  const { id, ...made } = await createMerchant(tx, request)
  await recordAct(tx, {
    merchant_id: id,
    environment: null,
    actor: systemActor,
    action: 'merchant.created',
    target_kind: 'merchant',
    target_id: id,
    after: made,
  })
  return { id, ...made }
}

type EmailDeps = Readonly<{ keyring?: Keyring }>

/**
 * E-mails are sealed. Without the key a merchant is stopped all the same, and nobody is notified.
 */
async function emailDepsOf(config: Config): Promise<EmailDeps> {
  if (config.secret_key === null && !config.embedded) return {}
  return { keyring: await keyringOf(config) }
}

const formatEmailWarning = ({ keyring }: EmailDeps): string[] =>
  keyring === undefined ? ['SECRET_KEY is not set: the owners were not e-mailed.'] : []

function addCreate(merchant: Command, run: Session): void {
  const create = merchant
    .command('create [name]')
    .description('create a merchant; create a key for it with `key create`')
    .option('--name <name>', 'the name that customers see')
    .option('--rate-limit <calls>', 'calls per minute', positiveInteger)
    .option('--live', 'approve the merchant for LIVE at once')
    .action(async (name: string | undefined, options: CreateOptions) => {
      const request = {
        name: given(create, 'name', options.name, name),
        live_enabled: options.live === true,
        ...(options.rateLimit === undefined ? {} : { rate_limit_per_minute: options.rateLimit }),
      }
      await run.withDb('pirogue_app', async (db) => {
        const made = await inTransaction(db, (tx) => createAndRecord(tx, request))
        const mode = made.live_enabled ? 'sandbox and live' : 'sandbox only'
        const lines = [
          `Merchant ${made.id}: ${made.name} (${mode}, ${made.rate_limit_per_minute} calls/min).`,
        ]
        return { json: made, lines }
      })
    })
}
