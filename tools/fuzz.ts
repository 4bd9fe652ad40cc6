// `npm run fuzz -- --count 100000 --seed 7`: mutated requests at a service of its own. A failure is
// made again by `--seed 7 --only 4711`, which shows the request and the answer.

import { parseArgs } from 'node:util'
import { openApiDocument } from '../server/src/app/openapi-document.ts'
import { asJson, randomSeed, runCommand, wholeNumber } from './command/command-line.ts'
import { createProgress } from './command/progress.ts'
import { isObject } from './fuzz/json-text.ts'
import { type Plan, type Report, runFuzz } from './fuzz/run-fuzz.ts'
import { startServer } from './fuzz/start-server.ts'

const usage = 'npm run fuzz -- [--count <n>] [--seed <n> [--only <n>]] [--callers <n>]'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    seed: { type: 'string' },
    only: { type: 'string' },
    callers: { type: 'string', default: '32' },
    help: { type: 'boolean', short: 'h' },
  },
})

async function readPlan(): Promise<Plan> {
  const seed = values.seed ?? randomSeed()
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

function formatReport(report: Report, seed: number): string {
  const { requests, took_ms, statuses, slowest, failures, wreckage } = report
  const each_s = Math.round((requests * 1000) / took_ms)
  const seconds = Math.round(took_ms / 1000)
  return [
    `${requests} requests of seed ${seed} in ${seconds} s: ${each_s}/s`,
    `statuses ${asJson(statuses)}`,
    `slowest: ${Math.round(slowest.ms)} ms, ${slowest.said}`,
    ...failures.map((failure) => `\nFAILED ${failure}`),
    ...wreckage.map((wrong) => `\nWRONG ${wrong}`),
    failures.length + wreckage.length === 0 ? 'Nothing was found.' : 'See above.',
  ].join('\n')
}

await runCommand(usage, async (_args, ends) => {
  const plan = await readPlan()
  const ground = await startServer(ends)
  const progress = createProgress('requests')
  if (plan.count > 1) {
    progress.begin(plan.count)
    ends.add(async () => progress.end())
  }
  const report = await runFuzz(ground, { ...plan, onDone: () => progress.passed(1) })
  const ok = report.failures.length + report.wreckage.length === 0
  return { text: formatReport(report, plan.seed), ok }
})
