// What a test may count on: not on how fast the machine is, nor on which side of this moment a
// rounded one falls.

import { stringsOf } from './source.ts'
import { bare } from './sql-text.ts'
import { type Finding, isOurs, isTest, type Leaf, type Tree } from './tree.ts'

/** `server/test/tidy` itself names what it looks for. */
const isTestCode = (leaf: Leaf): boolean =>
  (isTest(leaf) || /^[a-z]+\/test\//.test(leaf.path)) && !/^server\/test\/tidy\//.test(leaf.path)

/** Columns of a moment at which something is due or over, by how their names end. */
const due = '(?:due_at|_until|again_at|next_at|ends_at|expires_at|lapses_at)'
const setToNow = new RegExp(
  `\\b\\w*${due}\\s*=\\s*(?:now|clock_timestamp|statement_timestamp)\\(\\)(?!\\s*[-+])`,
  'gi',
)

/**
 * No test sets such a moment to `now()`: columns keep milliseconds and round up, so it may still be
 * to come when the service looks.
 */
export function momentsOver(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter((leaf) => isOurs(leaf) && isTestCode(leaf))) {
    for (const words of stringsOf(leaf)) {
      const sql = bare(words.text)
      for (const { index } of sql.matchAll(setToNow)) {
        const line = words.line + sql.slice(0, index).split('\n').length - 1
        const note = "rounded up, it is yet to come: say now() - interval '1 second'"
        found.push({ path: leaf.path, line, law: 'moments over', note })
      }
    }
  }
  return found
}
