// Runs the test files that failed in a whole run once more, alone: `node tools/run-shaky-again.mjs
// REPORT.json`. Who fails again is broken; who passes alone is shaky and named, loudly: a test
// that depends on how busy the machine is has a fault, and it is mended, not forgotten.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** More than this is no coincidence of a busy machine. */
const most_files = 4

const report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const failed = report.testResults.filter(({ status }) => status !== 'passed')
const files = failed.map(({ name }) => relative(process.cwd(), name))
if (files.length === 0 || files.length > most_files) {
  console.error(`${files.length} test files failed: not run again.`)
  process.exit(1)
}

console.error(`\nOnce more, alone: ${files.join(' ')}\n`)
const again = spawnSync('npx', ['vitest', 'run', '--maxWorkers=1', ...files], { stdio: 'inherit' })
if (again.status !== 0) process.exit(again.status ?? 1)

console.error('\nSHAKY, to be mended: failed beside others, pass alone.')
for (const { name, assertionResults } of failed) {
  const tests = assertionResults.filter(({ status }) => status === 'failed')
  console.error(`  ${relative(process.cwd(), name)}`)
  for (const { fullName, failureMessages } of tests) {
    console.error(`    ${fullName}\n      ${failureMessages[0]?.split('\n')[0] ?? ''}`)
  }
}
