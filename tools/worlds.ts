// `npm run worlds -- --count 50000`: the property test of event orders, at length, each process on
// a PostgreSQL of its own. A broken world is shrunk and reported; `--seed` and `--path` play it
// alone.

import { createProgress } from './command/progress.ts'
import { readOptions } from './worlds/options.ts'
import { playShare } from './worlds/play-share.ts'
import { playSeveral } from './worlds/several.ts'

const { processes, ...share } = readOptions(process.argv.slice(2))
let interrupted = false
process.once('SIGINT', () => {
  interrupted = true
})
const halted = () => interrupted

console.log(`${share.count} worlds from seed ${share.seed}`)
const progress = createProgress('worlds')
const played = progress.passed
progress.begin(share.count)
const wrong =
  processes > 1
    ? await playSeveral({ ...share, processes, played, halted })
    : await playShare({ ...share, halted, tick: () => played(1) })
progress.end()
const found = [wrong ?? []].flat()
for (const text of found) console.log(`\n${text}`)
if (found.length > 0) process.exitCode = 1
else if (interrupted) process.exitCode = 130
else console.log('Every law held in every world.')
