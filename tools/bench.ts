// `npm run bench`: complete payments per second beside PostgreSQL's own TPC-B on the same server in
// the same run (docs/benchmarks.md). Ends with 1 when the books are wrong or a payment's webhook
// came twice or never.

import { formatDelivery, runDelivery } from './bench/delivery.ts'
import { formatHistory, runHistory } from './bench/history.ts'
import { formatOperators, runOperators } from './bench/operators.ts'
import { readOptions, usage } from './bench/options.ts'
import { asTable } from './bench/report.ts'
import { runBench } from './bench/run-bench.ts'
import { formatSoak, runSoak } from './bench/soak.ts'
import { formatWeight, runWeight } from './bench/weigh-payments.ts'
import { asJson, runCommand } from './command/command-line.ts'
import { createProgress } from './command/progress.ts'

await runCommand(usage, async (args, ends) => {
  const options = readOptions(args)
  const { json, only, quick, soak } = options
  const progress = createProgress()
  if (only === 'delivery') {
    const report = await runDelivery({ seconds: quick ? 8 : 20 }, progress, ends)
    return { text: json ? asJson(report) : formatDelivery(report), ok: report.ok }
  }
  if (only === 'history') {
    const report = await runHistory(options, progress, ends)
    return { text: json ? asJson(report) : formatHistory(report), ok: report.ok }
  }
  if (only === 'operators') {
    const report = await runOperators(options, progress, ends)
    return { text: json ? asJson(report) : formatOperators(report), ok: report.ok }
  }
  if (only === 'weight') {
    const report = await runWeight(options, progress, ends)
    return { text: json ? asJson(report) : formatWeight(report), ok: report.ok }
  }
  if (soak !== undefined) {
    const report = await runSoak(options, soak, { progress, ends })
    return { text: json ? asJson(report) : formatSoak(report), ok: report.ok }
  }
  const report = await runBench(options, progress, ends)
  return { text: json ? asJson(report) : asTable(report), ok: report.proof.ok }
})
