// Whether a place that a call is given was named by a function before it.

import ts from 'typescript'

/** `const at = homeOf(…)` stands in a function around the call; `functions` are joined by `|`. */
export function isSaidBefore(call: ts.Node, name: ts.Expression, functions: string): boolean {
  if (!ts.isIdentifier(name)) return false
  const before = new RegExp(`const ${name.text} = (?:await )?(?:${functions})\\(`)
  for (let at = call.parent; !ts.isSourceFile(at); at = at.parent) {
    if (ts.isBlock(at) && before.test(at.getText())) return true
  }
  return false
}
