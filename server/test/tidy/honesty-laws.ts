// Nothing hidden from the compiler, the reader or the test run: no `any`, no `!`, no cast, no
// silenced error, no promise in a comment, no test set aside, no `select *`, no machine's path.

import ts from 'typescript'
import { generatedFolders } from './folder-order.ts'
import { commentsOf, eachNode, lineAt, lineOf, stringsOf } from './source.ts'
import { bare, isSql } from './sql-text.ts'
import { type Finding, isOurs, isTest, isTypeScript, type Leaf, type Tree } from './tree.ts'

const isWritten = (leaf: Leaf): boolean =>
  isOurs(leaf) && !generatedFolders.some((at) => leaf.path.startsWith(at))
const mayCast = (leaf: Leaf): boolean =>
  isTest(leaf) || /^(server\/src\/platform|[a-z]+\/test)\//.test(leaf.path)

/** No `any`, no non-null `!`; no cast outside platform/ (`as const` is none). */
export function declaredTypes(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter((leaf) => isWritten(leaf) && isTypeScript(leaf))) {
    eachNode(leaf, (node) => {
      const note = untold(node, mayCast(leaf))
      if (note === undefined) return
      found.push({ path: leaf.path, line: lineOf(leaf, node), law: 'types told', note })
    })
  }
  return found
}

function untold(node: ts.Node, castsAllowed: boolean): string | undefined {
  if (node.kind === ts.SyntaxKind.AnyKeyword) return '`any` is no type: use unknown and narrow it'
  const isDefinite =
    (ts.isPropertyDeclaration(node) || ts.isVariableDeclaration(node)) &&
    node.exclamationToken !== undefined
  if (ts.isNonNullExpression(node) || isDefinite) {
    return '`!` hides an undefined: check it, or assert with a message'
  }
  if (castsAllowed) return undefined
  if (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) {
    return 'a cast silences the compiler: narrow the type, or use satisfies'
  }
  return ts.isTypeAssertionExpression(node) ? 'a cast silences the compiler: narrow it' : undefined
}

const silences = /@ts-(ignore|nocheck)\b/
const expects = /@ts-expect-error\b/
const promises = /\b(TODO|FIXME|HACK)\b/

/** No comment silences the compiler or puts work off. A test may expect a type error. */
export function comments(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter(isWritten)) {
    const worthReading = [silences, expects, promises].some((sign) => sign.test(leaf.text))
    if (!worthReading) continue
    for (const { text, position } of commentsOf(leaf)) {
      const isSilenced = silences.test(text) || (expects.test(text) && !isTest(leaf))
      const line = lineAt(leaf, position)
      const law = 'comments'
      if (isSilenced) {
        found.push({ path: leaf.path, line, law, note: 'the compiler is silenced: mend the type' })
      }
      if (promises.test(text)) {
        found.push({ path: leaf.path, line, law, note: 'do it now, or open an issue and say why' })
      }
    }
  }
  return found
}

const suites = new Set(['it', 'test', 'describe', 'suite', 'bench'])
const setAside = new Set(['only', 'skip', 'todo', 'skipIf', 'runIf'])
const oldSetAside = new Set(['xit', 'xtest', 'xdescribe', 'fit', 'fdescribe'])

/** What runs only whole is set aside here and nowhere else, and only in the small run. */
const proofSize = 'server/test/setup/proof-size.ts'
const isTestCode = (leaf: Leaf): boolean => isTest(leaf) || /^[a-z]+\/test\//.test(leaf.path)

/** Every test of the tree runs: with all tests, or whole by `npm run proof`. */
export function testsRun(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter((leaf) => isOurs(leaf) && isTestCode(leaf))) {
    if (leaf.path === proofSize) continue
    const find = (node: ts.Node, note: string) =>
      found.push({ path: leaf.path, line: lineOf(leaf, node), law: 'tests run', note })
    eachNode(leaf, (node) => {
      const aside = nameSetAside(node)
      if (aside !== undefined) find(node, `${aside} sets a test aside: mend the test or delete it`)
      if (importsSize(node) && !isTest(leaf)) {
        find(node, 'a size is chosen by the test file itself: `npm run proof` looks for it there')
      }
      if (isTest(leaf) && asksEnvironment(node)) {
        find(node, 'never run whole: `npm run proof` looks for who imports proof-size.ts')
      }
    })
  }
  return found
}

/** `process.env['PROOF']`, or `env.PROOF`. */
const asksEnvironment = (node: ts.Node): boolean =>
  (ts.isElementAccessExpression(node) && node.argumentExpression.getText() === "'PROOF'") ||
  (ts.isPropertyAccessExpression(node) && node.name.text === 'PROOF')

const importsSize = (node: ts.Node): boolean =>
  ts.isImportDeclaration(node) && /\bproof-size\.ts/.test(node.moduleSpecifier.getText())

/** `{ skip: true }` between the name of a test and the test. */
function optionSetAside({ arguments: [, options] }: ts.CallExpression): string | undefined {
  if (options === undefined || !ts.isObjectLiteralExpression(options)) return undefined
  const names = options.properties.flatMap(({ name }) => name?.getText() ?? [])
  return names.find((name) => setAside.has(name))
}

function nameSetAside(node: ts.Node): string | undefined {
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
    const { text } = node.expression
    if (oldSetAside.has(text)) return text
    return suites.has(text) ? optionSetAside(node) : undefined
  }
  if (!ts.isPropertyAccessExpression(node) || !setAside.has(node.name.text)) return undefined
  let root: ts.Node = node.expression
  while (ts.isPropertyAccessExpression(root) || ts.isCallExpression(root)) root = root.expression
  return ts.isIdentifier(root) && suites.has(root.text) ? `.${node.name.text}` : undefined
}

/** Its relation is made of JSON, and its columns are listed by those who call it. */
const ofJson = 'server/src/platform/sql.ts'

/** Columns are listed; `count(*)` is no list. */
export function columnsListed(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter((leaf) => isWritten(leaf) && !isTest(leaf))) {
    if (/^[a-z]+\/test\//.test(leaf.path) || leaf.path === ofJson) continue
    for (const words of stringsOf(leaf).filter(isSql)) {
      const sql = bare(words.text)
      for (const { index } of sql.matchAll(
        /\b(select|returning)\s+(distinct\s+)?("?\w+"?\.)?\*/gi,
      )) {
        const line = words.line + sql.slice(0, index).split('\n').length - 1
        const note = 'list the columns: a new one must not leak by accident'
        found.push({ path: leaf.path, line, law: 'columns listed', note })
      }
    }
  }
  return found
}

// Built from parts, so that this file does not hold what it looks for.
const machinePath = new RegExp(`(?<![\\w.@~-])${['', 'work', ''].join('/')}`)
const registryHost =
  /https?:\/\/[^/\s"']*(registry|artifactory|nexus|verdaccio|jfrog|codeartifact)[^/\s"']*/i
const registrySetting = /^(@[\w-]+:)?registry\s*=/

/** No path of a machine and no package registry's host in any text file. */
export function noMachines(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const { path, text } of tree) {
    const law = 'no machines'
    text.split('\n').forEach((line, index) => {
      const at = { path, line: index + 1, law }
      if (machinePath.test(line))
        found.push({ ...at, note: "a machine's path: use a relative one" })
      if (registryHost.test(line) || (path.endsWith('.npmrc') && registrySetting.test(line))) {
        found.push({ ...at, note: "a registry's host: leave it to whoever installs" })
      }
    })
  }
  return found
}
