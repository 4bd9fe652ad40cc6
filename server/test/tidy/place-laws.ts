// Where a statement about a merchant's rows runs is said where it stands (docs/decisions/0068): by
// `homeOf`, by a look over all groups, or by the transaction it is in. Nothing else is at hand
// where a merchant's rows are on another server.

import ts from 'typescript'
import { merchantTables } from '../../src/app/distribute/merchant-tables.ts'
import { eachNode, lineOf } from './source.ts'
import { bare } from './sql-text.ts'
import { type Finding, isServerProduction, type Leaf, type Tree } from './tree.ts'

const law = 'at their place'
const tables = new RegExp(`\\b(?:from|join|into|update)\\s+(?:${merchantTables.join('|')})\\b`, 'i')

/**
 * Looks over all merchants that stay with control, where Citus plans them over all shards or
 * refuses them: lists of staff, metrics, reports, what has an end date. The list may only become
 * shorter.
 */
export const leftWithControl: Readonly<Record<string, string>> = {
  'server/src/adjustments/store.ts': 'a list of staff',
  'server/src/app/store.ts': 'metrics, over all merchants',
  'server/src/attempts/exposure-statements.ts': 'accounts at their limit, over all merchants',
  'server/src/audit/store.ts': 'lists of staff and members, with the names of people',
  'server/src/customers/search/store.ts': 'indexing, over all merchants',
  'server/src/erasure/store.ts': 'what has an end date, over all merchants',
  'server/src/incidents/admin/store.ts': 'lists of staff',
  'server/src/incidents/store.ts': 'a list of the command line',
  'server/src/ledger/admin/store.ts': 'a list of staff',
  'server/src/ledger/day-limit-statements.ts': 'what has an end date, over all merchants',
  'server/src/ledger/store.ts': 'a report over all merchants',
  'server/src/orders/erasure-statements.ts': 'what has an end date, over all merchants',
  'server/src/platform/idempotency/store.ts': 'what has an end date, over all merchants',
  'server/src/receipts/store.ts': 'a receipt is found by its token, with control',
  'server/src/refunds/store.ts': 'staff find a refund by its id alone',
  'server/src/reports/journal/store.ts': 'reads what has its merchant in a part of its own',
  'server/src/settlements/store.ts': 'lists over all merchants, with their names',
  'server/src/transactions/admin/store.ts': 'lists of staff, with the names of merchants',
  'server/src/transactions/wait-statements.ts':
    'reads whether the merchant is suspended, which control knows',
}

export function merchantsAtTheirPlace(tree: Tree): Finding[] {
  return tree.filter(isServerProduction).flatMap((leaf) => {
    const lines = unplaced(leaf)
    const { path } = leaf
    if (!Object.hasOwn(leftWithControl, path)) {
      const note = 'say where it runs: homeOf(sql, merchant_id), eachGroup, or a transaction'
      return lines.map((line) => ({ path, line, law, note }))
    }
    // An exception that nobody needs any more would hide the next breach.
    const note = 'all of it is at its place: take the file off the list in place-laws.ts'
    return lines.length > 0 ? [] : [{ path, line: 1, law, note }]
  })
}

/** Lines of statements that are sent on whatever pool the function was given. */
function unplaced(leaf: Leaf): number[] {
  const lines: number[] = []
  eachNode(leaf, (node) => {
    if (!ts.isTaggedTemplateExpression(node) || !ts.isIdentifier(node.tag)) return
    if (!/^(?:sql|db|quick)$/.test(node.tag.text) || !isSent(node)) return
    if (!tables.test(bare(textOf(node.template)))) return
    if (typeOfParameter(node, node.tag.text) !== 'Tx') lines.push(lineOf(leaf, node))
  })
  return lines
}

/** A statement and no part of one: it says what its rows are, or is waited for or returned. */
function isSent(node: ts.TaggedTemplateExpression): boolean {
  if (node.typeArguments !== undefined || ts.isAwaitExpression(node.parent)) return true
  const isResult = ts.isReturnStatement(node.parent) || ts.isArrowFunction(node.parent)
  return isResult && /^Promise/.test(functionAround(node)?.type?.getText() ?? '')
}

function functionAround(node: ts.Node): ts.SignatureDeclaration | undefined {
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) {
    if (ts.isFunctionLike(at)) return at
  }
  return undefined
}

function typeOfParameter(node: ts.Node, name: string): string | undefined {
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) {
    if (!ts.isFunctionLike(at)) continue
    const own = at.parameters.find((one) => one.name.getText() === name)
    if (own !== undefined) return own.type?.getText()
  }
  return undefined
}

const textOf = (template: ts.TemplateLiteral): string =>
  ts.isNoSubstitutionTemplateLiteral(template)
    ? template.text
    : [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)].join(' ? ')
