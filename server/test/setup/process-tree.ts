// Processes as the system counts them: who started whom, CPU seconds, memory.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const ticks_per_s = 100

/** A process and its living descendants; itself alone where there is no /proc. */
export function familyOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(familyOf)]
}

/** Who started it; 0 where that is not known. */
export const parentOf = (pid: number): number => Number(fieldsOf(pid)[1]) || 0

/** Its words, each ended by a NUL; empty for a process that has ended. */
export const commandOf = (pid: number): string => readIfThere(`/proc/${pid}/cmdline`)

/** CPU used since they began, also by their children that have ended; 0 where there is no /proc. */
export function cpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0) / ticks_per_s
}

/** Bytes of memory that a process holds now. */
export function residentBytes(pid: number): number {
  return (
    1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readIfThere(`/proc/${pid}/status`))?.[1] ?? psRss(pid))
  )
}

const psRss = (pid: number): string =>
  execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })

function childrenOf(pid: number): number[] {
  const list = readIfThere(`/proc/${pid}/task/${pid}/children`)
  return list.trim().split(' ').map(Number).filter(Boolean)
}

/** utime, stime, and the same of ended children that were waited for (proc(5)). */
function ticksOf(pid: number): number {
  const ticks = fieldsOf(pid).slice(11, 15)
  return ticks.reduce((sum, field) => sum + (Number(field) || 0), 0)
}

/** The name in parentheses may hold spaces: fields are counted from behind it, the state first. */
const fieldsOf = (pid: number): string[] =>
  readIfThere(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It has ended, or this is no Linux.
    return ''
  }
}
