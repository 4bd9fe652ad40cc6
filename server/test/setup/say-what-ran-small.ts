// The last line of a run: how many proofs ran small in it, and what runs them whole. A set-up and
// not a reporter: whoever chooses another reporter is told as well.

import { relative, resolve } from 'node:path'
import type { TestModule, TestProject } from 'vitest/node'
import { isWhole, proofFiles } from './proof-files.ts'

const root = resolve(import.meta.dirname, '../../..')

/** Undefined where nothing ran small. */
export function whatRanSmall(modules: readonly TestModule[]): string | undefined {
  const proofs = new Set(proofFiles())
  const ran = modules.filter(({ moduleId }) => proofs.has(relative(root, moduleId)))
  if (isWhole || ran.length === 0) return undefined
  const left = ran.flatMap(({ children }) => [...children.allTests('skipped')]).length
  return `${ran.length} proofs ran small, without ${left} of their tests; whole: npm run proof`
}

export default function setUp({ vitest }: TestProject): () => void {
  return () => {
    const line = whatRanSmall(vitest.state.getTestModules())
    if (line !== undefined) console.error(`\n${line}\n`)
  }
}
