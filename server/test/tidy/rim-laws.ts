// Names that stay at the rim: an adapter's name is known to gateways/ and wire.ts, fastify to the
// HTTP mechanism, the environment to the configuration.

import ts from 'typescript'
import { adapterImports, businessWords, namesOfMechanisms, portFiles, rim } from './folder-order.ts'
import { eachNode, importsOf, lineOf, stringsOf } from './source.ts'
import {
  type Finding,
  folderOf,
  isServer,
  isServerProduction,
  type Leaf,
  type Tree,
} from './tree.ts'

const adapterOf = (path: string): string | undefined =>
  /^server\/src\/gateways\/([^/]+)\//.exec(path)?.[1]

/** No adapter's name outside gateways/ and app/wire.ts (the `=== 'stripe'` that spreads). */
export function adapterNames(tree: Tree): Finding[] {
  const known = tree.filter(isServer).flatMap(({ path }) => adapterOf(path) ?? [])
  const adapters = [...new Set(known)]
  const found: Finding[] = []
  for (const leaf of tree.filter(isServerProduction)) {
    if (folderOf(leaf.path) === 'gateways' || leaf.path === `server/src/${rim}/wire.ts`) continue
    const seen = new Set<string>()
    for (const { text, line } of namesIn(leaf)) {
      for (const adapter of adapters) {
        if (!names(text, adapter) || mayName(leaf, adapter)) continue
        if (seen.has(`${line} ${adapter}`)) continue
        seen.add(`${line} ${adapter}`)
        const note = `“${adapter}” is an adapter's name: ask the port for an ability instead`
        found.push({ path: leaf.path, line, law: 'adapter names', note })
      }
    }
  }
  return found
}

function namesIn(leaf: Leaf): { text: string; line: number }[] {
  const found: { text: string; line: number }[] = []
  eachNode(leaf, (node) => {
    if (ts.isIdentifier(node)) found.push({ text: node.text, line: lineOf(leaf, node) })
  })
  for (const { text, line } of stringsOf(leaf)) found.push({ text, line })
  return found
}

// The simulator is also a process of ours, with settings of its own name (`SIMULATOR_PORT`): there
// only the whole word counts, and what starts it or speaks of it to testers may say it.
const processOfOurs = 'simulator'

function mayName(leaf: Leaf, adapter: string): boolean {
  const folder = folderOf(leaf.path)
  return adapter === processOfOurs && (folder === 'sandbox' || folder === rim)
}

function names(text: string, adapter: string): boolean {
  if (adapter === processOfOurs) return /(?<!\w)simulator(?!\w)/i.test(text)
  return ` ${wordsOf(text)} `.includes(` ${wordsOf(adapter)} `)
}

/** The same few thousand names stand in the files again and again. */
const known_words = new Map<string, string>()

/** `orangeMoney`, `ORANGE_MONEY` and `orange-money` are the same words. */
function wordsOf(text: string): string {
  const known = known_words.get(text)
  if (known !== undefined) return known
  const parted = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
  const words = parted
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .join(' ')
  known_words.set(text, words)
  return words
}

/** An adapter sees the port, money, platform, catalogue: no other adapter and no routing. */
export function adapterSight(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter(isServerProduction)) {
    const adapter = adapterOf(leaf.path)
    if (adapter === undefined) continue
    for (const { target, line } of importsOf(leaf)) {
      const folder = target === undefined ? undefined : folderOf(target)
      if (target === undefined || folder === undefined) continue
      const isOwn = target.startsWith(`server/src/gateways/${adapter}/`)
      const isPort = portFiles.some((file) => target === `server/src/gateways/${file}`)
      if (isOwn || isPort || adapterImports.some((one) => one === folder)) continue
      const note = `an adapter sees only the port and ${adapterImports.join(', ')}: not ${target}`
      found.push({ path: leaf.path, line, law: 'adapter sight', note })
    }
  }
  return found
}

const seesFastify = /^server\/src\/(platform\/http|app)\//

export function fastifyAtTheRim(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter(isServerProduction)) {
    if (seesFastify.test(leaf.path)) continue
    for (const { specifier, line } of importsOf(leaf)) {
      if (!/^(@fastify\/.+|fastify(\/.*)?)$/.test(specifier)) continue
      const note = 'fastify is seen in platform/http and app only: export routes as data'
      found.push({ path: leaf.path, line, law: 'fastify at the rim', note })
    }
  }
  return found
}

const readsEnvironment = /^server\/src\/app\//

export function environmentAtTheRim(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter(isServerProduction)) {
    if (readsEnvironment.test(leaf.path)) continue
    eachNode(leaf, (node) => {
      if (!readsEnv(node)) return
      const note = 'process.env is read in app/ only: take it as an argument'
      found.push({ path: leaf.path, line: lineOf(leaf, node), law: 'environment', note })
    })
  }
  return found
}

function readsEnv(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node))
    return isProcess(node.expression) && node.name.text === 'env'
  if (ts.isElementAccessExpression(node)) {
    const key = node.argumentExpression
    return isProcess(node.expression) && ts.isStringLiteralLike(key) && key.text === 'env'
  }
  if (ts.isImportSpecifier(node)) {
    const from = node.parent.parent.parent.moduleSpecifier
    const isOfProcess = ts.isStringLiteralLike(from) && /^(node:)?process$/.test(from.text)
    return isOfProcess && (node.propertyName ?? node.name).text === 'env'
  }
  if (!ts.isBindingElement(node) || !ts.isVariableDeclaration(node.parent.parent)) return false
  const from = node.parent.parent.initializer
  const taken = node.propertyName ?? node.name
  return from !== undefined && isProcess(from) && ts.isIdentifier(taken) && taken.text === 'env'
}

const isProcess = (node: ts.Node): boolean =>
  (ts.isIdentifier(node) && node.text === 'process') ||
  (ts.isPropertyAccessExpression(node) && node.name.text === 'process')

const theirs: ReadonlySet<string> = new Set(Object.values(namesOfMechanisms).flat())

/** A name, or a text of one word such as a setting's, in platform/. Sentences may say it. */
export function mechanismsAlone(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter(isServerProduction)) {
    if (folderOf(leaf.path) !== 'platform') continue
    for (const { text, line } of namesIn(leaf)) {
      if (!/^[\w-]+$/.test(text) || theirs.has(text)) continue
      const word = wordsOf(text)
        .split(' ')
        .find((one) => businessWords.some((name) => one === name || one === `${name}s`))
      if (word === undefined) continue
      const note = `“${word}” is business: the folder that knows it passes it in, or adds it`
      found.push({ path: leaf.path, line, law: 'mechanisms alone', note })
    }
  }
  return found
}
