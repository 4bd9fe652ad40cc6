// Where a statement about a merchant's rows runs is said where it stands (docs/decisions/0068): by
// `homeOf`, by a look over all groups, or by the transaction it is in. Nothing else is at hand
// where a merchant's rows are on another server.

import ts from 'typescript'
import { merchantTables } from '../../src/app/distribute/merchant-tables.ts'
import { controlKeepsToItself } from './control-law.ts'
import { isSaidBefore } from './said-before.ts'
import { eachNode, lineOf } from './source.ts'
import { bare } from './sql-text.ts'
import { tableOwners } from './table-owners.ts'
import { type Finding, isServerProduction, type Leaf, type Tree } from './tree.ts'

const law = 'at their place'
const tables = new RegExp(`\\b(?:from|join|into|update)\\s+(?:${merchantTables.join('|')})\\b`, 'i')

export function merchantsAtTheirPlace(tree: Tree): Finding[] {
  return tree.filter(isServerProduction).flatMap((leaf) => {
    const note = 'say where it runs: homeOf(sql, merchant_id), eachGroup, or a transaction'
    return unplaced(leaf).map((line) => ({ path: leaf.path, line, law, note }))
  })
}

const owners = new Set<string>(merchantTables.map((table) => tableOwners[table] ?? ''))
/** Of what these folders change in transactions, only payout methods are in groups. */
const mostlyControl = /\/(?:merchants\/(?!payout-methods)|platform\/)/
const said = /^(?:await )?(?:homeOf|homeOfRow|control)\(/

/**
 * A transaction of a folder that owns rows of merchants says where it begins: at the group of its
 * merchant, or at control. Elsewhere it is control's. One at control reaches no row of a merchant.
 */
export function transactionsBeginSomewhere(tree: Tree): Finding[] {
  const unsaid = tree.filter(isServerProduction).flatMap((leaf) => {
    const { path } = leaf
    if (!owners.has(path.split('/')[2] ?? '') || mostlyControl.test(path)) return []
    const findings: Finding[] = []
    eachNode(leaf, (node) => {
      if (!ts.isCallExpression(node) || !begins.has(node.expression.getText())) return
      const at = node.arguments[0]
      if (
        at === undefined ||
        said.test(at.getText()) ||
        isSaidBefore(node, at, 'homeOf|homeOfRow|control')
      )
        return
      const note = 'say where it begins: homeOf(db, merchant_id), homeOfRow or control(db)'
      findings.push({ path, line: lineOf(leaf, node), law: 'begins somewhere', note })
    })
    return findings
  })
  return [...unsaid, ...controlKeepsToItself(tree)]
}

const begins = new Set(['inTransaction', 'inSnapshot'])

/** Lines of statements that are sent on whatever pool the function was given. */
function unplaced(leaf: Leaf): number[] {
  const lines: number[] = []
  eachNode(leaf, (node) => {
    if (!ts.isTaggedTemplateExpression(node) || !ts.isIdentifier(node.tag)) return
    if (!/^(?:sql|db|quick)$/.test(node.tag.text) || !isSent(node)) return
    if (!tables.test(bare(wholeOf(leaf, node)))) return
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

/** The text with the fragments that the file itself puts into it: a `from` may be one. */
function wholeOf(leaf: Leaf, statement: ts.TaggedTemplateExpression, depth = 3): string {
  const { template } = statement
  if (depth === 0 || ts.isNoSubstitutionTemplateLiteral(template)) return textOf(template)
  const parts = template.templateSpans.flatMap(({ expression }) => {
    const name = ts.isCallExpression(expression) ? expression.expression : expression
    return ts.isIdentifier(name) ? (fragmentsOf(leaf).get(name.text) ?? []) : []
  })
  return [textOf(template), ...parts.map((part) => wholeOf(leaf, part, depth - 1))].join(' ')
}

const fragments = new WeakMap<Leaf, ReadonlyMap<string, ts.TaggedTemplateExpression[]>>()

/** What a name of the file stands for: a template, or one that a function returns. */
function fragmentsOf(leaf: Leaf): ReadonlyMap<string, ts.TaggedTemplateExpression[]> {
  const known = fragments.get(leaf)
  if (known !== undefined) return known
  const found = new Map<string, ts.TaggedTemplateExpression[]>()
  eachNode(leaf, (node) => {
    if (!ts.isTaggedTemplateExpression(node) || isSent(node)) return
    const name = nameFor(node)
    if (name !== undefined) found.set(name, [...(found.get(name) ?? []), node])
  })
  fragments.set(leaf, found)
  return found
}

function nameFor(node: ts.TaggedTemplateExpression): string | undefined {
  for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent) {
    if (ts.isTemplateSpan(at)) return undefined
    if (ts.isVariableDeclaration(at)) return at.name.getText()
    if (ts.isFunctionDeclaration(at)) return at.name?.text
  }
  return undefined
}
