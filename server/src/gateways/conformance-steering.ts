// The suite's part on orders that wait: the payer's code, a cancel, the sandbox's test control.
// Law: what comes too late is answered with the order's end, and moves nothing.

import { describe, expect, it } from 'vitest'
import {
  canceller,
  confirmed,
  nothing,
  once,
  otpTaker,
  query,
  queryUntilEnded,
  resolver,
  type Suite,
  send,
  waiting,
} from './conformance-bench.ts'

export function describeOtp(suite: Suite): void {
  describe('a code', () => {
    it('is waited for; a wrong one moves nothing, the right one confirms', async () => {
      const { gateway, books, order, otps } = suite.bench()
      const one = order('waits_for_otp', 'COLLECT')
      expect(await send(gateway, one)).toEqual(waiting('otp'))

      const wrong = await otpTaker(gateway).confirmOtp(one, otps.wrong)
      expect(wrong).toEqual({ answer: { is: 'wrong_otp' }, hash: expect.any(Buffer) })
      expect(await query(gateway, one)).toEqual(waiting('otp'))
      expect((await books(one)).debits).toBe(0)

      const { answer } = await otpTaker(gateway).confirmOtp(one, otps.right)
      expect(['waiting', 'confirmed']).toContain(answer.is)
      expect(await queryUntilEnded(gateway, one)).toEqual(confirmed(one))
      expect(await books(one)).toEqual(once(one))
    })

    it('that comes after the end is answered with the end', async () => {
      const { gateway, books, order, otps } = suite.bench()
      const one = order('waits_for_otp', 'COLLECT')
      await send(gateway, one)
      await otpTaker(gateway).confirmOtp(one, otps.right)
      await queryUntilEnded(gateway, one)
      const { answer } = await otpTaker(gateway).confirmOtp(one, otps.right)
      expect(answer).toEqual(confirmed(one))
      expect(await books(one)).toEqual(once(one))
    })

    it('made beforehand is the payer’s to get right', async () => {
      const { gateway, books, order, otps } = suite.bench()
      const wrong = { ...order('wants_otp', 'COLLECT'), otp: otps.wrong }
      expect(await send(gateway, wrong)).toMatchObject({
        is: 'refused',
        by: 'payer',
        failure_code: 'INVALID_OTP',
      })
      expect(await books(wrong)).toEqual(nothing)
      const right = { ...order('wants_otp', 'COLLECT'), otp: otps.right }
      expect(await send(gateway, right)).toEqual(waiting('payer'))
      expect(await queryUntilEnded(gateway, right)).toEqual(confirmed(right))
    })
  })
}

export function describeCancel(suite: Suite): void {
  describe('a cancel', () => {
    it('ends what waits: refused, and nothing moves', async () => {
      const { gateway, books, order } = suite.bench()
      const one = order('waits', 'COLLECT')
      await send(gateway, one)
      const { answer } = await canceller(gateway).cancel(one)
      expect(answer).toMatchObject({ is: 'refused', by: 'payer' })
      expect(await query(gateway, one)).toEqual(answer)
      expect((await books(one)).debits).toBe(0)
    })

    it('that comes too late is answered with the payment', async () => {
      const { gateway, order } = suite.bench()
      const one = order('succeeds', 'COLLECT')
      await send(gateway, one)
      await queryUntilEnded(gateway, one)
      expect((await canceller(gateway).cancel(one)).answer).toMatchObject(confirmed(one))
    })

    it('of what the gateway never had is not found', async () => {
      const { gateway, order } = suite.bench()
      const { answer } = await canceller(gateway).cancel(order('waits', 'COLLECT'))
      expect(answer).toEqual({ is: 'not_found' })
    })
  })
}

export function describeResolve(suite: Suite): void {
  describe('a resolve', () => {
    it('confirms what waits, with its amount', async () => {
      const { gateway, books, order } = suite.bench()
      const one = order('waits', 'COLLECT')
      await send(gateway, one)
      const { answer } = await resolver(gateway).resolve(one, { is: 'SUCCESS' })
      expect(answer).toEqual(confirmed(one))
      expect(await books(one)).toEqual(once(one))
    })

    it.each([
      'NOT_APPROVED',
      'LIMIT_REACHED',
      'EXPIRED',
      'GATEWAY_UNAVAILABLE',
      'UNKNOWN',
    ] as const)('fails it with the code that was asked for: %s', async (failure_code) => {
      const { gateway, order } = suite.bench()
      const one = order('waits', 'COLLECT')
      await send(gateway, one)
      const { answer } = await resolver(gateway).resolve(one, { is: 'FAILED', failure_code })
      expect(answer).toMatchObject({ is: 'refused', by: 'payer', failure_code })
    })
  })
}
