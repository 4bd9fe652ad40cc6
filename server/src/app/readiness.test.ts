// Anybody may ask whether we are ready: what that costs the database does not grow with the askers.

import { describe, expect, it } from 'vitest'
import { shared } from './readiness.ts'

describe('the question whether we are ready', () => {
  it('is one for all who ask while it has no answer, for two seconds at most', async () => {
    let [checks, now_ms] = [0, 0]
    const answers: (() => void)[] = []
    const check = shared(
      () => {
        checks += 1
        return new Promise<void>((resolve) => answers.push(resolve))
      },
      () => now_ms,
    )
    const many = Array.from({ length: 1000 }, () => check())
    expect(checks).toBe(1)
    // A database that hangs is asked again, so that its return is seen, and by one again.
    now_ms = 2_000
    const more = Array.from({ length: 1000 }, () => check())
    expect(checks).toBe(2)
    for (const answer of answers) answer()
    await Promise.all([...many, ...more])
    check()
    expect(checks).toBe(3)
    now_ms -= 3_600_000
    check()
    expect(checks, 'the clock was set back').toBe(4)
  })

  it('is asked again after one that failed', async () => {
    const check = shared(async () => {
      throw new Error('no database')
    })
    await expect(check()).rejects.toThrow('no database')
    await expect(check()).rejects.toThrow('no database')
  })
})
