// `migrate` and `seed`: what the service does at its first embedded start, by hand.

import type { Command } from 'commander'
import { migrate } from '../../platform/migrate.ts'
import { seedCatalogue, seedDemoMerchant } from '../seed.ts'
import type { Session } from './session.ts'

export function addSetupCommands(program: Command, run: Session): void {
  program
    .command('migrate')
    .description('bring the database to the latest schema')
    .action(() =>
      run.withDb('superuser', async (db) => {
        const applied = await migrate(db)
        const last = applied.length === 0 ? 'Nothing to apply.' : `Applied ${applied.length}.`
        return { json: { applied }, lines: [...applied, last] }
      }),
    )

  program
    .command('seed')
    .description(
      'add whatever is missing from the catalogue, its prices, the sandbox and the rates',
    )
    .option('--demo', 'also create the demo merchant; its keys are shown when it is created')
    .action((options: { demo?: true }) =>
      run.withDb('pirogue_owner', async (db) => {
        const added = await seedCatalogue(db)
        const lines = Object.entries(added).map(([what, rows]) => `${what}: ${rows} added`)
        if (options.demo !== true) return { json: { added }, lines }
        const demo = await seedDemoMerchant(db)
        lines.push(`Demo merchant ${demo.merchant.id}`)
        for (const [scope, secret] of Object.entries(demo.api_keys ?? {})) {
          lines.push(`  ${scope}: ${secret}`)
        }
        return { json: { added, demo }, lines }
      }),
    )
}
