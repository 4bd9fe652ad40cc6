// One run: an app, load, strikes, rest, audit.

import type { Ends } from '../../server/test/setup/ends.ts'
import type { Progress } from '../command/progress.ts'
import { broken } from './breach.ts'
import type { Options } from './options.ts'
import { type Ground, openPhase, playPhase } from './phase.ts'
import { startReceiver } from './receiver.ts'
import { type Report, reportOf } from './report.ts'
import { comeToRest } from './rest.ts'
import { type ChaosApp, startApp } from './start-app.ts'
import type { Strike } from './strikes.ts'

export const app_size = { apis: 2, workers: 2 }

export async function runChaos(options: Options, progress: Progress, ends: Ends): Promise<Report> {
  const { seed, seconds } = options
  progress.begin(seconds + Math.round(options.rest_ms / 1000))
  ends.add(async () => progress.end())
  progress.step(`seed ${seed}: the service starts`)
  const receiver = await startReceiver(ends)
  const app = await startApp(app_size, ends)
  const strikes: Strike[] = []
  const ground: Ground = { app, receiver, strikes, print: progress.step }
  const opened = await openPhase(ground, seed)
  const passing = setInterval(() => progress.passed(1), 1_000)
  ends.add(async () => clearInterval(passing))
  const phase = await playPhase(ground, opened, { ...options, first_no: 1 })
  progress.step(`the service comes to rest, within ${options.rest_ms / 1000} s`)
  receiver.behave()
  const from_ms = Date.now()
  for (const member of app.members) member.wake()
  await phase.finish()
  const own = { sent: phase.sent, heard: receiver.heard, strikes: withUnasked(app, strikes) }
  const { facts, breaches } = await comeToRest({ app, own, within_ms: options.rest_ms })
  clearInterval(passing)
  const all = [...breaches, ...broken('no process ends by itself', unaskedEnds(app))]
  const evidence = options.keep ? app.keepEvidence() : undefined
  const rest_ms = Date.now() - from_ms
  return reportOf({ options, facts, breaches: all, answers: phase.statuses, rest_ms, evidence })
}

/** A process that ended by itself has recorded no more than one that was killed. */
export const withUnasked = ({ members }: ChaosApp, strikes: readonly Strike[]): Strike[] => [
  ...strikes,
  ...members.flatMap((member) =>
    member
      .unasked()
      .map(({ at_ms }) => ({ victim: member.name, how: 'kill', at_ms, until_ms: at_ms }) as const),
  ),
]

export const unaskedEnds = ({ members }: ChaosApp): string[] =>
  members.flatMap((member) =>
    member
      .unasked()
      .map(({ at_ms, how }) => `${member.name} at ${new Date(at_ms).toISOString()}: ${how}`),
  )
