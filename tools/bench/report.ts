// The figures of a run, and how they are shown.

import { formatRows } from '../command/command-line.ts'
import type { Measured } from './phases.ts'
import type { Proof } from './proof.ts'
import type { Weight } from './weight.ts'
import type { Pace } from './yardstick.ts'

export type Compared = Readonly<{
  what: string
  a: string
  b: string
  /** `b` against `a`; for a cost less is better, for payments a second more is. */
  ratio: number
  wanted: string
  ok: boolean
}>

export type Report = Readonly<{
  machine: string
  processes: readonly string[]
  yardstick: Readonly<{ by: string; each: readonly Pace[] }> & Pace
  tried: readonly Measured[]
  measured: Measured
  ratio: number
  /** CPU of a TPC-B transaction to that of a payment: what else runs here weighs less on it. */
  ratio_of_cpu: number
  half_load: Readonly<{ per_s: number; p50_ms: number; p99_ms: number }>
  /** Undefined for a cluster. */
  weight: Weight | undefined
  compared: readonly Compared[]
  proof: Proof
}>

const whole = (number: number) => Math.round(number).toString()
const ms = (number: number) => `${number.toFixed(1)} ms`
/** Bars of processor time are hundredths of a millisecond apart. */
const cpuMs = (seconds: number) => `${(seconds * 1000).toFixed(2)} ms`

export function asTable(report: Report): string {
  const { measured, half_load, yardstick, proof } = report
  const { cpu } = measured
  const rows: [string, string][] = [
    ['machine', report.machine],
    ['processes', report.processes.join(', ')],
    ['complete payments per second', `${whole(measured.per_s)} (${measured.in_flight} at once)`],
    [
      `TPC-B per second`,
      `${whole(yardstick.per_s)} (${yardstick.by}, ${yardstick.clients} clients)`,
    ],
    ['ratio', `${report.ratio.toFixed(3)} (by CPU: ${report.ratio_of_cpu.toFixed(3)})`],
    ['initialize at half that load', `p50 ${ms(half_load.p50_ms)}, p99 ${ms(half_load.p99_ms)}`],
    ['CPU per payment: Node', cpuMs(cpu.node)],
    ['CPU per payment: PostgreSQL', cpuMs(cpu.postgres)],
    ['CPU per payment: sandbox operator', cpuMs(cpu.operator)],
    ['CPU per TPC-B, with its clients', cpuMs(yardstick.cpu_s)],
    ['CPU per payment: the load itself', cpuMs(measured.cpu_of_load)],
    ['written per payment', report.weight === undefined ? '–' : sayWeight(report.weight)],
    ['tried (at once: a second)', report.tried.map(formatTried).join(', ')],
    ...report.compared.map(formatCompared),
    ['payments', formatProof(proof)],
    ['books', proof.ledger.every(({ ok }) => ok) ? 'right' : formatBreaches(proof)],
  ]
  return formatRows(rows)
}

function sayWeight(weight: Weight): string {
  const updated = `${weight.rows_updated.toFixed(1)} updated (${weight.not_hot.toFixed(1)} not HOT)`
  const indexed = `at most ${weight.index_entries_at_most.toFixed(0)} index entries`
  const log = `${(weight.wal_bytes / 1024).toFixed(1)} kB of WAL`
  const rows = `${weight.rows_inserted.toFixed(1)} rows, ${updated}, ${indexed}, ${log}`
  return `${rows}, ${weight.commits.toFixed(2)} commits`
}

const formatTried = ({ in_flight, per_s }: Measured) => `${in_flight}: ${whole(per_s)}`

const formatCompared = ({ what, a, b, ratio, wanted, ok }: Compared): [string, string] => [
  what,
  `${ratio.toFixed(2)} (${b} against ${a}; wanted ${wanted}${ok ? '' : ': MISSED'})`,
]

export function formatProof({
  ok,
  accepted,
  settled,
  received,
  expected,
  repeats,
  doubles,
}: Proof) {
  const counts = `${accepted} accepted, ${settled} settled, ${received} of ${expected} heard`
  return `${counts}, ${repeats} repeats, ${doubles} doubles${ok ? '' : ': WRONG'}`
}

const formatBreaches = ({ ledger }: Proof) =>
  ledger
    .filter(({ ok }) => !ok)
    .map((check) => JSON.stringify(check))
    .join('; ')
