// What is found of an account with an operator, and of the installation, is alike in English and
// French: what is filled in, the numbers, and the names that people type or look for. Law: neither
// language is left out, nor a copy of the other.

import ts from 'typescript'
import { eachNode, importsOf, lineOf } from './source.ts'
import { type Finding, isServerProduction, type Leaf, type Tree } from './tree.ts'

const law = 'same in both'
const builders = 'server/src/gateways/findings.ts'

/** A text taken apart: what stands in it, and what is filled in. */
type Parts = Readonly<{ text: string; holes: ReadonlySet<string> }>

/** Beside each other, `en` and `fr` have the same holes, numbers and names, and are not equal. */
export function sameInBoth(tree: Tree): Finding[] {
  return tree.filter(mayHaveTexts).flatMap((leaf) => {
    const found: Finding[] = []
    eachNode(leaf, (node) => {
      const note = ts.isObjectLiteralExpression(node) ? faultOf(node) : strangeName(node)
      if (note !== undefined) found.push({ path: leaf.path, line: lineOf(leaf, node), law, note })
    })
    return found
  })
}

/** Who puts findings together does it by the functions of one file. */
const mayHaveTexts = (leaf: Leaf): boolean =>
  isServerProduction(leaf) &&
  (leaf.path === builders || importsOf(leaf).some(({ target }) => target === builders))

function faultOf(node: ts.ObjectLiteralExpression): string | undefined {
  const [en, fr] = [partsAt(node, 'en'), partsAt(node, 'fr')]
  if (en === undefined || fr === undefined) return undefined
  const shown = `“${en.text}”`
  if (isEmpty(en) !== isEmpty(fr)) return `${shown}: one language is empty`
  if (/\p{Ll}{2}/u.test(en.text) && en.text === fr.text) {
    return `${shown} is the same in both: translate it, or use named()`
  }
  const kinds = [
    ['what is filled in', en.holes, fr.holes],
    ['numbers', numbersIn(en.text), numbersIn(fr.text)],
    ['names', namesIn(en.text), namesIn(fr.text)],
  ] as const
  const other = kinds.find(([, one, two]) => differ(one, two))
  return other === undefined ? undefined : `${shown}: ${other[0]} differs in French`
}

const isEmpty = ({ text, holes }: Parts): boolean => text.trim() === '' && holes.size === 0

/** Both languages have these words. */
const inBoth: ReadonlySet<string> = new Set([
  ...['TLS', 'SECRET_KEY', 'DASHBOARD_URL'],
  ...['secrets', 'configuration', 'migrations', 'webhook'],
])

/** A sentence that goes through `named` would be English for everybody. */
function strangeName(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node) || node.expression.getText() !== 'named') return undefined
  const [argument] = node.arguments
  const parts = argument === undefined ? undefined : partsOf(argument)
  const isCommand = parts?.text.startsWith('npm run cli -- ')
  if (parts === undefined || isCommand || !/\p{L}/u.test(parts.text)) return undefined
  if (inBoth.has(parts.text)) return undefined
  return `named('${parts.text}'): a word of one language is a text of two`
}

function partsAt(node: ts.ObjectLiteralExpression, name: 'en' | 'fr'): Parts | undefined {
  const property = node.properties.find(
    (one): one is ts.PropertyAssignment =>
      ts.isPropertyAssignment(one) && ts.isIdentifier(one.name) && one.name.text === name,
  )
  return property === undefined ? undefined : partsOf(property.initializer)
}

/** Undefined where it is no text that stands here: a name, a call, a choice. */
function partsOf(node: ts.Expression): Parts | undefined {
  if (ts.isStringLiteralLike(node)) return { text: node.text, holes: new Set() }
  if (ts.isTemplateExpression(node)) {
    const holes = node.templateSpans.map(({ expression }) => holeOf(expression))
    const text = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('')
    return { text, holes: new Set(holes) }
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) {
    return undefined
  }
  const [left, right] = [partsOf(node.left), partsOf(node.right)]
  if (left === undefined || right === undefined) return undefined
  return { text: left.text + right.text, holes: new Set([...left.holes, ...right.holes]) }
}

/** `${days.en}` of one language is `${days.fr}` of the other; of a choice, what is chosen by. */
const holeOf = (expression: ts.Expression): string =>
  ts.isConditionalExpression(expression)
    ? holeOf(expression.condition)
    : expression.getText().replace(/\.(en|fr)\b/g, '.LANGUAGE')

/** `1 000` and `1,000` are one number, and so are `0,5` and `0.5`. */
const numbersIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/\d[\d\u00a0\u202f ,.]*\d|\d/g)].map(([one]) => one.replace(/\D/g, '')))

/** Settings, paths and flags: whoever looks for them types them. */
const namesIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/--[a-z][\w-]+|https?:\/\/|\/?\w+[_/][\w/]*/g)].map(([one]) => one))

const differ = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size !== other.size || [...one].some((part) => !other.has(part))
