// `merchant list`, `merchant create`, `merchant suspend`, `merchant restore`.

import type { Command } from 'commander'
import { systemActor } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { listMerchants, type MerchantRow } from '../../merchants/admin/store.ts'
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
  addList(merchant, run)
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

type ListOptions = Readonly<{ search?: string; limit: number }>

function addList(merchant: Command, run: Session): void {
  merchant
    .command('list')
    .description('list merchants, newest first')
    .option('--search <text>', 'part of a name or of a member’s e-mail, or how an id begins')
    .option('--limit <count>', 'maximum number to list', positiveInteger, 100)
    .action(({ search, limit }: ListOptions) =>
      run.withDb('pirogue_app', async (db) => {
        const { count, rows } = await listMerchants(db, {
          ...{ search, status: undefined, kyc_status: undefined, country: undefined },
          ...{ live_enabled: undefined, order: [], limit, offset: 0 },
        })
        const left = count - rows.length
        const more = left === 0 ? [] : [`… and ${left} more: --search or --limit finds them.`]
        const lines = count === 0 ? ['No merchant is found.'] : [...rows.map(lineOf), ...more]
        return { json: rows.map(viewListed), lines }
      }),
    )
}

const modesOf = ({ live_enabled }: Pick<MerchantRow, 'live_enabled'>): string =>
  live_enabled ? 'sandbox and live' : 'sandbox only'

const lineOf = (row: MerchantRow): string =>
  `${row.id}  ${row.status}  ${row.name} (${modesOf(row)}, ${row.rate_limit_per_minute} calls/min)`

const viewListed = (row: MerchantRow) => ({
  ...{ id: row.id, name: row.name, status: row.status, country: row.country },
  ...{ live_enabled: row.live_enabled, rate_limit_per_minute: row.rate_limit_per_minute },
  created_at: row.created_at.toISOString(),
})

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
        const calls = `${made.rate_limit_per_minute} calls/min`
        const lines = [`Merchant ${made.id}: ${made.name} (${modesOf(made)}, ${calls}).`]
        return { json: made, lines }
      })
    })
}
