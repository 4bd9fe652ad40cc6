// `npm run bench`: complete payments per second beside PostgreSQL's own TPC-B on the same server in
// the same run (docs/benchmarks.md). Ends with 1 when the books are wrong or a payment was heard of
// twice or never.

import { runDelivery, sayDelivery } from './bench/delivery.ts'
import { createEnds } from './bench/ends.ts'
import { readOptions, usage } from './bench/options.ts'
import { createProgress } from './bench/progress.ts'
import { asTable } from './bench/report.ts'
import { runBench } from './bench/run-bench.ts'

const ends = createEnds()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void ends.all().then(() => process.exit(130)))
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options.only === 'delivery') {
    const report = await runDelivery({ seconds: options.quick ? 8 : 20 }, createProgress(), ends)
    await ends.all()
    console.log(options.json ? JSON.stringify(report, undefined, 2) : sayDelivery(report))
    process.exitCode = report.ok ? 0 : 1
  } else {
    const report = await runBench(options, createProgress(), ends)
    await ends.all()
    console.log(options.json ? JSON.stringify(report, undefined, 2) : asTable(report))
    process.exitCode = report.proof.ok ? 0 : 1
  }
} catch (error) {
  await ends.all()
  console.error(error instanceof Error ? error.message : error, `\n\n${usage}`)
  process.exitCode = 1
}
