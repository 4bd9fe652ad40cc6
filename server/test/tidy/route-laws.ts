// What every route does alike is done in one place: whether a record that was not found is another
// merchant's (403) or nobody's (404) is asked and answered in platform/http/ownership.ts.

import ts from 'typescript'
import { eachNode, lineOf, parse, stringsOf } from './source.ts'
import { isSql } from './sql-text.ts'
import { type Finding, isServerProduction, type Leaf, type Tree } from './tree.ts'

const check = 'server/src/platform/http/ownership.ts'
const law = 'one ownership check'

/** No other file chooses between the two answers, or asks who else has a record. */
export function oneOwnershipCheck(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter(isServerProduction)) {
    if (leaf.path === check) continue
    eachNode(leaf, (node) => {
      if (!choosesAnswer(leaf, node)) return
      const note = `403 or 404 is chosen in ${check}: use ownershipOf of the record's table`
      found.push({ path: leaf.path, line: lineOf(leaf, node), law, note })
    })
    for (const { text, line } of stringsOf(leaf).filter(isSql)) {
      const at = text.search(/\bmerchant_id\s*(?:<>|!=)/)
      if (at === -1) continue
      const note = `whose else a record is, is asked in ${check}: use ownershipOf`
      found.push({
        path: leaf.path,
        line: line + text.slice(0, at).split('\n').length - 1,
        law,
        note,
      })
    }
  }
  return found
}

/** `isOthers ? permission_denied : not_found`, either way round; also by `if`, `else`. */
function choosesAnswer(leaf: Leaf, node: ts.Node): boolean {
  const branches = branchesOf(node)
  if (branches === undefined) return false
  const names = branches.map((branch) => {
    const text = branch.getText(parse(leaf))
    return (/\bpermission_denied\b/.test(text) ? 1 : 0) + (/\bnot_found\b/.test(text) ? 2 : 0)
  })
  return names.includes(1) && names.includes(2)
}

function branchesOf(node: ts.Node): readonly ts.Node[] | undefined {
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse]
  if (!ts.isIfStatement(node) || node.elseStatement === undefined) return undefined
  return [node.thenStatement, node.elseStatement]
}
