// `npm run proof`: the long proofs whole. First those that may run beside each other, then, one at
// a time, those whose bars are by the clock on the wall, which neighbours would stretch. With
// PROOF_PART=beside or alone only these; what else is given goes to Vitest.
import { spawnSync } from 'node:child_process'

const alone = ['--maxWorkers=1']
const parts = Object.entries({ beside: [], alone }).filter(
  ([part]) => part === (process.env.PROOF_PART ?? part),
)
const statuses = parts.map(([part, options]) => {
  const env = { ...process.env, PROOF: 'whole', PROOF_PART: part }
  const args = ['vitest', 'run', '--passWithNoTests', ...options, ...process.argv.slice(2)]
  return spawnSync('npx', args, { stdio: 'inherit', env }).status ?? 1
})
if (statuses.length === 0) console.error('PROOF_PART must be beside or alone.')
process.exitCode = statuses.length === 0 ? 1 : Math.max(...statuses)
