// What each test file costs in processor time, which a busy machine changes little, unlike minutes:
// `CPU_TIMES=1 npm test` prints a table at the end. A file's own time its worker notes
// (`note-cpu.ts`); what it started (services, browsers) and PostgreSQL's work for its databases is
// looked at while the run goes on. Linux only: it reads /proc.

import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { workerOfDatabase } from './database-names.ts'

/** Where workers tell what they begin and what it took; absent where nobody asked. */
export const journalVariable = 'PIROGUE_TEST_CPU_JOURNAL'
export const isAsked = process.env['CPU_TIMES'] !== undefined

/** A worker begins a file, or has ended it after so many seconds of its own. */
export type Note = Readonly<{ pid: number; file: string; own_s?: number }>

type Cost = { own_s: number; children_s: number; database_s: number }
type OfFile = Readonly<{ part: keyof Cost; file: string }>
/** `worker`: whatever file that worker is at, as a browser serves one after another. */
type Owner = OfFile | Readonly<{ part: 'children_s'; worker: number }>
/** `id`: its number and its start: numbers are given again. */
type Process = Readonly<{ id: string; pid: number; parent: number; name: string; own_s: number }>

const look_every_ms = 200
const ticks_per_s = 100
const rows_max = 60

const costs = new Map<string, Cost>()
/** What is nobody's: PostgreSQL's own processes, the bundle; workers as a whole, files included. */
const of_run: OfFile = { file: 'the run: no single file', part: 'database_s' }
const of_workers: OfFile = { file: 'the workers', part: 'own_s' }
/** By worker: the file it is at. */
const files = new Map<number, string>()
/** By process that a file started, or that worked for its database. */
const owners = new Map<string, Owner>()
const seen_s = new Map<string, number>()
let read_bytes = 0

export const writeNote = (journal: string, note: Note): void =>
  appendFileSync(journal, `${JSON.stringify(note)}\n`)

function costOf(file: string): Cost {
  const cost = costs.get(file) ?? { own_s: 0, children_s: 0, database_s: 0 }
  costs.set(file, cost)
  return cost
}

function readNotes(journal: string): void {
  const text = readFileSync(journal, 'utf8')
  for (const line of text.slice(read_bytes).split('\n').slice(0, -1)) {
    const { pid, file, own_s }: Note = JSON.parse(line)
    files.set(pid, file)
    if (own_s !== undefined) costOf(file).own_s += own_s
  }
  read_bytes = text.lastIndexOf('\n') + 1
}

function processes(): Process[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return []
    const text = readIfThere(`/proc/${entry}/stat`)
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [, parent, ...rest] = fields
    const name = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'))
    const own_s = (Number(rest[9]) + Number(rest[10])) / ticks_per_s
    const id = `${entry} ${rest[17]}`
    return text === '' ? [] : [{ id, pid: Number(entry), parent: Number(parent), name, own_s }]
  })
}

function ownerOf(one: Process, above: Owner | undefined): Owner | undefined {
  if (files.has(one.pid)) return of_workers
  if (files.has(one.parent)) return { worker: one.parent, part: 'children_s' }
  if (above?.part === 'children_s') return above
  const is_postgres = one.name === 'postgres'
  const worker = is_postgres && workerOfDatabase(readIfThere(`/proc/${one.pid}/cmdline`))
  const file = worker ? files.get(worker) : undefined
  if (file !== undefined) return { file, part: 'database_s' }
  // A worker is one of ours before it has said so.
  const is_ours = above !== undefined || one.parent === process.pid
  return is_ours && !one.name.startsWith('node') ? of_run : undefined
}

function look(journal: string): void {
  readNotes(journal)
  const all = processes()
  const ids = new Map(all.map(({ pid, id }) => [pid, id]))
  // Parents first, but for the rare child whose number is lower: it is seen at the next look.
  for (const one of all.toSorted((a, b) => a.pid - b.pid)) {
    const owner = owners.get(one.id) ?? ownerOf(one, owners.get(ids.get(one.parent) ?? ''))
    if (owner === undefined) continue
    owners.set(one.id, owner)
    const file = 'file' in owner ? owner.file : (files.get(owner.worker) ?? of_run.file)
    costOf(file)[owner.part] += one.own_s - (seen_s.get(one.id) ?? 0)
    seen_s.set(one.id, one.own_s)
  }
}

const sumOf = ({ own_s, children_s, database_s }: Cost) => own_s + children_s + database_s

function line(name: string, cost: Cost): string {
  const figures = [sumOf(cost), cost.own_s, cost.children_s, cost.database_s]
  return `${figures.map((figure) => figure.toFixed(1).padStart(9)).join('')}  ${name}`
}

function table(): string {
  const workers = costOf(of_workers.file)
  costs.delete(of_workers.file)
  const rows = [...costs].toSorted(([, a], [, b]) => sumOf(b) - sumOf(a))
  const sum = (part: keyof Cost) => rows.reduce((all, [, cost]) => all + cost[part], 0)
  const noted_s = sum('own_s')
  const { user, system } = process.cpuUsage()
  const around = { own_s: workers.own_s - noted_s, children_s: 0, database_s: 0 }
  const vitest = { own_s: (user + system) / 1e6, children_s: 0, database_s: 0 }
  const all = {
    own_s: workers.own_s + vitest.own_s,
    children_s: sum('children_s'),
    database_s: sum('database_s'),
  }
  return [
    'Seconds of processor time',
    '      all  of node  started  postgres',
    ...rows.slice(0, rows_max).map(([file, cost]) => line(file, cost)),
    line('workers, between files', around),
    line('Vitest itself', vitest),
    line(`all ${rows.length} of them`, all),
  ].join('\n')
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // It has ended.
  }
}

/** Vitest's global set-up, after the one that says where the run has its files. */
export default function setUp(): () => void {
  const journal = path.join(tmpdir(), 'cpu-journal')
  appendFileSync(journal, '')
  process.env[journalVariable] = journal
  const looks = setInterval(() => look(journal), look_every_ms)
  return () => {
    clearInterval(looks)
    look(journal)
    delete process.env[journalVariable]
    console.error(`\n${table()}\n`)
  }
}
