// The last line of a run: how many proofs ran small in it, and what runs them whole. A set-up and
// not a reporter: whoever chooses another reporter is told as well.

import { relative, resolve } from 'node:path'
import type { TestModule, TestProject } from 'vitest/node'
import { isWhole, proofFiles, shares, turn } from './proof-files.ts'

const root = resolve(import.meta.dirname, '../../..')

/** Undefined where nothing ran small. */
export function whatRanSmall(modules: readonly TestModule[]): string | undefined {
  const proofs = new Set(proofFiles())
  const ran = modules.filter(({ moduleId }) => proofs.has(relative(root, moduleId)))
  if (ran.length === 0) return undefined
  if (isWhole && shares > 1) {
    return `The longest walks: share ${(turn % shares) + 1} of ${shares}; whole: npm run proof`
  }
  if (isWhole) return undefined
  const left = ran.flatMap(({ children }) => [...children.allTests('skipped')]).length
  return `${ran.length} proofs ran small, without ${left} of their tests; whole: npm run proof`
}

export default function setUp({ vitest }: TestProject): () => void {
  return () => {
    const line = whatRanSmall(vitest.state.getTestModules())
    if (line !== undefined) console.error(`\n${line}\n`)
  }
}
