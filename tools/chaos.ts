// `npm run chaos`: the whole service as separate processes under load, a process of chance killed
// or put to sleep every second, then the audit by id (docs/proof.md). Ends with 1 when anything
// was lost or doubled.

import { readOptions, usage } from './chaos/options.ts'
import { asText } from './chaos/report.ts'
import { runChaos } from './chaos/run-chaos.ts'
import { asJson, runCommand } from './command/command-line.ts'
import { createProgress } from './command/progress.ts'

await runCommand(usage, async (args, ends) => {
  const options = readOptions(args)
  const report = await runChaos(options, createProgress(), ends)
  const text = options.json ? asJson(report) : asText(report)
  return { text, ok: report.breaches.length === 0 }
})
