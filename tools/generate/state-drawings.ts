// The state machines in ARCHITECTURE.md, drawn from the tables that the code obeys, between two
// markers; the rest of that file is written by hand and stays as it is.

import { stateMachines } from '../../server/src/app/state-machines.ts'
import type { Artifact } from './artifact.ts'

const path = 'ARCHITECTURE.md'
export const opening = '<!-- generated: states. Change the tables, then `npm run generate`. -->'
export const closing = '<!-- end of generated: states -->'

export function stateDrawings(): Artifact {
  const render = (text = '') => between({ path, text, opening, closing }, drawings())
  return { path, render }
}

function drawings(): string {
  return stateMachines()
    .map(({ name, diagram }) => `### ${name}\n\n\`\`\`mermaid\n${diagram}\n\`\`\`\n`)
    .join('\n')
}

type Marked = Readonly<{ path: string; text: string; opening: string; closing: string }>

/** The text with what is generated between its two markers; the rest stays as it is. */
export function between({ path, text, opening, closing }: Marked, drawn: string): string {
  const [before, ...opened] = text.split(opening)
  const [, after, ...closed] = (opened[0] ?? '').split(closing)
  if (opened.length !== 1 || after === undefined || closed.length > 0) {
    throw new Error(`${path} must hold once, each on a line: ${opening} and ${closing}`)
  }
  return `${before}${opening}\n\n${drawn}\n${closing}${after}`
}
