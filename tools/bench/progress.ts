// How far the run is, on standard error: a bar for a person, a line a phase for a log.

import { Presets, SingleBar } from 'cli-progress'

export type Progress = Readonly<{
  begin(seconds: number): void
  step(what: string): void
  passed(seconds: number): void
  end(): void
}>

const format = '{bar} {percentage}%  about {left_s} s left  {what}'

export function createProgress(): Progress {
  if (!process.stderr.isTTY) {
    const nothing = () => undefined
    return { begin: nothing, step: (what) => console.error(what), passed: nothing, end: nothing }
  }
  const bar = new SingleBar({ format, stream: process.stderr }, Presets.shades_classic)
  let whole = 0
  let done = 0
  const show = (payload: object = {}) =>
    bar.update(Math.min(done, whole), { left_s: Math.max(0, Math.round(whole - done)), ...payload })
  return {
    begin(seconds) {
      whole = seconds
      bar.start(seconds, 0, { what: '', left_s: seconds })
    },
    step: (what) => show({ what }),
    passed(seconds) {
      done += seconds
      show()
    },
    end: () => bar.stop(),
  }
}
