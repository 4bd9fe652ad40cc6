// `retention show`, `retention run`: how long data is kept, and removing now what is due. Law: what
// the service still keeps is not removed by the settings of the shell that a command is typed in.

import type { Command } from 'commander'
import type { Db } from '../../platform/db.ts'
import { type Expiring, expireAll, readRuns } from '../../platform/retention/expire.ts'
import { retentionSettingOf } from '../limits.ts'
import { expiringKinds } from '../retention.ts'
import type { Session } from './session.ts'

export function addRetentionCommands(program: Command, run: Session): void {
  const retention = program.command('retention').description('data with a limited retention period')

  retention
    .command('show')
    .description('show how long each kind of data is kept, and when it was last cleaned up')
    .action(() =>
      run.withDb('pirogue_app', async (db, config) => {
        const runs = new Map((await readRuns(db)).map((one) => [one.kind, one]))
        const kinds = expiringKinds(config.retention).map(({ kind, days: here }) => {
          const { finished_at, removed, days: own } = runs.get(kind) ?? never
          const last = finished_at === null ? null : finished_at.toISOString()
          const days = { days: own ?? here, days_of: own === null ? 'this shell' : 'the service' }
          return { kind, ...days, finished_at: last, removed: Number(removed) }
        })
        const lines = kinds.map(
          (one) =>
            `${one.kind}: ${one.days} days (as ${one.days_of} has it), ${one.removed} removed, ` +
            `last cleaned up ${one.finished_at ?? 'never'}`,
        )
        return { json: { kinds }, lines }
      }),
    )

  retention
    .command('run')
    .description('remove now the data whose retention period is over')
    .option('--shorter', 'remove also what the service still keeps by its own settings')
    .action((options: { shorter?: true }) =>
      run.withDb('pirogue_app', async (db, config) => {
        const kinds = expiringKinds(config.retention)
        if (options.shorter !== true) await refuseShorter(db, kinds)
        const done = await expireAll(db, kinds)
        if (done === undefined) {
          return {
            json: { busy: true },
            lines: ['Another process is already doing this.'],
            failed: true,
          }
        }
        return {
          json: { busy: false, kinds: done },
          lines: done.map(({ kind, removed }) => `${kind}: ${removed} removed`),
        }
      }),
    )
}

const never = { finished_at: null, removed: 0n, days: null }

/** What is gone does not come back: a setting that this shell does not have is no request. */
async function refuseShorter(db: Db, kinds: readonly Expiring[]): Promise<void> {
  const own = new Map((await readRuns(db)).map(({ kind, days }) => [kind, days ?? 0]))
  const shorter = kinds.filter(({ kind, days }) => days < (own.get(kind) ?? 0))
  if (shorter.length === 0) return
  const each = shorter.map(
    ({ kind, days }) => `${retentionSettingOf(kind)} is ${days} here and ${own.get(kind)} there`,
  )
  throw new Error(
    `The service keeps data for longer: ${each.join(', ')}. Set them as there, or remove the ` +
      'rest too with --shorter. Nothing was removed.',
  )
}
