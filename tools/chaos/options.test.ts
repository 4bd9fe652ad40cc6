// The command line of the chaos: what is meant is read, what is not is refused, and the line that
// repeats a run reads as that run.

import { describe, expect, it } from 'vitest'
import { readOptions, rerunCommand } from './options.ts'

describe('the options', () => {
  it('have a seed of their own when none is given', () => {
    const seeds = new Set(Array.from({ length: 20 }, () => readOptions([]).seed))
    expect(seeds.size).toBeGreaterThan(1)
  })

  it('are the same run again from the line that a report ends with', () => {
    const args = ['--seed', '7', '--seconds', '3', '--every', '500', '--payments-per-second', '2']
    const options = readOptions([...args, '--sleep', '900'])
    const [, again = ''] = rerunCommand(options).split(' -- ')
    expect(readOptions(again.split(' '))).toEqual(options)
  })

  it.each([
    ['--seed', 'x'],
    ['--seconds', '0'],
    ['--every', '-1'],
    ['--speed', '1'],
  ])('refuse %s %s', (name, value) => {
    expect(() => readOptions([name, value])).toThrow()
  })
})
