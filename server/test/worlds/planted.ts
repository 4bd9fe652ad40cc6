// Bugs as a person might write them, put in from outside: a statement that lost a condition, an
// adapter that breaks its promise, a database without its index. The worlds must find each.

import type { OwnerSql } from '../setup/database.ts'
import type { Plant } from './scene.ts'

export type PlantedBug = Readonly<{
  title: string
  /** The law that it breaks. */
  breaks: string
  plant: Plant
  /** What the bug does to the schema of the test's own database. */
  alter?: (owner: OwnerSql) => Promise<unknown>
}>

const without = (...conditions: readonly string[]): Plant => ({
  rewrite: (sql) => conditions.reduce((text, one) => text.replaceAll(one, ''), sql),
})

export const plantedBugs: readonly PlantedBug[] = [
  {
    title: 'a status moves without looking at the version it was decided from',
    breaks: '',
    plant: without('and t.status = m.from_status and t.version = m.version'),
  },
  {
    title: 'rows are not locked while they are compared',
    breaks: '',
    plant: without('for update'),
  },
  {
    title: 'nothing keeps a second attempt from being open',
    breaks: 'at most one attempt is open',
    plant: {},
    alter: (owner) => owner`drop index attempts_one_open_of_transaction`,
  },
  { title: 'an unsigned callback is believed', breaks: '', plant: { trusts_unsigned: true } },
  { title: 'what timed out is sent again', breaks: 'nothing is sent twice', plant: { resends_on_time_out: true } },
  { title: 'the amount that came is not compared', breaks: '', plant: { ignores_amount: true } },
]
