// `npm run bench`: complete payments per second beside PostgreSQL's own TPC-B on the same server in
// the same run (docs/benchmarks.md). Ends with 1 when the books are wrong or a payment's webhook
// came twice or never.

import { formatDelivery, runDelivery } from './bench/delivery.ts'
import { createEnds } from './bench/ends.ts'
import { formatHistory, runHistory } from './bench/history.ts'
import { type Options, readOptions, usage } from './bench/options.ts'
import { createProgress } from './bench/progress.ts'
import { asTable } from './bench/report.ts'
import { runBench } from './bench/run-bench.ts'

const ends = createEnds()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void ends.all().then(() => process.exit(130)))
}

try {
  const options = readOptions(process.argv.slice(2))
  const report = await measure(options)
  await ends.all()
  console.log(options.json ? JSON.stringify(report.report, undefined, 2) : report.text)
  process.exitCode = report.ok ? 0 : 1
} catch (error) {
  await ends.all()
  console.error(error instanceof Error ? error.message : error, `\n\n${usage}`)
  process.exitCode = 1
}

async function measure(options: Options) {
  const progress = createProgress()
  if (options.only === 'delivery') {
    const report = await runDelivery({ seconds: options.quick ? 8 : 20 }, progress, ends)
    return { report, text: formatDelivery(report), ok: report.ok }
  }
  if (options.only === 'history') {
    const report = await runHistory(options, progress, ends)
    return { report, text: formatHistory(report), ok: report.ok }
  }
  const report = await runBench(options, progress, ends)
  return { report, text: asTable(report), ok: report.proof.ok }
}
