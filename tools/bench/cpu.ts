// CPU seconds and memory as Linux counts them. A group is one process with all that it has started.

import { readFileSync } from 'node:fs'

const ticks_per_s = 100

/** CPU used by a group since it began, also by its children that have ended; 0 elsewhere. */
export function cpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0) / ticks_per_s
}

/** What a process holds in memory now, in bytes; 0 elsewhere. */
export function memoryOf(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readIfThere(`/proc/${pid}/status`)) ?? []
  return Number(kilobytes) * 1024
}

/** A process and its living descendants. */
export function familyOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(familyOf)]
}

/** Empty for a process that has ended. */
export function commandOf(pid: number): string {
  return readIfThere(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
}

function childrenOf(pid: number): number[] {
  const list = readIfThere(`/proc/${pid}/task/${pid}/children`)
  return list.trim().split(' ').map(Number).filter(Boolean)
}

/** utime, stime, and the same of ended children that were waited for (proc(5)). */
function ticksOf(pid: number): number {
  // The name in parentheses may hold spaces: fields are counted from behind it.
  const fields = readIfThere(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  return fields.slice(11, 15).reduce((sum, field) => sum + (Number(field) || 0), 0)
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It has ended, or this is no Linux.
    return ''
  }
}
