// Runs the test files that failed in a whole run once more, alone: `node tools/run-shaky-again.mjs
// REPORT.json`. Who fails again is broken; who passes alone is shaky and named, loudly: a test
// that depends on how busy the machine is has a fault, and it is mended, not forgotten.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** Of six hundred files: more is no coincidence of a busy machine, and takes its time alone. */
const most_files = 8

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

const bar = '!'.repeat(78)
const lines = failed.flatMap(({ name, assertionResults }) => {
  const tests = assertionResults.filter(({ status }) => status === 'failed')
  const said = tests.map(({ fullName, failureMessages }) => {
    const [first = ''] = failureMessages[0]?.split('\n') ?? []
    return `    ${fullName}\n      ${first}`
  })
  return [`  ${relative(process.cwd(), name)}`, ...said]
})
const count = `${files.length} SHAKY TEST FILE${files.length === 1 ? '' : 'S'}`
console.error(`\n${bar}\n${count}: failed beside others, passed alone. A DEFECT, to be mended:`)
console.error(`${lines.join('\n')}\n${bar}`)
// Above the log too, where GitHub shows what a step warns of: this run is green all the same.
if (process.env.GITHUB_ACTIONS === 'true') {
  for (const file of files) console.log(`::warning file=${file}::shaky: failed, then passed alone`)
}
