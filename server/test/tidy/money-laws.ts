// No binary fraction near money: in the money folders nothing turns into `number` and back, and a
// quotient is taken in money/ only, where its rounding stands beside it.

import ts from 'typescript'
import { divisionFolder, moneyFolders } from './folder-order.ts'
import { eachNode, lineOf, parse } from './source.ts'
import { type Finding, folderOf, isServerProduction, type Leaf, type Tree } from './tree.ts'

const floatNames = new Set([
  'Number',
  'Math',
  'parseFloat',
  'parseInt',
  'toFixed',
  'toPrecision',
  'toExponential',
])

const divisions = new Set([ts.SyntaxKind.SlashToken, ts.SyntaxKind.SlashEqualsToken])

export function noFloats(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter(isServerProduction)) {
    const folder = folderOf(leaf.path)
    if (!moneyFolders.some((one) => one === folder)) continue
    eachNode(leaf, (node) => {
      const note = floatIn(leaf, node) ?? (folder === divisionFolder ? undefined : quotientIn(node))
      if (note === undefined) return
      found.push({ path: leaf.path, line: lineOf(leaf, node), law: 'no floats', note })
    })
  }
  return found
}

function floatIn(leaf: Leaf, node: ts.Node): string | undefined {
  if (ts.isIdentifier(node) && floatNames.has(node.text)) {
    return `${node.text} makes a float of money: stay in bigint (money/ has the arithmetic)`
  }
  if (ts.isNumericLiteral(node)) {
    const written = node.getText(parse(leaf))
    const isFraction = !/^0x/i.test(written) && /[.e]/i.test(written)
    return isFraction ? `${written} is a float: write hundredths or basis points` : undefined
  }
  const isPlus = ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.PlusToken
  return isPlus ? 'a unary plus makes a number: stay in bigint' : undefined
}

function quotientIn(node: ts.Node): string | undefined {
  const isQuotient = ts.isBinaryExpression(node) && divisions.has(node.operatorToken.kind)
  if (!isQuotient) return undefined
  return `division stands in ${divisionFolder}/ only, beside its rounding: call it there`
}
