// What a transaction at control reads and writes, through every function that it hands its `tx`:
// rows of a merchant are not there on a distributed database, and what looks for them there finds
// nothing (docs/decisions/0093). The audit log is the one exception: its lines are written from
// control. Names are followed through imports; what stands behind a record of functions is NOT
// seen, nor what is done with another pool than `tx`.

import ts from 'typescript'
import { merchantTables } from '../../src/app/distribute/merchant-tables.ts'
import { isSaidBefore } from './said-before.ts'
import { eachNode, lineOf, parse, targetOf } from './source.ts'
import { bare } from './sql-text.ts'
import { type Finding, isServerProduction, type Leaf, type Tree } from './tree.ts'

const law = 'begins somewhere'
const names = merchantTables.filter((table) => table !== 'audit_logs').join('|')
const rows = new RegExp(`\\b(?:from|join|into|update)\\s+(?:${names})\\b`, 'i')

/** Plain updates that name their merchant, which Citus' planner takes from control. */
const throughThePlanner = new Set(['coolOff'])

type Body = Readonly<{ leaf: Leaf; node: ts.SignatureDeclaration }>
type House = Readonly<{ leaves: ReadonlyMap<string, Leaf>; seen: Map<ts.Node, boolean> }>

/** A transaction that begins at control and reaches a statement about rows of merchants. */
export function controlKeepsToItself(tree: Tree): Finding[] {
  const leaves = tree.filter(isServerProduction)
  const house = { leaves: new Map(leaves.map((leaf) => [leaf.path, leaf])), seen: new Map() }
  return leaves.flatMap((leaf) => {
    const findings: Finding[] = []
    eachNode(leaf, (node) => {
      const work = workAtControl(leaf, node)
      const body = work && bodyOf(house, leaf, work)
      if (body === undefined || !reachesRows(house, body)) return
      const note = 'it reaches rows of a merchant: begin at homeOf or homeOfRow, control(tx) inside'
      findings.push({ path: leaf.path, line: lineOf(leaf, node), law, note })
    })
    return findings
  })
}

/** What is done in a transaction that begins at control, or on the pool as it was given. */
function workAtControl(leaf: Leaf, node: ts.Node): ts.Expression | undefined {
  if (!ts.isCallExpression(node)) return undefined
  if (!/^in(?:Transaction|Snapshot)$/.test(node.expression.getText(parse(leaf)))) return undefined
  const [at, work] = node.arguments
  if (at === undefined || !/^(?:control\(|(?:\w+\.)*db$)/.test(at.getText())) return undefined
  return isSaidBefore(node, at, 'homeOf|homeOfRow') ? undefined : work
}

function bodyOf(house: House, leaf: Leaf, work: ts.Expression): Body | undefined {
  if (ts.isArrowFunction(work) || ts.isFunctionExpression(work)) return { leaf, node: work }
  return ts.isIdentifier(work) ? functionCalled(house, leaf, work.text) : undefined
}

function reachesRows(house: House, { leaf, node }: Body): boolean {
  const known = house.seen.get(node)
  if (known !== undefined) return known
  house.seen.set(node, false)
  const tx = node.parameters[0]?.name.getText()
  const reaches = (at: ts.Node): boolean => {
    if (ts.isTaggedTemplateExpression(at) && isAbout(at)) return true
    if (ts.isCallExpression(at) && ts.isIdentifier(at.expression) && gives(at, tx)) {
      const called = functionCalled(house, leaf, at.expression.text)
      if (called !== undefined && reachesRows(house, called)) return true
    }
    return ts.forEachChild(at, (child) => reaches(child) || undefined) ?? false
  }
  const found = reaches(node)
  house.seen.set(node, found)
  return found
}

const isAbout = ({ template }: ts.TaggedTemplateExpression): boolean =>
  rows.test(bare(template.getText()))

const gives = ({ arguments: given }: ts.CallExpression, tx: string | undefined): boolean =>
  tx !== undefined && given[0]?.getText() === tx

/** By its name in this file, or in the file that it is imported from. */
function functionCalled(house: House, leaf: Leaf, name: string): Body | undefined {
  if (throughThePlanner.has(name)) return undefined
  for (const statement of parse(leaf).statements) {
    const node = functionNamed(statement, name)
    if (node !== undefined) return { leaf, node }
    const from = importedFrom(statement, name)
    if (from === undefined) continue
    const other = house.leaves.get(targetOf(leaf.path, from.specifier) ?? '')
    return other && functionCalled(house, other, from.name)
  }
  return undefined
}

function functionNamed(statement: ts.Statement, name: string): ts.SignatureDeclaration | undefined {
  if (ts.isFunctionDeclaration(statement)) {
    return statement.name?.text === name ? statement : undefined
  }
  if (!ts.isVariableStatement(statement)) return undefined
  const made = statement.declarationList.declarations.find((one) => one.name.getText() === name)
  const value = made?.initializer
  return value !== undefined && ts.isArrowFunction(value) ? value : undefined
}

function importedFrom(statement: ts.Statement, name: string) {
  if (!ts.isImportDeclaration(statement)) return undefined
  const bindings = statement.importClause?.namedBindings
  if (bindings === undefined || !ts.isNamedImports(bindings)) return undefined
  const one = bindings.elements.find((element) => element.name.text === name)
  if (one === undefined || !ts.isStringLiteral(statement.moduleSpecifier)) return undefined
  return { specifier: statement.moduleSpecifier.text, name: (one.propertyName ?? one.name).text }
}
