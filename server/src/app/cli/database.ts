// `db distribute`: one PostgreSQL becomes many (docs/guides/growing.md).

import { type Command, InvalidArgumentError } from 'commander'
import { distribute, whyNotReady, whyNotRight } from '../distribute/distribute.ts'
import type { Session } from './session.ts'

const shards_default = 32
const shards_max = 256

function readShards(text: string): number {
  const shards = Number(text)
  if (Number.isInteger(shards) && shards >= 1 && shards <= shards_max) return shards
  throw new InvalidArgumentError(`a number from 1 to ${shards_max}`)
}

export function addDatabaseCommands(program: Command, run: Session): void {
  const database = program.command('db').description('the database as a whole')

  database
    .command('distribute')
    .description('place each merchant’s rows on the nodes of Citus, or look whether they are')
    .option(
      '--shards <count>',
      'into how many groups merchants are divided',
      readShards,
      shards_default,
    )
    .option('--check', 'change nothing; say what is not as it should be')
    .action(({ shards, check }: { shards: number; check?: true }) =>
      run.withDb('superuser', async (db) => {
        const why = check === true ? await whyNotRight(db) : await whyNotReady(db)
        if (why.length > 0) return { json: { refused: why }, lines: why, failed: true }
        if (check === true) return { json: { refused: [] }, lines: ['Distributed, and in order.'] }
        const { tables, groups } = await distribute(db, shards)
        const lines = [`${tables} tables distributed, ${groups} shard groups.`]
        return { json: { tables, groups }, lines }
      }),
    )
}
