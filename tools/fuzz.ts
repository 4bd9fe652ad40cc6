// `npm run fuzz -- --count 100000 --seed 7`: mutated requests at a service of its own. A failure is
// made again by `--seed 7 --only 4711`, which shows the request and the answer.

import { parseArgs } from 'node:util'
import { SingleBar } from 'cli-progress'
import { openApiDocument } from '../server/src/app/openapi-document.ts'
import { isObject } from './fuzz/json-text.ts'
import { type Plan, type Report, runFuzz } from './fuzz/run-fuzz.ts'
import { startServer } from './fuzz/start-server.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    seed: { type: 'string' },
    only: { type: 'string' },
    callers: { type: 'string', default: '32' },
  },
})

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} takes a whole number, not "${text}"`)
  return Number(text)
}

async function readPlan(): Promise<Plan> {
  const seed = values.seed ?? String(Math.floor(Math.random() * 1_000_000))
  // The document as JSON, as its readers get it.
  const document: unknown = JSON.parse(JSON.stringify(await openApiDocument()))
  if (!isObject(document)) throw new Error('no document')
  const plan = { seed: wholeNumber('seed', seed), document }
  if (values.only === undefined) {
    const count = wholeNumber('count', values.count)
    return { ...plan, first: 0, count, callers: wholeNumber('callers', values.callers) }
  }
  return {
    ...plan,
    ...{ first: wholeNumber('only', values.only), count: 1, callers: 1 },
    onCall: (request, bytes, { answers, took_ms }) => {
      console.log(`${request.label}\n\n${bytes.toString('utf8')}\n`)
      for (const { status, headers, body } of answers) {
        console.log(status, headers, body.toString('utf8'), `${Math.round(took_ms)} ms`)
      }
    },
  }
}

function printReport(report: Report, seed: number): void {
  const { requests, took_ms, statuses, slowest, failures, wreckage } = report
  const each_s = Math.round((requests * 1000) / took_ms)
  console.log(
    `${requests} requests of seed ${seed} in ${Math.round(took_ms / 1000)} s: ${each_s}/s`,
  )
  console.log('statuses', statuses)
  console.log(`slowest: ${Math.round(slowest.ms)} ms, ${slowest.said}`)
  for (const failure of failures) console.log(`\nFAILED ${failure}`)
  for (const wrong of wreckage) console.log(`\nWRONG ${wrong}`)
  console.log(failures.length + wreckage.length === 0 ? 'Nothing was found.' : 'See above.')
}

const plan = await readPlan()
const service = await startServer()
process.once('SIGINT', () => void service.stop().finally(() => process.exit(130)))
try {
  const bar = new SingleBar({ format: '{bar} {value}/{total} | {duration_formatted} | eta {eta}s' })
  if (plan.count > 1) bar.start(plan.count, 0)
  const report = await runFuzz(service, { ...plan, onDone: (done) => bar.update(done) })
  bar.stop()
  printReport(report, plan.seed)
  if (report.failures.length + report.wreckage.length > 0) process.exitCode = 1
} finally {
  await service.stop()
}
