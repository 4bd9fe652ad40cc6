// What a run has done and found.

import { formatRows } from '../command/command-line.ts'
import { repeatsOf } from './audit-events.ts'
import { type Breach, formatBreaches, grouped } from './breach.ts'
import type { Facts } from './facts.ts'
import { type Options, rerunCommand } from './options.ts'

export type Report = Readonly<{
  seed: number
  again: string
  /** How often each was struck, by `kill worker-1` and the like. */
  strikes: Readonly<Record<string, number>>
  payments: number
  /** Refunds by status, and what was refused. */
  refunds: Readonly<Record<string, number>>
  /** Transactions by status. */
  ended: Readonly<Record<string, number>>
  /** Answers by status; 0 is no answer. */
  answers: Readonly<Record<number, number>>
  tries: number
  /** Tries of a delivery that had been taken: allowed after a crash. */
  repeats: number
  rest_ms: number
  breaches: readonly Breach[]
  /** Where data and logs are, when they were kept. */
  evidence: string | undefined
}>

export type Found = Readonly<{
  options: Options
  facts: Facts
  breaches: readonly Breach[]
  answers: Readonly<Record<number, number>>
  rest_ms: number
  evidence: string | undefined
}>

export function reportOf({ options, facts, breaches, answers, rest_ms, evidence }: Found): Report {
  const received = [...facts.heard.values()]
  return {
    seed: options.seed,
    again: rerunCommand(options),
    strikes: counted(facts.strikes.map(({ how, victim }) => `${how} ${victim}`)),
    payments: facts.sent.length,
    refunds: countedRefunds(facts),
    ended: counted(facts.transactions.map(({ status }) => status)),
    answers,
    tries: received.reduce((sum, tries) => sum + tries.length, 0),
    repeats: received.reduce((sum, tries) => sum + repeatsOf(tries).length, 0),
    rest_ms,
    breaches,
    evidence,
  }
}

function countedRefunds({ sent, refunds }: Facts): Record<string, number> {
  const refused = sent.flatMap((one) => one.refunds.filter(({ was_refused }) => was_refused))
  return counted([...refunds.map(({ status }) => status), ...refused.map(() => 'refused')])
}

function counted(words: readonly string[]): Record<string, number> {
  const groups = [...grouped(words, (word) => word)].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(groups.map(([word, all]) => [word, all.length]))
}

export function asText(report: Report): string {
  const { breaches, evidence } = report
  const rows: [string, string][] = [
    ['seed', String(report.seed)],
    ['struck', listed(report.strikes)],
    ['payments', `${report.payments}: ${listed(report.ended)}`],
    ['refunds', listed(report.refunds) || 'none'],
    ['answers', listed(report.answers)],
    ['webhooks', `${report.tries} tries, ${report.repeats} repeats after a crash`],
    ['at rest after', `${(report.rest_ms / 1000).toFixed(1)} s`],
    ['lost, doubled', breaches.length === 0 ? 'none' : `${breaches.length}, see below`],
  ]
  const evidenceLine = evidence === undefined ? '' : `\n\nEvidence: ${evidence}`
  const table = `${formatRows(rows)}${evidenceLine}`
  if (breaches.length === 0) return table
  return `${table}\n\n${formatBreaches(breaches)}\n\nAgain: ${report.again}`
}

const listed = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
