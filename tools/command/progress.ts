// How far a run is, on standard error: a bar for a person, lines for a log.

import { Presets, SingleBar } from 'cli-progress'

export type Progress = Readonly<{
  /** `whole`: seconds, or things to be done. */
  begin(whole: number): void
  /** What is being done now. */
  step(what: string): void
  /** So many more seconds or things are over. */
  passed(count: number): void
  end(): void
}>

/** A log of many things has a line after each so many. */
const line_each = 1_000

/** A run of known length, or (`counted`) of things that are done one after the other. */
export function createProgress(counted?: string): Progress {
  const began_ms = performance.now()
  let whole = 0
  let done = 0
  const left = () => {
    if (counted === undefined) return `about ${Math.max(0, Math.round(whole - done))} s left`
    const per_s = (done * 1000) / Math.max(1, performance.now() - began_ms)
    return `${done} of ${whole} ${counted}, ${per_s.toFixed(1)} a second`
  }
  if (!process.stderr.isTTY) {
    return {
      begin: (count) => {
        whole = count
      },
      step: (what) => console.error(what),
      passed(count) {
        const lines = Math.floor(done / line_each)
        done += count
        if (counted !== undefined && Math.floor(done / line_each) > lines) console.error(left())
      },
      end: () => undefined,
    }
  }
  const format = '{bar} {percentage}%  {left}  {what}'
  const bar = new SingleBar({ format, stream: process.stderr }, Presets.shades_classic)
  const show = (payload: object = {}) =>
    bar.update(Math.min(done, whole), { left: left(), ...payload })
  return {
    begin(count) {
      whole = count
      bar.start(count, 0, { what: '', left: left() })
    },
    step: (what) => show({ what }),
    passed(count) {
      done += count
      show()
    },
    end: () => bar.stop(),
  }
}
