// The dashboard's laws: its folders are ranked, no screen knows another feature's, and what could
// leak or lie (asking the network, keeping something, markup from text, arithmetic) has one place.

import ts from 'typescript'
import { dashboardOrder } from './folder-order.ts'
import { eachNode, importsOf, lineOf } from './source.ts'
import { type Finding, isOurs, isTest, type Leaf, type Tree } from './tree.ts'

const home = /^dashboard\/src\/([^/]+)\/(?:([^/]+)\/)?/

const isHere = (leaf: Leaf): boolean =>
  isOurs(leaf) && leaf.path.startsWith('dashboard/src/') && !isTest(leaf)

/** A folder imports itself and those above its line; features are strangers to each other. */
export function dashboardRanks(tree: Tree): Finding[] {
  const law = 'dashboard ranks'
  return tree.filter(isHere).flatMap((leaf) => {
    const [, from = '', feature] = home.exec(leaf.path) ?? []
    const rank = rankOf(from)
    if (rank < 0) {
      const note = `${from === '' ? 'a loose file' : `${from}/`}: not a folder of folder-order.ts`
      return [{ path: leaf.path, line: 1, law, note }]
    }
    return importsOf(leaf).flatMap(({ target = '', line }) => {
      const [, to = '', other] = home.exec(target) ?? []
      const isStranger = from === 'features' && to === 'features' && feature !== other
      if (to === '' || (rankOf(to) <= rank && !isStranger)) return []
      const note = isStranger
        ? `${feature}/ does not know ${other}/: move what both need into parts/`
        : `${from}/ stands above ${to}/: move it there, or take it as an argument`
      return [{ path: leaf.path, line, law, note }]
    })
  })
}

const order: readonly string[] = dashboardOrder
const rankOf = (folder: string): number => order.indexOf(folder)

/** Where each may be used; an empty list: nowhere. */
const places: Readonly<Record<string, readonly string[]>> = {
  fetch: ['data/call.ts'],
  XMLHttpRequest: [],
  EventSource: [],
  localStorage: ['data/kept.ts'],
  sessionStorage: ['data/kept-here.ts', 'data/load.ts', 'data/once.ts'],
  cookie: [],
  innerHTML: [],
  outerHTML: [],
  dangerouslySetInnerHTML: [],
  eval: [],
  // Every figure is the API's own.
  parseFloat: [],
  Math: [],
  BigInt: [],
}

export function dashboardThin(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter(isHere)) {
    eachNode(leaf, (node) => {
      const name = usedName(node)
      const allowed = name === undefined ? undefined : own(name)
      if (allowed === undefined) return
      if (allowed.some((path) => leaf.path === `dashboard/src/${path}`)) return
      const where = allowed.length === 0 ? 'nowhere' : `in ${allowed.join(', ')} only`
      const note = `${name} is used ${where}`
      found.push({ path: leaf.path, line: lineOf(leaf, node), law: 'dashboard thin', note })
    })
  }
  return found
}

const own = (name: string): readonly string[] | undefined =>
  Object.hasOwn(places, name) ? places[name] : undefined

/** A name that is used, not one that is given: `fetch()`, `document.cookie`, `innerHTML={…}`. */
function usedName(node: ts.Node): string | undefined {
  if (ts.isJsxAttribute(node)) return node.name.getText()
  if (ts.isPropertyAccessExpression(node)) return node.name.text
  if (!ts.isIdentifier(node)) return undefined
  const { parent } = node
  const isGiven =
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    (ts.isPropertySignature(parent) && parent.name === node) ||
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    ts.isJsxAttribute(parent)
  return isGiven ? undefined : node.text
}
