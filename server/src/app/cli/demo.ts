// `demo generate`: a made-up history for a merchant's sandbox, to look at or to measure by.

import { SingleBar } from 'cli-progress'
import type { Command } from 'commander'
import { verifyLedger } from '../../ledger/verify.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { generateHistory } from '../demo/generate-history.ts'
import { demoMerchant } from '../seed.ts'
import { integerUpTo } from './arguments.ts'
import type { Session } from './session.ts'

type Options = { merchant: string; transactions: number; days: number; verify?: true }

/** A day's work at some thousands a second. */
const transactions_max = 100_000_000
/** Ten years: ids carry their time, which begins in 1970. */
const days_max = 3_650

export function addDemoCommands(program: Command, run: Session): void {
  program
    .command('demo')
    .description('demonstration data')
    .command('generate')
    .description('generate a history in a merchant’s sandbox (never one approved for LIVE)')
    .option('--merchant <id>', 'the merchant', demoMerchant.id)
    .option(
      '--transactions <count>',
      'number of transactions',
      integerUpTo(transactions_max),
      10_000,
    )
    .option(
      '--days <count>',
      'number of days to spread them over, up to now',
      integerUpTo(days_max),
      365,
    )
    .option('--verify', 'verify the ledger afterwards')
    .action((options: Options) =>
      run.withDb('pirogue_owner', async (db) => {
        const { merchant: merchant_id, transactions, days } = options
        const merchant = await getMerchant(db, merchant_id)
        if (merchant.live_enabled) {
          throw new Error(
            `${merchant.name} is approved for LIVE: no demo history is generated for it.`,
          )
        }
        const format = '{bar} {percentage}%  {value}/{total}  about {eta_formatted} left'
        const calm = { noTTYOutput: true, notTTYSchedule: 10_000 }
        const bar = new SingleBar({ format, stream: process.stderr, ...calm })
        const began = Date.now()
        bar.start(transactions, 0)
        const passed = (count: number) => bar.increment(count)
        const made = await generateHistory(db, { merchant_id, transactions, days, passed })
        bar.stop()
        const per_s = Math.round(made / ((Date.now() - began) / 1000))
        const checks = options.verify === true ? await verifyLedger(db) : []
        const failed = checks.some(({ ok }) => !ok)
        const proof = failed ? ['The books do NOT balance: see `ledger verify`.'] : []
        return {
          json: { merchant: merchant_id, made, per_s, ok: !failed },
          lines: [`${made} transactions for ${merchant.name}, ${per_s} a second.`, ...proof],
          failed,
        }
      }),
    )
}
