// How far the run is: a bar for a person, a line for each thousand worlds in a log.

import { Presets, SingleBar } from 'cli-progress'

export type Progress = Readonly<{ played(worlds: number): void; end(): void }>

const format = '{bar} {value}/{total} worlds  {rate}/s  {eta_formatted} left'
const lineEach = 1000

export function showProgress(count: number): Progress {
  const started = Date.now()
  let all = 0
  const rate = () => ((all * 1000) / Math.max(1, Date.now() - started)).toFixed(1)
  const end = () => {
    const seconds = ((Date.now() - started) / 1000).toFixed(1)
    console.log(`${all} worlds in ${seconds} s: ${rate()} a second`)
  }
  if (!process.stdout.isTTY) {
    const played = (worlds: number) => {
      const before = Math.floor(all / lineEach)
      all += worlds
      if (Math.floor(all / lineEach) > before) console.log(`${all}/${count} worlds, ${rate()}/s`)
    }
    return { played, end }
  }
  const bar = new SingleBar({ format }, Presets.shades_classic)
  bar.start(count, 0, { rate: '0' })
  return {
    played(worlds) {
      all += worlds
      bar.update(Math.min(all, count), { rate: rate() })
    },
    end() {
      bar.stop()
      end()
    },
  }
}
