// `retention show`, `retention run`: how long data is kept, and removing now what is due.

import type { Command } from 'commander'
import { expireAll, readRuns } from '../../platform/retention/expire.ts'
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
        const kinds = expiringKinds(config.retention).map(({ kind, days }) => {
          const { finished_at, removed } = runs.get(kind) ?? { finished_at: null, removed: 0n }
          const last = finished_at === null ? null : finished_at.toISOString()
          return { kind, days, finished_at: last, removed: Number(removed) }
        })
        const lines = kinds.map(
          (one) =>
            `${one.kind}: ${one.days} days, ${one.removed} removed, last cleaned up ` +
            `${one.finished_at ?? 'never'}`,
        )
        return { json: { kinds }, lines }
      }),
    )

  retention
    .command('run')
    .description('remove now the data whose retention period is over')
    .action(() =>
      run.withDb('pirogue_app', async (db, config) => {
        const done = await expireAll(db, expiringKinds(config.retention))
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
