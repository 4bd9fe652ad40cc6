// `npm run chaos`: the whole service as separate processes under load, a process of chance killed
// or put to sleep every second, then the audit by id (docs/proof.md). Ends with 1 when anything
// was lost or doubled.

import { createEnds } from './bench/ends.ts'
import { createProgress } from './bench/progress.ts'
import { readOptions, usage } from './chaos/options.ts'
import { asText } from './chaos/report.ts'
import { runChaos } from './chaos/run-chaos.ts'

const ends = createEnds()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void ends.all().then(() => process.exit(130)))
}
for (const fault of ['uncaughtException', 'unhandledRejection'] as const) {
  process.once(fault, (error: unknown) => {
    console.error(error)
    void ends.all().then(() => process.exit(1))
  })
}

try {
  const options = readOptions(process.argv.slice(2))
  const report = await runChaos(options, createProgress(), ends)
  await ends.all()
  console.log(options.json ? JSON.stringify(report, undefined, 2) : asText(report))
  process.exitCode = report.breaches.length === 0 ? 0 : 1
} catch (error) {
  await ends.all()
  console.error(error instanceof Error ? error.message : error, `\n\n${usage}`)
  process.exitCode = 1
}
