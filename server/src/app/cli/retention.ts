// `retention show`, `retention run`: how long data is kept, and removing now what is due.

import type { Command } from 'commander'
import { expireAll, readRuns } from '../../platform/retention/expire.ts'
import { expiringKinds } from '../retention.ts'
import type { Session } from './session.ts'

export function addRetentionCommands(program: Command, run: Session): void {
  const retention = program.command('retention').description('data that has an end date')

  retention
    .command('show')
    .description('how long each kind is kept, and when it was last looked after')
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
            `${one.kind}: ${one.days} days, ${one.removed} removed, ` +
            `last looked after ${one.finished_at ?? 'never'}`,
        )
        return { json: { kinds }, lines }
      }),
    )

  retention
    .command('run')
    .description('remove now what has come to its end')
    .action(() =>
      run.withDb('pirogue_app', async (db, config) => {
        const done = await expireAll(db, expiringKinds(config.retention))
        if (done === undefined) {
          return { json: { busy: true }, lines: ['Another process is at it.'], failed: true }
        }
        return {
          json: { busy: false, kinds: done },
          lines: done.map(({ kind, removed }) => `${kind}: ${removed} removed`),
        }
      }),
    )
}
