// `states draw`: the state machines as Mermaid, for ARCHITECTURE.md.

import type { Command } from 'commander'
import { stateMachines } from '../state-machines.ts'
import type { Session } from './session.ts'

export function addStatesCommands(program: Command, run: Session): void {
  program
    .command('states')
    .description('state machines')
    .command('draw')
    .description('print every state machine as a Mermaid diagram')
    .action(() => {
      const machines = stateMachines()
      run.print({
        json: machines,
        lines: machines.flatMap(({ name, diagram }) => [
          `### ${name}`,
          '',
          '```mermaid',
          diagram,
          '```',
          '',
        ]),
      })
    })
}
