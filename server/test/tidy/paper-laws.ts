// What is written about the code names what is in the code: each statement that is put together
// from parts stands in server/statements.sql, and docs/walkthrough.md leads to files and functions.

import { posix } from 'node:path'
import ts from 'typescript'
import { batchCalls } from '../../src/platform/batch-calls.ts'
import { composed } from '../../src/platform/sql.ts'
import { eachNode, lineOf, parse } from './source.ts'
import { type Finding, isServerProduction, type Leaf, type Tree } from './tree.ts'

/** By these a statement is put together, or many calls go in one. */
export const composers: Readonly<Record<string, string>> = {
  'server/src/platform/sql.ts': composed.name,
  'server/src/platform/batch-calls.ts': batchCalls.name,
}
const statements = 'server/statements.sql'

/** Who puts a statement together is named above a statement of server/statements.sql. */
export function statementsShown(tree: Tree): Finding[] {
  const shown = statementNames(tree)
  return tree.filter(isServerProduction).flatMap((leaf) =>
    composing(leaf, composers).flatMap(({ name, line }) => {
      if (shown.has(`${name}, ${leaf.path}`)) return []
      const note = `what ${name} sends is not in ${statements}: add it to tools/generate/statements`
      return { path: leaf.path, line, law: 'statements shown', note }
    }),
  )
}

/** As `writePayments, server/src/payments/make-payment.ts`. */
const statementNames = (tree: Tree): ReadonlySet<string> => {
  const text = tree.find(({ path }) => path === statements)?.text ?? ''
  const names = text.matchAll(/^-- (?: {2}called by )?(\w+, server\/src\/\S+\.ts)$/gm)
  return new Set([...names].map(([, name = '']) => name))
}

/** A call of one of these functions: in which function, and with what. */
type Composing = Readonly<{ name: string; line: number; call: ts.CallExpression }>

/** `of`: the functions by their files. */
export function composing(leaf: Leaf, of: Readonly<Record<string, string>>): Composing[] {
  const locals = composersIn(leaf, of)
  const found: Composing[] = []
  if (locals.size === 0) return found
  eachNode(leaf, (node) => {
    if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return
    if (!locals.has(node.expression.text)) return
    found.push({ name: topNameAround(node), line: lineOf(leaf, node), call: node })
  })
  return found
}

/** What this file calls them. */
function composersIn(leaf: Leaf, of: Readonly<Record<string, string>>): ReadonlySet<string> {
  const locals = new Set<string>()
  for (const one of parse(leaf).statements) {
    if (!ts.isImportDeclaration(one) || !ts.isStringLiteral(one.moduleSpecifier)) continue
    const target = posix.join(posix.dirname(leaf.path), one.moduleSpecifier.text)
    const wanted = of[target]
    const names = one.importClause?.namedBindings
    if (wanted === undefined || names === undefined || !ts.isNamedImports(names)) continue
    for (const { name, propertyName } of names.elements) {
      if ((propertyName ?? name).text === wanted) locals.add(name.text)
    }
  }
  return locals
}

/** The function, class or constant of the file that a node stands in. */
function topNameAround(node: ts.Node): string {
  let at = node
  while (!ts.isSourceFile(at.parent)) at = at.parent
  return namesOf(at)[0] ?? '?'
}

function namesOf(statement: ts.Node): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? name.text : [],
    )
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  return isNamed && statement.name !== undefined ? [statement.name.text] : []
}

const walkthrough = 'docs/walkthrough.md'
const declarable = /^(\w+\(\)|\w*[a-z][A-Z]\w*)$/

/**
 * Each `file.ts` of the walkthrough is there (below server/src, or from the repository's root),
 * each `name()` and each `mixedCase` is declared in a file of its line, and each `name!` heads a
 * statement of such a file.
 */
export function walkthroughLeads(tree: Tree): Finding[] {
  const leaves = new Map(tree.map((leaf) => [leaf.path, leaf]))
  const shown = statementNames(tree)
  const text = leaves.get(walkthrough)?.text ?? ''
  return text.split('\n').flatMap((row, at) => {
    const ticked = [...row.matchAll(/`([^`]+)`/g)].map(([, said = '']) => said)
    const paths = ticked.filter((said) => /^[\w.-]+(\/[\w.-]+)*\.(ts|sql|md|json|csv)$/.test(said))
    const files = paths.flatMap((said) => fileOf(leaves, said) ?? [])
    const declared = new Set(files.flatMap((leaf) => parse(leaf).statements.flatMap(namesOf)))
    const lost = [
      ...paths.filter((said) => fileOf(leaves, said) === undefined),
      ...ticked.filter((said) => declarable.test(said) && !declared.has(said.replace('()', ''))),
      ...ticked.filter((said) => {
        if (!/^\w+!$/.test(said)) return false
        return !files.some(({ path }) => shown.has(`${said.slice(0, -1)}, ${path}`))
      }),
    ]
    const law = 'walkthrough'
    return lost.map((said) => {
      return { path: walkthrough, line: at + 1, law, note: `\`${said}\` is not there any more` }
    })
  })
}

const fileOf = (leaves: ReadonlyMap<string, Leaf>, said: string): Leaf | undefined =>
  leaves.get(`server/src/${said}`) ?? leaves.get(said)

const holds = 'server/src/ledger/holds/hold.ts'

/** Who may end a hold is answered in one place: it names each file that ends one, and no other. */
export function endsOfHolds(tree: Tree): Finding[] {
  const law = 'ends of holds'
  const doc = tree.find(({ path }) => path === holds)?.text ?? ''
  const named = [...doc.matchAll(/(?<= |: )([\w-]+\/[\w/-]+\.ts)\b/g)].map(([, file = '']) => file)
  const enders = tree.filter((leaf) => isServerProduction(leaf) && endsHold.test(leaf.text))
  const missing = enders.flatMap((leaf) => {
    if (named.some((file) => leaf.path === `server/src/${file}`)) return []
    const note = `say in ${holds} on what ground it ends a hold`
    return [{ path: leaf.path, line: lineAt(leaf, leaf.text.search(endsHold)), law, note }]
  })
  const gone = named.filter((file) => {
    const isEnder = enders.some(({ path }) => path === `server/src/${file}`)
    return !isEnder && file !== decidedIn
  })
  return [
    ...missing,
    ...gone.map((file) => ({ path: holds, line: 1, law, note: `${file} ends no hold any more` })),
  ]
}

/** Called, not declared. */
const endsHold = /(?<!function )\binsertHoldEnd\(/
/** Decides it, and others carry it out. */
const decidedIn = 'attempts/decide.ts'

const lineAt = ({ text }: Leaf, index: number): number => text.slice(0, index).split('\n').length
