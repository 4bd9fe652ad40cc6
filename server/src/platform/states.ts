// State machines as data. What is not in a table cannot happen: the one statement that moves a
// status calls `into(to)` for the states that may be left for it.

export type Moves<S extends string> = Readonly<Record<S, Partial<Readonly<Record<S, string>>>>>

export type States<S extends string> = Readonly<{
  moves: Moves<S>
  /** The states from which `to` can be reached. */
  into(to: S): S[]
  allows(from: S, to: S): boolean
}>

export function defineStates<S extends string>(moves: Moves<S>): States<S> {
  const names = Object.keys(moves) as S[]
  return {
    moves,
    into: (to) => names.filter((from) => moves[from][to] !== undefined),
    allows: (from, to) => moves[from][to] !== undefined,
  }
}

/** The machine as a Mermaid diagram, for ARCHITECTURE.md. */
export function drawStates<S extends string>(states: States<S>): string {
  const lines = ['stateDiagram-v2']
  for (const [from, targets] of Object.entries(states.moves) as [S, Record<string, string>][]) {
    for (const [to, why] of Object.entries(targets)) lines.push(`  ${from} --> ${to}: ${why}`)
  }
  return lines.join('\n')
}
