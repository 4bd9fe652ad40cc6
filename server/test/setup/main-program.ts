// What starts the service, or its command line, as a process in a test: the bundle that the run has
// made (`bundle-main.ts`), else the source. `npm start` itself is tested as it is.

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const sourceOf = (name: string) =>
  fileURLToPath(new URL(`../../src/app/${name}.ts`, import.meta.url))

export const serviceSource = sourceOf('main')
export const commandSource = sourceOf('cli')
const operatorSource = fileURLToPath(new URL('../../../simulator/src/main.ts', import.meta.url))

/** Tells every process of a run in which folder its bundle is. */
export const bundleVariable = 'PIROGUE_TEST_BUNDLE'

/** What Node is given to run a source file as it is. */
export const fromSource = (source: string): readonly string[] => ['--import', 'tsx', source]

function programOf(name: string, source: string): readonly string[] {
  const bundle = process.env[bundleVariable]
  return bundle === undefined ? fromSource(source) : [join(bundle, `${name}.mjs`)]
}

/** What Node is given to run the service. */
export const serviceProgram = (): readonly string[] => programOf('main', serviceSource)

/** What Node is given to run the command line. */
export const commandProgram = (): readonly string[] => programOf('cli', commandSource)

/** What Node is given to run the sandbox operator by itself. */
export const operatorProgram = (): readonly string[] =>
  programOf(join('simulator', 'src', 'main'), operatorSource)
