// Every row of every table as lower-case text, bytes as hex: what a reader of a copy would see; and
// what is kept packed, unpacked, which a reader can do as well.

import { unpack } from '../../src/platform/packed/pack.ts'
import type { TestApp } from '../harness.ts'

export async function wholeDump({ owner }: Pick<TestApp, 'owner'>): Promise<string> {
  const tables = await owner<{ name: string }[]>`
    select c.relname as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition`
  const texts: string[] = []
  for (const { name } of tables) {
    const rows = await owner<{ text: string }[]>`
      select ${name} || ' ' || t::text as text from ${owner(name)} t`
    texts.push(...rows.map(({ text }) => text))
  }
  for (const name of ['events', 'idempotency_keys']) {
    const rows = await owner<{ packed: Uint8Array }[]>`
      select packed from ${owner(name)} where packed is not null`
    texts.push(...rows.map(({ packed }) => unpack(packed)))
  }
  return texts.join('\n').toLowerCase()
}
